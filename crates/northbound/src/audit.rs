//! Who did what, line by line: written before the answer goes out, and never with a value in it. What nodes do by
//! themselves is told by `itself`.
//!
//! One thread writes; whoever waits for a line waits for the system to have taken it. The queue is bounded,
//! so a disk that is slow slows the calls and nothing piles up. A disk that takes no more makes calls that
//! would be written down refused, until it does again.

pub(crate) mod itself;
mod writer;

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lockstep_gnmi::brief::brief;
use lockstep_types::{Path, Target};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tonic::Code;

use crate::access::AuditTo;
use crate::identity::Identity;
use writer::{Order, Writer};

/// As many lines wait to be written.
const QUEUE: usize = 1024;
/// How many bytes of what a client wrote are written down in one place.
pub(crate) const WORDS: usize = 400;

/// What came up in a call. Most calls are not written down, so texts are made of it only for those that are.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    /// Targets, each with paths.
    pub(crate) targets: BTreeMap<Target, BTreeSet<Path>>,
    /// There were more.
    pub(crate) more: bool,
    /// Id and index.
    pub(crate) transaction: Option<(String, u64)>,
    /// What else there is to say of the action.
    pub(crate) detail: Option<String>,
    /// Why it was not allowed.
    pub(crate) refused: Option<String>,
    /// As whom somebody tried to come in.
    pub(crate) tried: Option<String>,
}

/// A call to be written down.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    pub(crate) identity: &'a Identity,
    pub(crate) address: Option<SocketAddr>,
    pub(crate) action: &'a str,
    pub(crate) noted: Noted,
    pub(crate) code: Code,
}

impl Noted {
    /// The targets, and their paths in the order of their texts.
    fn named(&self) -> BTreeMap<&str, BTreeSet<String>> {
        let texts = |paths: &BTreeSet<Path>| {
            paths.iter().map(|path| brief(&path.to_string(), WORDS)).collect()
        };
        self.targets.iter().map(|(target, paths)| (target.as_str(), texts(paths))).collect()
    }
}

impl Line<'_> {
    fn json(&self, time: &str) -> Value {
        let Noted { more, transaction, detail, refused, tried, .. } = &self.noted;
        let mut line = json!({
            "time": time,
            "identity": self.identity.name,
            "how": self.identity.how.name(),
            "address": self.address.map(|address| address.to_string()),
            "action": self.action,
            "targets": self.noted.named(),
            "outcome": lockstep_gnmi::code::name(self.code),
        });
        let besides = [
            ("detail", detail.as_ref().map(|detail| json!(detail))),
            ("id", transaction.as_ref().map(|(id, _)| json!(id))),
            ("index", transaction.as_ref().map(|(_, index)| json!(index))),
            ("more", more.then(|| json!(true))),
            ("refused", refused.as_ref().map(|refused| json!(refused))),
            ("tried", tried.as_ref().map(|tried| json!(tried))),
        ];
        for (name, value) in besides {
            if let (Some(value), Some(members)) = (value, line.as_object_mut()) {
                members.insert(name.to_owned(), value);
            }
        }
        line
    }
}

/// Where lines go. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) enum Audit {
    File { orders: mpsc::Sender<Order>, works: Arc<AtomicBool> },
    Log,
}

impl Audit {
    /// Opens it.
    ///
    /// # Errors
    /// The file cannot be written to.
    pub(crate) fn open(to: AuditTo) -> Result<Self, (PathBuf, std::io::Error)> {
        let path = match to {
            AuditTo::Log => return Ok(Self::Log),
            AuditTo::File(path) => path,
        };
        let works = Arc::new(AtomicBool::new(true));
        let writer = Writer::open(&path, Arc::clone(&works));
        let writer = writer.map_err(|error| (path.clone(), error))?;
        let (orders, received) = mpsc::channel(QUEUE);
        let thread = std::thread::Builder::new().name("audit".into());
        let started = thread.spawn(move || writer.run(received));
        started.map(|_| Self::File { orders, works }).map_err(|error| (path, error))
    }

    /// Whether what was to be written could be. Where it could not, that is tried again.
    pub(crate) fn works(&self) -> bool {
        match self {
            Self::Log => true,
            Self::File { orders, works } => {
                let well = works.load(Ordering::Acquire);
                if !well {
                    // A queue that is full is being worked on.
                    let _full = orders.try_send(Order::Reopen);
                }
                well
            }
        }
    }

    /// Opens the file anew: the one before was moved away.
    pub(crate) async fn reopen(&self) {
        if let Self::File { orders, .. } = self {
            // The writer ends with the last of us, not before.
            let _ended = orders.send(Order::Reopen).await;
        }
    }

    /// Writes a line, and comes back when it is written.
    pub(crate) async fn write(&self, line: Line<'_>) {
        let now = std::time::SystemTime::now();
        let line = line.json(&prost_types::Timestamp::from(now).to_string()).to_string();
        match self {
            Self::Log => tracing::info!(target: "audit", "{line}"),
            Self::File { orders, .. } => {
                let (done, written) = oneshot::channel();
                if orders.send(Order::Line(line, done)).await.is_ok() {
                    // The writer says itself what went wrong.
                    let _failed = written.await;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
