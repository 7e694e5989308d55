//! Whether two views are of the same store.

use lockstep_protocol::View;

/// Panics where the loaded view differs from the one that was fed by the watch. A view that watched also remembers what
/// is not in the store: when the committed side of each configuration last changed. A loaded one takes the last write of
/// the whole configuration for it, which is later and so only leads to a verdict being asked for again.
pub(crate) fn same(watched: &View, loaded: &View) {
    assert_eq!(watched.as_read(), *loaded);
}
