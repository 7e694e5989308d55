//! A ledger that follows a store from write to write is that of the store, after every write of every run.

use std::collections::BTreeMap;

use lockstep_protocol::{Changes, Event, View};
use lockstep_types::{Index, Revision, Target};

use super::{Chain, Ledger, Written};
use crate::scenario::catalogue;
use crate::system::kept_for_ever;
use crate::trace::line::{Line, Saw};
use crate::walk::walk;

/// What was written in a run, in order.
fn writes(lines: &[Line]) -> BTreeMap<Revision, Changes> {
    let seen = lines.iter().filter_map(|line| match line {
        Line::Outside(changes) => Some(changes),
        Line::Step(step) => match &step.saw {
            Saw::Event(Event::Watch(changes)) => Some(changes),
            _ => None,
        },
        _ => None,
    });
    seen.map(|changes| (changes.revision, changes.clone())).collect()
}

fn assert_same_chain(ours: &Chain, theirs: &Chain, what: &str) {
    assert!(ours.changes().eq(theirs.changes()), "{what}: {ours:?}, {theirs:?}");
    assert_eq!(ours.tree(), theirs.tree(), "{what}");
    assert!(ours.asked().same_values(theirs.asked()), "{what}");
    for index in ours.changes() {
        assert_eq!(ours.below(index), theirs.below(index), "{what}, below {index}");
    }
}

fn assert_same(ours: &Ledger, store: &View, target: &Target, what: &str) {
    let (ours, theirs) = (ours.account(target), Ledger::of(store).account(target));
    assert_same_chain(ours.committed(), theirs.committed(), what);
    assert_same_chain(ours.applied(), theirs.applied(), what);
    assert_same_chain(&ours.visible(), &theirs.visible(), what);
    for index in (0..=store.head().index.get()).map(Index::new) {
        assert_same_chain(&ours.as_of(index), &theirs.as_of(index), what);
    }
    assert!(ours.open().eq(theirs.open()), "{what}");
    assert_eq!(ours.last_recorded(), theirs.last_recorded(), "{what}");
    assert_eq!(ours.first_waiting(), theirs.first_waiting(), "{what}");
}

#[test]
fn whoever_follows_knows_the_same_as_whoever_reads_all() {
    for scenario in catalogue() {
        for seed in 0..4 {
            let run = walk(&scenario, seed, 150);
            let (mut store, mut ledger) = (View::new(), Ledger::default());
            for Changes { revision, ops } in writes(&run.lines).into_values() {
                let before = store.clone();
                store.absorb(&kept_for_ever(revision, &ops));
                ledger.follow(&store, &Written::by(&ops, &before, &store));
                for target in &scenario.targets {
                    let what = format!("{} {seed}, revision {revision}, {target}", scenario.name);
                    assert_same(&ledger, &store, target, &what);
                }
            }
        }
    }
}
