//! Who is listened to among several clients that each want to be the only one to write.
//!
//! As on a device, and each target is one: the largest election id of a role counts there, from when it is
//! first seen until this node ends. A client that says nothing of it is always listened to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lockstep_gnmi::Election;
use lockstep_gnmi::extension::{self, Arbitration};
use lockstep_gnmi::proto::gnmi_ext::Extension;
use lockstep_types::Target;
use tonic::Status;

use crate::refusal;

/// So much is remembered: roles, counted on each target.
const MEMORY: usize = 16 << 10;
/// So much of it has one identity, so that nobody keeps the others out.
const SHARE: usize = MEMORY / 4;
/// A longer name of a role is refused, as whatever is remembered is bounded.
const NAME: usize = 256;

/// Where a client wants to be the only one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// On every target, those to come included.
    Everywhere,
    /// On these.
    Targets(BTreeSet<Target>),
}

/// The latest masters.
#[derive(Clone, Debug, Default)]
pub(super) struct Masters(Arc<Mutex<Latest>>);

#[derive(Debug, Default)]
struct Latest {
    /// Of roles on every target.
    everywhere: BTreeMap<String, Master>,
    /// Of roles on single ones.
    on: BTreeMap<String, BTreeMap<Target, Master>>,
    /// How many of them each identity was the first to name.
    shares: BTreeMap<Arc<str>, usize>,
}

#[derive(Clone, Debug)]
struct Master {
    election: Election,
    /// Who was the first to name it.
    by: Arc<str>,
}

impl Masters {
    /// Refuses a client that another has taken over from. Otherwise it is listened to, as it may do what it
    /// asks for, and from now on nobody before it is; of a dry run nothing is remembered.
    pub(super) fn heed(
        &self,
        claim: &Arbitration,
        by: &str,
        scope: &Scope,
        dry_run: bool,
    ) -> Result<(), Status> {
        let mut latest = self.latest();
        latest.check(claim, scope)?;
        if dry_run { Ok(()) } else { latest.put(claim, by, scope) }
    }

    fn latest(&self) -> MutexGuard<'_, Latest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Latest {
    fn check(&self, claim: &Arbitration, scope: &Scope) -> Result<(), Status> {
        let denied = |latest: &Election, place: String| {
            Status::permission_denied(format!(
                "election id {} is not that of the master{place}, which is {latest}",
                claim.election
            ))
        };
        if let Some(latest) = self.everywhere.get(&claim.role)
            && claim.election < latest.election
        {
            return Err(denied(&latest.election, String::new()));
        }
        let on = self.on.get(&claim.role).into_iter().flatten();
        let wanted = |target: &Target| match scope {
            Scope::Everywhere => true,
            Scope::Targets(targets) => targets.contains(target),
        };
        let is_newer = |latest: &Master| claim.election < latest.election;
        let mut newer = on.filter(|(target, latest)| is_newer(latest) && wanted(target));
        newer.next().map_or(Ok(()), |(target, latest)| {
            Err(denied(&latest.election, format!(" on target {target}")))
        })
    }

    fn put(&mut self, claim: &Arbitration, by: &str, scope: &Scope) -> Result<(), Status> {
        let Arbitration { role, election } = claim;
        if role.len() > NAME {
            return Err(Status::invalid_argument(format!(
                "the name of a role has up to {NAME} bytes"
            )));
        }
        if !self.knows(role, scope) {
            self.has_room(by, scope)?;
        }
        let master = Master { election: *election, by: by.into() };
        let Self { everywhere, on, shares } = self;
        match scope {
            Scope::Everywhere => {
                remember(everywhere, role, &master, shares);
                // None of them is larger.
                for gone in on.remove(role).iter().flat_map(BTreeMap::values) {
                    shares.entry(Arc::clone(&gone.by)).and_modify(|share| *share -= 1);
                }
                shares.retain(|_, share| *share > 0);
            }
            Scope::Targets(targets) => {
                let there = on.entry(role.clone()).or_default();
                targets.iter().for_each(|target| remember(there, target, &master, shares));
            }
        }
        Ok(())
    }

    /// Whether more can be remembered, all in all and of one identity.
    fn has_room(&self, by: &str, scope: &Scope) -> Result<(), Status> {
        let more = match scope {
            Scope::Everywhere => 1,
            Scope::Targets(targets) => targets.len(),
        };
        if self.shares.values().sum::<usize>() + more > MEMORY {
            return Err(Status::resource_exhausted(format!(
                "{MEMORY} roles have a master on some target, which is the limit"
            )));
        }
        if self.shares.get(by).copied().unwrap_or_default() + more > SHARE {
            return Err(Status::resource_exhausted(format!(
                "{SHARE} roles on some target have a master by the same identity, which is the limit"
            )));
        }
        Ok(())
    }

    /// Whether nothing is remembered that was not before.
    fn knows(&self, role: &str, scope: &Scope) -> bool {
        match scope {
            Scope::Everywhere => self.everywhere.contains_key(role),
            Scope::Targets(targets) => {
                let on = self.on.get(role);
                targets.iter().all(|target| on.is_some_and(|on| on.contains_key(target)))
            }
        }
    }
}

/// Remembers the latest one somewhere; one that is new there counts.
fn remember<K: Clone + Ord>(
    all: &mut BTreeMap<K, Master>,
    at: &K,
    master: &Master,
    shares: &mut BTreeMap<Arc<str>, usize>,
) {
    if let Some(known) = all.get_mut(at) {
        known.election = master.election;
        return;
    }
    all.insert(at.clone(), master.clone());
    *shares.entry(Arc::clone(&master.by)).or_default() += 1;
}

/// What a client says of it, if it does.
pub(super) fn claim(extensions: &[Extension]) -> Result<Option<Arbitration>, Status> {
    extension::arbitration(extensions).map_err(|e| refusal::extension(&e))
}

#[cfg(test)]
mod tests {
    use lockstep_gnmi::proto::gnmi_ext::MasterArbitration;
    use lockstep_gnmi::proto::gnmi_ext::extension::Ext;
    use tonic::Code;

    use super::*;

    fn by(role: &str, low: u64) -> Arbitration {
        Arbitration { role: role.into(), election: Election { high: 0, low } }
    }

    fn on(names: &[&str]) -> Scope {
        Scope::Targets(names.iter().map(|name| Target::new(*name).unwrap()).collect())
    }

    fn code(answer: Result<(), Status>) -> Code {
        answer.unwrap_err().code()
    }

    // rule: arbitration
    #[test]
    fn the_largest_id_of_a_role_is_listened_to() {
        let masters = Masters::default();
        let record = |role: &str, low| masters.heed(&by(role, low), "", &on(&["leaf1"]), false);
        assert!(record("a", 5).is_ok() && record("a", 5).is_ok() && record("a", 7).is_ok());
        let denied = record("a", 6).unwrap_err();
        assert_eq!(denied.code(), Code::PermissionDenied);
        assert!(denied.message().contains("low: 7"), "{denied}");
        // Another role is another matter.
        assert!(record("b", 1).is_ok() && record("", 1).is_ok());
        assert_eq!(claim(&[]).unwrap(), None);
        let nobody = Ext::MasterArbitration(MasterArbitration::default());
        let nobody = claim(&[Extension { ext: Some(nobody) }]);
        assert_eq!(nobody.unwrap_err().code(), Code::InvalidArgument);
    }

    // rule: arbitration-target
    #[test]
    fn each_target_has_its_own_masters() {
        let masters = Masters::default();
        let record = |low, scope: &Scope| masters.heed(&by("a", low), "", scope, false);
        record(9, &on(&["leaf1"])).unwrap();
        record(3, &on(&["leaf2"])).unwrap();
        assert_eq!(code(record(5, &on(&["leaf1", "leaf2"]))), Code::PermissionDenied);
        // Nothing of it was taken: this is as it was before.
        record(4, &on(&["leaf2"])).unwrap();
        let denied = record(8, &Scope::Everywhere).unwrap_err();
        assert!(denied.message().contains("on target leaf1"), "{denied}");
        record(10, &Scope::Everywhere).unwrap();
        assert_eq!(code(record(9, &on(&["leaf1"]))), Code::PermissionDenied);
        assert_eq!(code(record(9, &on(&["later"]))), Code::PermissionDenied);
        record(11, &on(&["leaf2"])).unwrap();
        record(10, &on(&["leaf1"])).unwrap();
    }

    #[test]
    fn nothing_is_remembered_of_a_dry_run() {
        let masters = Masters::default();
        let leaf = on(&["leaf1"]);
        masters.heed(&by("a", 9), "", &leaf, true).unwrap();
        masters.heed(&by("a", 5), "", &leaf, false).unwrap();
        assert_eq!(code(masters.heed(&by("a", 4), "", &leaf, true)), Code::PermissionDenied);
    }

    // rule: limit-roles
    #[test]
    fn memory_is_bounded_and_so_is_what_one_identity_has_of_it() {
        let masters = Masters::default();
        let record =
            |who: &str, role: &str, low| masters.heed(&by(role, low), who, &on(&["leaf1"]), false);
        for number in 0..SHARE {
            record("alice", &number.to_string(), 1).unwrap();
        }
        assert_eq!(code(record("alice", "more", 1)), Code::ResourceExhausted);
        record("alice", "0", 2).unwrap();
        for number in SHARE..MEMORY {
            record(&(number / SHARE).to_string(), &number.to_string(), 1).unwrap();
        }
        assert_eq!(code(record("bob", "more", 1)), Code::ResourceExhausted);
        record("bob", "0", 3).unwrap();
        // In place of all that there are on single targets, and so there is room again.
        masters.heed(&by("0", 4), "bob", &Scope::Everywhere, true).unwrap();
        assert_eq!(code(record("bob", &"x".repeat(NAME + 1), 1)), Code::InvalidArgument);
    }
}
