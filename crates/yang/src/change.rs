//! Validation at the speed of the change.
//!
//! What was valid and is not touched stays valid. So of a change to a valid configuration only those
//! rules are looked at that it can have an effect on, and libyang, which judges every rule, is given
//! only what those rules read:
//!
//! ```text
//!   valid base ─┐                     what the models say, worked out once (crate::rules):
//!   delta ──────┤                     for each node the rules that read it, for each rule what it reads
//!               ▼                                     │
//!        touched nodes  ◄─────────────────────────────┤   set, gone, there by default, no longer
//!        (scope.rs)     ── a condition reads it ──┐   │   there by default; and so on
//!               │       ◄── its node is touched ──┘   │
//!               ▼                                     │
//!        rules in question                            │   of nodes, of what is inside them, of lists
//!               │                                     │
//!               ▼                                     │
//!        part of the result  ◄────────────────────────┘   what they read, the conditions of what they
//!        (gather.rs)                                       read, and no more
//!               │
//!               ▼
//!        libyang: validate ──► what it finds ──► of the rules in question: told
//!                                  (sift.rs) ──► of others: nothing, for they lack what they read
//!                                            ──► anything odd: the whole result is validated
//! ```
//!
//! Why the answer is the same as for the whole: a rule that is not in question reads the same in base
//! and result, so it holds. A rule that is in question finds in the part everything it may read, with
//! the same values; what is there by default follows from what is set, and conditions and choices that
//! decide on it are part of what is read. Where an expression could not be bounded, and wherever
//! libyang's answer to the whole could depend on more (where the condition of a node that is set is
//! broken, it decides on no rule that comes across that node), the whole result is validated. The
//! property tests hold this against whole validation.

mod census;
pub(crate) mod find;
pub(crate) mod gather;
mod order;
mod scope;
mod sift;
mod stirred;
mod unique;

use lockstep_types::{Configuration, Content, Delta, Path};

use crate::libyang::{self, Invalid, Reach};
use crate::set::ModelSet;
use crate::validate::{Violation, tidy};

use scope::Scope;

impl ModelSet {
    /// Every rule that the configuration breaks which `delta` makes of `base`: exactly what
    /// [`ModelSet::validate`] says of the whole result, in the same order.
    ///
    /// That holds if `base` is valid. If it is not, the answer has every violation of a rule that the
    /// delta can have an effect on, as it is in the result, and may lack those that were there before
    /// and have nothing to do with the delta: a violation that the delta mends is never told, one that
    /// it makes always is, and an empty answer is no proof that the result is valid. Whoever does not
    /// know that `base` is valid, as after a change of models, validates the whole result instead.
    ///
    /// The cost follows the delta and what it can have an effect on, as far as the models let that be
    /// known. An entry that goes costs a look at all entries of lists whose leaves may refer to it.
    pub fn validate_change(&self, base: &Configuration, delta: &Delta) -> Vec<Violation> {
        let differs =
            |(path, content): &(&Path, &Option<Content>)| base.get(path) != content.as_ref();
        let changed: Vec<(&Path, &Option<Content>)> = delta.iter().filter(differs).collect();
        if changed.is_empty() {
            return Vec::new();
        }
        let mut result = base.clone();
        result.apply_values(delta);
        self.affected(base, &result, &changed).unwrap_or_else(|| self.validate(&result))
    }

    /// The violations, from the part that the change can have an effect on; none if only the whole
    /// result tells.
    fn affected(
        &self,
        base: &Configuration,
        result: &Configuration,
        changed: &[(&Path, &Option<Content>)],
    ) -> Option<Vec<Violation>> {
        let mut scope = Scope::new(self, base, result);
        scope.touch_all(changed)?;
        let (part, alone, questions) = scope.gather(changed)?;
        let mut strange = Vec::new();
        let text = self.document(&part, &mut strange);
        if !strange.is_empty() {
            return None;
        }
        let reach = if alone { Reach::Present } else { Reach::All };
        match libyang::validate(self.context(), &text, reach) {
            Ok(()) => Some(Vec::new()),
            Err(Invalid::Values(_)) => None,
            Err(Invalid::Rules(heard)) => {
                let kept = self.sift(heard, &questions)?;
                Some(tidy(kept.into_iter().map(|heard| self.violation(result, heard)).collect()))
            }
        }
    }
}
