//! Short forms, and dice that fall the same way for the same seed.

use std::sync::Arc;

use lockstep_protocol::record::{Binding, Initial, Key};
use lockstep_protocol::{Changes, Compare, Op, Txn, View, Written};
use lockstep_store::{Records, Store, Watch};
use lockstep_types::{ModelDigest, NodeName, Path, Revision, Target};

pub(crate) fn target(name: &str) -> Target {
    Target::new(name).expect("a target name")
}

pub(crate) fn path(text: &str) -> Path {
    text.parse().expect("a path")
}

pub(crate) fn node() -> NodeName {
    NodeName::new("n1").expect("a node name")
}

pub(crate) async fn records(store: impl Store) -> Records {
    Records::open(Arc::new(store)).await.expect("records")
}

pub(crate) fn bound(on: &Target) -> Op {
    let models = ModelDigest::new("models-1").expect("a digest");
    Op::Binding {
        target: on.clone(),
        binding: Binding { initial: Initial::Replace, ..Binding::of(models) },
    }
}

pub(crate) fn unchanged(view: &View, key: Key) -> Compare {
    let revision = view.version(&key);
    Compare::Unchanged(key, revision)
}

pub(crate) async fn write(records: &Records, compares: Vec<Compare>, ops: Vec<Op>) -> Revision {
    match records.write(Txn { compares, ops }).await.expect("an answer") {
        Written::Done(revision) => revision,
        Written::Stale(at) => panic!("stale at {at}"),
    }
}

/// The next revision of a watch.
pub(crate) async fn next(watch: &mut Watch) -> Changes {
    watch.next().await.expect("no end").expect("a revision")
}

/// Brings a view up to this revision.
pub(crate) async fn follow(watch: &mut Watch, view: &mut View, until: Revision) {
    while view.revision() < until {
        let changes = next(watch).await;
        assert_eq!(changes.revision, view.revision().next(), "a gap");
        view.absorb(&changes);
    }
}

/// Numbers that look random (xorshift).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// One of `0..sides`.
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }

    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.roll(100) < percent
    }

    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        let sides = u64::try_from(items.len()).expect("few items");
        items[usize::try_from(self.roll(sides)).expect("few items")]
    }
}
