//! How a target stands, for a question about it.

use lockstep_gnmi::proto::lockstep::v1::{GetTargetRequest, Target};
use tonic::{Code, Status};

use crate::cli::Failed;
use crate::client::{Client, refused};

/// The target; none: it is not for whoever asks to read, and may well be for them to do something with. Any other reason
/// not to tell is an error: nobody is asked about a target that is not there.
pub(super) async fn known(name: &str, client: &Client) -> Result<Option<Target>, Failed> {
    let request = GetTargetRequest { name: name.to_owned() };
    let answer = client.admin().get_target(request).await;
    Ok(readable(answer)?.map(|answer| answer.into_inner().target.unwrap_or_default()))
}

/// An answer; none: it is not for whoever asks.
pub(super) fn readable<A>(answer: Result<A, Status>) -> Result<Option<A>, Failed> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(status) if status.code() == Code::PermissionDenied => Ok(None),
        Err(status) => Err(refused(&status)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_for_them_to_read_is_left_open() {
        assert_eq!(readable(Ok(7)).unwrap(), Some(7));
        assert_eq!(readable::<()>(Err(Status::permission_denied("no role"))).unwrap(), None);
        for status in [Status::not_found("there is no target"), Status::unavailable("")] {
            assert!(readable::<()>(Err(status)).is_err());
        }
    }
}
