//! What a device does wrong on demand.

use lockstep_types::Path;
use tonic::{Code, Status};

/// The faults of a device. The default is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Sets to refuse; the first that matches counts.
    pub refuse: Vec<Refusal>,
}

/// A Set that touches what a pattern covers is refused, and changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What must not be touched: this subtree, or all that a pattern stands for.
    pub pattern: Path,
    /// The code of the answer.
    pub code: Code,
    /// What the device says; empty: a sentence with the path.
    pub message: String,
}

impl Refusal {
    /// A refusal with a code and words of its own choice.
    pub fn of(pattern: Path) -> Self {
        Self { pattern, code: Code::FailedPrecondition, message: String::new() }
    }
}

impl Faults {
    /// Refuses a Set that touches these paths, if it is to be refused.
    pub(crate) fn check<'a>(
        &self,
        touched: impl Iterator<Item = &'a Path> + Clone,
    ) -> Result<(), Status> {
        for refusal in &self.refuse {
            if let Some(path) = touched.clone().find(|path| refusal.pattern.covers(path)) {
                return Err(refusal.status(path));
            }
        }
        Ok(())
    }
}

impl Refusal {
    fn status(&self, path: &Path) -> Status {
        let message = match self.message.as_str() {
            "" => format!("{path} is not to be touched"),
            message => message.to_owned(),
        };
        Status::new(self.code, message)
    }
}
