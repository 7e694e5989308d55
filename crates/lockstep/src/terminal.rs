//! What a terminal can do: how wide it is, whether colour helps, whether somebody watches.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;

use clap::ValueEnum;

/// When there is colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

static COLOR: OnceLock<bool> = OnceLock::new();

/// Decides once for the whole command.
pub(crate) fn decide(color: Color) {
    let set = |name: &str| std::env::var_os(name).is_some_and(|text| !text.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let colored = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => io::stdout().is_terminal() && !set("NO_COLOR") && !dumb,
    };
    // The first to decide is the only one.
    let _ = COLOR.set(colored);
}

/// What something means, which is what colour is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Good,
    Bad,
    Waits,
    Aside,
    Head,
}

impl Meaning {
    fn code(self) -> &'static str {
        match self {
            Self::Good => "32",
            Self::Bad => "31",
            Self::Waits => "33",
            Self::Aside => "2",
            Self::Head => "1",
        }
    }
}

/// A text in the colour of its meaning, where there is colour.
pub(crate) fn paint(meaning: Meaning, text: &str) -> String {
    match COLOR.get() {
        Some(true) if !text.is_empty() => format!("\x1b[{}m{text}\x1b[0m", meaning.code()),
        _ => text.to_owned(),
    }
}

/// What a status or a state means; nothing in particular, if it is none of ours.
pub(crate) fn meaning(word: &str) -> Option<Meaning> {
    Some(match word {
        "applied" | "synchronised" | "accepted" | "confirmed" => Meaning::Good,
        "rejected" | "reverted" | "refused" | "failed" | "partial" | "drifted" | "withdrawn" => {
            Meaning::Bad
        }
        "pending" | "committed" | "confirming" | "reverting" | "synchronising" | "paused"
        | "open" | "waiting" => Meaning::Waits,
        "cancelled" | "undone" => Meaning::Aside,
        _ => return None,
    })
}

/// A word in the colour of what it means.
pub(crate) fn word(text: &str) -> String {
    meaning(text).map_or_else(|| text.to_owned(), |meaning| paint(meaning, text))
}

/// How wide standard output is; none: it is no terminal, and nothing has to fit.
pub(crate) fn width() -> Option<usize> {
    let size = terminal_size::terminal_size_of(io::stdout());
    size.filter(|_| io::stdout().is_terminal()).map(|(width, _)| width.0.into())
}

/// How wide standard error is, where somebody may watch; none: nobody does.
pub(crate) fn watched() -> Option<usize> {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.filter(|_| io::stderr().is_terminal()).map(|(width, _)| width.0.into())
}
