//! The way to a device, which can be cut, or swallow what goes along it.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What the way does to bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Open,
    /// Bytes vanish; the connections stay, as when a host is gone.
    Swallowing,
    /// Connections that began before this cut are gone.
    Cut(usize),
}

#[derive(Debug)]
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    way: watch::Sender<Way>,
    accepted: watch::Receiver<usize>,
}

impl Proxy {
    pub(crate) async fn to(device: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let way = watch::Sender::new(Way::Open);
        let (count, accepted) = watch::channel(0);
        tokio::spawn(accept(listener, device, way.clone(), count));
        Self { address, way, accepted }
    }

    /// Every connection there is breaks; later ones are as usual.
    pub(crate) fn cut(&self) {
        self.way.send_replace(Way::Cut(self.accepted()));
    }

    /// Nothing comes through any more, in either direction, and nobody is told.
    pub(crate) fn swallow(&self) {
        self.way.send_replace(Way::Swallowing);
    }

    /// As at first.
    pub(crate) fn open(&self) {
        self.way.send_replace(Way::Open);
    }

    /// How many connections there have been.
    pub(crate) fn accepted(&self) -> usize {
        *self.accepted.borrow()
    }
}

async fn accept(
    listener: TcpListener,
    device: SocketAddr,
    way: watch::Sender<Way>,
    count: watch::Sender<usize>,
) {
    while let Ok((client, _)) = listener.accept().await {
        count.send_modify(|count| *count += 1);
        let number = *count.borrow();
        let way = way.subscribe();
        tokio::spawn(async move {
            let device = TcpStream::connect(device).await.unwrap();
            let ((from_client, to_client), (from_device, to_device)) =
                (client.into_split(), device.into_split());
            tokio::select! {
                () = carry(from_client, to_device, &way) => {}
                () = carry(from_device, to_client, &way) => {}
                () = cut(way.clone(), number) => {}
            }
        });
    }
}

async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, way: &watch::Receiver<Way>) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        let swallowed = *way.borrow() == Way::Swallowing;
        if !swallowed && to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}

async fn cut(mut way: watch::Receiver<Way>, number: usize) {
    let is_cut = |way: &Way| matches!(way, Way::Cut(last) if number <= *last);
    if way.wait_for(is_cut).await.is_err() {
        std::future::pending::<()>().await;
    }
}
