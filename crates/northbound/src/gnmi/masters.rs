//! Who is listened to among several clients that each want to be the only one to write.
//!
//! As on a device: the largest election id of a role counts, from when it is first seen until this node
//! ends. A client that says nothing of it is always listened to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lockstep_gnmi::Election;
use lockstep_gnmi::extension::{self, Arbitration};
use lockstep_gnmi::proto::gnmi_ext::Extension;
use tonic::Status;

use crate::refusal;

/// So many roles are remembered.
const ROLES: usize = 1024;

/// The latest master of each role.
#[derive(Clone, Debug, Default)]
pub(super) struct Masters(Arc<Mutex<BTreeMap<String, Election>>>);

type Roles<'m> = MutexGuard<'m, BTreeMap<String, Election>>;

impl Masters {
    /// Refuses a client that another has taken over from. Nothing is remembered of it: a client may ask for
    /// what it has no right to.
    pub(super) fn check(&self, extensions: &[Extension]) -> Result<(), Status> {
        claim(extensions)?.map_or(Ok(()), |claim| self.listen(&claim).map(drop))
    }

    /// Listens to a client that may do what it asks for, and to none before it from now on.
    pub(super) fn record(&self, extensions: &[Extension]) -> Result<(), Status> {
        let Some(claim) = claim(extensions)? else { return Ok(()) };
        let mut roles = self.listen(&claim)?;
        roles.insert(claim.role, claim.election);
        Ok(())
    }

    fn listen(&self, claim: &Arbitration) -> Result<Roles<'_>, Status> {
        let roles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match roles.get(&claim.role) {
            Some(latest) if claim.election < *latest => Err(Status::permission_denied(format!(
                "election id {} is not that of the master, which is {latest}",
                claim.election
            ))),
            None if roles.len() >= ROLES => Err(Status::resource_exhausted(format!(
                "{ROLES} roles have a master, which is the limit"
            ))),
            _ => Ok(roles),
        }
    }
}

fn claim(extensions: &[Extension]) -> Result<Option<Arbitration>, Status> {
    extension::arbitration(extensions).map_err(|e| refusal::extension(&e))
}

#[cfg(test)]
mod tests {
    use lockstep_gnmi::extension::claim;
    use tonic::Code;

    use super::*;

    // rule: arbitration
    #[test]
    fn the_largest_id_of_a_role_is_listened_to() {
        let masters = Masters::default();
        let record = |role: &str, low| {
            let election = Election { high: 0, low };
            masters.record(&[claim(&Arbitration { role: role.into(), election })])
        };
        assert!(masters.check(&[]).is_ok());
        assert!(record("a", 5).is_ok() && record("a", 5).is_ok() && record("a", 7).is_ok());
        let denied = record("a", 6).unwrap_err();
        assert_eq!(denied.code(), Code::PermissionDenied);
        assert!(denied.message().contains("low: 7"), "{denied}");
        // Another role is another matter.
        assert!(record("b", 1).is_ok() && record("", 1).is_ok());
        let nobody = Extension {
            ext: Some(lockstep_gnmi::proto::gnmi_ext::extension::Ext::MasterArbitration(
                lockstep_gnmi::proto::gnmi_ext::MasterArbitration::default(),
            )),
        };
        assert_eq!(masters.check(&[nobody]).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn nothing_is_remembered_of_whoever_is_only_checked() {
        let masters = Masters::default();
        let by =
            |low| [claim(&Arbitration { role: "a".into(), election: Election { high: 0, low } })];
        assert!(masters.check(&by(9)).is_ok() && masters.record(&by(5)).is_ok());
        assert_eq!(masters.check(&by(4)).unwrap_err().code(), Code::PermissionDenied);
    }
}
