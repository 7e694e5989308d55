//! From a folder of YANG files to a model set.

mod fault;
mod features;
mod files;
mod stage;
mod statements;
mod survive;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use yang5::context::Context;

use crate::defaults::Region;
use crate::error::{Fault, LoadError};
use crate::libyang::{self, Heard};
use crate::rules::Rules;
use crate::scalar::Scalars;
use crate::schema::Schema;
use crate::set::{Inner, ModelSet, Module};

/// Where a model set comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The folder with the modules, as `*.yang` in UTF-8. Folders in it are searched as well, unless
    /// they are hidden or links; nothing else is read for an import.
    pub path: PathBuf,
    /// The modules to implement: `name`, or `name@revision` where it is not to be the newest in the
    /// folder. Empty: every module in the folder.
    pub modules: Vec<String>,
    /// Features to switch on: `module:feature`, `module:*`, or `*` for all.
    pub features: Vec<String>,
    /// The origin under which gNMI knows these models.
    pub origin: Option<String>,
}

impl ModelSet {
    /// Reads and compiles the modules.
    pub fn load(options: &Options) -> Result<Self, LoadError> {
        let files = files::find(&options.path)?;
        let names = files.modules(&options.path, &options.modules)?;
        let digest = files.digest(options)?;
        let staged = stage::stage(&survive::check(&files, &names)?)?;
        let context = compile(&files, staged.path(), &names, options)?;
        let (schema, facts) = Schema::build(&context);
        let rules = Rules::build(&schema, facts);
        if let Some((node, holder, other)) = rules.pending {
            let path = |id| schema.path(id);
            let (node, holder, other) = (path(node), path(holder), path(other));
            return Err(LoadError::Conditions { node, holder, other });
        }
        let scalars = Scalars::new(&context, &schema)?;
        let modules = modules(&context);
        let origin = options.origin.clone();
        let regions = Region::build(&schema, &rules);
        let looks = Mutex::default();
        let inner =
            Inner { context, schema, rules, scalars, modules, digest, origin, regions, looks };
        Ok(Self(Arc::new(inner)))
    }
}

fn compile(
    files: &files::Files,
    staged: &Path,
    names: &[String],
    Options { modules, features, .. }: &Options,
) -> Result<Context, LoadError> {
    let enabled = features::by_module(names, features)?;
    let invalid = |heard| LoadError::Invalid { faults: fault::faults(files, heard) };
    let mut context = libyang::context()?;
    libyang::change(&mut context, |context| context.set_searchdir(staged))?;
    let chosen = |name: &'_ str| -> (String, Option<String>) {
        let wanted = modules.iter().find_map(|wanted| {
            let (module, revision) = wanted.split_once('@')?;
            (module == name).then(|| revision.to_owned())
        });
        (name.to_owned(), wanted.or_else(|| files.newest(name)))
    };
    let chosen: Vec<_> = names.iter().map(|name| chosen(name)).collect();
    let list: Vec<(&str, Option<&str>, &[&str])> = chosen
        .iter()
        .zip(&enabled)
        .map(|((name, revision), on)| (name.as_str(), revision.as_deref(), on.as_slice()))
        .collect();
    libyang::change(&mut context, |context| context.load_modules(&list)).map_err(invalid)?;
    // The folder goes.
    libyang::change(&mut context, Context::unset_searchdirs)?;
    Ok(context)
}

/// The modules that are implemented, whether asked for or needed by those.
fn modules(context: &Context) -> Vec<Module> {
    let implemented = context.modules(true).filter(|module| module.is_implemented());
    let mut modules: Vec<Module> = implemented
        .filter(|module| module.name() != crate::scalar::MODULE)
        .map(|module| Module {
            name: module.name().to_owned(),
            revision: module.revision().unwrap_or_default().to_owned(),
            organization: module.organization().unwrap_or_default().to_owned(),
        })
        .collect();
    modules.sort();
    modules
}

/// Of what is not in a file.
impl From<Vec<Heard>> for LoadError {
    fn from(heard: Vec<Heard>) -> Self {
        let fault = |heard: Heard| Fault {
            path: None,
            line: None,
            at: heard.schema_path,
            message: heard.message,
        };
        Self::Invalid { faults: heard.into_iter().map(fault).collect() }
    }
}
