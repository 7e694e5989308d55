//! What is written down of a call.

use std::collections::BTreeSet;
use std::sync::PoisonError;
use std::time::Instant;

use lockstep_gnmi::brief::brief;
use lockstep_protocol::record::Transaction;
use lockstep_types::{Path, Target};
use tonic::Code;

use super::{Call, Inner};
use crate::audit::{Line, Noted, WORDS};
use crate::guard::{Away, Guard, Peer};
use crate::metrics;

/// How many targets, and how many paths of each, a line of the audit names.
const NAMED: usize = 100;

impl Call {
    pub(super) fn noted(&self) -> std::sync::MutexGuard<'_, Noted> {
        self.0.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes down a target, and a path of it.
    pub(crate) fn note(&self, target: &Target, path: Option<&Path>) {
        let mut noted = self.noted();
        let full = noted.targets.len() >= NAMED && !noted.targets.contains_key(target);
        let paths: Option<&mut BTreeSet<Path>> =
            (!full).then(|| noted.targets.entry(target.clone()).or_default());
        let more = match (paths, path) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(paths), Some(_)) if paths.len() >= NAMED => true,
            (Some(paths), Some(path)) => {
                paths.insert(path.clone());
                false
            }
        };
        noted.more |= more;
    }

    /// Writes down the transaction it came to.
    pub(crate) fn note_transaction(&self, transaction: &Transaction) {
        self.noted().transaction = Some((transaction.id.to_string(), transaction.index.get()));
    }

    /// Writes down what else there is to say.
    pub(crate) fn note_detail(&self, detail: &str) {
        self.noted().detail = Some(brief(detail, WORDS));
    }

    /// Whether what it does is written down in any case.
    pub(in crate::guard) fn is_audited(&self) -> bool {
        let guard = &self.0.guard;
        guard.audit().is_some() && (guard.audits_reads() || !is_read(&self.0.action))
    }

    /// Writes down how it ended, before anybody is told. A subscription that begins sees to that itself, once
    /// it is known what is wanted.
    pub(in crate::guard) async fn close(&self, code: Code) {
        if self.0.action != "Subscribe" || code != Code::Ok {
            self.write(code).await;
        }
    }

    /// Writes it down, as it stands now.
    pub(crate) async fn write(&self, code: Code) {
        let mut noted = std::mem::take(&mut *self.noted());
        let Inner { guard, identity, peer, action, .. } = &*self.0;
        // What was not allowed somewhere may have been elsewhere, as when all targets are asked for.
        noted.refused = noted.refused.filter(|_| code == Code::PermissionDenied);
        if let Some(words) = &noted.refused {
            let only = noted.targets.keys().next().filter(|_| noted.targets.len() == 1);
            let target = only.map(Target::as_str);
            let (who, from) = (&identity.name, peer.shown());
            tracing::info!(who, from, action, target, words, "not allowed");
        }
        let Some(audit) = guard.audit() else { return };
        if self.is_audited() || noted.refused.is_some() {
            audit.write(Line { identity, address: peer.address, action, noted, code }).await;
        }
    }
}

impl Guard {
    /// Writes down that somebody was not let in.
    pub(in crate::guard) async fn note_refused(&self, peer: &Peer, action: &str, away: Away) {
        let Away { why: refused, identity, tried } = away;
        metrics::refused(refused.word());
        if self.0.refusals.take(&peer.ip().to_string(), Instant::now()).is_err() {
            return;
        }
        let who = Some(&identity.name).filter(|name| !name.is_empty());
        tracing::info!(who, tried, from = %peer.shown(), action, %refused, "not let in");
        let Some(audit) = self.audit() else { return };
        let noted = Noted { refused: Some(refused.to_string()), tried, ..Noted::default() };
        let (identity, code) = (&identity, refused.status().code());
        let action = &brief(action, WORDS);
        audit.write(Line { identity, address: peer.address, action, noted, code }).await;
    }
}

/// Whether an action changes nothing, and hands out no more than was asked for.
fn is_read(action: &str) -> bool {
    const READS: [&str; 20] = [
        "Capabilities",
        "Get",
        "Subscribe",
        "ListTransactions",
        "GetTransaction",
        "ListTargets",
        "GetTarget",
        "ListModels",
        "WatchTransactions",
        "WatchConfigurations",
        "WatchTargets",
        "GetConfiguration",
        "Diff",
        "ListNodes",
        "GetSummary",
        "WhoAmI",
        // Health and reflection.
        "Check",
        "Watch",
        "List",
        "ServerReflectionInfo",
    ];
    let asked = action.strip_prefix("GET ").or_else(|| action.strip_prefix("HEAD "));
    READS.contains(&action) || asked.is_some_and(|path| !crate::http::hands_out_everything(path))
}
