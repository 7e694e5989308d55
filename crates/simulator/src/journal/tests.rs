//! What is kept, and what kinds are called.

use super::{Entry, Journal, KEPT, Kind};

fn entry() -> Entry {
    Entry::new(Kind::Get)
}

#[test]
fn the_oldest_entries_go_first() {
    let mut journal = Journal::default();
    (0..KEPT + 2).for_each(|_| journal.add(entry()));
    let kept = journal.after(0);
    assert_eq!((kept.len(), kept[0].number), (KEPT, 3));
    assert_eq!(journal.after(kept[KEPT - 1].number - 1).len(), 1);
}

#[test]
fn kinds_have_names() {
    for (kind, name) in Kind::NAMES {
        assert_eq!((kind.to_string().as_str(), Kind::parse(name)), (name, Some(kind)));
    }
}
