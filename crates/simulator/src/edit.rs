//! What operations come to, on what stands.

use lockstep_types::{Configuration, Delta, Path};
use lockstep_yang::{EditError, ModelSet, Operation};

/// What changes, and every path that is touched: a clear that meets nothing touches its path all the
/// same.
pub(crate) fn delta(
    models: &ModelSet,
    before: &Configuration,
    operations: &[Operation],
) -> Result<(Delta, Vec<Path>), EditError> {
    let edit = models.edit(operations)?;
    let delta = edit.onto(before);
    let touched = delta.paths().chain(&edit.clear).cloned().collect();
    Ok((delta, touched))
}
