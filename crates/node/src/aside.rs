//! Work that may take long: aside from the threads that serve, or on the spot where it is little.

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;
use std::thread::available_parallelism;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// So many units are looked at in microseconds, which is less than it takes to hand them to another thread and back.
pub(crate) const FEW: usize = 64;

/// As much of this is done at once as there are cores: a thousand devices that are read at the same time leave threads
/// for whoever has nothing to do with them.
static TURNS: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(available_parallelism().map_or(1, NonZero::get)));

/// Looks at what a device holds, which takes as long as its configuration is large; on the spot, if that is known to be
/// little.
pub(crate) async fn aside<T: Send + 'static>(
    little: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    if little {
        return on_the_spot(work);
    }
    let turn = TURNS.acquire().await.map_err(|error| error.to_string())?;
    apart(move || {
        let _turn = turn;
        work()
    })
    .await
}

/// Does something that takes long, by whoever sees to it that not too much of it is done at once. A runtime of one thread
/// does it on the spot: whoever asked for one thread wants a run that goes the same way each time.
pub(crate) async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::CurrentThread => on_the_spot(work),
        _ => spawn_blocking(work).await.map_err(|error| error.to_string()),
    }
}

/// Does it here. A fault ends this alone, as on a thread of its own.
pub(crate) fn on_the_spot<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| "it panicked".into())
}

#[cfg(test)]
mod tests {
    use std::panic::resume_unwind;
    use std::thread;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn what_is_little_is_done_on_the_spot() {
        // On a thread of the runtime, and not on the one of the test.
        let done = tokio::spawn(async {
            let here = thread::current().id();
            let little = aside(true, || thread::current().id()).await;
            let long = aside(false, || thread::current().id()).await;
            (little == Ok(here), long == Ok(here))
        });
        assert_eq!(done.await.unwrap(), (true, false));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_fault_ends_nothing_else() {
        for little in [true, false] {
            assert!(aside(little, || resume_unwind(Box::new("a fault"))).await.is_err());
        }
    }
}
