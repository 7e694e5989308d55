//! Whether two views are of the same store.
//!
//! Asked record by record, and not with `==`, because a view also remembers what is not in the store:
//! when the committed side of each configuration last changed. A loaded view takes the last write of
//! the whole configuration for it, which is later and so only leads to a verdict being asked for again.

use lockstep_protocol::View;
use lockstep_protocol::record::Key;
use lockstep_types::{Index, Target};

/// Panics where the loaded view differs from the one that was fed by the watch.
pub(crate) fn same(watched: &View, loaded: &View) {
    assert_eq!(watched.revision(), loaded.revision());
    assert_eq!(watched.head(), loaded.head());
    version(watched, loaded, Key::Head);
    assert!(watched.sessions().eq(loaded.sessions()));
    for session in watched.sessions() {
        version(watched, loaded, Key::Session(session.clone()));
    }
    log(watched, loaded);
    assert!(watched.targets().eq(loaded.targets()));
    for on in watched.targets() {
        target(watched, loaded, on);
    }
}

fn version(watched: &View, loaded: &View, key: Key) {
    assert_eq!(watched.version(&key), loaded.version(&key), "{key:?}");
}

fn log(watched: &View, loaded: &View) {
    assert!(watched.transactions().eq(loaded.transactions()));
    for transaction in watched.transactions() {
        version(watched, loaded, Key::Transaction(transaction.index));
        version(watched, loaded, Key::Id(transaction.id.clone()));
        assert_eq!(watched.named(&transaction.id), loaded.named(&transaction.id));
    }
    assert!(watched.proposals().eq(loaded.proposals()));
    for (index, on, _) in watched.proposals() {
        version(watched, loaded, Key::Proposal(index, on.clone()));
    }
    assert!(watched.open().eq(loaded.open()));
    assert!(watched.deadlines().eq(loaded.deadlines()));
}

fn target(watched: &View, loaded: &View, on: &Target) {
    let keys = [Key::Configuration, Key::Marks, Key::Drifted, Key::Mastership, Key::Binding];
    for key in keys {
        version(watched, loaded, key(on.clone()));
    }
    assert_eq!(watched.configuration(on), loaded.configuration(on), "{on}");
    assert_eq!(watched.marks(on), loaded.marks(on), "{on}");
    assert_eq!(watched.drifted(on), loaded.drifted(on), "{on}");
    assert_eq!(watched.mastership(on), loaded.mastership(on), "{on}");
    assert_eq!(watched.binding(on), loaded.binding(on), "{on}");
    assert_eq!(watched.commit_head(on), loaded.commit_head(on), "{on}");
    assert_eq!(watched.undo_head(on), loaded.undo_head(on), "{on}");
    let queue = |view: &View| view.apply_queue(on).collect::<Vec<Index>>();
    assert_eq!(queue(watched), queue(loaded), "{on}");
    let live = |view: &View| view.live(on).collect::<Vec<Index>>();
    assert_eq!(live(watched), live(loaded), "{on}");
    assert_eq!(watched.visible(on), loaded.visible(on), "{on}");
    assert!(watched.decided_at(on) <= loaded.decided_at(on), "{on}");
}
