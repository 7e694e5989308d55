//! A wire to a member that can be cut, or can swallow what the member answers.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What the wire does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// It carries both ways.
    Open,
    /// It carries nothing, and whatever was connected no longer is.
    Cut,
    /// It carries requests, and keeps the answers.
    Deaf,
    /// It carries both ways, until so many bytes of requests have come at once: then it is deaf.
    DeafAfter(usize),
}

/// A wire to a member, with a port of its own.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    wire: watch::Sender<Wire>,
    task: JoinHandle<()>,
}

impl Proxy {
    pub(crate) async fn start(member: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let wire = watch::Sender::new(Wire::Open);
        let state = wire.clone();
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if *state.borrow() != Wire::Cut {
                    tokio::spawn(carry(client, member, state.clone()));
                }
            }
        });
        Self { port, wire, task }
    }

    pub(crate) fn set(&self, wire: Wire) {
        self.wire.send_replace(wire);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
        self.wire.send_replace(Wire::Cut);
    }
}

async fn carry(client: TcpStream, member: u16, wire: watch::Sender<Wire>) {
    let Ok(server) = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], member))).await else {
        return;
    };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let mut cut = wire.subscribe();
    tokio::select! {
        () = requests(from_client, to_server, &wire) => {}
        () = answers(from_server, to_client, wire.subscribe()) => {}
        _ = cut.wait_for(|wire| *wire == Wire::Cut) => {}
    }
}

async fn requests(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, wire: &watch::Sender<Wire>) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        wire.send_if_modified(|wire| {
            let enough = matches!(wire, Wire::DeafAfter(bytes) if count >= *bytes);
            if enough {
                *wire = Wire::Deaf;
            }
            enough
        });
        if to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}

async fn answers(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut wire: watch::Receiver<Wire>) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        if wire.wait_for(|wire| *wire != Wire::Deaf).await.is_err()
            || to.write_all(&buffer[..count]).await.is_err()
        {
            return;
        }
    }
}
