//! Where messages to a client go out: a few at a time, and one last word.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tonic::Status;

/// As many messages wait for the network.
const AHEAD: usize = 4;

/// The end that messages are put in.
#[derive(Debug)]
pub(crate) struct Outlet<M> {
    messages: mpsc::Sender<M>,
    last: Arc<Mutex<Option<oneshot::Sender<Last>>>>,
}

// Not derived: that would ask it of messages too.
impl<M> Clone for Outlet<M> {
    fn clone(&self) -> Self {
        Self { messages: self.messages.clone(), last: Arc::clone(&self.last) }
    }
}

/// How it ends.
#[derive(Debug)]
struct Last {
    /// None: all went well.
    status: Option<Status>,
    /// Before what is still waiting.
    at_once: bool,
}

/// The end that the client's connection takes them from.
#[derive(Debug)]
pub(crate) struct Told<M> {
    messages: mpsc::Receiver<M>,
    last: Option<oneshot::Receiver<Last>>,
    status: Option<Status>,
}

pub(crate) fn open<M>() -> (Outlet<M>, Told<M>) {
    let (sender, messages) = mpsc::channel(AHEAD);
    let (last, ended) = oneshot::channel();
    let outlet = Outlet { messages: sender, last: Arc::new(Mutex::new(Some(last))) };
    (outlet, Told { messages, last: Some(ended), status: None })
}

impl<M> Outlet<M> {
    /// Puts a message in, once there is room. Whoever is gone needs none.
    pub(crate) async fn send(&self, message: M) -> Result<(), Status> {
        let sent = self.messages.send(message).await;
        sent.map_err(|_| Status::cancelled("the client is gone"))
    }

    /// Puts a message in, if there is room now; otherwise gives it back.
    pub(crate) fn try_send(&self, message: M) -> Option<M> {
        self.messages.try_send(message).err().map(TrySendError::into_inner)
    }

    /// Comes back when the client is gone.
    pub(crate) async fn closed(&self) {
        self.messages.closed().await;
    }

    /// Ends it after all messages; none: it went well.
    pub(crate) fn end(&self, status: Option<Status>) {
        self.close(Last { status, at_once: false });
    }

    /// Ends it now: the client does not take what is waiting.
    pub(crate) fn cut(&self, status: Status) {
        self.close(Last { status: Some(status), at_once: true });
    }

    fn close(&self, last: Last) {
        let sender = self.last.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(sender) = sender {
            // Nobody is there to hear it, otherwise.
            let _ = sender.send(last);
        }
    }
}

impl<M> tokio_stream::Stream for Told<M> {
    type Item = Result<M, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(last) = &mut self.last
            && let Poll::Ready(last) = Pin::new(last).poll(context)
        {
            self.last = None;
            if let Ok(Last { status, at_once }) = last {
                self.status = status;
                if at_once {
                    self.messages.close();
                    while self.messages.try_recv().is_ok() {}
                }
            }
        }
        match self.messages.poll_recv(context) {
            Poll::Ready(Some(message)) => Poll::Ready(Some(Ok(message))),
            // The last word came before the last sender went.
            Poll::Ready(None) => Poll::Ready(self.status.take().map(Err)),
            Poll::Pending if self.last.is_none() => Poll::Ready(self.status.take().map(Err)),
            Poll::Pending => Poll::Pending,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio_stream::StreamExt;
    use tonic::Code;

    use super::*;

    #[tokio::test]
    async fn the_last_word_comes_last() {
        let (outlet, mut told) = open();
        outlet.send(1).await.unwrap();
        outlet.end(Some(Status::aborted("enough")));
        assert_eq!(told.next().await.unwrap().unwrap(), 1);
        assert_eq!(told.next().await.unwrap().unwrap_err().code(), Code::Aborted);
        assert!(told.next().await.is_none());
    }

    #[tokio::test]
    async fn who_is_cut_off_hears_it_at_once() {
        let (outlet, mut told) = open();
        outlet.send(1).await.unwrap();
        outlet.cut(Status::resource_exhausted("too slow"));
        assert_eq!(told.next().await.unwrap().unwrap_err().code(), Code::ResourceExhausted);
        assert!(told.next().await.is_none());
    }

    #[tokio::test]
    async fn a_good_end_is_no_word() {
        let (outlet, mut told) = open::<u8>();
        outlet.end(None);
        drop(outlet);
        assert!(told.next().await.is_none());
    }
}
