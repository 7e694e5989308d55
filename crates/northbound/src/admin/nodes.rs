//! Nodes, how everything stands, and who asks.

use std::collections::BTreeMap;

use lockstep_gnmi::proto::lockstep::v1::{self, GetSummaryResponse, Node, WhoAmIResponse};
use lockstep_types::SessionId;
use tonic::Status;

use super::{Service, show};
use crate::access::Right;
use crate::guard::Call;
use crate::teller::Teller;
use crate::{standing, text};

/// How many open transactions a summary has.
const OPEN: usize = 100;

impl Service {
    /// The nodes that are alive, by name.
    pub(super) fn nodes(&self, call: &Call) -> Result<Vec<Node>, Status> {
        call.somewhere(Right::Read)?;
        let view = self.node.view();
        let teller = Teller::any(&self.node, call, &view);
        let mut held: BTreeMap<&SessionId, BTreeMap<String, u64>> = BTreeMap::new();
        for target in view.targets().filter(|target| teller.sees(target)) {
            let Some(master) = view.master(target) else { continue };
            let Some(session) = &master.session else { continue };
            held.entry(session).or_default().insert(target.to_string(), master.term.get());
        }
        let mut nodes: Vec<Node> = view
            .sessions()
            .map(|session| Node {
                name: view.node(session).map(ToString::to_string).unwrap_or_default(),
                session: session.to_string(),
                answers: session == self.node.session(),
                masterships: held.remove(session).unwrap_or_default(),
            })
            .collect();
        nodes.sort_by(|a, b| (&a.name, &a.session).cmp(&(&b.name, &b.session)));
        Ok(nodes)
    }

    /// How everything stands, as far as it may be seen. What is counted costs a look at every target and the whole
    /// log, so whoever asks again and again leaves that out.
    pub(super) fn summary(&self, call: &Call, brief: bool) -> Result<GetSummaryResponse, Status> {
        call.somewhere(Right::Read)?;
        let view = self.node.view();
        let teller = Teller::any(&self.node, call, &view);
        let (targets, transactions) = match brief {
            true => Default::default(),
            false => {
                let states = self.node.states();
                let states = states.iter().filter(|(target, _)| teller.sees(target));
                let entries = view.transactions().filter(|entry| teller.sees_any(entry));
                (
                    counted(states.map(|(_, state)| state.name())),
                    counted(entries.map(|entry| standing::of(entry.status).0)),
                )
            }
        };
        let windows = view.windows().filter_map(|(_, index)| view.transaction(index));
        let mut open: Vec<_> =
            view.open().chain(windows).filter(|entry| teller.sees_any(entry)).collect();
        open.sort_by_key(|entry| std::cmp::Reverse(entry.index));
        open.dedup_by_key(|entry| entry.index);
        let open: Vec<v1::Transaction> =
            open.into_iter().take(OPEN).map(|entry| show::brief(&teller, entry)).collect();
        Ok(GetSummaryResponse {
            targets,
            transactions,
            head: view.head().index.get(),
            horizon: view.horizon().get(),
            open,
            nodes: u64::try_from(view.sessions().count()).unwrap_or(u64::MAX),
            node: self.node.name().to_string(),
            version: env!("CARGO_PKG_VERSION").into(),
            now: Some(text::time(self.node.now())),
        })
    }
}

/// How often there is each word.
fn counted(words: impl Iterator<Item = &'static str>) -> BTreeMap<String, u64> {
    words.fold(BTreeMap::new(), |mut counts, word| {
        *counts.entry(word.to_owned()).or_default() += 1;
        counts
    })
}

/// Who somebody is, and what they may do.
pub(super) fn who(call: &Call) -> WhoAmIResponse {
    let identity = call.identity();
    let all = |holds: &dyn Fn(Right) -> bool| -> Vec<String> {
        let held = Right::ALL.into_iter().filter(|right| holds(*right));
        held.map(|right| right.name().into()).collect()
    };
    WhoAmIResponse {
        name: identity.name.clone(),
        how: identity.how.name().into(),
        groups: identity.groups.iter().cloned().collect(),
        rights: all(&|right| call.has(right)),
        everywhere: all(&|right| call.has_everywhere(right)),
        until: identity.until.map(prost_types::Timestamp::from),
    }
}
