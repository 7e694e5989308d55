//! The log of a node, on standard error: for people, or a JSON object a line for programs.
//!
//! A line about a target names it as `target`, one about a transaction its index as `transaction`; where the two are known
//! by whoever asked for something, and not where it is done, a span carries them.

mod json;

use clap::{Args, ValueEnum};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::JsonFields;

use crate::cli::Failed;

/// What is logged, and how.
#[derive(Clone, Debug, Args)]
pub(crate) struct Log {
    /// What is logged: `error`, `warn`, `info`, `debug` or `trace`; of a part of the program alone as in
    /// `info,lockstep_store=debug`
    #[arg(long, env = "LOCKSTEP_LOG", default_value = "info", value_name = "FILTER")]
    log: String,
    /// How it is written
    #[arg(long, env = "LOCKSTEP_LOG_FORMAT", value_enum, default_value = "text")]
    log_format: Format,
}

/// How a line of the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// A JSON object a line
    Json,
}

impl Log {
    /// Begins to log.
    pub(crate) fn begin(&self) -> Result<(), Failed> {
        let filter = EnvFilter::builder().parse(&self.log);
        let filter = filter.map_err(|error| format!("--log {}: {error}", self.log))?;
        let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
        match self.log_format {
            Format::Text => {
                let colour = std::io::IsTerminal::is_terminal(&std::io::stderr());
                lines.with_ansi(colour).init();
            }
            Format::Json => {
                lines.fmt_fields(JsonFields::new()).event_format(json::Lines).init();
            }
        }
        Ok(())
    }
}
