//! The last look at what goes out: a status in the words of this project, with room in the headers.

use axum::http::Response;
use lockstep_gnmi::brief::{MESSAGE, brief};
use prost::Message;
use tonic::body::Body;
use tonic::{Code, Status};

/// How the gRPC library begins when a request is larger than it was told to take.
const TOO_LARGE: &str = "Error, decoded message length too large";

/// How it begins when a request is no message.
const UNDECODABLE: &str = "failed to decode Protobuf message";

/// Rewrites the errors that come from below the services, and shortens those that are too long.
pub(crate) fn check(answer: Response<Body>, limit: usize) -> Response<Body> {
    // An answer that went well has its status at the end, not in the headers.
    let Some(status) = Status::from_header_map(answer.headers()) else { return answer };
    if status.code() == Code::OutOfRange && status.message().starts_with(TOO_LARGE) {
        return too_large("the request", limit).into_http();
    }
    if is_undecodable(&status) {
        return undecodable(status).into_http();
    }
    if status.message().len() > MESSAGE {
        let message = brief(status.message(), MESSAGE);
        let details = status.details().to_vec().into();
        return Status::with_details(status.code(), message, details).into_http();
    }
    answer
}

fn is_undecodable(status: &Status) -> bool {
    status.code() == Code::Internal && status.message().starts_with(UNDECODABLE)
}

/// An error of a client's own stream: where its message is none, that is the client's doing.
pub(crate) fn undecodable(status: Status) -> Status {
    if !is_undecodable(&status) {
        return status;
    }
    Status::invalid_argument(brief(
        &format!("the request is no message: {}", status.message()),
        MESSAGE,
    ))
}

/// An answer, if it is not larger than messages may be.
pub(crate) fn fitting<M: Message>(answer: M, limit: usize) -> Result<M, Status> {
    if answer.encoded_len() <= limit {
        return Ok(answer);
    }
    Err(too_large("the answer", limit))
}

/// How large an answer is that is still being put together: one that does not fit is given up before it is
/// whole.
pub(crate) struct Size {
    left: usize,
    limit: usize,
}

impl Size {
    pub(crate) fn up_to(limit: usize) -> Self {
        Self { left: limit, limit }
    }

    /// Counts what is about to be added to it, as one of the first fifteen fields of the message.
    pub(crate) fn grow<M: Message>(&mut self, parts: &[M]) -> Result<(), Status> {
        let size = parts.iter().map(field).sum();
        let left = self.left.checked_sub(size);
        self.left = left.ok_or_else(|| too_large("the answer", self.limit))?;
        Ok(())
    }
}

/// The bytes of a part: its number and its length come first.
fn field<M: Message>(part: &M) -> usize {
    let length = part.encoded_len();
    1 + prost::length_delimiter_len(length) + length
}

fn too_large(what: &str, limit: usize) -> Status {
    Status::resource_exhausted(format!(
        "{what} is larger than limits.message, which is {limit} bytes; do it in parts, or raise the limit"
    ))
}

#[cfg(test)]
mod tests {
    use lockstep_gnmi::proto::gnmi::Path;

    use super::*;

    fn checked(status: Status) -> Status {
        let answer = check(status.into_http(), 7);
        Status::from_header_map(answer.headers()).unwrap()
    }

    #[test]
    fn too_large_a_request_names_the_limit() {
        let found = "Error, decoded message length too large: found 9 bytes, the limit is: 7 bytes";
        let told = checked(Status::out_of_range(found));
        assert_eq!(told.code(), Code::ResourceExhausted);
        assert!(told.message().contains("limits.message, which is 7 bytes"), "{told}");
        // Others may be out of range too.
        assert_eq!(checked(Status::out_of_range("past")).code(), Code::OutOfRange);
    }

    #[test]
    fn what_is_no_message_is_the_clients_doing() {
        let told = checked(Status::internal(format!("{UNDECODABLE}: buffer underflow")));
        assert_eq!(told.code(), Code::InvalidArgument);
        assert!(told.message().contains("underflow"), "{told}");
        assert_eq!(checked(Status::internal("ours")).code(), Code::Internal);
    }

    #[test]
    fn a_long_message_is_shortened_and_keeps_its_details() {
        let long = Status::with_details(Code::NotFound, "ü".repeat(5000), vec![1, 2].into());
        let told = checked(long);
        assert_eq!((told.code(), told.details()), (Code::NotFound, &[1, 2][..]));
        assert!(told.message().len() <= MESSAGE && told.message().ends_with('…'));
        assert_eq!(checked(Status::not_found("short")).message(), "short");
    }

    #[test]
    fn too_large_an_answer_is_refused() {
        let path = Path { target: "leaf1".into(), ..Path::default() };
        assert!(fitting(path.clone(), 100).is_ok());
        assert_eq!(fitting(path, 3).unwrap_err().code(), Code::ResourceExhausted);
    }

    #[test]
    fn an_answer_is_given_up_with_the_part_that_does_not_fit() {
        let path = Path { target: "leaf1".into(), ..Path::default() };
        let mut size = Size::up_to(3 * (2 + path.encoded_len()));
        assert!(size.grow(&[path.clone(), path.clone()]).is_ok());
        assert!(size.grow(std::slice::from_ref(&path)).is_ok());
        assert_eq!(size.grow(&[path]).unwrap_err().code(), Code::ResourceExhausted);
        assert!(size.grow::<Path>(&[]).is_ok());
    }
}
