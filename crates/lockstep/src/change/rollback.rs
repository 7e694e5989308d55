//! `rollback`: a change is taken out again, as a transaction of its own.

use clap::{Args, ValueEnum};
use lockstep_gnmi::proto::lockstep::v1::dry_run_request::Of;
use lockstep_gnmi::proto::lockstep::v1::{RollbackRequest, RollbackRule, Transaction};

use super::{Terms, preview, seconds, wait};
use crate::cli::{Failed, Global};
use crate::client::{Certificates, Client};
use crate::{ask, completions, progress, show, typed};

/// Take a change out again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep --insecure rollback 7
  lockstep --insecure rollback 7 --dry-run           what that would do
  lockstep --insecure rollback 7 --rule path --target leaf1

On a terminal it shows what it would do, and asks; --yes skips that.")]
pub(crate) struct Rollback {
    /// The change, by its index
    #[arg(value_parser = typed::index, add = completions::transactions(&["applied", "partial", "committed"]))]
    index: u64,
    /// When the change counts as the latest
    #[arg(long, value_enum, default_value = "target")]
    rule: Rule,
    /// Only on this target; may be given several times
    #[arg(long, add = completions::targets())]
    target: Vec<String>,
    /// Say what would happen, and change nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    terms: Terms,
    #[command(flatten)]
    certificates: Certificates,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Rule {
    /// Nothing came later on its targets
    Target,
    /// Nothing came later on its paths
    Path,
}

/// `rollback`.
pub(crate) async fn rollback(asked: &Rollback, global: &Global) -> Result<(), Failed> {
    let client = Client::connect(global, &asked.certificates).await?;
    let rule = match asked.rule {
        Rule::Target => RollbackRule::Target,
        Rule::Path => RollbackRule::Path,
    };
    let id = progress::id(&asked.terms.id);
    let request = RollbackRequest {
        index: asked.index,
        rule: rule.into(),
        targets: asked.target.clone(),
        comment: asked.terms.comment.clone(),
        id: id.clone(),
        deadline: seconds(asked.terms.deadline),
        r#async: asked.terms.asynchronous,
    };
    if asked.dry_run {
        return preview::tried(&client, Of::Rollback(request), global.output).await;
    }
    if ask::is_needed(global) {
        preview::shown(&client, Of::Rollback(request.clone())).await?;
        // It takes less to roll it back than to read which targets it is about.
        let known = preview::known(&client, asked.index).await.ok();
        ask::agree(&question(asked.index, &asked.target, known.as_ref()))?;
    }
    let mut admin = client.admin();
    let answer = wait::answer(&client, &id, global, admin.rollback(request)).await?;
    show::transaction(&answer.into_inner().transaction.unwrap_or_default(), global.output)
}

/// What to ask; with the targets, as far as they are known.
fn question(index: u64, only: &[String], known: Option<&Transaction>) -> String {
    let names: Vec<&str> = match (only, known) {
        ([], Some(known)) => known.targets.keys().map(String::as_str).collect(),
        (only, _) => only.iter().map(String::as_str).collect(),
    };
    match names.as_slice() {
        [] => format!("roll back transaction {index}?"),
        names => format!("roll back transaction {index} on {}?", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_cannot_be_told_which_targets_is_asked_all_the_same() {
        let targets = ["leaf1", "leaf2"].map(|name| (name.to_owned(), Default::default()));
        let known = Transaction { targets: targets.into(), ..Transaction::default() };
        let named = ["leaf1".to_owned()];
        assert_eq!(question(7, &[], Some(&known)), "roll back transaction 7 on leaf1, leaf2?");
        assert_eq!(question(7, &named, Some(&known)), "roll back transaction 7 on leaf1?");
        assert_eq!(question(7, &named, None), "roll back transaction 7 on leaf1?");
        assert_eq!(question(7, &[], None), "roll back transaction 7?");
    }
}
