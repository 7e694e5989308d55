//! Who is listened to among several clients that each want to be the only one to write.
//!
//! As on a device: the largest election id of a role counts, from when it is first seen until this node
//! ends. A client that says nothing of it is always listened to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use lockstep_gnmi::proto::gnmi_ext::Extension;
use lockstep_gnmi::{Election, extension};
use tonic::Status;

use crate::refusal;

/// So many roles are remembered.
const ROLES: usize = 1024;

/// The latest master of each role.
#[derive(Clone, Debug, Default)]
pub(super) struct Masters(Arc<Mutex<BTreeMap<String, Election>>>);

impl Masters {
    /// Refuses a client that another has taken over from.
    pub(super) fn check(&self, extensions: &[Extension]) -> Result<(), Status> {
        let claim = extension::arbitration(extensions).map_err(|e| refusal::extension(&e))?;
        let Some(claim) = claim else { return Ok(()) };
        let mut roles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match roles.get(&claim.role) {
            Some(latest) if claim.election < *latest => {
                return Err(Status::permission_denied(format!(
                    "election id {} is not that of the master, which is {latest}",
                    claim.election
                )));
            }
            None if roles.len() >= ROLES => {
                return Err(Status::resource_exhausted(format!(
                    "{ROLES} roles have a master, which is the limit"
                )));
            }
            _ => drop(roles.insert(claim.role, claim.election)),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use lockstep_gnmi::extension::{Arbitration, claim};
    use tonic::Code;

    use super::*;

    // rule: arbitration
    #[test]
    fn the_largest_id_of_a_role_is_listened_to() {
        let masters = Masters::default();
        let check = |role: &str, low| {
            let election = Election { high: 0, low };
            masters.check(&[claim(&Arbitration { role: role.into(), election })])
        };
        assert!(masters.check(&[]).is_ok());
        assert!(check("a", 5).is_ok() && check("a", 5).is_ok() && check("a", 7).is_ok());
        let denied = check("a", 6).unwrap_err();
        assert_eq!(denied.code(), Code::PermissionDenied);
        assert!(denied.message().contains("low: 7"), "{denied}");
        // Another role is another matter.
        assert!(check("b", 1).is_ok() && check("", 1).is_ok());
        let nobody = Extension {
            ext: Some(lockstep_gnmi::proto::gnmi_ext::extension::Ext::MasterArbitration(
                lockstep_gnmi::proto::gnmi_ext::MasterArbitration::default(),
            )),
        };
        assert_eq!(masters.check(&[nobody]).unwrap_err().code(), Code::InvalidArgument);
    }
}
