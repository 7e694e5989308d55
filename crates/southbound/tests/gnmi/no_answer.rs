//! Answers that are none: cut off, or from something that is not gRPC. Nobody knows what became of
//! the Set, and the driver must not take the words of its own library for those of the device.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use lockstep_protocol::{Answer, Ask};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tonic::codegen::{Body as HttpBody, Bytes, Service};
use tonic::server::NamedService;
use tonic::transport::Server;

use crate::support::{MANDATE, World, delta, leaf, options};

/// How a Set is answered.
#[derive(Clone, Copy)]
enum Cut {
    /// OK, and then nothing.
    Nothing,
    /// An error of HTTP.
    Http(u16),
    /// The beginning of a message.
    HalfMessage,
    /// A good status and no message.
    NoMessage,
}

#[derive(Clone)]
struct Broken(Cut);

impl NamedService for Broken {
    const NAME: &'static str = "gnmi.gNMI";
}

impl Service<Request<Body>> for Broken {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Ready<Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let response = Response::builder().header("content-type", "application/grpc");
        let response = match self.0 {
            _ if !request.uri().path().ends_with("/Set") => {
                response.header("grpc-status", "12").body(Body::empty())
            }
            Cut::Nothing => response.body(Body::empty()),
            Cut::Http(status) => response.status(status).body(Body::empty()),
            Cut::HalfMessage => response.body(Body::new(Piece(Some(&[0, 0, 0, 0, 9, 1])))),
            Cut::NoMessage => response.header("grpc-status", "0").body(Body::empty()),
        };
        ready(Ok(response.unwrap()))
    }
}

/// A body of these bytes, without trailers.
struct Piece(Option<&'static [u8]>);

impl HttpBody for Piece {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Infallible>>> {
        let piece = self.0.take().map(Bytes::from_static);
        Poll::Ready(piece.map(|piece| Ok(http_body::Frame::data(piece))))
    }
}

async fn listen(cut: Cut) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = Server::builder().add_service(Broken(cut));
    tokio::spawn(serving.serve_with_incoming(TcpListenerStream::new(listener)));
    address
}

#[tokio::test]
async fn leave_the_outcome_unknown() {
    let cuts = [
        ("nothing", Cut::Nothing),
        ("503", Cut::Http(503)),
        ("400", Cut::Http(400)),
        ("half a message", Cut::HalfMessage),
        ("no message", Cut::NoMessage),
    ];
    for (name, cut) in cuts {
        let line = World::line(options(listen(cut).await)).await;
        let change = Ask::Set(delta([leaf("/system/hostname", "leaf1")]));
        assert_eq!(line.ask(MANDATE, change).await, Answer::Unknown, "{name}");
    }
}
