//! The command line: every command, with its help.

use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::client::Certificates;
use crate::log::Log;
use crate::login::Login;
use crate::terminal::Color;
use crate::{
    bench, change, completions, demo, diff, get, model, node, serve, show, sim, store, target,
    terminal, user,
};

/// What a command ends with when it does not go well.
pub(crate) type Failed = Box<dyn Error + Send + Sync>;

/// Network-wide configuration transactions over gNMI.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "\
Examples:
  lockstep demo                                     see it at work on six simulated devices
  lockstep serve --config lockstep.yaml             run a node
  lockstep --insecure target list                   how the devices stand
  lockstep --insecure target add leaf3 --address 10.0.0.3:57400 --model lab-1.0
  lockstep --insecure set leaf1 --update /system/motd=hello
  lockstep --insecure tx list                       what happened
  lockstep --insecure tx watch                      what happens
  lockstep --insecure diff leaf1                    what its device has and should not have
  lockstep --insecure rollback 7                    take transaction 7 out again
  lockstep bench --own 10                           what a node takes on this machine

A command ends with 0 if it worked, 1 if it did not, 2 if it was not understood, 3 if no node answers, and 4 if it became \
a transaction that did not come to what was asked."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

impl Cli {
    /// The node that is meant, and what is shown to it; none: the command asks none.
    pub(crate) fn asks(self) -> Option<(Global, Certificates)> {
        let Command::Target(targets) = self.command else { return None };
        Some((self.global, targets.certificates))
    }
}

/// What every command that asks a node takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// The node to ask
    #[arg(
        long,
        global = true,
        env = "LOCKSTEP_SERVER",
        default_value = "127.0.0.1:9339",
        value_name = "ADDR"
    )]
    pub server: String,
    /// Ask it without TLS
    #[arg(
        long,
        global = true,
        env = "LOCKSTEP_INSECURE",
        value_parser = clap::builder::BoolishValueParser::new()
    )]
    pub insecure: bool,
    /// How results are written
    #[arg(long, short, global = true, value_enum, default_value = "table")]
    pub output: Output,
    #[command(flatten)]
    pub login: Login,
    /// When there is colour
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "auto",
        hide_possible_values = true,
        value_name = "WHEN"
    )]
    pub color: Color,
    /// Ask no questions
    #[arg(long, short, global = true)]
    pub yes: bool,
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people
    Table,
    /// For programs
    Json,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a node
    Serve {
        /// What the node is told
        #[arg(long, short, default_value = "lockstep.yaml", value_name = "FILE")]
        config: PathBuf,
        /// Write down every step, with every value, to be held against the protocol (docs/traces.md). Nodes on one
        /// store and one machine share a file
        #[arg(long, value_name = "FILE")]
        trace: Option<PathBuf>,
        #[command(flatten)]
        log: Log,
    },
    /// See it at work on six simulated devices
    Demo(demo::Demo),
    /// Simulate gNMI devices, or do something to simulated ones
    Sim(sim::Sim),
    /// Look into a store, or move what it holds
    #[command(subcommand)]
    Store(store::Store),
    /// Read configuration
    Get(get::Get),
    /// Change configuration, on one target or several at once
    Set(change::Set),
    /// Transactions: what was asked and what became of it
    Tx(show::Transactions),
    /// Targets: the devices, how they stand, and which there are
    Target(Box<target::Targets>),
    /// Show where two configurations differ
    Diff(diff::Diff),
    /// Nodes: which there are, and what each is the master of
    Node(node::Nodes),
    /// Model sets: what devices can be configured with
    Model(model::Models),
    /// Take a change out again, as a transaction of its own
    Rollback(change::Rollback),
    /// Take targets back to how they stood after an earlier transaction
    Restore(change::Restore),
    /// Confirm a change that would be taken back otherwise
    Confirm(change::Confirm),
    /// Call off a transaction that has no outcome yet, or take back one that is not confirmed yet
    Cancel(change::Cancel),
    /// Users: those who may ask a node
    #[command(subcommand)]
    User(user::User),
    /// Write what a shell needs to complete commands
    Completions(completions::Completions),
    /// Put a load on a node, and see how it bears it
    Bench(Box<bench::Bench>),
}

/// Does what was asked.
pub(crate) async fn run(cli: Cli) -> Result<(), Failed> {
    let global = cli.global;
    terminal::decide(global.color);
    match cli.command {
        Command::Serve { config, trace, log } => {
            log.begin()?;
            serve::serve(&config, trace).await
        }
        Command::Demo(demo) => demo::demo(&demo).await,
        Command::Sim(sim) => sim::sim(sim).await,
        Command::Store(store) => store::store(&store, &global).await,
        Command::Get(get) => get::get(&get, &global).await,
        Command::Set(set) => change::set(set, &global).await,
        Command::Tx(tx) => show::tx(&tx, &global).await,
        Command::Target(target) => target::target(&target, &global).await,
        Command::Model(model) => model::model(&model, &global).await,
        Command::Rollback(rollback) => change::rollback(&rollback, &global).await,
        Command::Restore(restore) => change::restore(&restore, &global).await,
        Command::Confirm(confirm) => change::confirm(&confirm, &global).await,
        Command::Cancel(cancel) => change::cancel(&cancel, &global).await,
        Command::User(user) => user::user(&user).await,
        Command::Diff(diff) => diff::diff(&diff, &global).await,
        Command::Node(node) => node::node(&node, &global).await,
        Command::Completions(asked) => completions::completions(&asked),
        Command::Bench(bench) => bench::bench(*bench, &global).await,
    }
}

/// Where something listens, for defaults that several commands share.
pub(crate) const SIM_LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 57400);

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::Cli;

    fn is_taken(line: &str) -> bool {
        Cli::try_parse_from(line.split(' ')).is_ok()
    }

    #[test]
    fn every_command_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn flags_of_every_command_go_before_it_and_after_it() {
        assert!(is_taken("lockstep --insecure -o json tx list"));
        assert!(is_taken("lockstep tx list --insecure -o json --yes"));
    }

    #[test]
    fn commands_that_there_are_and_none_besides() {
        for command in ["diff leaf1", "node list", "tx watch 7", "bench --own 3"] {
            assert!(is_taken(&format!("lockstep {command}")), "{command}");
        }
        assert!(!is_taken("lockstep target fly"));
    }

    #[test]
    fn targets_come_change_and_go() {
        for command in [
            "target add leaf1 --address a:1 --address b:1 --device-insecure --tag pod1 --ignore /a",
            "target add leaf1 --address a:1 --device-username u --device-password-env P --device-tls-ca c --insecure --tls-ca x",
            "target set leaf1 --model lab-2.0",
            "target set leaf1 --unset password --unset tags",
            "target remove leaf1 --yes",
            "target import gnmic.yaml --model lab --skip-existing",
            "model list",
            "model reload",
        ] {
            assert!(is_taken(&format!("lockstep {command}")), "{command}");
        }
        for command in [
            "target add leaf1",
            "target add leaf1 --address a:1 --device-password-env P --device-password-file f",
            "target set leaf1 --device-tls-cert c",
            "target remove",
        ] {
            assert!(!is_taken(&format!("lockstep {command}")), "{command}");
        }
    }

    /// The words of a line as a shell has them: quotes keep together what is in them.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut quote) = (vec![String::new()], None);
        for letter in line.chars() {
            match (letter, quote) {
                (letter, Some(open)) if letter == open => quote = None,
                ('\'' | '"', None) => quote = Some(letter),
                (' ', None) => words.push(String::new()),
                (letter, _) => words.last_mut().unwrap().push(letter),
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    /// The examples that a command and those below it show.
    fn examples(command: &clap::Command) -> Vec<String> {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let shown = help.lines().filter(|line| line.starts_with("  lockstep ")).map(|line| {
            let line = line.trim().trim_end_matches(" \\");
            // What is said of it stands apart; what a shell does with it, behind.
            let ends =
                ["  ", "; ", " < ", " > ", " | "].iter().filter_map(|end| line.find(end)).min();
            line[..ends.unwrap_or(line.len())].to_owned()
        });
        shown.chain(command.get_subcommands().flat_map(examples)).collect()
    }

    #[test]
    fn every_example_is_understood() {
        let all = examples(&Cli::command());
        assert!(all.len() > 50, "{all:?}");
        for line in all {
            if let Err(error) = Cli::try_parse_from(words(&line)) {
                panic!("{line}: {error}");
            }
        }
    }

    #[test]
    fn only_statuses_that_there_are() {
        assert!(is_taken("lockstep tx list --status reverted --status applied"));
        let wrong = Cli::try_parse_from(["lockstep", "tx", "list", "--status", "foo"]);
        assert!(wrong.unwrap_err().to_string().contains("cancelled"));
    }

    #[test]
    fn certificates_are_for_those_who_ask_a_node() {
        for command in [
            "get leaf1",
            "set leaf1",
            "rollback 1",
            "restore 1",
            "confirm 1",
            "cancel 1",
            "store export",
            "bench",
        ] {
            assert!(is_taken(&format!("lockstep {command} --tls-ca x")), "{command}");
        }
        for command in ["tx --tls-ca x list", "tx list --tls-ca x", "target show a --tls-ca x"] {
            assert!(is_taken(&format!("lockstep {command}")), "{command}");
        }
        for command in ["serve", "demo", "store check ./data"] {
            assert!(!is_taken(&format!("lockstep {command} --tls-ca x")), "{command}");
        }
        assert!(!is_taken("lockstep get leaf1 --tls-cert x"));
    }
}
