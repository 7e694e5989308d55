//! `target`: which devices there are and how they stand.

mod agree;
mod import;
mod known;
mod options;
mod remove;
mod set;
mod shown;

use clap::{Args, Subcommand};
use lockstep_gnmi::proto::lockstep::v1::{
    AddTargetRequest, GetTargetRequest, ListTargetsRequest, OperateTargetRequest, Transaction,
};
use lockstep_gnmi::words;

use crate::change::{self, or_failures, seconds};
use crate::cli::{Failed, Global, Output};
use crate::client::{Certificates, Client, is_overheard, refused};
use crate::output::{json_document, line};
use crate::{ask, completions, progress, show};
use agree::Order;
use import::Import;
use options::{Options, Reference};
use remove::Remove;
use set::Set;

/// Targets.
#[derive(Debug, Args)]
pub(crate) struct Targets {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    pub(crate) certificates: Certificates,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List targets
    #[command(after_help = "\
Examples:
  lockstep --insecure target list
  lockstep --insecure target list --state failed --state drifted
  lockstep --insecure target list --tag pod1 --output json")]
    List {
        /// Only in this state; may be given several times
        #[arg(long, value_parser = words::STATES)]
        state: Vec<String>,
        /// Only with this tag; may be given several times
        #[arg(long, add = completions::tags())]
        tag: Vec<String>,
    },
    /// Show one target, with where its device is not as applied
    #[command(after_help = "\
Examples:
  lockstep --insecure target show leaf1")]
    Show {
        /// Its name
        #[arg(add = completions::targets())]
        name: String,
    },
    /// Add a target, on every node, while they run
    Add(Add),
    /// Change how a target is reached or dealt with, or its models
    Set(Set),
    /// Remove a target; its device is left as it is
    Remove(Remove),
    /// Add the targets of a file of gnmic
    Import(Import),
    /// Leave a device alone until it is resumed: nothing is sent to it, what is queued waits
    #[command(after_help = "\
Examples:
  lockstep --insecure target pause leaf1
  lockstep --insecure target resume leaf1")]
    Pause {
        /// Its name
        #[arg(add = completions::targets())]
        name: String,
    },
    /// Go on with a device that was paused: it is read and brought in line first
    #[command(after_help = "\
Examples:
  lockstep --insecure target resume leaf1
  lockstep --insecure diff leaf1 --from device --to committed   what that writes to the device

Where it would write to the device it shows what, and asks; --yes skips that.")]
    Resume {
        /// Its name
        #[arg(add = completions::targets_in("paused"))]
        name: String,
    },
    /// Read a device again now, and bring it in line
    #[command(after_help = "\
Examples:
  lockstep --insecure target sync leaf1              what it has otherwise is gone then
  lockstep --insecure diff leaf1                     what that is")]
    Sync {
        /// Its name
        #[arg(add = completions::targets())]
        name: String,
    },
    /// Record what a device has as what is wanted of it; nothing is sent to the device
    ///
    /// For a device that somebody else changed, and rightly so. What is recorded is an entry of the log of kind
    /// adopt: see `lockstep tx show`.
    #[command(after_help = "\
Examples:
  lockstep --insecure diff leaf1                     what would be adopted
  lockstep --insecure target adopt leaf1")]
    Adopt {
        /// Its name
        #[arg(add = completions::targets())]
        name: String,
    },
    /// Take a device over from another controller that made it listen to them
    ///
    /// Every change is refused by a device that listens to an election id larger than ours: the target is `failed`,
    /// with the reason `foreign master`. Make sure that the other controller is meant to be out.
    #[command(after_help = "\
Examples:
  lockstep --insecure target claim leaf1")]
    Claim {
        /// Its name
        #[arg(add = completions::targets())]
        name: String,
    },
}

/// Add a target.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep target add leaf3 --address 10.0.0.3:57400 --model lab-1.0 --device-username admin \\
      --device-password-env LOCKSTEP_TARGET_PASSWORD
  lockstep target add leaf3 --address 10.0.0.3:57400 --device-tls-ca ca.pem --device-password-file - < password
  lockstep target add lab1 --address 127.0.0.1:57400 --device-insecure --tag lab

The device is met as any other: unless --initial replace is given, what it has becomes what is wanted of it.")]
struct Add {
    /// Its name
    name: String,
    #[command(flatten)]
    reference: Reference,
    #[command(flatten)]
    options: Options,
    /// Say whether it could be added, and do not
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    said: Said,
}

/// What goes with everything that becomes a transaction.
#[derive(Debug, Args)]
struct Said {
    /// What it is for
    #[arg(long, default_value = "", hide_default_value = true)]
    comment: String,
    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS")]
    deadline: Option<u32>,
    /// Sent again with the same id, it is not done again
    #[arg(long, default_value = "", hide_default_value = true)]
    id: String,
}

/// Does it.
pub(crate) async fn target(target: &Targets, global: &Global) -> Result<(), Failed> {
    let client = || Client::connect(global, &target.certificates);
    match &target.command {
        Command::List { state, tag } => {
            let mut admin = client().await?.admin();
            let request = ListTargetsRequest { state: state.clone(), tag: tag.clone() };
            let answer = admin.list_targets(request).await.map_err(|s| refused(&s))?;
            shown::all(&answer.into_inner().targets, global.output)
        }
        Command::Show { name } => {
            let request = GetTargetRequest { name: name.clone() };
            let mut admin = client().await?.admin();
            let answer = admin.get_target(request).await.map_err(|s| refused(&s))?;
            shown::one(&answer.into_inner().target.unwrap_or_default(), global.output)
        }
        Command::Add(Add { options, .. }) | Command::Set(Set { options, .. })
            if options.is_secret() && is_overheard(global) =>
        {
            Err(overheard(global, "--device-password-env"))
        }
        Command::Add(asked) => add(asked, &client().await?, global).await,
        Command::Set(asked) => set::set(asked, &client().await?, global).await,
        Command::Remove(asked) => remove::remove(asked, &client().await?, global).await,
        Command::Import(asked) => {
            let targets = import::read(asked, global)?;
            import::import(asked, targets, &client().await?, global).await
        }
        Command::Pause { name } => operate(client().await?, name, "pause", global).await,
        Command::Resume { name } => ordered(Order::Resume, name, client().await?, global).await,
        Command::Sync { name } => ordered(Order::Sync, name, client().await?, global).await,
        Command::Claim { name } => ordered(Order::Claim, name, client().await?, global).await,
        Command::Adopt { name } => ordered(Order::Adopt, name, client().await?, global).await,
    }
}

/// Operates a target, if that is what is wanted.
async fn ordered(order: Order, name: &str, client: Client, global: &Global) -> Result<(), Failed> {
    agree::agree(order, name, &client, global).await?;
    operate(client, name, order.word(), global).await
}

/// Why a credential is not sent.
fn overheard(global: &Global, instead: &str) -> Failed {
    let server = &global.server;
    format!(
        "{server} is not this machine, and without TLS others would hear the password or token of the device; \
         leave --insecure out, or give a variable of the nodes: {instead}"
    )
    .into()
}

async fn add(asked: &Add, client: &Client, global: &Global) -> Result<(), Failed> {
    if asked.options.replaces() && !asked.dry_run {
        let name = &asked.name;
        if ask::is_needed(global) {
            ask::agree(&format!(
                "add {name}? What its device has is gone then: --initial replace"
            ))?;
        }
    }
    let options = asked.options.given(&asked.reference.address, &[])?;
    let id = progress::id(&asked.said.id);
    let request = AddTargetRequest {
        name: asked.name.clone(),
        options: Some(options::wire(options)),
        comment: asked.said.comment.clone(),
        id: id.clone(),
        deadline: seconds(asked.said.deadline),
        dry_run: asked.dry_run,
    };
    let mut admin = client.admin();
    let adding = admin.add_target(request);
    let answer = match asked.dry_run {
        // Nothing is left behind by one that is ended.
        true => or_failures(adding.await, global.output)?,
        false => change::awaited(client, &id, global, adding).await?,
    };
    told(answer.into_inner().transaction, global.output)
}

/// The transaction that it became; none: it was tried only.
fn told(transaction: Option<Transaction>, output: Output) -> Result<(), Failed> {
    match (transaction, output) {
        (Some(transaction), output) => show::transaction(&transaction, output),
        (None, Output::Json) => Ok(json_document(&serde_json::json!({ "dry_run": true }))?),
        (None, Output::Table) => Ok(line("it can be added")?),
    }
}

async fn operate(client: Client, name: &str, order: &str, global: &Global) -> Result<(), Failed> {
    let request = OperateTargetRequest { name: name.to_owned(), order: order.to_owned() };
    let answer = or_failures(client.admin().operate_target(request).await, global.output)?;
    shown::one(&answer.into_inner().target.unwrap_or_default(), global.output)
}
