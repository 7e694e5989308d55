//! `lockstep user`: what a node knows its users by.

use std::io::{self, IsTerminal, Read};

use clap::Subcommand;
use tokio::task::spawn_blocking;

use crate::cli::Failed;
use crate::output::line;
use crate::signals::Signals;

/// Users.
#[derive(Clone, Copy, Debug, Subcommand)]
pub(crate) enum User {
    /// Make the hash of a password, for `users` in the configuration file
    ///
    /// The password is read from standard input, up to the end of the line; it is not shown where the terminal can be
    /// told not to.
    Hash,
}

/// `user hash`.
pub(crate) async fn user(user: &User) -> Result<(), Failed> {
    let User::Hash = user;
    let password = password().await?;
    if password.is_empty() {
        return Err("an empty password is none".into());
    }
    Ok(line(&lockstep_northbound::hash(&password)?)?)
}

async fn password() -> Result<String, Failed> {
    if !io::stdin().is_terminal() {
        let mut text = String::new();
        io::stdin().lock().read_to_string(&mut text)?;
        return Ok(text.lines().next().unwrap_or_default().to_owned());
    }
    // Whoever ends it here wants a terminal that shows again what they type.
    let mut signals = Signals::new()?;
    let hidden = Echo::off();
    eprint!("Password: ");
    let typed = tokio::select! {
        typed = spawn_blocking(line_of_terminal) => Ok(typed),
        interrupted = signals.next() => Err(interrupted),
    };
    drop(hidden);
    eprintln!();
    Ok(typed???.trim_end_matches(['\r', '\n']).to_owned())
}

fn line_of_terminal() -> io::Result<String> {
    let mut text = String::new();
    io::stdin().read_line(&mut text)?;
    Ok(text)
}

/// The terminal shows nothing of what is typed while this is there. Through stty: it is on every system
/// that has a terminal, and where it is not, what is typed is shown.
struct Echo;

impl Echo {
    fn off() -> Option<Self> {
        stty("-echo").then_some(Self)
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        stty("echo");
    }
}

fn stty(argument: &str) -> bool {
    let done = std::process::Command::new("stty").arg(argument).status();
    done.is_ok_and(|status| status.success())
}
