//! Where calls come in, whom they come from, and a layer in front of HTTP.

use std::net::SocketAddr;
use std::time::Instant;

use axum::extract::connect_info::{ConnectInfo, Connected};
use axum::extract::{Request, State};
use axum::http::{self, Extensions, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio_rustls::server::TlsStream;
use tonic::Code;
use tonic::transport::server::{Connected as _, TlsConnectInfo};

use super::{Away, Call, Guard, Refused, site};
use crate::connection::{Connection, Origin};
use crate::identity::{Identity, of_certificate};
use crate::metrics;
use crate::patience::Asked;

/// The other end of a connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Peer {
    pub(crate) address: Option<SocketAddr>,
    /// Whom its certificate names, which the listener has verified.
    pub(crate) certificate: Option<Identity>,
    /// It knows by our certificate that it is us whom it asks.
    pub(crate) knows_us: bool,
    /// For its connection to know that it does.
    pub(crate) asked: Asked,
}

impl Peer {
    pub(super) fn of(extensions: &Extensions) -> Self {
        if let Some(tls) = extensions.get::<TlsConnectInfo<Origin>>() {
            let certificates = tls.peer_certs();
            let certificate = certificates.as_ref().and_then(|chain| chain.first());
            let certificate = certificate.and_then(of_certificate);
            return Self { certificate, knows_us: true, ..tls.get_ref().clone().into() };
        }
        extensions.get::<Origin>().cloned().map(Self::from).unwrap_or_default()
    }
}

impl From<Origin> for Peer {
    fn from(Origin { address, asked }: Origin) -> Self {
        Self { address: Some(address), asked, ..Self::default() }
    }
}

impl From<&Connection> for Peer {
    fn from(connection: &Connection) -> Self {
        connection.connect_info().into()
    }
}

impl From<&TlsStream<Connection>> for Peer {
    fn from(stream: &TlsStream<Connection>) -> Self {
        let (connection, session) = stream.get_ref();
        let certificates = session.peer_certificates();
        let certificate = certificates.and_then(|chain| chain.first()).and_then(of_certificate);
        Self { certificate, knows_us: true, ..connection.into() }
    }
}

impl Connected<Self> for Peer {
    fn connect_info(peer: Self) -> Self {
        peer
    }
}

/// Has a call carried out and written down. Nobody knows what became of one that was cut off.
pub(super) async fn carried_out<Asked, Answer, Work>(
    guard: &Guard,
    call: Call,
    mut request: http::Request<Asked>,
    next: impl FnOnce(http::Request<Asked>) -> Work + Send + 'static,
    code: fn(&http::Response<Answer>) -> Code,
) -> Option<http::Response<Answer>>
where
    Asked: Send + 'static,
    Answer: Send + 'static,
    Work: Future<Output = http::Response<Answer>> + Send + 'static,
{
    request.extensions_mut().insert(call.clone());
    let audited = call.is_audited();
    let work = async move {
        let answer = next(request).await;
        call.close(code(&answer)).await;
        answer
    };
    if !audited {
        return Some(work.await);
    }
    // A client that goes away leaves its transaction to finish, and that is to be written down.
    let under_way = guard.begin().await;
    let done = tokio::spawn(async move {
        let _under_way = under_way;
        work.await
    });
    done.await.ok()
}

/// Open to everybody beside the page: whether the node lives, and how it does.
const OPEN: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// In front of HTTP.
pub(crate) async fn http(
    State(guard): State<Guard>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path();
    if OPEN.contains(&path) || crate::http::is_page(path) {
        return next.run(request).await;
    }
    let begun = Instant::now();
    let answer = asked(&guard, peer, request, next).await;
    metrics::http(answer.status().as_u16(), begun.elapsed());
    answer
}

async fn asked(guard: &Guard, peer: Peer, mut request: Request, next: Next) -> Response {
    let action = format!("{} {}", request.method(), request.uri().path());
    let by_script = site::is_by_script(request.headers());
    let entered = match site::check(&request, guard.is_open() && !peer.knows_us) {
        Ok(()) => guard.enter(request.headers_mut(), &peer, &action).await,
        Err(refused) => Err(Away::from(refused)),
    };
    let call = match entered {
        Ok(call) => call,
        Err(away) => {
            let refused = away.why;
            guard.note_refused(&peer, &action, away).await;
            return refused.response(by_script);
        }
    };
    if call.is_audited() && guard.audit().is_some_and(|audit| !audit.works()) {
        return Refused::Audit.response(by_script);
    }
    let next = |request| next.run(request);
    let cut_off = || StatusCode::INTERNAL_SERVER_ERROR.into_response();
    carried_out(guard, call, request, next, meaning).await.unwrap_or_else(cut_off)
}

/// The code of gRPC that says the same, so that the audit has one set of words.
fn meaning(answer: &Response) -> Code {
    if let Some(code) = answer.extensions().get::<Code>() {
        return *code;
    }
    match answer.status() {
        status if status.is_success() || status.is_redirection() => Code::Ok,
        StatusCode::FORBIDDEN => Code::PermissionDenied,
        StatusCode::NOT_FOUND => Code::NotFound,
        StatusCode::CONFLICT => Code::Aborted,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::PAYLOAD_TOO_LARGE => Code::ResourceExhausted,
        StatusCode::NOT_IMPLEMENTED | StatusCode::METHOD_NOT_ALLOWED => Code::Unimplemented,
        StatusCode::SERVICE_UNAVAILABLE => Code::Unavailable,
        StatusCode::GATEWAY_TIMEOUT => Code::DeadlineExceeded,
        status if status.is_client_error() => Code::InvalidArgument,
        _ => Code::Internal,
    }
}
