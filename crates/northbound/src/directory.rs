//! Whoever reads what operators say of targets and models: the words are those of the configuration file,
//! which this room does not know.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::pin::Pin;

use lockstep_node::{Busy, Handle};
use lockstep_protocol::record::Binding;
use lockstep_types::{NodeName, Target};
use lockstep_yang::ModelSet;
use serde_json::{Map, Value};

/// Reads what operators say of targets and models.
pub trait Directory: Debug + Send + Sync + 'static {
    /// What a target is bound to, of which operators say this. What it is bound to now is given where they
    /// only say what changes.
    ///
    /// # Errors
    /// It cannot be done, or not by them.
    fn bind(
        &self,
        target: &Target,
        bound: Option<&Binding>,
        options: Map<String, Value>,
    ) -> Result<Binding, Unbound>;

    /// Whether it is for operators to change or remove a target that is bound to this and has this master.
    ///
    /// # Errors
    /// It is not, and what to do instead.
    fn may_change(
        &self,
        target: &Target,
        bound: &Binding,
        master: Option<&NodeName>,
    ) -> Result<(), Unbound>;

    /// Loads the model sets that the configuration file names now.
    ///
    /// # Errors
    /// The file cannot be read.
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<Loaded, String>> + Send + '_>>;
}

/// Model sets by name, or why each could not be loaded.
pub type Loaded = BTreeMap<String, Result<ModelSet, String>>;

/// Why a target is not bound as operators say.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unbound {
    /// What they say cannot be.
    #[error("{0}")]
    Wrong(String),
    /// It is not for them to say.
    #[error("{0}")]
    NotYours(String),
}

/// Why no model set was loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unloaded {
    /// The configuration file cannot be read.
    #[error("{0}")]
    File(String),
    /// The node stops.
    #[error(transparent)]
    Busy(#[from] Busy),
}

/// Has a node take up the model sets that its configuration file names now, and says which could not be
/// loaded, and why. What the name of such a one stood for, it stands for still.
///
/// # Errors
/// None could be: the file cannot be read, or the node stops.
pub async fn reload(
    node: &Handle,
    directory: &dyn Directory,
) -> Result<BTreeMap<String, String>, Unloaded> {
    let loaded = directory.load().await.map_err(Unloaded::File)?;
    let (mut named, mut errors) = (BTreeMap::new(), BTreeMap::new());
    for (name, loaded) in loaded {
        match loaded {
            Ok(set) => drop(named.insert(name, set)),
            Err(error) => {
                named.extend(node.models().named(&name).map(|before| (name.clone(), before)));
                errors.insert(name, error);
            }
        }
    }
    node.have_models(named).await?;
    Ok(errors)
}
