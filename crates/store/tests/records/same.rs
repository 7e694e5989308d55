//! Whether two views are of the same store.

use lockstep_protocol::View;
use lockstep_store::Records;

/// Panics where the loaded view differs from the one that was fed by the watch. A view that watched also remembers what
/// is not in the store: when the committed side of each configuration last changed. A loaded one takes the last write of
/// the whole configuration for it, which is later and so only leads to a verdict being asked for again.
pub(crate) fn same(watched: &View, loaded: &View) {
    assert_eq!(watched.as_read(), *loaded);
}

/// The store as its content makes it, one write after the other.
pub(crate) async fn made(records: &Records) -> View {
    let mut view = View::new();
    for changes in records.content().await.unwrap() {
        view.absorb(&changes);
    }
    view
}
