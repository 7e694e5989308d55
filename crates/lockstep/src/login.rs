//! Who asks a node, for those that want to know. Never on the command line, where others could read it.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::{Request, Status};

use crate::cli::Failed;
use crate::exit::{Ended, USAGE};

/// The variables that a name, a password and a token may come in.
const USERNAME: &str = "LOCKSTEP_USERNAME";
const PASSWORD: &str = "LOCKSTEP_PASSWORD";
const TOKEN: &str = "LOCKSTEP_TOKEN";

/// Who asks.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Login {
    // Variables are not for clap to take: to it they are as good as flags, and a flag is to count before any of them.
    /// Who asks; without it, and without --token-file, LOCKSTEP_USERNAME. The password comes from LOCKSTEP_PASSWORD or
    /// --password-file
    #[arg(long, global = true, value_name = "NAME")]
    username: Option<String>,
    /// A file with the password
    #[arg(long, global = true, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// A file with a token; without it, LOCKSTEP_TOKEN is taken where there is one
    #[arg(long, global = true, value_name = "FILE", conflicts_with_all = ["username", "password_file"])]
    token_file: Option<PathBuf>,
}

/// Which of them counts.
#[derive(Debug, PartialEq, Eq)]
enum Who {
    Nobody,
    /// Somebody with a password: in a file, or in a variable.
    User(String, Option<PathBuf>),
    /// Somebody with a token in a file.
    TokenFile(PathBuf),
    Token(String),
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
        let metadata = match self.who(variable)? {
            Who::User(name, file) => {
                let password = match &file {
                    Some(path) => read(path)?,
                    None => variable(PASSWORD).ok_or_else(|| {
                        format!(
                            "the password of {name} is missing; set {PASSWORD}, or name a file with --password-file"
                        )
                    })?,
                };
                vec![
                    ("username", sendable("name", &name)?),
                    ("password", sendable("password", &password)?),
                ]
            }
            Who::TokenFile(path) => vec![bearer(&read(&path)?)?],
            Who::Token(token) => vec![bearer(&token)?],
            Who::Nobody => Vec::new(),
        };
        Ok(Shown { metadata })
    }

    /// Flags count before variables, and a name before a token.
    fn who(&self, variable: impl Fn(&str) -> Option<String>) -> Result<Who, Failed> {
        let file = || self.password_file.clone();
        if let Some(path) = &self.token_file {
            return Ok(Who::TokenFile(path.clone()));
        }
        if let Some(name) = self.username.clone().or_else(|| variable(USERNAME)) {
            return Ok(Who::User(name, file()));
        }
        match (file(), variable(TOKEN)) {
            (Some(_), _) => {
                let words = "--password-file is the password of somebody: say who, with --username";
                Err(Ended::with(USAGE, words))
            }
            (None, Some(token)) => Ok(Who::Token(token)),
            (None, None) => Ok(Who::Nobody),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn who(flags: [Option<&str>; 3], variables: &[(&str, &str)]) -> Result<Who, Failed> {
        let [username, password_file, token_file] = flags;
        let login = Login {
            username: username.map(Into::into),
            password_file: password_file.map(Into::into),
            token_file: token_file.map(Into::into),
        };
        let given = |name: &str| variables.iter().find(|(key, _)| *key == name);
        login.who(|name| given(name).map(|(_, text)| (*text).to_owned()))
    }

    #[test]
    fn a_flag_counts_before_a_variable() {
        let both = [(USERNAME, "alice"), (TOKEN, "t")];
        let user = |name: &str, file: Option<&str>| Who::User(name.into(), file.map(Into::into));
        assert_eq!(who([None, None, Some("f")], &both).unwrap(), Who::TokenFile("f".into()));
        assert_eq!(who([Some("bob"), None, None], &both).unwrap(), user("bob", None));
        assert_eq!(who([None, Some("p"), None], &both).unwrap(), user("alice", Some("p")));
        assert_eq!(who([None; 3], &both).unwrap(), user("alice", None));
        assert_eq!(who([None; 3], &both[1..]).unwrap(), Who::Token("t".into()));
        assert_eq!(who([None; 3], &[]).unwrap(), Who::Nobody);
    }

    #[test]
    fn a_password_is_somebodys() {
        let refused = who([None, Some("p"), None], &[(TOKEN, "t")]).unwrap_err();
        assert_eq!(crate::exit::status(&refused), USAGE);
    }
}
