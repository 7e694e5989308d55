//! A write in the making. Whatever is changed through a draft is also compared with what was read,
//! so that a write made on an old view cannot happen (rule 11).

mod absences;

use std::collections::{BTreeMap, BTreeSet};

use lockstep_types::{Index, Patch, SessionId, Target, TransactionId, Undo};

use crate::record::{
    Binding, Head, Header, Horizon, Key, Marks, Mastership, Part, Proposal, Transaction,
};
use crate::txn::{Compare, Op, Txn};
use crate::view::View;

/// A configuration being changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Staged {
    pub(crate) header: Header,
    pub(crate) committed: Patch,
    pub(crate) applied: Patch,
    /// Whatever stood is gone first.
    pub(crate) cleared: bool,
}

impl Staged {
    /// More units of the committed tree change.
    pub(crate) fn commit(&mut self, units: Patch) {
        if self.committed.is_empty() {
            self.committed = units;
        } else {
            self.committed.extend(units);
        }
    }
}

/// A write in the making on one view.
#[derive(Debug)]
pub(crate) struct Draft<'v> {
    pub(crate) view: &'v View,
    compares: BTreeSet<Compare>,
    head: Option<Head>,
    horizon: Option<Horizon>,
    forgotten: Vec<Key>,
    ids: BTreeMap<TransactionId, Index>,
    transactions: BTreeMap<Index, Transaction>,
    parts: BTreeMap<(Index, Target), Part>,
    proposals: BTreeMap<(Index, Target), Proposal>,
    configurations: BTreeMap<Target, Staged>,
    marks: BTreeMap<Target, Marks>,
    masterships: BTreeMap<Target, Mastership>,
    bindings: BTreeMap<Target, Option<Binding>>,
}

impl<'v> Draft<'v> {
    pub(crate) fn new(view: &'v View) -> Self {
        Self {
            view,
            compares: BTreeSet::new(),
            head: None,
            horizon: None,
            forgotten: Vec::new(),
            ids: BTreeMap::new(),
            transactions: BTreeMap::new(),
            parts: BTreeMap::new(),
            proposals: BTreeMap::new(),
            configurations: BTreeMap::new(),
            marks: BTreeMap::new(),
            masterships: BTreeMap::new(),
            bindings: BTreeMap::new(),
        }
    }

    /// The write depends on this record being as it was read.
    pub(crate) fn depends_on(&mut self, key: Key) {
        let revision = self.view.version(&key);
        self.compares.insert(Compare::Unchanged(key, revision));
    }

    /// The write is a master's: its record stands and its session lives.
    pub(crate) fn as_master(&mut self, target: &Target, session: &SessionId) {
        self.depends_on(Key::Mastership(target.clone()));
        self.alive(session);
    }

    /// The write is by this session, which must live.
    pub(crate) fn alive(&mut self, session: &SessionId) {
        self.compares.insert(Compare::Exists(Key::Session(session.clone())));
    }

    /// The write is made while the target has no master.
    pub(crate) fn without_master(&mut self, target: &Target) {
        self.depends_on(Key::Mastership(target.clone()));
        if let Some(session) = self.view.mastership(target).and_then(|m| m.session.clone()) {
            self.compares.insert(Compare::Absent(Key::Session(session)));
        }
    }

    /// A transaction, to be changed. None: there is no such entry.
    pub(crate) fn transaction(&mut self, index: Index) -> Option<&mut Transaction> {
        if !self.transactions.contains_key(&index) {
            let transaction = self.view.transaction(index)?.clone();
            self.depends_on(Key::Transaction(index));
            self.transactions.insert(index, transaction);
        }
        self.transactions.get_mut(&index)
    }

    /// The state of a transaction on one target, to be changed: in its own record, or if it is wide in
    /// one apart.
    pub(crate) fn part(&mut self, index: Index, target: &Target) -> Option<&mut Part> {
        let view = self.view;
        let wide = view.transaction(index).filter(|transaction| transaction.wide);
        let Some(wide) = wide else {
            return self.transaction(index)?.targets.get_mut(target);
        };
        let key = (index, target.clone());
        if !self.parts.contains_key(&key) {
            let part = wide.targets.get(target)?.clone();
            self.depends_on(Key::Part(index, target.clone()));
            self.parts.insert(key.clone(), part);
        }
        self.parts.get_mut(&key)
    }

    /// A configuration, to be changed. Where a wide transaction holds it, its record says what is so:
    /// it must not have changed, and what the store lacks of that is written along.
    pub(crate) fn configuration(&mut self, target: &Target) -> &mut Staged {
        if !self.configurations.contains_key(target) {
            self.depends_on(Key::Configuration(target.clone()));
            if let Some(leader) = self.view.leader(target) {
                self.depends_on(Key::Transaction(leader));
            }
            self.catch_up(target);
        }
        self.configurations.entry(target.clone()).or_default()
    }

    fn catch_up(&mut self, target: &Target) {
        let header = self.view.header(target).clone();
        let mut staged = Staged { header, ..Staged::default() };
        if let Some(lag) = self.view.lag(target) {
            staged.committed = lag.committed.clone();
            for (index, part) in &lag.parts {
                self.depends_on(Key::Part(*index, target.clone()));
                self.parts.entry((*index, target.clone())).or_insert_with(|| part.clone());
            }
        }
        self.configurations.insert(target.clone(), staged);
    }

    /// What is committed below a prepared transaction changes: it has to be prepared again here, and
    /// cannot be decided on what it was prepared on.
    pub(crate) fn disturb(&mut self, target: &Target) {
        let holder = self.view.header(target).holder;
        let Some(holder) = holder.filter(|holder| self.view.is_prepared(*holder, target)) else {
            return;
        };
        self.configuration(target).header.let_go();
        if let Some(transaction) = self.transaction(holder) {
            transaction.disturbed += 1;
        }
    }

    /// Relinks the undo of a later change after `gone` has left. Written only where it changes, so the
    /// cost follows what is gone. No compare of its own: an undo changes only together with the
    /// configuration it belongs to, and that is compared.
    pub(crate) fn relink(&mut self, later: Index, target: &Target, gone: Index, undo: &Undo) {
        let Some(mut proposal) = self.view.proposal(later, target).cloned() else { return };
        if proposal.undo.relink(gone, undo) {
            self.put_proposal(later, target, proposal);
        }
    }

    /// What a device shows in a form of its own, where that changed.
    pub(crate) fn put_marks(&mut self, target: &Target, marks: Marks) {
        if self.view.marks(target).map_or(!marks.is_empty(), |known| *known != marks) {
            self.marks.insert(target.clone(), marks);
        }
    }

    pub(crate) fn put_proposal(&mut self, index: Index, target: &Target, proposal: Proposal) {
        self.proposals.insert((index, target.clone()), proposal);
    }

    /// What a target is bound to; none: it goes.
    pub(crate) fn put_binding(&mut self, target: &Target, binding: Option<Binding>) {
        self.depends_on(Key::Binding(target.clone()));
        self.bindings.insert(target.clone(), binding);
    }

    pub(crate) fn put_mastership(&mut self, target: &Target, mastership: Mastership) {
        self.masterships.insert(target.clone(), mastership);
    }

    /// A new entry of the log, with its id.
    pub(crate) fn append(&mut self, head: Head, transaction: Transaction) {
        self.depends_on(Key::Head);
        self.depends_on(Key::Id(transaction.id.clone()));
        self.head = Some(head);
        self.ids.insert(transaction.id.clone(), transaction.index);
        self.transactions.insert(transaction.index, transaction);
    }

    /// The horizon moves.
    pub(crate) fn put_horizon(&mut self, horizon: Horizon) {
        self.depends_on(Key::Horizon);
        self.horizon = Some(horizon);
    }

    /// A record goes.
    pub(crate) fn forget(&mut self, key: Key) {
        self.depends_on(key.clone());
        self.forgotten.push(key);
    }

    /// Whether nothing would be written.
    pub(crate) fn is_empty(&self) -> bool {
        self.transactions.is_empty()
            && self.forgotten.is_empty()
            && self.parts.is_empty()
            && self.proposals.is_empty()
            && self.configurations.is_empty()
            && self.masterships.is_empty()
    }

    /// How many keys of the store would be written: a configuration is two.
    pub(crate) fn keys(&self) -> usize {
        usize::from(self.head.is_some())
            + usize::from(self.horizon.is_some())
            + self.forgotten.len()
            + self.ids.len()
            + self.transactions.len()
            + self.parts.len()
            + self.proposals.len()
            + 2 * self.configurations.len()
            + self.marks.len()
            + self.masterships.len()
            + self.bindings.len()
    }

    /// The write.
    pub(crate) fn txn(self) -> Txn {
        let mut ops = Vec::new();
        ops.extend(self.head.map(Op::Head));
        ops.extend(self.horizon.map(Op::Horizon));
        ops.extend(self.forgotten.into_iter().map(Op::Forget));
        ops.extend(self.ids.into_iter().map(|(id, index)| Op::Id { id, index }));
        ops.extend(self.transactions.into_values().map(|t| Op::Transaction(without_parts(t))));
        ops.extend(self.parts.into_iter().map(|((index, target), part)| Op::Part {
            index,
            target,
            part,
        }));
        ops.extend(self.proposals.into_iter().map(|((index, target), proposal)| Op::Proposal {
            index,
            target,
            proposal,
        }));
        ops.extend(self.configurations.into_iter().map(|(target, mut staged)| {
            staged.let_go_of_absences(self.view, &target);
            let Staged { header, committed, applied, cleared } = staged;
            Op::Configuration { target, header, committed, applied, cleared }
        }));
        ops.extend(self.marks.into_iter().map(|(target, marks)| Op::Marks { target, marks }));
        ops.extend(
            self.masterships
                .into_iter()
                .map(|(target, mastership)| Op::Mastership { target, mastership }),
        );
        ops.extend(self.bindings.into_iter().map(|(target, binding)| match binding {
            Some(binding) => Op::Binding { target, binding },
            None => Op::Forget(Key::Binding(target)),
        }));
        Txn { compares: self.compares.into_iter().collect(), ops }
    }
}

/// A wide transaction's record names its targets only.
fn without_parts(mut transaction: Transaction) -> Transaction {
    if transaction.wide {
        let targets = std::mem::take(&mut transaction.targets);
        transaction.targets = targets.into_iter().map(|(on, _)| (on, Part::default())).collect();
    }
    transaction
}
