//! Changes one after the other, and what they add up to.

use std::collections::BTreeSet;

use lockstep_protocol::record::{Kind, Transaction};
use lockstep_types::{Configuration as Tree, Index, Revision};
use rpds::RedBlackTreeMapSync as Map;

use super::log::Log;

/// The changes that count, each with what it and those below it add up to.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    base: Tree,
    links: Map<Index, Link>,
}

#[derive(Clone, Debug)]
struct Link {
    brings: Brings,
    /// For each path the last writer's value.
    tree: Tree,
    /// What clients asked, one after the other: subtrees cleared, then units set.
    asked: Tree,
}

/// What a change brings. While that is the same, so is what comes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Brings {
    /// When what it asks was last written.
    version: Revision,
    /// A Restore: all that was asked up to the entry it goes back to.
    restores: Option<Tree>,
}

impl Brings {
    /// What a change brings, given what was asked up to an earlier entry.
    pub(super) fn of(log: &Log<'_>, change: &Transaction, asked: impl Fn(Index) -> Tree) -> Self {
        let restores = match change.kind {
            Kind::Restore { to } => Some(asked(to)),
            _ => None,
        };
        Self { version: log.version(change.index), restores }
    }
}

impl Chain {
    /// Nothing but what lies below everything.
    pub(super) fn on(base: Tree) -> Self {
        Self { base, links: Map::default() }
    }

    /// The changes, in log order.
    pub fn changes(&self) -> impl DoubleEndedIterator<Item = Index> {
        self.links.keys().copied()
    }

    /// Those of them from an entry on.
    pub fn changes_from(&self, index: Index) -> impl DoubleEndedIterator<Item = Index> {
        self.links.range(index..).map(|(index, _)| *index)
    }

    /// Whether a change is one of them.
    #[must_use]
    pub fn contains(&self, change: Index) -> bool {
        self.links.contains_key(&change)
    }

    /// The latest of them; zero: there is none.
    #[must_use]
    pub fn latest(&self) -> Index {
        self.links.last().map(|(index, _)| *index).unwrap_or_default()
    }

    /// What they add up to.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        self.links.last().map_or(&self.base, |(_, link)| &link.tree)
    }

    /// What those before an entry add up to.
    #[must_use]
    pub fn below(&self, index: Index) -> &Tree {
        self.links.range(..index).next_back().map_or(&self.base, |(_, link)| &link.tree)
    }

    /// What clients asked with them.
    #[must_use]
    pub fn asked(&self) -> &Tree {
        self.links.last().map_or(&self.base, |(_, link)| &link.asked)
    }

    /// What a change brought when it was put here.
    pub(super) fn brought(&self, change: Index) -> Option<&Brings> {
        self.links.get(&change).map(|link| &link.brings)
    }

    /// Puts a change on top.
    pub(super) fn put(&mut self, log: &Log<'_>, change: &Transaction, brings: Brings) {
        let (mut tree, mut asked) = (self.tree().clone(), self.asked().clone());
        let proposal = log.store.proposal(change.index, log.target);
        if let Some(proposal) = proposal {
            tree.patch(&proposal.delta.written_by(change.index));
        }
        match (change.kind, &brings.restores, proposal) {
            (_, Some(restored), _) => asked = restored.clone(),
            // What somebody else asked, of the device.
            (Kind::Adopt { .. }, _, Some(own)) => asked.apply_values(&own.delta),
            (_, _, Some(own)) => asked.apply_values(&own.edit.onto(&asked)),
            (_, _, None) => {}
        }
        self.links.insert_mut(change.index, Link { brings, tree, asked });
    }

    /// Takes a change out, and puts those above it on what is left.
    pub(super) fn take_out(&mut self, log: &Log<'_>, change: Index) {
        if !self.contains(change) {
            return;
        }
        let later = self.links.range(change.next()..);
        let later: Vec<_> = later.map(|(index, link)| (*index, link.brings.clone())).collect();
        self.cut(change);
        for (index, brings) in later {
            if let Some(entry) = log.entry(index) {
                self.put(log, entry, brings);
            }
        }
    }

    /// Lets go of everything from an entry on.
    pub(super) fn cut(&mut self, from: Index) {
        let gone: BTreeSet<Index> = self.changes_from(from).collect();
        gone.iter().for_each(|index| {
            self.links.remove_mut(index);
        });
    }
}
