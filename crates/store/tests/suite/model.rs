//! Any store gives the same answers as the simplest one: a list of all the states it ever had.

use std::collections::BTreeMap;
use std::sync::Arc;

use lockstep_protocol::Written;
use lockstep_store::kv::{Compare, Event, Op, Page, Range};
use lockstep_store::{Feed, Store};
use lockstep_types::Revision;

use crate::support::{absent, checks, delete, exists, put, revision, text, txn, unchanged};

checks!(a_store_answers_like_the_simplest_one);

const KEYS: [&str; 8] = ["a", "a/1", "a/2", "a0", "b", "b/1", "c", "d"];

type State = BTreeMap<&'static str, (String, Revision)>;

struct Model {
    first: Revision,
    states: Vec<State>,
    /// The first state that can still be read.
    kept: usize,
    dice: u64,
}

impl Model {
    fn roll(&mut self, sides: usize) -> usize {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        usize::try_from(self.dice >> 11).expect("64 bits") % sides
    }

    fn key(&mut self) -> &'static str {
        KEYS[self.roll(KEYS.len())]
    }

    fn revision(&self) -> Revision {
        Revision::new(self.first.get() + self.states.len() as u64 - 1)
    }

    fn state(&self) -> &State {
        self.states.last().expect("the first state")
    }

    /// A compare, and whether it holds.
    fn compare(&mut self) -> (Compare, bool) {
        let key = self.key();
        let found = self.state().get(key).map(|(_, revision)| *revision);
        let stood = found.unwrap_or(Revision::ZERO);
        match self.roll(6) {
            0 => (exists(key), found.is_some()),
            1 => (absent(key), found.is_none()),
            2 => (unchanged(key, stood.next()), false),
            _ => (unchanged(key, stood), true),
        }
    }

    /// A transaction, and the state it leaves; none: it changes nothing.
    fn ops(&mut self) -> (Vec<Op>, Option<State>) {
        let mut ops: BTreeMap<&str, Op> = BTreeMap::new();
        let (mut state, mut changed) = (self.state().clone(), false);
        let next = self.revision().next();
        for _ in 0..self.roll(4) {
            let key = self.key();
            if ops.contains_key(key) {
                continue;
            }
            if self.roll(3) == 0 {
                changed |= state.remove(key).is_some();
                ops.insert(key, delete(key));
            } else {
                let value = self.roll(100).to_string();
                ops.insert(key, put(key, &value));
                state.insert(key, (value, next));
                changed = true;
            }
        }
        (ops.into_values().collect(), changed.then_some(state))
    }

    /// A range and the answer to it.
    fn range(&mut self) -> (Range, Page) {
        let back = self.roll((self.states.len() - self.kept).min(30));
        let at = self.states.len() - 1 - back;
        let revision = Revision::new(self.first.get() + at as u64);
        let asked = (back > 0 || self.roll(2) == 0).then_some(revision);
        let (from, until, limit) = (self.key(), self.key(), self.roll(4));
        let until = (self.roll(3) > 0).then_some(until);
        let inside = |key: &str| key >= from && until.is_none_or(|until| key < until);
        let mut found: Vec<_> = self.states[at].iter().filter(|(key, _)| inside(key)).collect();
        let next = (limit > 0 && found.len() > limit).then(|| found[limit].0.as_bytes().to_vec());
        found.truncate(if limit == 0 { KEYS.len() } else { limit });
        let entries = found.into_iter().map(|(key, (value, revision))| {
            let (key, value) = (key.as_bytes().into(), value.as_bytes().into());
            lockstep_store::kv::Entry { key, value, revision: *revision, lease: None }
        });
        let page = Page { revision, entries: entries.collect(), next };
        let until = until.map(|until| until.as_bytes().to_vec());
        (Range { from: from.into(), until, revision: asked, limit }, page)
    }
}

async fn a_store_answers_like_the_simplest_one(store: Arc<dyn Store>) {
    let mut run = Run::start(store).await;
    run.steps(400).await;
    run.hear().await;
}

/// A store beside the simplest one.
pub(crate) struct Run {
    store: Arc<dyn Store>,
    feed: Box<dyn Feed>,
    model: Model,
    /// What the watch has told, and of how many states.
    told: BTreeMap<String, (String, Revision)>,
    heard: usize,
}

impl Run {
    /// Begins with an empty store.
    pub(crate) async fn start(store: Arc<dyn Store>) -> Self {
        let first = revision(&*store).await;
        let feed = store.watch(first).await.expect("a watch");
        let (states, dice) = (vec![State::new()], 0x2545_F491_4F6C_DD1D);
        let model = Model { first, states, kept: 0, dice };
        Self { store, feed, model, told: BTreeMap::new(), heard: 0 }
    }

    /// Asks so many things.
    pub(crate) async fn steps(&mut self, count: usize) {
        for _ in 0..count {
            self.step().await;
        }
    }

    async fn step(&mut self) {
        let model = &mut self.model;
        let compares: Vec<_> = (0..model.roll(3)).map(|_| model.compare()).collect();
        let holds = compares.iter().all(|(_, holds)| *holds);
        let compares: Vec<_> = compares.into_iter().map(|(compare, _)| compare).collect();
        let (ops, state) = model.ops();
        let answer = txn(&*self.store, &compares, &ops).await;
        if let (true, Some(state)) = (holds, state) {
            model.states.push(state);
        }
        let at = model.revision();
        assert_eq!(answer, if holds { Written::Done(at) } else { Written::Stale(at) });
        for _ in 0..3 {
            let (range, expected) = model.range();
            let found = self.store.range(range.clone()).await.expect("a page");
            assert_eq!(found, expected, "{range:?}");
        }
    }

    /// The watch tells how each state became the next.
    pub(crate) async fn hear(&mut self) {
        for expected in &self.model.states[self.heard + 1..] {
            let commit = self.feed.next().await.expect("a revision");
            for event in &*commit.events {
                let key = text(event.key()).to_owned();
                match event {
                    Event::Put(entry) => {
                        let value = (text(&entry.value).to_owned(), entry.revision);
                        self.told.insert(key, value);
                    }
                    Event::Delete(_) => {
                        self.told.remove(&key).expect("a key that was there");
                    }
                }
            }
            let told = self.told.iter().map(|(key, value)| (key.as_str(), value));
            assert!(told.eq(expected.iter().map(|(key, value)| (*key, value))), "{:?}", self.told);
            self.heard += 1;
        }
    }

    /// Goes on with the store as it was opened again: what was before is there, but for its history.
    pub(crate) async fn opened_again(&mut self, store: Arc<dyn Store>) {
        self.model.kept = self.model.states.len() - 1;
        self.feed = store.watch(self.model.revision()).await.expect("a watch");
        self.store = store;
    }
}
