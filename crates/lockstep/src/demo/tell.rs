//! How the tour is told.

use std::io::IsTerminal;

use crate::cli::Failed;
use crate::output::line;

/// Says something.
pub(super) fn say(text: &str) -> Result<(), Failed> {
    Ok(line(text)?)
}

/// Begins a step.
pub(super) fn step(number: usize, title: &str) -> Result<(), Failed> {
    say("")?;
    let title = format!("{number}. {title}");
    if std::io::stdout().is_terminal() {
        say(&format!("\x1b[1m{title}\x1b[0m"))
    } else {
        say(&title)
    }
}

/// Says what was done, and what came of it.
pub(super) fn done(what: &str, result: &str) -> Result<(), Failed> {
    say(&format!("   {what}"))?;
    for line in result.lines() {
        say(&format!("   → {line}"))?;
    }
    Ok(())
}

/// A step that did not go as told ends the tour.
pub(super) fn expect<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: &T,
    expected: &T,
) -> Result<(), Failed> {
    if found == expected {
        return Ok(());
    }
    Err(format!("this did not go as told: {what} is {found:?}, and should be {expected:?}").into())
}
