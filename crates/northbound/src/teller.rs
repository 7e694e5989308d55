//! What one caller is told of transactions and targets: without what they may not see.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use lockstep_node::{Difference, Handle, TargetStatus};
use lockstep_protocol::record::{Failure, Proposal, Reason, Transaction, Violation};
use lockstep_protocol::view::Wait;
use lockstep_protocol::{Refusal, View};
use lockstep_types::{Content, Delta, Path, Target};
use lockstep_yang::Fate;

use crate::access::Right;
use crate::guard::Call;
use crate::text;
use crate::veil::{self, Veil};

/// What is told in place of a device's words where not all of the target may be read.
const UNHEARD: &str = "what the device said may be about what may not be read, so it is not shown";

/// Tells one caller what one view has.
pub(crate) struct Teller<'a> {
    node: &'a Handle,
    call: &'a Call,
    pub(crate) view: &'a View,
    /// Whether it is about what the caller did themselves: then they know its targets.
    own: bool,
    /// The secrets of each target that was asked about.
    secrets: RefCell<BTreeMap<Target, BTreeSet<String>>>,
}

impl<'a> Teller<'a> {
    /// Of what the caller did.
    pub(crate) fn own(node: &'a Handle, call: &'a Call, view: &'a View) -> Self {
        Self { node, call, view, own: true, secrets: RefCell::default() }
    }

    /// Of what anybody did.
    pub(crate) fn any(node: &'a Handle, call: &'a Call, view: &'a View) -> Self {
        Self { own: false, ..Self::own(node, call, view) }
    }

    /// Whether they may know of a target.
    pub(crate) fn sees(&self, target: &Target) -> bool {
        self.own || !self.call.extent(Right::Read, self.node, target).is_nowhere()
    }

    /// Whether they may know of a transaction: of one of its targets.
    pub(crate) fn sees_any(&self, transaction: &Transaction) -> bool {
        match transaction.targets.is_empty() {
            true => self.own || self.call.has_everywhere(Right::Read),
            false => transaction.targets.keys().any(|target| self.sees(target)),
        }
    }

    /// Whether they may know of all its targets, and so of what is said of it as a whole.
    pub(crate) fn sees_all(&self, transaction: &Transaction) -> bool {
        transaction.targets.keys().all(|target| self.sees(target))
    }

    fn veil(&self, target: &Target) -> Veil {
        self.call.veil(self.node, target)
    }

    /// A reason as they may hear it.
    pub(crate) fn reason(
        &self,
        transaction: &Transaction,
        target: Option<&Target>,
        reason: &Reason,
    ) -> Reason {
        let violations = |all: &[Violation]| all.iter().map(|one| self.violation(one)).collect();
        match reason {
            Reason::Invalid(all) => Reason::Invalid(violations(all)),
            Reason::InvalidAfterWithdrawal(all) => Reason::InvalidAfterWithdrawal(violations(all)),
            Reason::Refused { target, failure } => Reason::Refused {
                target: target.clone(),
                failure: self.failure(target, Some(transaction), failure),
            },
            Reason::Waited(wait) => match target.or_else(|| transaction.targets.keys().next()) {
                Some(target) => Reason::Waited(self.wait(target, wait.clone())),
                None => reason.clone(),
            },
            other => other.clone(),
        }
    }

    /// A rule that is broken, as they may hear of it.
    pub(crate) fn violation(&self, violation: &Violation) -> Violation {
        let Violation { target, path, message } = violation.clone();
        let veil = self.veil(&target);
        let message = match (veil.fate(&path), self.own) {
            (Fate::Keep, _) | (Fate::Drop, true) if !veil.hides(&path) => message,
            (Fate::Drop, false) => "it may not be read, so no more is said".into(),
            _ => veil.words(&path, message),
        };
        Violation { target, path, message }
    }

    /// What is waited for on a target, with what this node knows of why; none: nothing.
    pub(crate) fn waiting_for(&self, transaction: &Transaction, target: &Target) -> Option<String> {
        let wait = self.wait(target, self.view.waiting_for(transaction, target)?);
        let words = text::wait(&wait);
        let veil = self.veil(target);
        let why = self.why(&wait, target).filter(|why| veil.may_hear(why, |_| false));
        Some(match why {
            None => words,
            Some(why) => format!("{words}: {}", self.scrubbed(target, why)),
        })
    }

    /// Why that takes its time, as far as this node knows.
    fn why(&self, wait: &Wait, target: &Target) -> Option<String> {
        match wait {
            Wait::Connection => self.node.away(target),
            Wait::Synchronising | Wait::Device | Wait::Confirming => self.node.trouble(target),
            // Without the models there is no verdict from here, and maybe nobody else is left.
            Wait::Verdict | Wait::Recheck if self.node.target(target).is_none() => {
                self.node.unserved(target).map(|unserved| unserved.reason)
            }
            _ => None,
        }
    }

    /// Words without the secrets of a target that are not for these eyes.
    fn scrubbed(&self, target: &Target, words: String) -> String {
        let veil = self.veil(target);
        if veil.is_open() { words } else { veil.scrub(&words, &self.secrets_of(target)) }
    }

    fn wait(&self, target: &Target, wait: Wait) -> Wait {
        match wait {
            Wait::Resync(failure) => Wait::Resync(self.failure(target, None, &failure)),
            other => other,
        }
    }

    /// What a device said, without what it may quote.
    fn failure(
        &self,
        target: &Target,
        transaction: Option<&Transaction>,
        failure: &Failure,
    ) -> Failure {
        let proposal = transaction.and_then(|one| self.view.proposal(one.index, target));
        if !self.may_hear(target, proposal, &failure.message) {
            return Failure { message: UNHEARD.into(), ..failure.clone() };
        }
        if !self.call.has_secrets() {
            return failure.clone();
        }
        let mut secrets = self.secrets_of(target);
        if let Some(proposal) = proposal {
            secrets.extend(self.secrets_in(target, &proposal.delta));
            secrets.extend(self.secrets_in(target, &proposal.undo.delta()));
        }
        let message = self.veil(target).scrub(&failure.message, &secrets);
        Failure { message, ..failure.clone() }
    }

    /// Whether what a device said is for them: if they may read all that it has; or if it is about a change of theirs, and
    /// names nothing but what they may read or have written.
    fn may_hear(&self, target: &Target, proposal: Option<&Proposal>, words: &str) -> bool {
        let veil = self.veil(target);
        let is_written = |path: &Path| {
            let written = proposal.into_iter().flat_map(|one| one.delta.paths());
            written.into_iter().any(|at| at.is_prefix_of(path) || path.is_prefix_of(at))
        };
        let own = self.own && proposal.is_some();
        veil.reads_all() || (own && veil.may_hear(words, is_written))
    }

    /// Why a request was turned down, as they may hear it.
    pub(crate) fn refusal(&self, refusal: Refusal) -> Refusal {
        match refusal {
            Refusal::NeverMet { target, failure } => {
                let failure = self.failure(&target, None, &failure);
                Refusal::NeverMet { target, failure }
            }
            other => other,
        }
    }

    /// The secrets that stand on a target and are not for these eyes.
    fn secrets_of(&self, target: &Target) -> BTreeSet<String> {
        if let Some(known) = self.secrets.borrow().get(target) {
            return known.clone();
        }
        let veil = self.veil(target);
        let trees = [self.view.committed(target), self.view.applied(target)];
        let all = trees.iter().flat_map(|tree| tree.iter());
        let hidden = all.filter(|(path, _)| veil.hides(path));
        let found: BTreeSet<String> = hidden.flat_map(|(_, one)| veil::values(one)).collect();
        self.secrets.borrow_mut().insert(target.clone(), found.clone());
        found
    }

    fn secrets_in(&self, target: &Target, delta: &Delta) -> BTreeSet<String> {
        let veil = self.veil(target);
        let hidden = delta.sets().filter(|(path, _)| veil.hides(path));
        hidden.flat_map(|(_, content)| veil::values(content)).collect()
    }

    /// How a target stands, as they may hear it.
    pub(crate) fn status(&self, status: TargetStatus) -> TargetStatus {
        let veil = self.veil(&status.name);
        if veil.is_open() {
            return status;
        }
        let fate = status.drift.first().map(|first| veil.fate(&first.path));
        let reason = match (fate, status.reason) {
            (Some(Fate::Mask | Fate::Drop), Some(_)) => {
                Some("it is not as applied, where that may not be shown".into())
            }
            (_, reason) => reason.map(|words| self.reason_there(&veil, &status.name, words)),
        };
        let drift = status.drift.into_iter().filter_map(|found| difference(&veil, found)).collect();
        TargetStatus { reason, drift, ..status }
    }
}

impl Teller<'_> {
    /// Why a target is not well, as they may hear it.
    fn reason_there(&self, veil: &Veil, target: &Target, words: String) -> String {
        let refused = self.view.header(target).resync_refused.as_ref();
        let refused = refused.filter(|refused| words.contains(&refused.message));
        match refused {
            Some(refused) if !veil.reads_all() => format!("{}: {UNHEARD}", refused.code),
            _ if !veil.may_hear(&words, |_| false) => "it may not be shown why".into(),
            _ => veil.scrub(&words, &self.secrets_of(target)),
        }
    }
}

/// A place where a device is not as applied, as they may see it.
fn difference(veil: &Veil, found: Difference) -> Option<Difference> {
    let masked = |content: Option<Content>| content.map(|_| Content::leaf(veil::MASK));
    match veil.fate(&found.path) {
        Fate::Keep => Some(found),
        Fate::Mask => {
            let Difference { path, shows, wanted } = found;
            Some(Difference { path, shows: masked(shows), wanted: masked(wanted) })
        }
        Fate::Drop => None,
    }
}
