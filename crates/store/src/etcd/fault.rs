//! What a failed request to etcd means: whether it was done, and whether another member may do it.

use std::error::Error as _;
use std::sync::Arc;

use etcd_client::Error as Client;
use tonic::{Code, ConnectError, Status};

use crate::{Error, Source};

/// Why a request failed.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// It was not done, and another member, or the same one a little later, may do it.
    NotDone(Source),
    /// Nobody knows whether it was done.
    Unknown(Source),
    /// The revision is no longer kept.
    Compacted,
    /// The revision is yet to come.
    Future,
    /// The lease is gone.
    LeaseGone,
    /// The answer is larger than is taken.
    TooMuch,
    /// It was not done, and will not be.
    Refused(Source),
}

/// A request took too long.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("etcd did not answer in time")]
pub(super) struct Late;

/// A member that cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum Unfit {
    #[error("{0} could not be reached")]
    Unreachable(String, #[source] Source),
    #[error("{0} has no leader")]
    NoLeader(String),
    #[error("{0} is a learner")]
    Learner(String),
    #[error("{0} has version {1}, and 3.4 is the oldest that will do")]
    Old(String, String),
}

impl Fault {
    pub(super) fn late() -> Self {
        Self::Unknown(Arc::new(Late))
    }

    /// As the answer to a read, or to something that may be asked twice.
    pub(super) fn read(self) -> Error {
        match self {
            Self::NotDone(source) | Self::Unknown(source) => Error::Unavailable { source },
            other => other.write(),
        }
    }

    /// As the answer to a write.
    pub(super) fn write(self) -> Error {
        match self {
            Self::NotDone(source) => Error::Unavailable { source },
            Self::Unknown(source) => Error::Unknown { source },
            Self::Refused(source) => Error::Failed { source },
            // Whoever asks for revisions, leases and pages looks at these first.
            other @ (Self::Compacted | Self::Future | Self::LeaseGone | Self::TooMuch) => {
                Error::Failed { source: Arc::new(Unexpected(format!("{other:?}"))) }
            }
        }
    }
}

/// An answer that does not fit what was asked.
#[derive(Clone, Debug, thiserror::Error)]
#[error("etcd gave an answer that was not expected: {0}")]
pub(super) struct Unexpected(pub(super) String);

impl From<Client> for Fault {
    fn from(error: Client) -> Self {
        match error {
            Client::GRpcStatus(status) => Self::from(status),
            Client::LeaseKeepAliveError(text) if text == "lease not found" => Self::LeaseGone,
            Client::TransportError(_) | Client::IoError(_) => Self::NotDone(Arc::new(error)),
            Client::InvalidArgs(_) | Client::InvalidUri(_) | Client::InvalidMetadataValue(_) => {
                Self::Refused(Arc::new(error))
            }
            _ => Self::Unknown(Arc::new(error)),
        }
    }
}

impl From<Status> for Fault {
    /// etcd's codes are too coarse, so its words are looked at too; they are the same in all versions.
    fn from(status: Status) -> Self {
        let says = |words: &str| status.message().contains(words);
        if says("required revision has been compacted") {
            return Self::Compacted;
        }
        if says("required revision is a future revision") {
            return Self::Future;
        }
        if says("requested lease not found") {
            return Self::LeaseGone;
        }
        if says("decoded message length too large") {
            return Self::TooMuch;
        }
        // All of these are said before anything is proposed to the cluster.
        let early = says("no leader")
            || says("too many requests")
            || says("not capable")
            || says("proposal dropped")
            || says("invalid auth token")
            || says("revision of auth store is old")
            || unreached(&status);
        if early {
            return Self::NotDone(Arc::new(status));
        }
        // A connection that breaks may leave some of these codes too, and says nothing of what etcd did.
        let theirs = says("etcdserver: ");
        match status.code() {
            Code::Unimplemented => Self::Refused(Arc::new(status)),
            Code::InvalidArgument
            | Code::FailedPrecondition
            | Code::PermissionDenied
            | Code::Unauthenticated
            | Code::NotFound
            | Code::OutOfRange
            | Code::ResourceExhausted
            | Code::AlreadyExists
                if theirs =>
            {
                Self::Refused(Arc::new(status))
            }
            _ => Self::Unknown(Arc::new(status)),
        }
    }
}

/// Whether there was no connection to send it on.
fn unreached(status: &Status) -> bool {
    let mut source = status.source();
    while let Some(error) = source {
        if error.is::<ConnectError>() {
            return true;
        }
        source = error.source();
    }
    false
}

#[cfg(test)]
mod tests {
    //! What is said to have not been done was not done.

    use tonic::{Code, Status};

    use super::Fault;

    #[test]
    fn a_write_is_only_tried_again_where_it_was_not_done() {
        let fault = |code, words: &str| Fault::from(Status::new(code, words));
        for (code, words) in [
            (Code::Unavailable, "etcdserver: no leader"),
            (Code::ResourceExhausted, "etcdserver: too many requests"),
            (Code::Unknown, "raft proposal dropped"),
            (Code::Unauthenticated, "etcdserver: invalid auth token"),
        ] {
            assert!(matches!(fault(code, words), Fault::NotDone(_)), "{words}");
        }
        for (code, words) in [
            (Code::Unavailable, "etcdserver: request timed out"),
            (Code::Unavailable, "etcdserver: leader changed"),
            (Code::Unavailable, "etcdserver: server stopped"),
            (Code::Unavailable, "error reading a body from connection"),
            (Code::Cancelled, "h2 protocol error"),
            (Code::Unknown, "transport error"),
            (Code::Internal, "stream closed"),
            (Code::DeadlineExceeded, ""),
            (Code::ResourceExhausted, "h2 protocol error: too many pings"),
            (Code::PermissionDenied, "h2 protocol error: inadequate security"),
        ] {
            assert!(matches!(fault(code, words), Fault::Unknown(_)), "{words}");
        }
        for (code, words) in [
            (Code::PermissionDenied, "etcdserver: permission denied"),
            (Code::ResourceExhausted, "etcdserver: mvcc: database space exceeded"),
            (Code::InvalidArgument, "etcdserver: request is too large"),
        ] {
            assert!(matches!(fault(code, words), Fault::Refused(_)), "{words}");
        }
    }
}
