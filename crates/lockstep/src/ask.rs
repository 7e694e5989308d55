//! Questions before something is done that devices will feel.

use std::io::{self, BufRead, IsTerminal, Write};

use crate::cli::{Failed, Global};

/// Whether anybody is to be asked: not with --yes, and not where nobody sits. A script means what it says.
pub(crate) fn is_needed(global: &Global) -> bool {
    !global.yes && io::stdin().is_terminal()
}

/// Asks, and ends the command unless the answer is yes.
pub(crate) fn agree(question: &str) -> Result<(), Failed> {
    // On standard error: the output may go to a file.
    let mut out = io::stderr().lock();
    write!(out, "{question} [y/N] ")?;
    out.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    if is_yes(&answer) { Ok(()) } else { Err("not done, as you said".into()) }
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::is_yes;

    #[test]
    fn only_yes_is_yes() {
        assert!(["y\n", "Y", " yes\r\n", "YES"].into_iter().all(is_yes));
        assert!(["", "\n", "n", "yeah", "no"].into_iter().all(|answer| !is_yes(answer)));
    }
}
