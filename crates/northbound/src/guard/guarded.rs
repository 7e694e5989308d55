//! The gRPC services, behind the door.
//!
//! A service of its own and not a layer of their router, which would be put before each of them by itself: for a small
//! answer, what that boxes and copies in each call is a good part of the work.

use std::convert::Infallible;
use std::task::{Context, Poll};
use std::time::Instant;

use axum::http::{Request, Response};
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service};
use tonic::service::Routes;
use tonic::{Code, Status};

use super::web::carried_out;
use super::{Guard, Peer, Refused};
use crate::{answers, metrics};

/// Services that hear of those alone who are let in.
#[derive(Clone, Debug)]
pub(crate) struct Guarded {
    guard: Guard,
    services: Routes,
    /// The largest message, in bytes.
    message: usize,
}

impl Service<Request<Body>> for Guarded {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Response<Body>, Infallible>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Service::<Request<Body>>::poll_ready(&mut self.services, context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let guarded = self.clone();
        Box::pin(async move { Ok(guarded.answer(request).await) })
    }
}

impl Guarded {
    pub(crate) fn new(guard: Guard, services: Routes, message: usize) -> Self {
        Self { guard, services: services.prepare(), message }
    }

    async fn answer(self, request: Request<Body>) -> Response<Body> {
        let (begun, _open, message) = (Instant::now(), metrics::RPCS_OPEN.hold(), self.message);
        let action = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
        let answer = self.called(request, &action).await;
        let code = code(&answer);
        metrics::rpc(&action, code, begun.elapsed());
        match code {
            Code::Ok => answer,
            _ => answers::check(answer, message),
        }
    }

    async fn called(self, mut request: Request<Body>, action: &str) -> Response<Body> {
        let Self { guard, mut services, .. } = self;
        let peer = Peer::of(request.extensions());
        peer.asked.note();
        let call = match guard.enter(request.headers_mut(), &peer, action).await {
            Ok(call) => call,
            Err(away) => {
                let refused = away.why;
                guard.note_refused(&peer, action, away).await;
                return refused.status().into_http();
            }
        };
        if call.is_audited() && guard.audit().is_some_and(|audit| !audit.works()) {
            return Refused::Audit.status().into_http();
        }
        let next = async move |request| {
            let Ok(answer) = services.call(request).await;
            answer
        };
        let cut_off = || Status::internal("the call was cut off").into_http();
        carried_out(&guard, call, request, next, code).await.unwrap_or_else(cut_off)
    }
}

/// An answer that went well has its status at the end, not in the headers.
fn code(answer: &Response<Body>) -> Code {
    Status::from_header_map(answer.headers()).map_or(Code::Ok, |status| status.code())
}
