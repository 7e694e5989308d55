//! The log, as operators look at it.

use std::collections::BTreeSet;

use lockstep_gnmi::proto::lockstep::v1::{
    self, GetTransactionRequest, GetTransactionResponse, ListTransactionsRequest,
    ListTransactionsResponse, TargetChanges,
};
use lockstep_gnmi::words;
use lockstep_protocol::View;
use lockstep_protocol::record::{Kind, Transaction};
use lockstep_types::{Delta, Index, Target, Timestamp};
use prost::Message;
use tonic::Status;

use super::changes::Changes;
use super::{Service, show, target_names, unknown};
use crate::access::Right;
use crate::answers::Size;
use crate::guard::Call;
use crate::teller::Teller;
use crate::{refusal, standing, text};

/// How many transactions are listed at once when nobody says.
const PAGE: usize = 100;
/// How many at the most.
const LARGEST_PAGE: usize = 10_000;
/// What an entry of a list, and the list itself, may have around it, in bytes.
const AROUND: usize = 64;

impl Service {
    /// Those that are asked for and may be seen, latest first.
    pub(super) fn listed(
        &self,
        call: &Call,
        asked: &ListTransactionsRequest,
    ) -> Result<ListTransactionsResponse, Status> {
        call.somewhere(Right::Read)?;
        check(asked)?;
        let view = self.node.view();
        Ok(listed(&Teller::any(&self.node, call, &view), asked, self.gnmi.message))
    }

    /// One of them, if it may be seen.
    pub(super) fn found(&self, call: &Call, index: u64) -> Result<v1::Transaction, Status> {
        let asked = GetTransactionRequest { index, ..GetTransactionRequest::default() };
        let found = self.found_with(call, &asked)?;
        Ok(found.transaction.unwrap_or_default())
    }

    /// One of them with what it changes, as far as that is asked for and may be seen.
    pub(super) fn found_with(
        &self,
        call: &Call,
        asked: &GetTransactionRequest,
    ) -> Result<GetTransactionResponse, Status> {
        call.somewhere(Right::Read)?;
        let view = self.node.view();
        let teller = Teller::any(&self.node, call, &view);
        let index = Index::new(asked.index);
        let found = view.transaction(index).filter(|found| teller.sees_any(found));
        let found = found.ok_or_else(|| refusal::refused(&unknown(&view, index)))?;
        let filter = ListTransactionsRequest { brief: asked.brief, ..Default::default() };
        let mut answer = GetTransactionResponse {
            transaction: Some(shown(&teller, &filter, found)),
            changes: Vec::new(),
        };
        if asked.changes {
            let only = target_names(&asked.target)?;
            answer.changes = self.changes_of(call, &teller, found, &only)?;
        }
        Ok(answer)
    }

    /// What a transaction changes, target by target.
    fn changes_of(
        &self,
        call: &Call,
        teller: &Teller<'_>,
        found: &Transaction,
        only: &BTreeSet<Target>,
    ) -> Result<Vec<TargetChanges>, Status> {
        let wanted =
            |target: &&Target| (only.is_empty() || only.contains(*target)) && teller.sees(target);
        let mut size = Size::up_to(self.gnmi.message);
        let each = found.targets.keys().filter(wanted).map(|target| {
            let (before, after) = effect(teller.view, found, target);
            let spec = self.node.target(target);
            let veil = call.veil(&self.node, target);
            let models = spec.as_deref().map(|spec| &spec.models);
            let changes = Changes { models, veil: &veil }.written(&before, &after);
            size.grow(&changes)?;
            Ok(TargetChanges { target: target.to_string(), changes })
        });
        each.collect()
    }
}

/// What stood and what stands then, at the paths that a transaction touches. Of one that is not decided, or never
/// was: what it asks, on what stands now.
fn effect(view: &View, found: &Transaction, target: &Target) -> (Delta, Delta) {
    let (source, back) = match found.kind {
        Kind::Rollback { of, .. } => (of, true),
        _ => (found.index, false),
    };
    let Some(proposal) = view.proposal(source, target) else { return Default::default() };
    match (back, proposal.delta.is_empty()) {
        (true, _) => (proposal.delta.clone(), proposal.undo.delta()),
        (false, false) => (proposal.undo.delta(), proposal.delta.clone()),
        (false, true) => {
            let standing = view.visible(target);
            let delta = proposal.edit.onto(&standing);
            let before =
                delta.paths().map(|path| (path.clone(), standing.get(path).cloned())).collect();
            (before, delta)
        }
    }
}

/// Those of a list, latest first, as many as fit: it has up to so many bytes.
pub(super) fn listed(
    teller: &Teller<'_>,
    asked: &ListTransactionsRequest,
    room: usize,
) -> ListTransactionsResponse {
    let view = teller.view;
    let limit = usize::try_from(asked.limit).unwrap_or(LARGEST_PAGE).min(LARGEST_PAGE);
    let limit = if limit == 0 { PAGE } else { limit };
    let within = view.transactions_backwards().take_while(|t| t.index.get() > asked.after_index);
    let found = within.filter(|t| is_asked(teller, asked, t) && teller.sees_any(t));
    let (mut transactions, mut size, mut full) = (Vec::new(), AROUND, false);
    for one in found.map(|t| shown(teller, asked, t)) {
        size += one.encoded_len() + AROUND;
        // One that does not fit by itself is somebody else's to refuse.
        full = transactions.len() == limit || (size > room && !transactions.is_empty());
        if full {
            break;
        }
        transactions.push(one);
    }
    let next = transactions.last().filter(|_| full).map_or(0, |last: &v1::Transaction| last.index);
    ListTransactionsResponse {
        next_before_index: next,
        head: view.head().index.get(),
        horizon: view.horizon().get(),
        transactions,
    }
}

/// A transaction as a list shows it.
pub(super) fn shown(
    teller: &Teller<'_>,
    asked: &ListTransactionsRequest,
    entry: &Transaction,
) -> v1::Transaction {
    match asked.brief {
        true => show::brief(teller, entry),
        false => show::transaction(teller, entry),
    }
}

/// A word that nothing is called would find nothing, and look like an answer.
pub(super) fn check(asked: &ListTransactionsRequest) -> Result<(), Status> {
    known("status", &asked.status, &words::STATUSES)?;
    known("kind", &asked.kind, &words::KINDS)
}

/// Whether every word is one of those there are.
pub(super) fn known(what: &str, asked: &[String], known: &[&str]) -> Result<(), Status> {
    match asked.iter().find(|word| !known.contains(&word.as_str())) {
        None => Ok(()),
        Some(word) => Err(Status::invalid_argument(format!(
            "there is no {what} {word:?}; there are {}",
            known.join(", ")
        ))),
    }
}

/// Whether a transaction is among those asked for. It concerns a target only to those who may know of that, or a list would
/// tell which targets there are.
pub(super) fn is_asked(
    teller: &Teller<'_>,
    asked: &ListTransactionsRequest,
    entry: &Transaction,
) -> bool {
    let one_of = |words: &[String], word: &str| words.is_empty() || words.iter().any(|w| w == word);
    let index = entry.index.get();
    let concerns = |name: &String| {
        entry.targets.contains_key(name.as_str())
            && Target::new(name).is_ok_and(|target| teller.sees(&target))
    };
    (asked.before_index == 0 || index < asked.before_index)
        && index > asked.after_index
        && one_of(&asked.status, standing::of(entry.status).0)
        && one_of(&asked.kind, text::kind(entry.kind))
        && one_of(&asked.author, &entry.author)
        && (asked.target.is_empty() || asked.target.iter().any(concerns))
        && (asked.id.is_empty() || entry.id.as_str() == asked.id)
        && asked.since.as_ref().is_none_or(|since| entry.submitted >= time(since))
        && asked.until.as_ref().is_none_or(|until| entry.submitted <= time(until))
        && holds(&entry.comment, &asked.comment)
}

fn holds(comment: &str, wanted: &str) -> bool {
    wanted.is_empty() || comment.to_lowercase().contains(&wanted.to_lowercase())
}

/// A time as it came over the wire; before all of ours, ours begin.
pub(super) fn time(given: &prost_types::Timestamp) -> Timestamp {
    let seconds = u64::try_from(given.seconds).unwrap_or_default();
    let nanos = u64::try_from(given.nanos).unwrap_or_default();
    Timestamp::new(seconds.saturating_mul(1_000_000_000).saturating_add(nanos))
}
