//! Commands that only read.

use clap::{Args, Subcommand, ValueEnum};
use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::{Encoding, GetRequest, Path as WirePath};
use lockstep_gnmi::proto::lockstep::v1::{
    GetConfigurationRequest, GetTransactionRequest, GetTransactionResponse,
    ListTransactionsRequest, Transaction,
};
use lockstep_gnmi::{path, value, words};
use lockstep_types::Path;
use prost_types::Timestamp;
use serde_json::{Value, json};

use crate::cli::{Failed, Global, Output};
use crate::client::{Certificates, Client, refused};
use crate::diff::{self, Side};
use crate::output::{self, json_document, line, table};
use crate::watch::{self, Watch};
use crate::{completions, terminal};

/// Read configuration.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep --insecure get leaf1 /interfaces
  lockstep --insecure get '*' /system/motd           of every target
  lockstep --insecure get leaf1 '/interfaces/interface[name=eth1/1]/mtu'
  lockstep --insecure get leaf1 /system --side device   what the device itself says
  lockstep --insecure get leaf1 /system --side 7     how it stood after transaction 7")]
pub(crate) struct Get {
    /// Of which target; `*` stands for every one
    #[arg(add = completions::targets())]
    target: String,
    /// Which paths; none: everything
    paths: Vec<Path>,
    /// What kind of data
    #[arg(long = "type", value_enum, default_value = "config", conflicts_with = "side")]
    kind: Kind,
    /// Which side of it: visible, committed, applied, device; an index or a time: how it stood then
    #[arg(long)]
    side: Option<Side>,
    #[command(flatten)]
    certificates: Certificates,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// What is wanted
    Config,
    /// What devices report
    State,
    /// Both
    All,
}

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
        #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "INDEX")]
        before: u64,
        /// Only with this status; may be given several times
        #[arg(long, value_parser = words::STATUSES)]
        status: Vec<String>,
        /// Only those that concern this target; may be given several times
        #[arg(long, add = completions::targets())]
        target: Vec<String>,
        /// Only of this kind; may be given several times
        #[arg(long, value_parser = ["change", "rollback", "restore", "adopt", "add", "rebind", "remove"])]
        kind: Vec<String>,
        /// Only by this author; may be given several times
        #[arg(long)]
        author: Vec<String>,
        /// Only submitted then or later, as 2026-11-16T08:00:00Z
        #[arg(long, value_name = "TIME")]
        since: Option<Timestamp>,
        /// Only submitted then or earlier
        #[arg(long, value_name = "TIME")]
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
        #[arg(add = completions::transactions(&[]))]
        index: u64,
        /// With what it changes, target by target
        #[arg(long)]
        diff: bool,
    },
    /// Watch transactions as they come in and move on
    Watch(Watch),
}

/// `get`: the values by target and path.
pub(crate) async fn get(get: &Get, global: &Global) -> Result<(), Failed> {
    let client = Client::connect(global, &get.certificates).await?;
    if let Some(side) = &get.side {
        return side_of(get, side, &client).await;
    }
    let kind = match get.kind {
        Kind::Config => DataType::Config,
        Kind::State => DataType::State,
        Kind::All => DataType::All,
    };
    let request = GetRequest {
        prefix: Some(WirePath { target: get.target.clone(), ..WirePath::default() }),
        path: get.paths.iter().map(path::write).collect(),
        r#type: kind.into(),
        encoding: Encoding::JsonIetf.into(),
        ..GetRequest::default()
    };
    let answer = client.gnmi().get(request).await.map_err(|status| refused(&status))?;
    let mut shown = serde_json::Map::new();
    for notification in answer.into_inner().notification {
        let target = notification.prefix.map(|prefix| prefix.target).unwrap_or_default();
        let values = shown.entry(target).or_insert_with(|| json!({}));
        for update in notification.update {
            let at = path::read(None, &update.path.unwrap_or_default())?;
            let (_, json) = value::read(&update.val.unwrap_or_default())?;
            values[at.to_string()] = json;
        }
    }
    Ok(json_document(&Value::Object(shown))?)
}

/// One side of one target.
async fn side_of(get: &Get, side: &Side, client: &Client) -> Result<(), Failed> {
    if get.target == "*" {
        return Err("a side is that of one target; name it".into());
    }
    let request = GetConfigurationRequest {
        of: Some(side.of(&get.target)),
        path: get.paths.iter().map(ToString::to_string).collect(),
        defaults: true,
    };
    let answer = client.admin().get_configuration(request).await.map_err(|s| refused(&s))?;
    let found = output::configuration(answer.get_ref());
    let mut shown = serde_json::Map::new();
    shown.insert(get.target.clone(), found["values"].clone());
    Ok(json_document(&Value::Object(shown))?)
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
            output::names(&targets),
            t.comment.clone(),
            why(t),
        ]
    };
    let rows: Vec<_> = shown.iter().map(row).collect();
    Ok(table(&["INDEX", "SUBMITTED", "KIND", "STATUS", "TARGETS", "COMMENT", "WHY"], &rows)?)
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
    error.or(waiting).unwrap_or_default()
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
