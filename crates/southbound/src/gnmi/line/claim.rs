//! Who is master: the claim, and what a master wants to know of a device before it relies on it.

use lockstep_gnmi::extension;
use lockstep_gnmi::proto::gnmi::SetRequest;
use lockstep_protocol::Answer;
use lockstep_protocol::record::Failure;
use tokio::time::{Instant, timeout_at};
use tonic::Code;

use super::GnmiLine;
use crate::gnmi::answer::{self, Asked, Meaning};
use crate::gnmi::arbitration::Level;
use crate::{Fencing, Mandate};

/// A commit that nobody makes.
const UNUSED: &str = "lockstep-probe";

impl GnmiLine {
    /// An empty Set with our election id. A device that does not understand it as it is said is told in
    /// fewer words; one that understands none is nobody's, and nothing is left to say.
    pub(super) async fn claim(&self, mandate: &Mandate, by: Instant) -> Answer {
        loop {
            let level = self.manner.level();
            if level == Level::None {
                return Answer::Accepted;
            }
            match self.send(SetRequest::default(), mandate, by).await {
                Ok(_) => return Answer::Accepted,
                Err(status) if status.code() == Code::Unimplemented => {
                    let address = &self.address;
                    tracing::info!(address, ?level, "the device has no such arbitration");
                    self.manner.lower(level);
                }
                Err(status) => match self.meaning(Asked::Claim, &status) {
                    Meaning::Answer(answer) => return answer,
                    Meaning::Denied(_) => return Answer::Fenced,
                    Meaning::Lost | Meaning::Another(_) => {
                        return Answer::Refused(answer::failure(&status));
                    }
                },
            }
        }
    }

    /// Finds out what is not known yet, after a claim that was accepted. What a device does not say stays
    /// unknown, and is asked again with the next claim. The claim stands, unless a commit waits on the
    /// device, ours or somebody else's: what it shows is then not what it holds.
    pub(super) async fn probe(&self, mandate: &Mandate) -> Option<Failure> {
        let by = self.deadline();
        // Side by side: neither changes anything, and a node that takes over asks it of all its devices.
        let probes = async {
            tokio::join!(self.probe_confirms(mandate, by), self.probe_fencing(mandate, by)).0
        };
        timeout_at(by, probes).await.unwrap_or_else(|_| {
            let (address, after) = (&self.address, self.timeout);
            tracing::warn!(
                address,
                ?after,
                "the device took our claim, and does not answer a probe"
            );
            None
        })
    }

    /// An empty Set with a smaller id, which a device that honours arbitration denies. Any other refusal
    /// does not show that it would deny a Set of an older master, so it is no proof.
    async fn probe_fencing(&self, mandate: &Mandate, by: Instant) {
        if self.known.fencing().is_some() {
            return;
        }
        if self.manner.level() == Level::None {
            return self.known.set_fencing(Fencing::StoreOnly);
        }
        let Some(older) = mandate.election.before() else { return };
        let older = Mandate { election: older, ..mandate.clone() };
        let fencing = match self.send(SetRequest::default(), &older, by).await {
            Err(status) if answer::is_passing(&status) => return,
            Err(status) if status.code() == Code::PermissionDenied => Fencing::Device,
            Ok(_) | Err(_) => Fencing::StoreOnly,
        };
        if fencing == Fencing::StoreOnly {
            let address = &self.address;
            tracing::warn!(address, "the device does not turn away an older master");
        }
        self.known.set_fencing(fencing);
    }

    /// A confirm of a commit that nobody made, which changes nothing. A device that knows what it is
    /// says that no commit waits; one on which another waits says so, and has to be asked again later.
    async fn probe_confirms(&self, mandate: &Mandate, by: Instant) -> Option<Failure> {
        if !self.may_confirm || self.known.confirms().is_some() {
            return None;
        }
        let mut request = SetRequest::default();
        request.extension.push(extension::confirm(UNUSED));
        match self.send(request, mandate, by).await {
            Err(status) if answer::is_passing(&status) => {}
            Err(status) => match answer::classify(Asked::Settle, &status) {
                Meaning::Lost => self.known.set_confirms(true),
                Meaning::Another(failure) => return Some(failure),
                Meaning::Denied(_) => {}
                Meaning::Answer(_) => self.known.set_confirms(false),
            },
            Ok(_) => self.known.set_confirms(false),
        }
        None
    }
}
