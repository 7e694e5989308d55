//! Work on what a device holds: on the spot where it is little, aside where it would hold up other devices.
//!
//! What is done aside costs two changes of thread, and each thread that ever did some keeps memory of its own; a change
//! of a few leaves is nothing beside that.

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;
use std::thread::available_parallelism;

use lockstep_gnmi::proto::gnmi::{GetResponse, Notification};
use lockstep_gnmi::proto::size;
use lockstep_protocol::Answer;
use lockstep_protocol::record::Failure;
use lockstep_types::Delta;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// So many units or paths are little.
const FEW: usize = 16;

/// So many bytes on the wire are little, however they are nested.
const SHORT: usize = 8 << 10;

/// As much is done aside at once as there are cores: a thousand devices that are read at the same time leave threads for
/// whoever has nothing to do with them.
static TURNS: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(available_parallelism().map_or(1, NonZero::get)));

/// Whether a delta is little to write for a device, of which nothing had to be read first.
pub(super) fn is_little_to_write(delta: &Delta) -> bool {
    delta.len() <= FEW
}

/// Whether what a device holds is little to read.
pub(super) fn is_little_to_read(response: &GetResponse) -> bool {
    size(response) <= SHORT
}

/// Whether what a device tells is little to read.
pub(super) fn is_little_news(told: &Notification) -> bool {
    told.update.len() + told.delete.len() <= FEW && size(told) <= SHORT
}

/// Does it; on the spot, if it is known to be little. A fault ends what was asked, and nothing else.
pub(super) async fn aside<T: Send + 'static>(
    little: bool,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Answer> {
    let done = if little {
        catch_unwind(AssertUnwindSafe(work)).map_err(|_| Answer::Refused(fault()))
    } else {
        // Nobody closes it.
        let turn = TURNS.acquire().await.ok();
        let work = move || {
            let _turn = turn;
            work()
        };
        spawn_blocking(work).await.map_err(|cut_off| match cut_off.is_panic() {
            true => Answer::Refused(fault()),
            // The process is ending.
            false => Answer::Unknown,
        })
    };
    done?.map_err(Answer::Refused)
}

fn fault() -> Failure {
    Failure {
        code: "INTERNAL".to_owned(),
        message: "a fault in Lockstep; nothing was sent. Please report it with its log".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use lockstep_gnmi::path;
    use lockstep_gnmi::proto::gnmi::Update;
    use lockstep_types::{Content, Path, Value};

    use super::*;

    #[tokio::test]
    async fn what_is_little_is_done_on_the_spot() {
        let here = thread::current().id();
        assert_eq!(aside(true, || Ok(thread::current().id())).await, Ok(here));
        assert_ne!(aside(false, || Ok(thread::current().id())).await, Ok(here));
    }

    #[tokio::test]
    async fn a_fault_ends_what_was_asked_wherever_it_was_done() {
        for little in [true, false] {
            let answer = aside::<()>(little, || std::panic::resume_unwind(Box::new("a fault")));
            assert_eq!(answer.await, Err(Answer::Refused(fault())));
        }
    }

    #[test]
    fn little_is_neither_many_nor_long() {
        let leaf = |at: usize| format!("/interfaces/interface[name=eth{at}]/mtu").parse::<Path>();
        let paths = |count: usize| (0..count).map(|at| leaf(at).unwrap()).collect::<Vec<_>>();
        let delta = |count| -> Delta {
            let leaf = |path| (path, Some(Content::Leaf(Value::Uint(9000))));
            paths(count).into_iter().map(leaf).collect()
        };
        assert!(is_little_to_write(&delta(FEW)) && !is_little_to_write(&delta(FEW + 1)));
        let told = |count| Notification {
            delete: paths(count).iter().map(path::write).collect(),
            ..Notification::default()
        };
        assert!(is_little_news(&told(FEW)) && !is_little_news(&told(FEW + 1)));
        let long = Update {
            val: Some(lockstep_gnmi::value::json(&"x".repeat(SHORT).into(), true)),
            ..Update::default()
        };
        let long = Notification { update: vec![long], ..Notification::default() };
        assert!(!is_little_news(&long), "one value may hold everything");
        let held = |one| GetResponse { notification: vec![one], ..GetResponse::default() };
        assert!(is_little_to_read(&held(told(FEW))) && !is_little_to_read(&held(long)));
    }
}
