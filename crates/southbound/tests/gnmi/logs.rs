//! What is logged of a device: which one, about which transaction; never in its own words.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lockstep_gnmi::proto::gnmi::SetResponse;
use lockstep_protocol::{Answer, Ask};
use lockstep_southbound::gnmi::Options;
use tonic::Status;

use crate::support::{Device, Proxy, Reaction, World, delta, leaf, options};

const WORDS: &str = "the password hunter2 is too short";

/// Lines as they are logged.
#[derive(Clone, Debug, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(more)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    /// What this thread logs from now on.
    fn begin(&self) -> tracing::subscriber::DefaultGuard {
        let lines = self.clone();
        let logs = tracing_subscriber::fmt().with_ansi(false).with_writer(move || lines.clone());
        tracing::subscriber::set_default(logs.finish())
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// The line with these words in it.
    fn with(&self, words: &str) -> String {
        let text = self.text();
        let found = text.lines().find(|line| line.contains(words));
        found.unwrap_or_else(|| panic!("no line has {words:?}:\n{text}")).to_owned()
    }
}

async fn ask(status: Status, ask: Ask) -> Lines {
    let lines = Lines::default();
    let _logged = lines.begin();
    let device = Device::new();
    device.on_set(move |_| Reaction::Refuse(status.clone()));
    let mut world = World::connected(options(device.listen(None).await)).await;
    world.ask(ask).await;
    lines
}

fn change() -> Ask {
    Ask::Set(delta([leaf("/system/hostname", "leaf1")]))
}

#[tokio::test]
async fn a_set_that_was_not_done_is_told_by_its_code_its_target_and_its_transaction() {
    for (status, code) in [
        (Status::resource_exhausted(WORDS), "RESOURCE_EXHAUSTED"),
        (Status::unavailable(WORDS), "UNAVAILABLE"),
    ] {
        let lines = ask(status, change()).await;
        let line = lines.with("not done, or not known to be");
        for part in [code, "target=leaf1", "transaction=17"] {
            assert!(line.contains(part), "{part}: {line}");
        }
        assert!(!lines.text().contains("hunter2"), "{}", lines.text());
    }
}

/// The request and whoever waits for it have the same deadline, and it does not matter which of them notices.
#[tokio::test]
async fn a_set_that_is_not_answered_is_told_alike_whoever_notices() {
    let device = Device::new();
    device.on_set(|_| Reaction::Hang);
    let address = device.listen(None).await;
    for _ in 0..8 {
        let lines = Lines::default();
        let _logged = lines.begin();
        let timeout = Duration::from_millis(300);
        let mut world = World::connected(Options { timeout, ..options(address) }).await;
        assert_eq!(world.ask(change()).await, Answer::Unknown);
        let line = lines.with("not done, or not known to be");
        for part in ["it did not answer in time", "asked=Set", "target=leaf1", "transaction=17"] {
            assert!(line.contains(part), "{part}: {line}");
        }
    }
}

#[tokio::test]
async fn a_claim_that_is_not_understood_is_told_without_words() {
    let lines = ask(Status::unimplemented(WORDS), Ask::Claim).await;
    lines.with("the device has no such arbitration");
    assert!(!lines.text().contains("hunter2"), "{}", lines.text());
}

#[tokio::test]
async fn what_the_connection_says_is_told_whole() {
    let lines = Lines::default();
    let _logged = lines.begin();
    let device = Device::new();
    device.on_set(|_| Reaction::Answer(SetResponse::default()));
    let proxy = Proxy::to(device.listen(None).await).await;
    let mut world = World::connected(options(proxy.address)).await;
    proxy.cut();
    world.send(change());
    world.expect_disconnected_unanswered().await;
    assert!(lines.with("not connected").contains("why="), "{}", lines.text());
}
