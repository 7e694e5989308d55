//! The thread that writes: everything that waits, in one sync of the disk.

use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::{io, thread};

use lockstep_protocol::Written;
use tokio::sync::{mpsc, oneshot};

use crate::ledger::{Job, Ledger, lock};
use crate::{Error, metrics};

/// How many jobs may wait before those who bring more have to.
const QUEUE: usize = 4_096;
/// How many bytes share a sync: beyond this it is the writing that takes time, and those in front
/// would wait for those behind.
const BATCH_BYTES: usize = 8 << 20;

type Answer = oneshot::Sender<Result<Written, Error>>;

#[derive(Debug)]
enum Message {
    Job(Job, Answer),
    Close(oneshot::Sender<()>),
}

/// The way to the thread that writes. Dropping it waits until the thread has closed the store.
#[derive(Debug)]
pub(super) struct Writer {
    queue: Option<mpsc::Sender<Message>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    pub(super) fn start(ledger: Arc<Ledger>) -> io::Result<Self> {
        let (queue, waiting) = mpsc::channel(QUEUE);
        let thread = thread::Builder::new().name("lockstep-store".into());
        let thread = thread.spawn(move || {
            serve(&ledger, waiting);
        })?;
        Ok(Self { queue: Some(queue), thread: Mutex::new(Some(thread)) })
    }

    /// Queues a job and waits until it is durable.
    pub(super) async fn submit(&self, job: Job) -> Result<Written, Error> {
        let (answer, answered) = oneshot::channel();
        self.send(Message::Job(job, answer)).await?;
        answered.await.unwrap_or(Err(Error::Closed))
    }

    /// Has the thread finish what waits and close the store.
    pub(super) async fn close(&self) -> Result<(), Error> {
        let (closed, done) = oneshot::channel();
        if self.send(Message::Close(closed)).await.is_ok() {
            // It ends without a word only if it had closed before.
            let _ended = done.await;
        }
        Ok(())
    }

    async fn send(&self, message: Message) -> Result<(), Error> {
        let queue = self.queue.as_ref().ok_or(Error::Closed)?;
        queue.send(message).await.map_err(|_| Error::Closed)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = lock(&self.thread).take()
            && thread.join().is_err()
        {
            tracing::error!("the store's writer ended in a panic");
        }
    }
}

fn serve(ledger: &Ledger, mut waiting: mpsc::Receiver<Message>) {
    let mut closing = None;
    while closing.is_none()
        && let Some(first) = waiting.blocking_recv()
    {
        let (jobs, answers, close) = gather(first, &mut waiting);
        closing = close;
        if !jobs.is_empty() {
            metrics::BATCH.observe(jobs.len() as u64);
            for (answer, result) in answers.into_iter().zip(ledger.run(&jobs)) {
                // Whoever no longer waits does not want to know.
                let _gone = answer.send(result);
            }
        }
    }
    ledger.close();
    drop(waiting);
    if let Some(closing) = closing {
        let _gone = closing.send(());
    }
}

/// Everything that waits now, up to a request to close.
fn gather(
    first: Message,
    waiting: &mut mpsc::Receiver<Message>,
) -> (Vec<Job>, Vec<Answer>, Option<oneshot::Sender<()>>) {
    let (mut jobs, mut answers, mut bytes) = (Vec::new(), Vec::new(), 0);
    let mut next = Some(first);
    while let Some(message) = next {
        match message {
            Message::Job(job, answer) => {
                bytes += job.bytes();
                jobs.push(job);
                answers.push(answer);
            }
            Message::Close(closing) => return (jobs, answers, Some(closing)),
        }
        next = if bytes < BATCH_BYTES { waiting.try_recv().ok() } else { None };
    }
    (jobs, answers, None)
}
