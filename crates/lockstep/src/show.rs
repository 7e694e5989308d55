//! Commands that only read.

use clap::{Args, Subcommand, ValueEnum};
use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::{Encoding, GetRequest, Path as WirePath};
use lockstep_gnmi::proto::lockstep::v1::{
    GetTransactionRequest, ListTransactionsRequest, Transaction,
};
use lockstep_gnmi::{path, value};
use lockstep_protocol::record::Status;
use lockstep_types::Path;
use serde_json::{Value, json};

use crate::cli::{Failed, Global, Output};
use crate::client::{Certificates, Client, refused};
use crate::output::{self, json_document, line, table};
use crate::planned::PlannedTx;

/// Read configuration.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep --insecure get leaf1 /interfaces
  lockstep --insecure get '*' /system/motd           of every target
  lockstep --insecure get leaf1 '/interfaces/interface[name=eth1/1]/mtu'")]
pub(crate) struct Get {
    /// Of which target; `*` stands for every one
    target: String,
    /// Which paths; none: everything
    paths: Vec<Path>,
    /// What kind of data
    #[arg(long = "type", value_enum, default_value = "config")]
    kind: Kind,
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
  lockstep --insecure tx list --status reverted --target leaf1 --output json")]
    List {
        /// At most so many
        #[arg(long, default_value_t = 100)]
        limit: u32,
        /// Only those before this index
        #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "INDEX")]
        before: u64,
        /// Only with this status; may be given several times
        #[arg(long, value_parser = Status::ALL.map(Status::name))]
        status: Vec<String>,
        /// Only those that concern this target; may be given several times
        #[arg(long)]
        target: Vec<String>,
    },
    /// Show one transaction
    Show {
        /// Its index
        index: u64,
    },
    #[command(flatten)]
    Planned(PlannedTx),
}

/// `get`: the values by target and path.
pub(crate) async fn get(get: &Get, global: &Global) -> Result<(), Failed> {
    let client = Client::connect(global, &get.certificates).await?;
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

/// `tx list` and `tx show`.
pub(crate) async fn tx(tx: &Transactions, global: &Global) -> Result<(), Failed> {
    let client = || Client::connect(global, &tx.certificates);
    match &tx.command {
        Tx::Planned(planned) => planned.refuse(),
        Tx::List { limit, before, status, target } => {
            let request = ListTransactionsRequest {
                limit: *limit,
                before_index: *before,
                status: status.clone(),
                target: target.clone(),
                ..ListTransactionsRequest::default()
            };
            let mut admin = client().await?.admin();
            let answer = admin.list_transactions(request).await.map_err(|s| refused(&s))?;
            transactions(&answer.into_inner().transactions, global.output)
        }
        Tx::Show { index } => {
            let request = GetTransactionRequest { index: *index, ..Default::default() };
            let mut admin = client().await?.admin();
            let answer = admin.get_transaction(request).await.map_err(|s| refused(&s))?;
            let shown = answer.into_inner().transaction.unwrap_or_default();
            transaction(&shown, global.output)
        }
    }
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
            t.status.clone(),
            targets.join(","),
            t.comment.clone(),
            why(t),
        ]
    };
    let rows: Vec<_> = shown.iter().map(row).collect();
    Ok(table(&["INDEX", "SUBMITTED", "KIND", "STATUS", "TARGETS", "COMMENT", "WHY"], &rows)?)
}

fn kind(shown: &Transaction) -> String {
    match (shown.of, shown.to) {
        (0, 0) => shown.kind.clone(),
        (0, to) => format!("{} to {to}", shown.kind),
        (of, _) => format!("{} of {of}", shown.kind),
    }
}

/// What it waits for, or why it did not go well.
fn why(shown: &Transaction) -> String {
    let error = shown.error.as_ref().map(|error| error.message.clone());
    let waiting = (!shown.waiting_for.is_empty()).then(|| format!("waits: {}", shown.waiting_for));
    error.or(waiting).unwrap_or_default()
}

/// To the second: a table is for people.
fn short_time(at: &prost_types::Timestamp) -> String {
    prost_types::Timestamp { seconds: at.seconds, nanos: 0 }.to_string()
}

/// One transaction, whole.
pub(crate) fn transaction(shown: &Transaction, output: Output) -> Result<(), Failed> {
    if output == Output::Json {
        return Ok(json_document(&output::transaction(shown))?);
    }
    line(&format!("transaction {}: {} {}", shown.index, kind(shown), shown.status))?;
    let said = [("id", &shown.id), ("author", &shown.author), ("comment", &shown.comment)];
    for (name, text) in said.into_iter().filter(|(_, text)| !text.is_empty()) {
        line(&format!("  {name:<11}{text}"))?;
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
        line(&format!("  why        {why}"))?;
    }
    for (name, target) in &shown.targets {
        let error = target.error.as_ref().map(|e| format!(": {}: {}", e.code, e.message));
        let waits =
            (!target.waiting_for.is_empty()).then(|| format!("; waits: {}", target.waiting_for));
        let (error, waits) = (error.unwrap_or_default(), waits.unwrap_or_default());
        line(&format!("  {name}: {}{error}{waits}", target.status))?;
    }
    Ok(())
}
