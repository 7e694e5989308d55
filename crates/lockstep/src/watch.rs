//! `tx watch`: transactions as they come in and move on; or one of them, until it has its outcome.

use clap::Args;
use lockstep_gnmi::proto::lockstep::v1::{Transaction, WatchTransactionsRequest};
use lockstep_gnmi::words;
use std::io::Write;

use crate::cli::{Failed, Global, Output};
use crate::client::{Client, refused};
use crate::exit::{Ended, NOT_APPLIED};
use crate::output::{self, json_line, line};
use crate::{completions, progress, show, terminal, typed};

/// Watch transactions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep --insecure tx watch                       the latest ten, then whatever happens
  lockstep --insecure tx watch --target leaf1
  lockstep --insecure tx watch --kind adopt --kind rollback
  lockstep --insecure tx watch 7                     until it has its outcome
  lockstep --insecure tx watch --output json         a line of JSON for every change

Of one transaction, the status is 0 only if it was applied (4 otherwise).")]
pub(crate) struct Watch {
    /// Only this one, by its index
    #[arg(value_parser = typed::index, add = completions::transactions(&[]))]
    index: Option<u64>,
    /// First the latest so many
    #[arg(long, default_value_t = 10, value_name = "COUNT")]
    latest: u32,
    /// Only those that concern this target; may be given several times
    #[arg(long, add = completions::targets())]
    target: Vec<String>,
    /// Only of this kind; may be given several times
    #[arg(long, value_parser = words::KINDS)]
    kind: Vec<String>,
    /// Only by this author; may be given several times
    #[arg(long, add = completions::authors())]
    author: Vec<String>,
}

/// Does it.
pub(crate) async fn watch(asked: &Watch, client: &Client, global: &Global) -> Result<(), Failed> {
    let request = WatchTransactionsRequest {
        index: asked.index.unwrap_or_default(),
        latest: asked.latest,
        target: asked.target.clone(),
        kind: asked.kind.clone(),
        author: asked.author.clone(),
        ..WatchTransactionsRequest::default()
    };
    let answer = client.admin().watch_transactions(request).await.map_err(|s| refused(&s))?;
    let mut told = answer.into_inner();
    let mut teller = Teller { output: global.output, one: asked.index.is_some(), bar: false };
    let mut last = None;
    while let Some(message) = told.message().await.map_err(|status| refused(&status))? {
        let Some(transaction) = message.transaction else { continue };
        teller.tell(&transaction)?;
        last = Some(transaction);
    }
    teller.end(last.as_ref())
}

/// Writes what is told: lines, or on a terminal a bar for one that is watched alone.
struct Teller {
    output: Output,
    one: bool,
    /// A bar is there.
    bar: bool,
}

impl Teller {
    fn tell(&mut self, transaction: &Transaction) -> Result<(), Failed> {
        if self.output == Output::Json {
            return Ok(json_line(&output::transaction(transaction))?);
        }
        match terminal::width().filter(|_| self.one) {
            Some(width) => {
                self.bar = true;
                let mut out = std::io::stdout().lock();
                write!(out, "\r\x1b[K{}", progress::bar(transaction, width))?;
                Ok(out.flush()?)
            }
            None => Ok(line(&sentence(transaction))?),
        }
    }

    fn end(&self, last: Option<&Transaction>) -> Result<(), Failed> {
        let Some(last) = last.filter(|_| self.one) else { return Ok(()) };
        if self.bar {
            let mut out = std::io::stdout().lock();
            writeln!(out, "\r\x1b[K")?;
            drop(out);
            show::transaction(last, self.output)?;
        }
        match last.status.as_str() {
            "applied" if last.window != "reverted" => Ok(()),
            status => {
                let words = format!("transaction {} ended {status}", last.index);
                Err(Ended::with(NOT_APPLIED, words))
            }
        }
    }
}

/// How a transaction stands, on one line that fits.
fn sentence(shown: &Transaction) -> String {
    fitted(shown, terminal::width())
}

/// It is shortened first: colour takes no room, and is not to be cut in two.
fn fitted(shown: &Transaction, width: Option<usize>) -> String {
    let names: Vec<&str> = shown.targets.keys().map(String::as_str).collect();
    let before = format!("{:>6}  {} ", shown.index, show::kind(shown));
    let word = show::stands(&shown.status, &shown.stage);
    let mut text = format!("{before}{word} on {}", output::names(&names));
    if !shown.author.is_empty() {
        text.push_str(&format!(" by {}", shown.author));
    }
    if !shown.comment.is_empty() {
        text.push_str(&format!(" ({})", output::one_line(&shown.comment)));
    }
    let why = output::one_line(&show::why(shown));
    if !why.is_empty() {
        text.push_str(&format!(": {why}"));
    }
    if let Some(width) = width {
        text = output::shortened(&text, width);
    }
    let after = text.strip_prefix(&before).and_then(|rest| rest.strip_prefix(word));
    match after {
        Some(after) => format!("{before}{}{after}", terminal::word(word)),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fits() {
        let shown = Transaction {
            index: 7,
            kind: "change".into(),
            status: "committed".into(),
            stage: "confirming".into(),
            comment: "a comment that is\nlong".into(),
            ..Transaction::default()
        };
        assert_eq!(fitted(&shown, None), "     7  change confirming on  (a comment that is long)");
        assert_eq!(fitted(&shown, Some(30)), "     7  change confirming on …");
        assert_eq!(fitted(&shown, Some(20)), "     7  change conf…");
    }
}
