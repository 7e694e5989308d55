//! Work that takes a processor for long: kept off the threads that serve everything else.
//!
//! A large Set or Get is seconds of YANG and JSON. On the threads of the runtime, as many of them as
//! there are processors would hold up every other call, the node and its devices.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::refusal;
use tokio::sync::Semaphore;
use tonic::Status;

/// So many units are looked at or told in microseconds: sooner than that is handed to another thread.
pub(crate) const FEW: usize = 64;

/// Does it here. A fault ends this alone, as on a thread of its own.
pub(crate) fn on_the_spot<T>(work: impl FnOnce() -> T) -> Result<T, ()> {
    catch_unwind(AssertUnwindSafe(work)).map_err(drop)
}

/// As many at once as there are processors; the others wait in the order in which they came.
#[derive(Clone, Debug)]
pub(crate) struct Workers {
    free: Arc<Semaphore>,
}

impl Workers {
    pub(crate) fn new() -> Self {
        let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { free: Arc::new(Semaphore::new(count)) }
    }

    /// Does it at once if it is known to be little: handing it to another thread and back would cost more. Otherwise as
    /// [`run`](Self::run) does.
    pub(crate) async fn run_or<T: Send + 'static>(
        &self,
        little: bool,
        work: impl FnOnce() -> Result<T, Status> + Send + 'static,
    ) -> Result<T, Status> {
        if !little {
            return self.run(work).await;
        }
        on_the_spot(work)
            .unwrap_or_else(|()| Err(Status::internal("the work was cut off: it panicked")))
    }

    /// Does it when it is its turn. A caller that goes away before that takes its work along.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Status> + Send + 'static,
    ) -> Result<T, Status> {
        let permit = Arc::clone(&self.free).acquire_owned().await;
        let permit = permit.map_err(|_| refusal::stopping())?;
        let done = tokio::task::spawn_blocking(move || {
            // Held by the work itself, which goes on when its caller has gone away.
            let _permit = permit;
            work()
        });
        done.await.map_err(|error| Status::internal(format!("the work was cut off: {error}")))?
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::Workers;

    #[tokio::test]
    async fn one_more_than_there_are_processors_waits() {
        let workers = Workers::new();
        let count = workers.free.available_permits();
        let (started, all) = mpsc::channel();
        let mut gates = Vec::new();
        for _ in 0..=count {
            let (gate, open) = mpsc::channel::<()>();
            gates.push(gate);
            let (workers, started) = (workers.clone(), started.clone());
            let work = move || {
                started.send(()).unwrap();
                // Ends when its gate is dropped.
                let _ = open.recv();
                Ok(())
            };
            tokio::spawn(async move { workers.run(work).await });
        }
        let all = tokio::task::spawn_blocking(move || {
            (0..count).for_each(|_| all.recv().unwrap());
            assert!(all.try_recv().is_err());
            drop(gates);
            all.recv().unwrap();
        });
        all.await.unwrap();
    }
}
