//! `tx`: what was asked and what became of it.

use clap::{Args, Subcommand};
use lockstep_gnmi::proto::lockstep::v1::{
    GetTransactionRequest, GetTransactionResponse, ListTransactionsRequest, Transaction,
};
use lockstep_gnmi::words;
use prost_types::Timestamp;

use crate::cli::{Failed, Global, Output};
use crate::client::{Certificates, Client, refused};
use crate::output::{self, json_document, line, table};
use crate::watch::{self, Watch};
use crate::{completions, diff, terminal, typed};

/// Transactions.
#[derive(Debug, Args)]
pub(crate) struct Transactions {
    #[command(subcommand)]
    command: Tx,
    #[command(flatten)]
    certificates: Certificates,
}

#[derive(Debug, Subcommand)]
enum Tx {
    /// List transactions, the latest first
    #[command(after_help = "\
Examples:
  lockstep --insecure tx list --limit 10
  lockstep --insecure tx list --status reverted --target leaf1 --output json
  lockstep --insecure tx list --author alice --since 2026-11-16T08:00:00Z
  lockstep --insecure tx list --before 900           the page before transaction 900")]
    List {
        /// At most so many
        #[arg(long, default_value_t = 100)]
        limit: u32,
        /// Only those before this index
        #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "INDEX", add = completions::transactions(&[]))]
        before: u64,
        /// Only with this status; may be given several times
        #[arg(long, value_parser = words::STATUSES)]
        status: Vec<String>,
        /// Only those that concern this target; may be given several times
        #[arg(long, add = completions::targets())]
        target: Vec<String>,
        /// Only of this kind; may be given several times
        #[arg(long, value_parser = words::KINDS)]
        kind: Vec<String>,
        /// Only by this author, `lockstep` for what nodes did by themselves; may be given several times
        #[arg(long, add = completions::authors())]
        author: Vec<String>,
        /// Only submitted then or later, as 2026-11-16T08:00:00Z
        #[arg(long, value_name = "TIME", value_parser = typed::time)]
        since: Option<Timestamp>,
        /// Only submitted then or earlier
        #[arg(long, value_name = "TIME", value_parser = typed::time)]
        until: Option<Timestamp>,
        /// Only with this in the comment
        #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
        comment: String,
    },
    /// Show one transaction
    #[command(after_help = "\
Examples:
  lockstep --insecure tx show 7
  lockstep --insecure tx show 7 --diff               with what it changes")]
    Show {
        /// Its index
        #[arg(value_parser = typed::index, add = completions::transactions(&[]))]
        index: u64,
        /// With what it changes, target by target
        #[arg(long)]
        diff: bool,
    },
    /// Watch transactions as they come in and move on
    Watch(Watch),
}

/// `tx`.
pub(crate) async fn tx(tx: &Transactions, global: &Global) -> Result<(), Failed> {
    let client = || Client::connect(global, &tx.certificates);
    match &tx.command {
        Tx::Watch(asked) => {
            let client = client().await?;
            watch::watch(asked, &client, global).await
        }
        Tx::List { limit, before, status, target, kind, author, since, until, comment } => {
            let request = ListTransactionsRequest {
                limit: *limit,
                before_index: *before,
                status: status.clone(),
                target: target.clone(),
                kind: kind.clone(),
                author: author.clone(),
                since: *since,
                until: *until,
                comment: comment.clone(),
                ..ListTransactionsRequest::default()
            };
            let mut admin = client().await?.admin();
            let answer = admin.list_transactions(request).await.map_err(|s| refused(&s))?;
            let answer = answer.into_inner();
            transactions(&answer.transactions, global.output)?;
            if answer.next_before_index > 0 {
                eprintln!("older ones: --before {}", answer.next_before_index);
            }
            Ok(())
        }
        Tx::Show { index, diff } => {
            let request =
                GetTransactionRequest { index: *index, changes: *diff, ..Default::default() };
            let mut admin = client().await?.admin();
            let answer = admin.get_transaction(request).await.map_err(|s| refused(&s))?;
            with_changes(&answer.into_inner(), *diff, global.output)
        }
    }
}

/// One transaction with what it changes, if that was asked for.
fn with_changes(found: &GetTransactionResponse, diff: bool, output: Output) -> Result<(), Failed> {
    let shown = found.transaction.clone().unwrap_or_default();
    if output == Output::Json && diff {
        let mut json = output::transaction(&shown);
        json["changes"] = lockstep_gnmi::json::targets_changes(&found.changes);
        return Ok(json_document(&json)?);
    }
    transaction(&shown, output)?;
    for text in diff::by_target(&found.changes) {
        line(&text)?;
    }
    Ok(())
}

/// Several transactions, a line each.
pub(crate) fn transactions(shown: &[Transaction], output: Output) -> Result<(), Failed> {
    if output == Output::Json {
        return Ok(json_document(&shown.iter().map(output::transaction).collect())?);
    }
    let row = |t: &Transaction| {
        let targets: Vec<&str> = t.targets.keys().map(String::as_str).collect();
        vec![
            t.index.to_string(),
            t.submitted.as_ref().map(short_time).unwrap_or_default(),
            kind(t),
            stands(&t.status, &t.stage).to_owned(),
            t.author.clone(),
            output::names(&targets),
            t.comment.clone(),
            why(t),
        ]
    };
    let rows: Vec<_> = shown.iter().map(row).collect();
    let titles = ["INDEX", "SUBMITTED", "KIND", "STATUS", "AUTHOR", "TARGETS", "COMMENT", "WHY"];
    let aside = ["COMMENT", "SUBMITTED", "AUTHOR", "KIND", "TARGETS"];
    Ok(table(&titles, &aside, &rows)?)
}

/// How something stands, as exactly as is known.
pub(crate) fn stands<'a>(status: &'a str, stage: &'a str) -> &'a str {
    if stage.is_empty() { status } else { stage }
}

pub(crate) fn kind(shown: &Transaction) -> String {
    match (shown.of, shown.to) {
        (0, 0) => shown.kind.clone(),
        (0, to) => format!("{} to {to}", shown.kind),
        (of, _) => format!("{} of {of}", shown.kind),
    }
}

/// What it waits for, or why it did not go well.
pub(crate) fn why(shown: &Transaction) -> String {
    let error = shown.error.as_ref().map(|error| error.message.clone());
    let waiting = (!shown.waiting_for.is_empty()).then(|| format!("waits: {}", shown.waiting_for));
    error.into_iter().chain(waiting).collect::<Vec<_>>().join("; ")
}

/// To the second: a table is for people.
fn short_time(at: &Timestamp) -> String {
    Timestamp { seconds: at.seconds, nanos: 0 }.to_string()
}

/// One transaction, whole.
pub(crate) fn transaction(shown: &Transaction, output: Output) -> Result<(), Failed> {
    if output == Output::Json {
        return Ok(json_document(&output::transaction(shown))?);
    }
    let status = terminal::word(stands(&shown.status, &shown.stage));
    line(&format!("transaction {}: {} {status}", shown.index, kind(shown)))?;
    let said = [
        ("id", &shown.id),
        ("author", &shown.author),
        ("comment", &shown.comment),
        ("window", &shown.window),
    ];
    for (name, text) in said.into_iter().filter(|(_, text)| !text.is_empty()) {
        line(&format!("  {name:<11}{}", output::one_line(text)))?;
    }
    let times = [
        ("submitted", &shown.submitted),
        ("decided", &shown.decided),
        ("finished", &shown.finished),
        ("confirm by", &shown.confirm_until),
    ];
    for (name, at) in times {
        if let Some(at) = at {
            line(&format!("  {name:<11}{at}"))?;
        }
    }
    if shown.rolled_back_by > 0 {
        line(&format!("  taken out  by transaction {}", shown.rolled_back_by))?;
    }
    let why = why(shown);
    if !why.is_empty() {
        line(&format!("  why        {}", output::one_line(&why)))?;
    }
    for (name, target) in &shown.targets {
        let error = target.error.as_ref().map(|e| format!(": {}: {}", e.code, e.message));
        let waits =
            (!target.waiting_for.is_empty()).then(|| format!("; waits: {}", target.waiting_for));
        let (error, waits) = (error.unwrap_or_default(), waits.unwrap_or_default());
        let said = output::one_line(&format!("{error}{waits}"));
        let word = terminal::word(stands(&target.status, &target.stage));
        line(&format!("  {name}: {word}{said}"))?;
    }
    Ok(())
}
