//! `model`: the model sets of a node.

use clap::{Args, Subcommand};
use lockstep_gnmi::proto::lockstep::v1::{ListModelsRequest, Model, ReloadModelsRequest};

use crate::cli::{Failed, Global, Output};
use crate::client::{Certificates, Client, refused};
use crate::output::{self, json_document, table};

/// Model sets.
#[derive(Debug, Args)]
pub(crate) struct Models {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    certificates: Certificates,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the model sets of the node that is asked
    #[command(after_help = "\
A target is bound to the digest of its model set. Nodes that show the same digest have the same files.")]
    List,
    /// Have that node read its configuration file again, and load the model sets named there
    #[command(after_help = "\
Examples:
  lockstep model reload                              after a line was added under `models`
  lockstep target set leaf3 --model lab-2.0          and now a target is bound to it

Of the file, nothing but `models` takes effect. Targets stay bound to the files they were bound to, also where a name \
stands for others now. Each node reads its own file: ask every one.")]
    Reload,
}

/// Does it.
pub(crate) async fn model(model: &Models, global: &Global) -> Result<(), Failed> {
    let mut admin = Client::connect(global, &model.certificates).await?.admin();
    match model.command {
        Command::List => {
            let answer = admin.list_models(ListModelsRequest {}).await.map_err(|s| refused(&s))?;
            models(&answer.into_inner().models, global.output)
        }
        Command::Reload => {
            let answer = admin.reload_models(ReloadModelsRequest {}).await;
            let shown = answer.map_err(|s| refused(&s))?.into_inner().models;
            models(&shown, global.output)?;
            match shown.iter().filter(|model| !model.error.is_empty()).count() {
                0 => Ok(()),
                count => Err(format!("{count} could not be loaded").into()),
            }
        }
    }
}

fn models(shown: &[Model], output: Output) -> Result<(), Failed> {
    if output == Output::Json {
        return Ok(json_document(&shown.iter().map(output::model).collect())?);
    }
    let row = |model: &Model| {
        let nameless = || "(no name any more)".to_owned();
        vec![
            if model.name.is_empty() { nameless() } else { model.name.clone() },
            model.modules.len().to_string(),
            model.targets.to_string(),
            model.digest.clone(),
            model.error.clone(),
        ]
    };
    let rows: Vec<_> = shown.iter().map(row).collect();
    Ok(table(&["NAME", "MODULES", "TARGETS", "DIGEST", "ERROR"], &["MODULES", "DIGEST"], &rows)?)
}
