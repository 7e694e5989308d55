//! How the tour is told: calm, no wider than the terminal, with a pause for whoever reads along.

use std::io::IsTerminal;
use std::time::Duration;

use tokio::time::sleep;

use crate::cli::Failed;
use crate::output::{line, shortened};
use crate::terminal::{Meaning, paint, width};

/// The width of a page that is not shown on a terminal.
const PAGE: usize = 100;
/// Longer lines of prose are hard to read, however wide the terminal is.
const PROSE: usize = 84;
/// Where commands and what they print begin.
const INDENT: usize = 4;
/// What is behind a line that goes on.
const HANG: usize = 2;

/// How long something is shown, whatever it is.
const MOMENT: Duration = Duration::from_millis(400);
/// How long somebody reads a word who reads fast.
const A_WORD: Duration = Duration::from_millis(130);
/// How long somebody looks at a line.
const A_LINE: Duration = Duration::from_millis(200);
/// Nobody waits longer than for so many words.
const MANY: usize = 50;
/// Nor than for so many lines.
const SCREEN: usize = 8;

/// Tells the tour.
#[derive(Debug)]
pub(super) struct Teller {
    width: usize,
    paced: bool,
}

/// How lines that are too long are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Long {
    /// They go on below.
    Fold,
    /// They are cut, as a table on a terminal is.
    Cut,
}

impl Teller {
    /// Pauses only where somebody can see it.
    pub(super) fn new(fast: bool) -> Self {
        let paced = !fast && std::io::stdout().is_terminal();
        Self { width: width().unwrap_or(PAGE).max(2 * INDENT + HANG), paced }
    }

    /// Gives somebody the time to read these sentences.
    pub(super) async fn read(&self, text: &str) {
        let words = text.split_whitespace().take(MANY).count();
        self.pause(MOMENT + A_WORD * u32::try_from(words).unwrap_or_default()).await;
    }

    /// Gives somebody the time to look at what was printed.
    pub(super) async fn look(&self, text: &str) {
        let lines = text.lines().take(SCREEN).count();
        self.pause(MOMENT + A_LINE * u32::try_from(lines).unwrap_or_default()).await;
    }

    async fn pause(&self, time: Duration) {
        if self.paced {
            sleep(time).await;
        }
    }

    /// Whether somebody sits there who reads along.
    pub(super) const fn is_paced(&self) -> bool {
        self.paced
    }

    /// How much room there is for what a command prints.
    pub(super) const fn room(&self) -> usize {
        self.width - INDENT
    }

    pub(super) fn blank(&self) -> Result<(), Failed> {
        Ok(line("")?)
    }

    /// What the next lines are about.
    pub(super) fn title(&self, text: &str) -> Result<(), Failed> {
        let rule = "─".repeat(self.width.min(PROSE).saturating_sub(text.chars().count() + 1));
        Ok(line(&format!("{} {}", paint(Meaning::Head, text), paint(Meaning::Aside, &rule)))?)
    }

    /// Sentences for people.
    pub(super) fn prose(&self, text: &str) -> Result<(), Failed> {
        for text in folded(text, self.width.min(PROSE), 0) {
            line(&text)?;
        }
        Ok(())
    }

    /// A line as it is.
    pub(super) fn plain(&self, text: &str) -> Result<(), Failed> {
        Ok(line(text)?)
    }

    /// A command, as it was typed or may be. It is never folded: it is there to be copied.
    pub(super) fn typed(&self, command: &str) -> Result<(), Failed> {
        Ok(line(&format!("{:INDENT$}{}", "", paint(Meaning::Head, command)))?)
    }

    /// What a command printed.
    pub(super) fn printed(&self, text: &str, long: Long) -> Result<(), Failed> {
        let room = self.room();
        for text in text.lines() {
            let parts = match long {
                Long::Fold => folded(text, room, HANG),
                Long::Cut => vec![shortened(text, room)],
            };
            for part in parts {
                let part = if text.starts_with(['+', '-', '~']) { difference(&part) } else { part };
                line(&format!("{:INDENT$}{part}", ""))?;
            }
        }
        Ok(())
    }

    /// The end, where somebody sees it: below the sign of the Ctrl-C that most often brings it about.
    pub(super) fn farewell(&self) -> Result<(), Failed> {
        if std::io::stdout().is_terminal() {
            self.plain("\nThe network is gone, and has left nothing behind.")?;
        }
        Ok(())
    }

    /// What was found on the devices themselves.
    pub(super) fn checked(&self, text: &str) -> Result<(), Failed> {
        for (number, text) in folded(text, self.width.min(PROSE) - HANG, 0).iter().enumerate() {
            let sign = if number == 0 { "✓" } else { " " };
            line(&format!("{} {text}", paint(Meaning::Good, sign)))?;
        }
        Ok(())
    }
}

/// A line of a difference in the colour of what becomes of its path.
fn difference(text: &str) -> String {
    match text.chars().next() {
        Some('+') => paint(Meaning::Good, text),
        Some('-') => paint(Meaning::Bad, text),
        _ => paint(Meaning::Waits, text),
    }
}

/// A text in lines that have room, the later ones further in. What it begins with in spaces stays; a word is never
/// broken.
fn folded(text: &str, room: usize, hang: usize) -> Vec<String> {
    if text.chars().count() <= room {
        return vec![text.to_owned()];
    }
    let inset = text.chars().take_while(|letter| *letter == ' ').count();
    let (mut lines, mut now) = (Vec::new(), " ".repeat(inset));
    let mut empty = true;
    for word in text.split_whitespace() {
        let more = usize::from(!empty) + word.chars().count();
        if !empty && now.chars().count() + more > room {
            lines.push(std::mem::replace(&mut now, " ".repeat(inset + hang)));
            empty = true;
        }
        if !empty {
            now.push(' ');
        }
        now.push_str(word);
        empty = false;
    }
    lines.push(now);
    lines
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

/// The same for what is said.
pub(super) fn expect_words(what: &str, text: &str, words: &str) -> Result<(), Failed> {
    if text.contains(words) {
        return Ok(());
    }
    Err(format!("this did not go as told: {what} does not say {words:?}, but {text:?}").into())
}

#[cfg(test)]
mod tests {
    use super::{expect, expect_words, folded};

    #[test]
    fn what_is_not_as_told_ends_the_tour() {
        assert!(expect("it", &1, &1).is_ok());
        assert!(expect("it", &1, &2).unwrap_err().to_string().contains("not go as told"));
        assert!(expect_words("it", "a b", "b").is_ok());
        assert!(expect_words("it", "a b", "c").is_err());
    }

    #[test]
    fn what_is_short_stays_as_it_is() {
        assert_eq!(folded("a  b", 4, 2), ["a  b"]);
    }

    #[test]
    fn what_is_long_goes_on_further_in() {
        assert_eq!(folded("one two three", 7, 0), ["one two", "three"]);
        assert_eq!(folded("  one two three", 9, 2), ["  one two", "    three"]);
    }

    #[test]
    fn a_word_is_never_broken() {
        assert_eq!(folded("a /very/long/path b", 5, 0), ["a", "/very/long/path", "b"]);
    }
}
