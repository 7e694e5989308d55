//! Who turns away an older master.

/// Who sees to it that a node whose term has passed cannot change a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fencing {
    /// The device: it was seen to deny a Set with an election id that is smaller than ours.
    Device,
    /// The store alone. The device has no master arbitration, or takes no notice of it, so a new master
    /// has to wait until nothing of the old one can be under way any more.
    StoreOnly,
}
