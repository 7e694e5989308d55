//! `target remove`: with a word before on what goes with it.

use clap::Args;
use lockstep_gnmi::proto::lockstep::v1::{ListTransactionsRequest, RemoveTargetRequest};
use lockstep_gnmi::words;

use super::Said;
use super::known::{known, readable};
use crate::change::{self, seconds};
use crate::cli::{Failed, Global};
use crate::client::Client;
use crate::{ask, completions, progress, show};

/// Remove a target.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep target remove leaf3
  lockstep target remove leaf3 --yes --comment 'taken out of the rack'

What has not reached the device is withdrawn, after whatever is under way on it came to its end. The device is left \
as it is, and so is the log. That is asked for; --yes skips that. To leave a device alone for a while, `lockstep target pause` is enough.")]
pub(super) struct Remove {
    /// Its name
    #[arg(add = completions::targets())]
    name: String,
    #[command(flatten)]
    said: Said,
}

pub(super) async fn remove(asked: &Remove, client: &Client, global: &Global) -> Result<(), Failed> {
    if ask::is_needed(global) {
        ask::agree(&question(&asked.name, client).await?)?;
    }
    let id = progress::id(&asked.said.id);
    let request = RemoveTargetRequest {
        name: asked.name.clone(),
        comment: asked.said.comment.clone(),
        id: id.clone(),
        deadline: seconds(asked.said.deadline),
    };
    let mut admin = client.admin();
    let answer = change::awaited(client, &id, global, admin.remove_target(request)).await?;
    show::transaction(&answer.into_inner().transaction.unwrap_or_default(), global.output)
}

/// What goes with the target, and what stays.
async fn question(name: &str, client: &Client) -> Result<String, Failed> {
    let Some(target) = known(name, client).await? else { return Ok(untold(name)) };
    let open = ListTransactionsRequest {
        status: words::OPEN.map(str::to_owned).into(),
        target: vec![name.to_owned()],
        ..ListTransactionsRequest::default()
    };
    let Some(open) = readable(client.admin().list_transactions(open).await)? else {
        return Ok(untold(name));
    };
    let open = open.into_inner().transactions;
    let indexes: Vec<String> = open.iter().rev().map(|t| t.index.to_string()).collect();
    Ok(sentence(name, &target.address, &indexes))
}

/// The same, to whoever may not read what waits for it.
fn untold(name: &str) -> String {
    format!(
        "{name}: the device is left as it is; what waits for it is not for you to read. Remove the target?"
    )
}

fn sentence(name: &str, address: &str, open: &[String]) -> String {
    let waiting = match open {
        [] => "nothing waits for it".to_owned(),
        [one] => format!("transaction {one} waits for it, and is withdrawn if that is queued"),
        several => format!(
            "transactions {} wait for it, and those that are queued are withdrawn",
            several.join(", ")
        ),
    };
    format!("{name} ({address}): the device is left as it is; {waiting}. Remove the target?")
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn what_waits_is_named() {
        let said = |open: &[&str]| {
            let open: Vec<String> = open.iter().map(ToString::to_string).collect();
            sentence("leaf1", "10.0.0.1:57400", &open)
        };
        assert!(said(&[]).contains("nothing waits"));
        assert!(said(&["7"]).contains("transaction 7 waits"));
        assert!(said(&["7", "9"]).contains("transactions 7, 9 wait"));
    }
}
