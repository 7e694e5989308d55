//! Absences that nobody can name any more go along with the next write of their configuration.
//!
//! An absence is kept for its writer's sake: taken out, it gives back what stood before. Once the writer is
//! behind the horizon and recorded on the target, nothing takes it out, and history does not go back so far. If
//! both sides hold the absence it is recorded, and no later change that may be withdrawn lies on it.
//! An undo may still bring one back; then it goes again.

use lockstep_types::{Patch, Path, Target, Unit};

use super::Staged;
use crate::view::View;

/// How many absences a write lets go of besides as many as it may leave.
const BESIDES: usize = 16;

impl Staged {
    /// Lets go of the earliest of them, where the committed values are written anyway: whatever was decided on
    /// them would have to be looked at again otherwise. More go than come, and the cost follows the write.
    pub(super) fn let_go_of_absences(&mut self, view: &View, target: &Target) {
        if self.committed.is_empty() || self.cleared {
            return;
        }
        let Some(stands) = view.configuration(target) else { return };
        let written = |path: &Path| self.committed.get(path).or(self.applied.get(path)).is_some();
        let at_most = self.committed.len().saturating_add(BESIDES);
        // What is not recorded has a later writer than what is: it is in nobody's way here.
        let earliest = stands.committed.absences(view.horizon()).take(at_most);
        let gone = earliest.filter(|path| !stands.is_apart(path) && !written(path));
        let gone: Patch = gone.map(|path| (path.clone(), Unit::NEVER)).collect();
        if !gone.is_empty() {
            self.committed.extend(gone.clone());
            self.applied.extend(gone);
        }
    }
}
