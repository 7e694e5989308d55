//! A bar on the terminal while a transaction spreads over many targets, with those named that did not go along.
//!
//! It is asked for by the id of the transaction, beside the call that waits for the outcome; whoever does not watch, or
//! whose transaction is done at once, sees nothing of it.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use lockstep_gnmi::proto::lockstep::v1::{
    ListTransactionsRequest, Transaction, WatchTransactionsRequest,
};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::cli::{Global, Output};
use crate::client::Client;
use crate::output::shortened;
use crate::{show as shows, terminal};

/// What is done sooner is not worth a bar.
const SOON: Duration = Duration::from_millis(300);
/// How wide a bar is; and where the terminal has less than so many columns, so that there is room for words.
const BAR: usize = 24;
const SMALL: (usize, usize) = (8, 100);
/// How many targets that did not go along are named in it.
const NAMED: usize = 3;

/// A bar that is shown while something goes on.
#[derive(Debug)]
pub(crate) struct Progress(Option<JoinHandle<()>>);

impl Progress {
    /// Shows one for the transaction of an id, if somebody watches.
    pub(crate) fn of(client: &Client, id: &str, global: &Global) -> Self {
        let watched = terminal::watched().filter(|_| global.output == Output::Table);
        let Some(width) = watched else { return Self(None) };
        let (client, id) = (client.clone(), id.to_owned());
        Self(Some(tokio::spawn(async move {
            sleep(SOON).await;
            // It is only there to be looked at: whatever goes wrong, the answer comes by another way.
            let _gone = follow(&client, &id, width).await;
        })))
    }

    /// Takes it away again.
    pub(crate) async fn done(self) {
        let Some(task) = self.0 else { return };
        task.abort();
        // It was cut off, as it should be.
        let _aborted = task.await;
        clear();
    }
}

fn clear() {
    let mut out = std::io::stderr().lock();
    // Nothing to be done about a terminal that is gone.
    let _gone = write!(out, "\r\x1b[K").and_then(|()| out.flush());
}

fn show(text: &str) {
    let mut out = std::io::stderr().lock();
    let _gone = write!(out, "\r\x1b[K{text}").and_then(|()| out.flush());
}

async fn follow(client: &Client, id: &str, width: usize) -> Option<()> {
    let index = loop {
        let request = ListTransactionsRequest {
            id: id.to_owned(),
            limit: 1,
            brief: true,
            ..ListTransactionsRequest::default()
        };
        let found = client.admin().list_transactions(request).await.ok()?.into_inner();
        match found.transactions.first() {
            Some(found) => break found.index,
            None => sleep(SOON).await,
        }
    };
    let request = WatchTransactionsRequest { index, ..WatchTransactionsRequest::default() };
    let mut told = client.admin().watch_transactions(request).await.ok()?.into_inner();
    while let Some(message) = told.message().await.ok()? {
        if let Some(transaction) = message.transaction {
            show(&bar(&transaction, width));
        }
    }
    Some(())
}

/// How far a transaction is, on one line.
pub(crate) fn bar(shown: &Transaction, width: usize) -> String {
    let counts = exact(shown);
    let total = shown.target_count.max(1);
    let done = total.saturating_sub(counts.get("pending").copied().unwrap_or_default());
    let size = if width < SMALL.1 { SMALL.0 } else { BAR };
    let filled =
        usize::try_from(done.saturating_mul(size as u64) / total).unwrap_or(size).min(size);
    let bar = format!("[{}{}]", "#".repeat(filled), "-".repeat(size - filled));
    let counts: Vec<String> =
        counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
    let text = format!(
        "transaction {} {} {bar} {done}/{} {}{}",
        shown.index,
        shows::stands(&shown.status, &shown.stage),
        shown.target_count,
        // First, so that they are there however narrow it is.
        failures(shown),
        counts.join(", "),
    );
    shortened(&text, width.saturating_sub(1))
}

/// How many targets stand how, as exactly as is known: those that have it on trial are not where nothing happened yet.
fn exact(shown: &Transaction) -> BTreeMap<&str, u64> {
    let mut counts: BTreeMap<&str, u64> =
        shown.counts.iter().map(|(word, count)| (word.as_str(), *count)).collect();
    for (stage, count) in &shown.stages {
        let pending = counts.entry("pending").or_default();
        *pending = pending.saturating_sub(*count);
        counts.insert(stage, *count);
    }
    counts.retain(|_, count| *count > 0);
    counts
}

fn failures(shown: &Transaction) -> String {
    let failed = shown.targets.iter().filter(|(_, target)| target.error.is_some());
    let names: Vec<&str> = failed.map(|(name, _)| name.as_str()).collect();
    match names.as_slice() {
        [] => String::new(),
        names => {
            let more = names.len().saturating_sub(NAMED);
            let named: Vec<&str> = names.iter().take(NAMED).copied().collect();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("failed: {}{more}; ", named.join(", "))
        }
    }
}

/// An id by which a transaction can be found that its client did not name.
pub(crate) fn id(given: &str) -> String {
    if !given.is_empty() {
        return given.to_owned();
    }
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let nanos = since.map(|since| since.as_nanos()).unwrap_or_default();
    let random = ring::rand::generate::<[u8; 8]>(&ring::rand::SystemRandom::new());
    let random = random.map(|bytes| u64::from_be_bytes(bytes.expose())).unwrap_or_default();
    format!("cli-{nanos:x}-{random:x}")
}

#[cfg(test)]
mod tests {
    use lockstep_gnmi::proto::lockstep::v1::{Failure, TransactionTarget};

    use super::*;

    #[test]
    fn a_bar_says_how_far_it_is_and_who_did_not_go_along() {
        let refused = TransactionTarget {
            status: "refused".into(),
            error: Some(Failure::default()),
            ..TransactionTarget::default()
        };
        let targets = (1..=5).map(|number| (format!("leaf{number}"), refused.clone())).collect();
        let counts = [("applied", 45), ("pending", 50), ("refused", 5)];
        let on_trial = [("accepted", 10)].map(|(name, count)| (name.to_owned(), count)).into();
        let shown = Transaction {
            index: 7,
            status: "committed".into(),
            target_count: 100,
            counts: counts.map(|(name, count)| (name.to_owned(), count)).into(),
            targets,
            ..Transaction::default()
        };
        assert_eq!(
            bar(&shown, 200),
            "transaction 7 committed [############------------] 50/100 failed: leaf1, leaf2, leaf3 and 2 more; \
             45 applied, 50 pending, 5 refused"
        );
        let small = bar(&shown, 80);
        let begin = "transaction 7 committed [####----] 50/100 failed: leaf1, leaf2, leaf3 and 2 ";
        assert!(small.starts_with(begin) && small.chars().count() == 79, "{small}");
        assert_eq!(bar(&shown, 40).chars().count(), 39);
        let tried = bar(&Transaction { stages: on_trial, ..shown }, 200);
        assert!(
            tried.contains(" 60/100 failed: ")
                && tried.ends_with("; 10 accepted, 45 applied, 40 pending, 5 refused"),
            "{tried}"
        );
    }
}
