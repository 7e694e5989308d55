//! A model set, as the rest of the program holds it.

use std::fmt;
use std::sync::{Arc, Mutex};

use lockstep_types::ModelDigest;
use yang5::context::Context;

use crate::defaults::{Looks, Region};
use crate::rules::Rules;
use crate::scalar::Scalars;
use crate::schema::Schema;

/// A module that is implemented in a model set.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// The date of its latest revision; may be empty.
    pub revision: String,
    /// Who made it; may be empty.
    pub organization: String,
}

/// The models of a kind of device. A clone is a pointer.
#[derive(Clone)]
pub struct ModelSet(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) context: Context,
    pub(crate) schema: Schema,
    pub(crate) rules: Rules,
    pub(crate) scalars: Scalars,
    pub(crate) modules: Vec<Module>,
    pub(crate) digest: ModelDigest,
    pub(crate) origin: Option<String>,
    /// By the node that each begins at.
    pub(crate) regions: Vec<Region>,
    /// Which defaults regions had that were looked at lately.
    pub(crate) looks: Mutex<Looks>,
}

impl ModelSet {
    /// What this model set is known by: the digest of its files and of what was chosen of them.
    pub fn digest(&self) -> &ModelDigest {
        &self.0.digest
    }

    /// The origin under which gNMI knows these models.
    pub fn origin(&self) -> Option<&str> {
        self.0.origin.as_deref()
    }

    /// Every module that is implemented, by name.
    pub fn modules(&self) -> &[Module] {
        &self.0.modules
    }

    pub(crate) fn schema(&self) -> &Schema {
        &self.0.schema
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.0.rules
    }

    pub(crate) fn scalars(&self) -> &Scalars {
        &self.0.scalars
    }

    pub(crate) fn context(&self) -> &Context {
        &self.0.context
    }
}

impl fmt::Debug for ModelSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelSet").field("digest", self.digest()).finish_non_exhaustive()
    }
}
