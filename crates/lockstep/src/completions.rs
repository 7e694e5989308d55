//! `completions`: what shells offer at the end of a line. Names of targets, model sets and transactions are asked of the
//! node that the line is for.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::time::Duration;

use clap::{Args, CommandFactory, Parser};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};
use lockstep_gnmi::proto::lockstep::v1::{
    GetSummaryRequest, ListModelsRequest, ListTargetsRequest, ListTransactionsRequest, Transaction,
};

use crate::cli::{Cli, Failed};
use crate::client::Client;
use crate::diff::SIDES;

/// How long a shell waits for names. Without them there is nothing to offer, which is better than to wait.
const PATIENCE: Duration = Duration::from_secs(2);
/// How many transactions are offered.
const TRANSACTIONS: u32 = 30;
/// The variable by which a shell asks.
const VARIABLE: &str = "COMPLETE";

/// Write what a shell needs to complete commands, with live names of targets and transactions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  source <(lockstep completions bash)                for this shell; in ~/.bashrc, for every one
  lockstep completions zsh > ~/.zfunc/_lockstep
  lockstep completions fish > ~/.config/fish/completions/lockstep.fish

Names come from the node that the line is for: --server, LOCKSTEP_SERVER and the like count here, too. With \
`export LOCKSTEP_SERVER=… LOCKSTEP_INSECURE=true` none of them has to be typed.")]
pub(crate) struct Completions {
    /// For which shell
    #[arg(value_parser = ["bash", "elvish", "fish", "powershell", "zsh"])]
    shell: String,
}

/// Answers a shell that asks what may stand at the end of a line, and ends then.
pub(crate) fn answer() {
    CompleteEnv::with_factory(Cli::command).var(VARIABLE).complete();
}

/// `completions`.
pub(crate) fn completions(asked: &Completions) -> Result<(), Failed> {
    let shells = Shells::builtins();
    let shell = shells.completer(&asked.shell).ok_or("there is no such shell")?;
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "lockstep", "lockstep", "lockstep", &mut script)?;
    Ok(std::io::stdout().lock().write_all(&script)?)
}

/// Offers the names of targets.
pub(crate) fn targets() -> ArgValueCandidates {
    targets_of(ListTargetsRequest::default)
}

/// Offers the names of targets that are in this state.
pub(crate) fn targets_in(state: &'static str) -> ArgValueCandidates {
    targets_of(|| ListTargetsRequest { state: vec![state.into()], ..Default::default() })
}

fn targets_of(
    request: impl Fn() -> ListTargetsRequest + Send + Sync + 'static,
) -> ArgValueCandidates {
    ArgValueCandidates::new(move || {
        ask(async |client| {
            let answer = client.admin().list_targets(request()).await.ok()?;
            let targets = answer.into_inner().targets.into_iter();
            Some(targets.map(|target| offer(target.name, target.state)).collect())
        })
    })
}

/// Offers the tags that targets have.
pub(crate) fn tags() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        ask(async |client| {
            let answer = client.admin().list_targets(ListTargetsRequest::default()).await.ok()?;
            let mut tags = BTreeMap::<String, usize>::new();
            for tag in answer.into_inner().targets.into_iter().flat_map(|target| target.tags) {
                *tags.entry(tag).or_default() += 1;
            }
            Some(tags.into_iter().map(|(tag, on)| offer(tag, format!("{on} targets"))).collect())
        })
    })
}

/// Offers words that are always the same, and no other than those that are understood by this version.
pub(crate) fn words(words: &'static [&'static str]) -> ArgValueCandidates {
    ArgValueCandidates::new(|| words.iter().map(CompletionCandidate::new).collect())
}

/// Offers the names of model sets.
pub(crate) fn models() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        ask(async |client| {
            let answer = client.admin().list_models(ListModelsRequest {}).await.ok()?;
            let named = answer.into_inner().models.into_iter().filter(|one| !one.name.is_empty());
            Some(
                named
                    .map(|one| offer(one.name, format!("{} modules", one.modules.len())))
                    .collect(),
            )
        })
    })
}

/// Offers the latest transactions; only with one of these statuses, if there are any.
pub(crate) fn transactions(status: &'static [&'static str]) -> ArgValueCandidates {
    ArgValueCandidates::new(move || ask(async |client| latest(&client, status).await))
}

/// Offers what waits to be confirmed.
pub(crate) fn windows() -> ArgValueCandidates {
    ArgValueCandidates::new(|| ask(async |client| open(&client, is_open).await))
}

/// Offers what can be called off: what has no outcome yet, or waits to be confirmed.
pub(crate) fn cancellable() -> ArgValueCandidates {
    let can = |one: &Transaction| one.status != "reverting";
    ArgValueCandidates::new(move || ask(async |client| open(&client, can).await))
}

fn is_open(one: &Transaction) -> bool {
    one.window == "open"
}

/// Offers the sides of a target: as it is, and as it stood after the latest transactions.
pub(crate) fn sides() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let mut sides: Vec<_> = SIDES.iter().map(CompletionCandidate::new).collect();
        sides.extend(ask(async |client| latest(&client, &[]).await));
        sides
    })
}

/// Offers whoever is the author of one of the latest transactions.
pub(crate) fn authors() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        ask(async |client| {
            let found = listed(&client, &[]).await?;
            let authors: BTreeSet<String> = found.into_iter().map(|one| one.author).collect();
            let named = authors.into_iter().filter(|author| !author.is_empty());
            Some(named.map(CompletionCandidate::new).collect())
        })
    })
}

async fn listed(client: &Client, status: &[&str]) -> Option<Vec<Transaction>> {
    let request = ListTransactionsRequest {
        limit: TRANSACTIONS,
        status: status.iter().map(ToString::to_string).collect(),
        brief: true,
        ..ListTransactionsRequest::default()
    };
    Some(client.admin().list_transactions(request).await.ok()?.into_inner().transactions)
}

async fn latest(client: &Client, status: &[&str]) -> Option<Vec<CompletionCandidate>> {
    Some(listed(client, status).await?.into_iter().map(offered).collect())
}

/// Those that have no outcome, or wait to be confirmed, however long ago they began.
async fn open(
    client: &Client,
    is_meant: impl Fn(&Transaction) -> bool,
) -> Option<Vec<CompletionCandidate>> {
    let request = GetSummaryRequest { brief: true };
    let found = client.admin().get_summary(request).await.ok()?.into_inner().open;
    Some(found.into_iter().filter(is_meant).map(offered).collect())
}

fn offered(one: Transaction) -> CompletionCandidate {
    let about = [one.kind, one.status, one.comment].join(" ");
    offer(one.index.to_string(), about.trim().to_owned())
}

fn offer(name: String, about: String) -> CompletionCandidate {
    CompletionCandidate::new(name).help(Some(about.into()))
}

/// Asks the node that the line is for. Whatever goes wrong, there is nothing to offer.
fn ask(
    question: impl AsyncFnOnce(Client) -> Option<Vec<CompletionCandidate>>,
) -> Vec<CompletionCandidate> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return Vec::new() };
    let answer = async {
        let line = about_node(std::env::args().collect());
        let (global, certificates) = Cli::try_parse_from(line).ok()?.asks()?;
        question(Client::connect(&global, &certificates).await.ok()?).await
    };
    let answer = runtime.block_on(async { tokio::time::timeout(PATIENCE, answer).await });
    answer.ok().flatten().unwrap_or_default()
}

/// Of a line that is not whole yet, the flags that say which node is meant and who asks; as a line that is.
fn about_node(words: Vec<String>) -> Vec<String> {
    const VALUED: [&str; 7] = [
        "--server",
        "--username",
        "--password-file",
        "--token-file",
        "--tls-ca",
        "--tls-cert",
        "--tls-key",
    ];
    let mut line = vec!["lockstep".to_owned()];
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or_default();
        if name == "--insecure" {
            line.push("--insecure".to_owned());
        } else if VALUED.contains(&name) && word.contains('=') {
            line.push(word);
        } else if VALUED.contains(&name)
            && let Some(value) = words.next_if(|next| !next.is_empty())
        {
            line.extend([word, value]);
        }
    }
    line.extend(["target".to_owned(), "list".to_owned()]);
    line
}

#[cfg(test)]
mod tests {
    use super::about_node;

    #[test]
    fn a_line_that_is_not_whole_says_which_node_is_meant() {
        let words =
            "lockstep -- lockstep --insecure get --server=a:1 --username alice leaf --tls-ca";
        let line = about_node(words.split(' ').map(str::to_owned).collect());
        assert_eq!(line.join(" "), "lockstep --insecure --server=a:1 --username alice target list");
    }
}
