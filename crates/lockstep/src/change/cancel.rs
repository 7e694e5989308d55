//! `cancel`: what has no outcome yet is called off, what waits to be confirmed is taken back.

use clap::Args;
use lockstep_gnmi::proto::lockstep::v1::{CancelRequest, Transaction};
use lockstep_gnmi::words;
use tonic::Status;

use super::{or_failures, preview};
use crate::cli::{Failed, Global};
use crate::client::{Certificates, Client};
use crate::{ask, completions, show, typed};

/// Call off a transaction, or take back one that is not confirmed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep --insecure cancel 7                       it has no outcome yet, or waits to be confirmed
  lockstep --insecure cancel 7 --yes")]
pub(crate) struct Cancel {
    /// Its index
    #[arg(value_parser = typed::index, add = completions::cancellable())]
    index: u64,
    #[command(flatten)]
    certificates: Certificates,
}

/// `cancel`.
pub(crate) async fn cancel(asked: &Cancel, global: &Global) -> Result<(), Failed> {
    let client = Client::connect(global, &asked.certificates).await?;
    let index = asked.index;
    if ask::is_needed(global)
        && let Some(question) = question(index, &preview::known(&client, index).await)
    {
        ask::agree(&question)?;
    }
    let answer = client.admin().cancel(CancelRequest { index }).await;
    let answer = or_failures(answer, global.output)?;
    show::transaction(&answer.into_inner().transaction.unwrap_or_default(), global.output)
}

/// What to ask; none: it has its outcome, and the node says so.
fn question(index: u64, known: &Result<Transaction, Status>) -> Option<String> {
    let shown = match known {
        Ok(shown) => shown,
        Err(why) => {
            let why = why.message();
            return Some(format!(
                "cancel transaction {index}? How it stands cannot be told: {why}"
            ));
        }
    };
    let status = &shown.status;
    let on: Vec<&str> = shown.targets.keys().map(String::as_str).collect();
    let on = on.join(", ");
    if shown.window == "open" {
        return Some(format!("take transaction {index} back on {on}? It waits to be confirmed"));
    }
    let is_open = words::OPEN.contains(&status.as_str());
    is_open.then(|| format!("cancel transaction {index} on {on}? It is {status}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_called_off_is_asked_for() {
        let said = |status: &str, window: &str| {
            let shown = Transaction {
                index: 7,
                status: status.into(),
                window: window.into(),
                targets: [("leaf1".to_owned(), Default::default())].into(),
                ..Transaction::default()
            };
            question(7, &Ok(shown))
        };
        let words = "cancel transaction 7 on leaf1? It is committed";
        assert_eq!(said("committed", "").as_deref(), Some(words));
        assert!(said("applied", "open").is_some_and(|words| words.contains("to be confirmed")));
        assert_eq!(said("applied", "confirmed"), None);
        assert_eq!(said("rejected", ""), None);
    }

    #[test]
    fn what_cannot_be_told_is_asked_for() {
        let said = question(7, &Err(Status::unavailable("the store is away"))).unwrap();
        assert_eq!(said, "cancel transaction 7? How it stands cannot be told: the store is away");
    }
}
