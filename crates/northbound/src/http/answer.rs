//! Answers: JSON, events, files; and refusals in one form.

use std::convert::Infallible;
use std::error::Error;
use std::pin::Pin;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, StreamExt};
use lockstep_gnmi::code;
use lockstep_gnmi::proto::lockstep::v1::ExportResponse;
use serde_json::{Value, json};
use tonic::{Code, Status};

use super::asked::TooLarge;

/// How often a client that hears nothing is told that it is still heard.
const ALIVE: Duration = Duration::from_secs(15);

/// What is told of one event: its name, and what it has.
pub(super) type Told = (&'static str, Value);

/// An answer.
pub(super) enum Answer {
    Json(Value),
    Events(Pin<Box<dyn Stream<Item = Result<Told, Status>> + Send>>),
    File {
        name: &'static str,
        parts: Pin<Box<dyn Stream<Item = Result<ExportResponse, Status>> + Send>>,
    },
}

impl Answer {
    /// Events, of which each message becomes one.
    pub(super) fn events<M>(
        messages: impl Stream<Item = Result<M, Status>> + Send + 'static,
        event: impl Fn(M) -> Told + Send + 'static,
    ) -> Self {
        Self::Events(Box::pin(messages.map(move |message| message.map(&event))))
    }
}

/// Nothing of this is for a cache: it is true now, and for one caller.
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = match self {
            Self::Json(value) => json_response(StatusCode::OK, &value),
            Self::Events(events) => sse(events),
            Self::File { name, parts } => file(name, parts),
        };
        response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
        response
    }
}

fn json_response(status: StatusCode, value: &Value) -> Response {
    let json = [(header::CONTENT_TYPE, "application/json")];
    (status, json, format!("{value}\n")).into_response()
}

fn sse(events: Pin<Box<dyn Stream<Item = Result<Told, Status>> + Send>>) -> Response {
    let events = events.map(|told| {
        let (name, value) = told.unwrap_or_else(|status| ("error", error(&status)));
        Ok::<_, Infallible>(Event::default().event(name).data(value.to_string()))
    });
    let mut response =
        Sse::new(events).keep_alive(KeepAlive::new().interval(ALIVE)).into_response();
    // Whoever is in between is to pass each of them on.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

fn file(
    name: &'static str,
    parts: Pin<Box<dyn Stream<Item = Result<ExportResponse, Status>> + Send>>,
) -> Response {
    // A file that ends early is cut off, so that nobody takes it for whole.
    let parts = parts.map(|part| {
        part.map(|part| part.data).map_err(|status| std::io::Error::other(status.to_string()))
    });
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    (headers, Body::from_stream(parts)).into_response()
}

fn error(status: &Status) -> Value {
    json!({ "code": code::name(status.code()), "message": status.message() })
}

/// Why something was not done; with the transaction that it became all the same.
pub(crate) fn refused(status: &Status, transaction: Option<Value>) -> Response {
    let body = json!({ "error": error(status), "transaction": transaction });
    let is_too_large = status.source().is_some_and(|source| source.is::<TooLarge>());
    let said = if is_too_large { StatusCode::PAYLOAD_TOO_LARGE } else { http(status.code()) };
    let mut response = json_response(said, &body);
    response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
    // The audit has the words of gRPC.
    response.extensions_mut().insert(status.code());
    response
}

/// The status of HTTP that says the same.
fn http(code: Code) -> StatusCode {
    match code {
        Code::Ok => StatusCode::OK,
        Code::InvalidArgument => StatusCode::BAD_REQUEST,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::OutOfRange => StatusCode::GONE,
        Code::AlreadyExists | Code::FailedPrecondition | Code::Aborted => StatusCode::CONFLICT,
        Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
        Code::Unimplemented => StatusCode::NOT_IMPLEMENTED,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
        Code::Cancelled | Code::Unknown | Code::Internal | Code::DataLoss => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}
