//! Why a call is not let in, and how that is said.

use std::time::Duration;

use axum::http::{HeaderValue, header};
use axum::response::Response;
use tonic::{Code, Status};

use crate::identity::{Identity, TokenError};

/// Why a call is not let in. What a client is told is less than what the log says: never which part was
/// wrong.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(crate) enum Refused {
    /// Nothing was shown: no password, no token, no certificate.
    #[error("no credentials")]
    Nobody,
    /// What was shown is not right, or cannot be read.
    #[error("{0}")]
    Wrong(&'static str),
    /// A bearer token of nobody who is believed, or one whose time is over.
    #[error("a token that is not believed: {0}")]
    Token(TokenError),
    /// A name was tried with wrong passwords too often: its next try has to wait.
    #[error("too many wrong passwords; the next try is in {} s", seconds(.wait))]
    Throttled { wait: Duration },
    /// More passwords are to be looked at than the node does at once.
    #[error("too many logins at once")]
    Busy,
    /// One identity makes more calls than `limits.rate`.
    #[error("more than {rate} calls a second")]
    Rate { rate: u32 },
    /// From one address come too many calls with wrong credentials.
    #[error("more than {rate} calls a second with wrong credentials from there")]
    Flood { rate: u32 },
    /// A call that would have to be written down, while that cannot be done.
    #[error("the audit cannot be written")]
    Audit,
    /// A browser asks in the name of its user, for a page that is not this node's.
    #[error("a page of another site, {0}")]
    Site(&'static str),
}

/// Rounded up: whoever comes back then shall not be too early.
fn seconds(wait: &Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

impl Refused {
    /// In a word.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Nobody => "nobody",
            Self::Wrong(_) => "wrong",
            Self::Token(_) => "token",
            Self::Throttled { .. } => "throttled",
            Self::Busy => "busy",
            Self::Rate { .. } => "rate",
            Self::Flood { .. } => "flood",
            Self::Audit => "audit",
            Self::Site(_) => "site",
        }
    }

    /// What a client is told.
    fn words(self) -> String {
        match self {
            Self::Nobody => {
                "who are you? Show a password (`username` and `password` in the metadata, or HTTP \
                             Basic), a token (`authorization: Bearer …`), or a client certificate"
                    .into()
            }
            Self::Wrong(_) | Self::Token(_) => "the credentials are not valid".into(),
            Self::Throttled { wait } => {
                format!("too many logins failed; try again in {} s", seconds(&wait))
            }
            Self::Busy => "too many logins at once; try again in a moment".into(),
            Self::Rate { rate } => format!(
                "more than {rate} calls a second, which is limits.rate; slow down, and try again"
            ),
            Self::Flood { rate } => format!(
                "more than {rate} calls a second with wrong credentials come from your address; try again in a moment"
            ),
            Self::Audit => {
                "the node cannot write its audit, so nothing is done; its log says why".into()
            }
            Self::Site(why) => format!(
                "this looks like a request that a page of another site makes in your name, so it is refused: {why}"
            ),
        }
    }

    /// As gRPC says it.
    pub(crate) fn status(self) -> Status {
        let words = self.words();
        match self {
            Self::Nobody | Self::Wrong(_) | Self::Token(_) => Status::unauthenticated(words),
            Self::Throttled { .. } | Self::Busy | Self::Rate { .. } | Self::Flood { .. } => {
                Status::resource_exhausted(words)
            }
            Self::Audit => Status::unavailable(words),
            Self::Site(_) => Status::permission_denied(words),
        }
    }

    /// As HTTP says it. A browser asks its user for a password where it is told to; but not where a script asks, which
    /// has a better way.
    pub(crate) fn response(self, by_script: bool) -> Response {
        let status = self.status();
        let mut response = crate::http::refused(&status, None);
        if status.code() == Code::Unauthenticated && !by_script {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, ASK);
        }
        if let Some(wait) = self.wait() {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds(&wait)));
        }
        response
    }

    /// How long to wait before the next try; none: that would not help.
    fn wait(self) -> Option<Duration> {
        match self {
            Self::Throttled { wait } => Some(wait),
            Self::Busy | Self::Rate { .. } | Self::Flood { .. } => Some(Duration::from_secs(1)),
            Self::Nobody | Self::Wrong(_) | Self::Token(_) | Self::Audit | Self::Site(_) => None,
        }
    }
}

/// Somebody who is not let in.
#[derive(Clone, Debug)]
pub(crate) struct Away {
    pub(crate) why: Refused,
    /// Who it is, where that is known all the same.
    pub(crate) identity: Identity,
    /// As whom they tried to come in: a user there is. Of anything else it is not known whether it is a name, or a
    /// password in the wrong place.
    pub(crate) tried: Option<String>,
}

impl From<Refused> for Away {
    fn from(why: Refused) -> Self {
        Self { why, identity: Identity::nobody(), tried: None }
    }
}

/// How a browser is told to ask.
const ASK: HeaderValue = HeaderValue::from_static("Basic realm=\"lockstep\", charset=\"UTF-8\"");
