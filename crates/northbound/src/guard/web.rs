//! Where calls come in: a layer in front of the gRPC services, and one in front of HTTP.

use std::net::SocketAddr;

use axum::extract::connect_info::{ConnectInfo, Connected};
use axum::extract::{Request, State};
use axum::http::Extensions;
use axum::middleware::Next;
use axum::response::Response;
use axum::serve::IncomingStream;
use tonic::transport::server::{TcpConnectInfo, TlsConnectInfo};
use tonic::{Code, Status};

use super::{Guard, Refused};
use crate::connection::Listener;
use crate::identity::{Identity, of_certificate};

/// The other end of a connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Peer {
    pub(crate) address: Option<SocketAddr>,
    /// Whom its certificate names, which the listener has verified.
    pub(crate) certificate: Option<Identity>,
}

impl Peer {
    fn of(extensions: &Extensions) -> Self {
        if let Some(tls) = extensions.get::<TlsConnectInfo<TcpConnectInfo>>() {
            let certificates = tls.peer_certs();
            let certificate = certificates.as_ref().and_then(|chain| chain.first());
            let certificate = certificate.and_then(of_certificate);
            return Self { address: tls.get_ref().remote_addr, certificate };
        }
        let address = extensions.get::<TcpConnectInfo>().and_then(|info| info.remote_addr);
        Self { address, certificate: None }
    }
}

impl Connected<IncomingStream<'_, Listener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Listener>) -> Self {
        Self { address: Some(*stream.remote_addr()), certificate: None }
    }
}

/// In front of the gRPC services.
pub(crate) async fn grpc(State(guard): State<Guard>, mut request: Request, next: Next) -> Response {
    let peer = Peer::of(request.extensions());
    let action = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
    let call = match guard.enter(request.headers_mut(), &peer, &action).await {
        Ok(call) => call,
        Err(refused) => {
            guard.note_refused(&peer, &action, refused).await;
            return refused.status().into_http();
        }
    };
    if call.is_audited() && guard.audit().is_some_and(|audit| !audit.works()) {
        return Refused::Audit.status().into_http();
    }
    request.extensions_mut().insert(call.clone());
    if !call.is_audited() {
        let answer = next.run(request).await;
        call.close(code(&answer)).await;
        return answer;
    }
    // A client that goes away leaves its transaction to finish, and that is to be written down.
    let done = tokio::spawn(async move {
        let answer = next.run(request).await;
        call.close(code(&answer)).await;
        answer
    });
    done.await.unwrap_or_else(|_| Status::internal("the call was cut off").into_http())
}

/// An answer that went well has its status at the end, not in the headers.
fn code(answer: &Response) -> Code {
    Status::from_header_map(answer.headers()).map_or(Code::Ok, |status| status.code())
}

/// Open to everybody: whether the node lives, and how it does.
const OPEN: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// In front of HTTP.
pub(crate) async fn http(
    State(guard): State<Guard>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    mut request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path().to_owned();
    if OPEN.contains(&path.as_str()) {
        return next.run(request).await;
    }
    match guard.enter(request.headers_mut(), &peer, &path).await {
        Ok(call) => {
            request.extensions_mut().insert(call);
            next.run(request).await
        }
        Err(refused) => {
            guard.note_refused(&peer, &path, refused).await;
            refused.response()
        }
    }
}
