//! One call: who makes it, and what they may do.

mod written;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use lockstep_gnmi::brief::brief;
use lockstep_node::Handle;
use lockstep_protocol::record::Transaction;
use lockstep_types::{Path, Target};
use tokio::time::Instant;
use tonic::Status;

use super::{Guard, Peer};
use crate::access::{Extent, Grants, Right, Rules};
use crate::audit::{Noted, WORDS};
use crate::deadline;
use crate::identity::Identity;
use crate::veil::Veil;

/// One call, as the services hold it. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Call(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    guard: Guard,
    identity: Identity,
    peer: Peer,
    action: String,
    /// The rules by which it was let in, and what they give.
    rules: Arc<Rules>,
    grants: Grants,
    /// When the caller hangs up, if it says so.
    hangs_up: Option<Instant>,
    noted: Mutex<Noted>,
}

impl Call {
    pub(super) fn new(
        guard: Guard,
        identity: Identity,
        peer: Peer,
        action: &str,
        (rules, grants): (Arc<Rules>, Grants),
        hangs_up: Option<Instant>,
    ) -> Self {
        let (action, noted) = (brief(action, WORDS), Mutex::default());
        Self(Arc::new(Inner { guard, identity, peer, action, rules, grants, hangs_up, noted }))
    }

    /// The call that a request is.
    pub(crate) fn of<T>(request: &tonic::Request<T>) -> Result<Self, Status> {
        let call = request.extensions().get::<Self>().cloned();
        call.ok_or_else(|| Status::internal("a call that did not come in by the door"))
    }

    /// Who makes it.
    pub(crate) fn identity(&self) -> &Identity {
        &self.0.identity
    }

    /// Whom to write on a transaction.
    pub(crate) fn author(&self) -> String {
        self.0.identity.name.clone()
    }

    /// Who it is, in a sentence.
    fn who(&self) -> String {
        match self.0.identity.name.as_str() {
            "" => "an anonymous client".into(),
            name => name.to_owned(),
        }
    }

    /// Where on a target a right holds.
    pub(crate) fn extent(&self, right: Right, node: &Handle, target: &Target) -> Extent {
        self.0.grants.on(right, target.as_str(), || node.tags(target))
    }

    /// Whether a right holds anywhere, as a question.
    pub(crate) fn has(&self, right: Right) -> bool {
        self.0.grants.anywhere(right)
    }

    /// Whether a right holds on every target and at every path, as a question.
    pub(crate) fn has_everywhere(&self, right: Right) -> bool {
        self.0.grants.everywhere(right)
    }

    /// Whether anything at all may be asked.
    pub(crate) fn anything(&self) -> Result<(), Status> {
        match self.0.grants.some() {
            true => Ok(()),
            false => Err(self.denied(format!("no role is given to {}", self.who()))),
        }
    }

    /// Whether a right holds anywhere.
    pub(crate) fn somewhere(&self, right: Right) -> Result<(), Status> {
        match self.0.grants.anywhere(right) {
            true => Ok(()),
            false => {
                let (who, right) = (self.who(), right.name());
                Err(self.denied(format!("no role gives {who} `{right}` on any target")))
            }
        }
    }

    /// Whether a right holds on every target and at every path.
    pub(crate) fn everywhere(&self, right: Right) -> Result<(), Status> {
        match self.0.grants.everywhere(right) {
            true => Ok(()),
            false => {
                let (who, right) = (self.who(), right.name());
                Err(self.denied(format!("no role gives {who} `{right}` on every target and path")))
            }
        }
    }

    /// Whether a right holds somewhere on a target. Says the same of one that is not there as of one that
    /// may not be seen.
    pub(crate) fn target(
        &self,
        right: Right,
        node: &Handle,
        target: &Target,
    ) -> Result<Extent, Status> {
        self.note(target, None);
        let extent = self.extent(right, node, target);
        match extent.is_nowhere() {
            false => Ok(extent),
            true => {
                let (who, right) = (self.who(), right.name());
                Err(self.denied(format!("no role gives {who} `{right}` on target {target}")))
            }
        }
    }

    /// Whether a right holds on a target as a whole.
    pub(crate) fn whole(&self, right: Right, node: &Handle, target: &Target) -> Result<(), Status> {
        match self.target(right, node, target)? {
            Extent::Whole => Ok(()),
            Extent::Paths(_) => {
                let (who, right) = (self.who(), right.name());
                let all = format!("no role gives {who} `{right}` on all of target {target}");
                Err(self.denied(all))
            }
        }
    }

    /// Whether somebody may say how a device is reached: they could have sent to themselves whatever is sent
    /// to it, so it takes the right to read that as it is. Without roles it is for everybody.
    pub(crate) fn directs(&self, node: &Handle, target: &Target) -> Result<(), Status> {
        self.everywhere(Right::Operate)?;
        if self.0.grants.are_all() {
            return Ok(());
        }
        self.whole(Right::Read, node, target)?;
        self.whole(Right::ReadSecrets, node, target)
    }

    /// That a right does not hold at a path of a target.
    pub(crate) fn denied_at(&self, right: Right, target: &Target, path: &Path) -> Status {
        let (who, right) = (self.who(), right.name());
        self.denied(format!("no role gives {who} `{right}` on target {target} at {path}"))
    }

    fn denied(&self, words: String) -> Status {
        self.noted().refused = Some(words.clone());
        Status::permission_denied(words)
    }

    /// Whether a transaction may be confirmed or called off: by whoever operates all its targets, or by its
    /// author, as far as those may still change them.
    pub(crate) fn may_end(&self, node: &Handle, transaction: &Transaction) -> Result<(), Status> {
        let targets = || transaction.targets.keys();
        let has = |right| targets().all(|target| !self.extent(right, node, target).is_nowhere());
        let author = !transaction.author.is_empty() && transaction.author == self.0.identity.name;
        if author && has(Right::Change) {
            targets().for_each(|target| self.note(target, None));
            return Ok(());
        }
        self.operates(node, targets(), &BTreeSet::new())
    }

    /// Whether all targets may be operated that something concerns. One that was not named is not named
    /// in the answer either, unless it may be known of.
    pub(crate) fn operates<'t>(
        &self,
        node: &Handle,
        mut targets: impl Iterator<Item = &'t Target>,
        named: &BTreeSet<Target>,
    ) -> Result<(), Status> {
        targets.try_for_each(|target| {
            let known = named.contains(target)
                || Right::ALL.iter().any(|right| !self.extent(*right, node, target).is_nowhere());
            match self.whole(Right::Operate, node, target) {
                Err(_) if !known => {
                    let who = self.who();
                    let all =
                        format!("no role gives {who} `operate` on all targets that this concerns");
                    Err(self.denied(all))
                }
                may => may,
            }
        })
    }

    /// What is to be seen of a target.
    pub(crate) fn veil(&self, node: &Handle, target: &Target) -> Veil {
        let extent = |right| self.extent(right, node, target);
        let secrets = Arc::clone(self.0.guard.secrets());
        Veil::new(extent(Right::Read), extent(Right::ReadSecrets), secrets)
    }

    /// Whether there is anything that not everybody may read.
    pub(crate) fn has_secrets(&self) -> bool {
        !self.0.guard.secrets().is_empty()
    }

    /// The same caller with what may be done by now; an error: nothing any more. Costs nothing as long as the rules are the
    /// same.
    pub(crate) fn again(&self) -> Result<Self, Status> {
        let Inner { guard, identity, peer, action, hangs_up, .. } = &*self.0;
        let rules = guard.rules();
        if Arc::ptr_eq(&rules, &self.0.rules) && !identity.is_over(SystemTime::now()) {
            return Ok(self.clone());
        }
        let grants = Guard::grants_by(&rules, identity);
        let grants = grants
            .ok_or_else(|| Status::unauthenticated("the credentials are not valid any more"))?;
        let may = (rules, grants);
        Ok(Self::new(guard.clone(), identity.clone(), peer.clone(), action, may, *hangs_up))
    }

    /// When whatever is waited for from now on is to be answered at the latest.
    pub(crate) fn answer_by(&self) -> Instant {
        deadline::answer_by(self.0.hangs_up)
    }

    /// When the credentials end by themselves.
    pub(crate) fn until(&self) -> Option<SystemTime> {
        self.0.identity.until
    }
}
