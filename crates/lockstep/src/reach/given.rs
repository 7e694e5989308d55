//! What operators say of targets and models, through the admin API.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;

use lockstep_node::Source;
use lockstep_northbound::{Directory, Loaded, Unbound};
use lockstep_protocol::record::Binding;
use lockstep_types::{NodeName, Target};
use lockstep_yang::ModelSet;
use serde_json::{Map, Value};
use tokio::task::spawn_blocking;

use super::details::Details;
use super::{Reach, credentials, sets};
use crate::config::{self, Config, TargetConfig};

impl Reach {
    /// The options that a target is to have.
    fn options(
        &self,
        target: &Target,
        bound: Option<&Binding>,
        mut given: Map<String, Value>,
    ) -> Result<Map<String, Value>, String> {
        // What is to be gone is not looked at later.
        let mut gone = given.iter().filter(|(_, value)| value.is_null());
        gone.try_for_each(|(key, _)| config::target_key(key)).map_err(|wrong| wrong.to_string())?;
        credentials::seal(self.key.as_deref(), target, &mut given)?;
        let mut options = match bound {
            Some(bound) => Details::read(&bound.details)?.options().clone(),
            None => Map::new(),
        };
        options.extend(given);
        options.retain(|_, value| !value.is_null());
        Ok(options)
    }

    /// What the options come to. Nothing is taken from this node's environment: what is not set in it may
    /// well be in another's, and what is set is not for whoever asks.
    fn checked(
        &self,
        options: &Map<String, Value>,
        models: &BTreeSet<&str>,
    ) -> Result<TargetConfig, String> {
        let mut options = options.clone();
        credentials::blank(&mut options);
        let as_it_is = |name: &str| Some(format!("${name}"));
        config::target(options, &self.folder, models, &as_it_is)
            .map_err(|problem| problem.to_string())
    }

    fn bind(
        &self,
        target: &Target,
        bound: Option<&Binding>,
        given: Map<String, Value>,
    ) -> Result<Binding, String> {
        config::target_name(target.as_str())?;
        self.variables.check(&given)?;
        let other_models = given.contains_key("model");
        let mut options = self.options(target, bound, given)?;
        let named = self.models.names();
        let bound = bound.filter(|_| !other_models);
        let current = options.get("model").and_then(Value::as_str).unwrap_or_default().to_owned();
        let names: BTreeSet<&str> = match bound {
            Some(_) => [current.as_str()].into(),
            None => named.keys().map(String::as_str).collect(),
        };
        let checked = self.checked(&options, &names)?;
        config::target_addresses(&checked.driver.addresses)?;
        // A name may stand for other files by now: only whoever names it means those.
        let (digest, models) = match bound {
            Some(bound) => (bound.models.clone(), self.models.get(&bound.models)),
            None => {
                let set = named.get(&checked.model).ok_or("there is no such model set")?;
                (set.digest().clone(), Some(set.clone()))
            }
        };
        ignores(&checked, models.as_ref())?;
        options.insert("model".into(), Value::String(checked.model.clone()));
        Ok(Details::given(options).bound(&checked, digest))
    }
}

/// What is ignored has to be in the models, if this node has them.
fn ignores(checked: &TargetConfig, models: Option<&ModelSet>) -> Result<(), String> {
    let Some(models) = models else { return Ok(()) };
    let mut paths = checked.ignore.iter();
    paths.try_for_each(|path| {
        models.check(path).map(drop).map_err(|wrong| format!("ignore: {wrong}"))
    })
}

impl Directory for Reach {
    fn bind(
        &self,
        target: &Target,
        bound: Option<&Binding>,
        options: Map<String, Value>,
    ) -> Result<Binding, Unbound> {
        Self::bind(self, target, bound, options).map_err(Unbound::Wrong)
    }

    fn may_change(
        &self,
        target: &Target,
        bound: &Binding,
        master: Option<&NodeName>,
    ) -> Result<(), Unbound> {
        let details = Details::read(&bound.details);
        if details.is_ok_and(|details| details.source() == Source::Api) {
            return Ok(());
        }
        let of = match self.file.contains_key(target) {
            true => Some(&self.node),
            // This one's file does not name it, so that of its master does.
            false => master,
        };
        match of {
            None => Ok(()),
            Some(node) => Err(Unbound::NotYours(format!(
                "it is of the configuration file of node {node}: change it there, or take it out there, \
                 and start the node again"
            ))),
        }
    }

    fn load(&self) -> Pin<Box<dyn Future<Output = Result<Loaded, String>> + Send + '_>> {
        Box::pin(async {
            let Some(path) = self.config.clone() else {
                return Err("this node was started without a configuration file".to_owned());
            };
            let loaded = spawn_blocking(move || {
                let config = Config::read(&path).map_err(|error| error.to_string())?;
                Ok::<BTreeMap<_, _>, String>(sets::load(&config.models))
            });
            loaded.await.map_err(|error| error.to_string())?
        })
    }
}
