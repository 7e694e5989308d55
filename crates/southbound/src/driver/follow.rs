//! State that a device tells of by itself, for whoever subscribes to it.

use std::time::Duration;

use lockstep_types::Path;

use super::Report;

/// What to tell of, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Follow {
    /// Where; may be a pattern.
    pub path: Path,
    /// When it is told.
    pub pace: Pace,
    /// How often all of it is told, changed or not.
    pub heartbeat: Option<Duration>,
    /// Whether names are to be qualified (RFC 7951), as far as the device can.
    pub ietf: bool,
}

/// When a device tells of its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// When it changes.
    OnChange,
    /// As the device finds best, leaf by leaf.
    Device,
    /// From time to time.
    Sample {
        /// How often; none: as often as the device can.
        every: Option<Duration>,
        /// Only what is not as in the sample before.
        changed: bool,
    },
}

/// What a device tells.
#[derive(Clone, Debug, PartialEq)]
pub enum Followed {
    /// Values, and what is there no more.
    News {
        /// Nanoseconds since the Unix epoch, by the device's clock.
        timestamp: i64,
        /// Gone, with all that is below; before the values.
        deletes: Vec<Path>,
        /// The values.
        updates: Vec<Report>,
    },
    /// All that stands was told once.
    Synced,
}
