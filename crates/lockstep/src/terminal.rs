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
static COLOR_ASIDE: OnceLock<bool> = OnceLock::new();

/// Decides once for the whole command: for its output, and for standard error.
pub(crate) fn decide(color: Color) {
    let set = |name: &str| std::env::var_os(name).is_some_and(|text| !text.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let colored = |on_terminal: bool| match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => on_terminal && !set("NO_COLOR") && !dumb,
    };
    // The first to decide is the only one.
    let _ = COLOR.set(colored(io::stdout().is_terminal()));
    let _ = COLOR_ASIDE.set(colored(io::stderr().is_terminal()));
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

/// How colour begins and ends: the only thing of the kind that is ever written.
const COLORS: [&str; 6] = ["\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[2m", "\x1b[1m", "\x1b[0m"];

/// A text in which every control character but the end of a line, a tab and our own colours is shown, instead of obeyed:
/// it may come from a device, or from whoever wrote a comment.
pub(crate) fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let color = COLORS.into_iter().find(|color| rest.starts_with(color));
        let taken = color.map_or(next.len_utf8(), str::len);
        let (one, after) = rest.split_at(taken);
        match next {
            '\n' | '\t' => out.push(next),
            _ if color.is_none() && next.is_control() => out.extend(next.escape_default()),
            _ => out.push_str(one),
        }
        rest = after;
    }
    out
}

/// A text for standard error, as harmless: without our own colours, where there is none. What has no colour on its way to
/// standard output has none here either.
pub(crate) fn aside(text: &str) -> String {
    match COLOR_ASIDE.get() {
        Some(true) => harmless(text),
        _ => bare(&harmless(text)),
    }
}

fn bare(text: &str) -> String {
    COLORS.iter().fold(text.to_owned(), |text, color| text.replace(color, ""))
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
    short_word(text, text)
}

/// The same, of a word for which there was less room than it needs.
pub(crate) fn short_word(text: &str, short: &str) -> String {
    meaning(text).map_or_else(|| short.to_owned(), |meaning| paint(meaning, short))
}

/// How much room the demo has for what a command prints, which then is no terminal's to say.
pub(crate) const ROOM: &str = "LOCKSTEP_DEMO_ROOM";

/// How wide standard output is; none: it is no terminal, and nothing has to fit.
pub(crate) fn width() -> Option<usize> {
    if let Some(room) = std::env::var(ROOM).ok().and_then(|text| text.parse().ok()) {
        return Some(room);
    }
    let size = terminal_size::terminal_size_of(io::stdout());
    size.filter(|_| io::stdout().is_terminal()).map(|(width, _)| width.0.into())
}

/// How wide standard error is, where somebody may watch; none: nobody does.
pub(crate) fn watched() -> Option<usize> {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.filter(|_| io::stderr().is_terminal()).map(|(width, _)| width.0.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_moves_nothing() {
        assert_eq!(harmless("a\x1b]0;title\x07b\r\u{9b}2J"), "a\\u{1b}]0;title\\u{7}b\\r\\u{9b}2J");
        assert_eq!(harmless("\x1b[8mhidden\x1b[2Jü\n\tx"), "\\u{1b}[8mhidden\\u{1b}[2Jü\n\tx");
    }

    #[test]
    fn our_own_colours_stay() {
        for meaning in [Meaning::Good, Meaning::Bad, Meaning::Waits, Meaning::Aside, Meaning::Head]
        {
            let painted = format!("\x1b[{}mword\x1b[0m", meaning.code());
            assert_eq!(harmless(&painted), painted);
            assert_eq!(bare(&painted), "word");
        }
    }
}
