//! Who asks a node, for those that want to know. Never on the command line, where others could read it.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::{Request, Status};

use crate::cli::Failed;

/// The variables that a password and a token may come in.
const PASSWORD: &str = "LOCKSTEP_PASSWORD";
const TOKEN: &str = "LOCKSTEP_TOKEN";

/// Who asks.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Login {
    /// Who asks; the password comes from LOCKSTEP_PASSWORD or --password-file
    #[arg(long, global = true, env = "LOCKSTEP_USERNAME", value_name = "NAME")]
    username: Option<String>,
    /// A file with the password
    #[arg(long, global = true, value_name = "FILE", requires = "username")]
    password_file: Option<PathBuf>,
    /// A file with a token; without it, LOCKSTEP_TOKEN is taken where there is one
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "username")]
    token_file: Option<PathBuf>,
}

/// Puts it into every call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shown {
    metadata: Vec<(&'static str, MetadataValue<Ascii>)>,
}

impl Login {
    /// What is shown with each call.
    pub(crate) fn shown(&self) -> Result<Shown, Failed> {
        let variable = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
        let metadata = match (&self.username, &self.token_file) {
            (Some(name), _) => {
                let password = match &self.password_file {
                    Some(path) => read(path)?,
                    None => variable(PASSWORD).ok_or_else(|| {
                        format!(
                            "whose password? Set {PASSWORD}, or name a file with --password-file"
                        )
                    })?,
                };
                vec![
                    ("username", sendable("name", name)?),
                    ("password", sendable("password", &password)?),
                ]
            }
            (None, Some(path)) => vec![bearer(&read(path)?)?],
            (None, None) => {
                variable(TOKEN).map(|token| bearer(&token)).transpose()?.into_iter().collect()
            }
        };
        Ok(Shown { metadata })
    }
}

fn bearer(token: &str) -> Result<(&'static str, MetadataValue<Ascii>), Failed> {
    Ok(("authorization", sendable("token", &format!("Bearer {}", token.trim()))?))
}

/// An end of line at its end is not part of it.
fn read(path: &Path) -> Result<String, Failed> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

fn sendable(what: &str, text: &str) -> Result<MetadataValue<Ascii>, Failed> {
    let value = MetadataValue::from_str(text);
    let mut value =
        value.map_err(|_| format!("the {what} has characters that gRPC cannot send; use ASCII"))?;
    value.set_sensitive(true);
    Ok(value)
}

impl Shown {
    /// Whether there is anything that a listener on the way must not hear.
    pub(crate) fn is_secret(&self) -> bool {
        !self.metadata.is_empty()
    }
}

impl Interceptor for Shown {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        for (name, value) in &self.metadata {
            request.metadata_mut().insert(*name, value.clone());
        }
        Ok(request)
    }
}
