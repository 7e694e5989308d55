//! Commands of the tour: typed as anybody could, by this very program, in a process of their own.

use std::path::Path;
use std::process::Stdio;

use tokio::process::Command;

use super::network::Network;
use crate::cli::Failed;
use crate::terminal::ROOM;

/// What came of a command.
#[derive(Debug)]
pub(super) struct Answer {
    /// What it ended with.
    pub status: i32,
    /// What it said, results before errors.
    pub text: String,
}

/// Runs `lockstep` with these words, in the folder of the demo and on its node; what it prints has so much room.
pub(super) async fn run(network: &Network, line: &str, room: usize) -> Result<Answer, Failed> {
    let words = words(line);
    let mut command = Command::new(std::env::current_exe()?);
    command.args(words.iter().skip(1)).current_dir(network.folder());
    command.env("LOCKSTEP_SERVER", network.address().to_string()).env("LOCKSTEP_INSECURE", "true");
    command.env(ROOM, room.to_string());
    for name in ["LOCKSTEP_USERNAME", "LOCKSTEP_PASSWORD", "LOCKSTEP_TOKEN"] {
        command.env_remove(name);
    }
    // Whoever ends the tour ends this with it.
    let done = command.stdin(Stdio::null()).kill_on_drop(true).output().await?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Answer {
        status: done.status.code().unwrap_or(-1),
        text: format!("{}{}", text(&done.stdout), text(&done.stderr)),
    })
}

/// Writes a file that commands name.
pub(super) fn write(folder: &Path, name: &str, text: &str) -> Result<(), Failed> {
    Ok(std::fs::write(folder.join(name), text)?)
}

/// The words of a line, as a shell has them: quotes keep together what is in them.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut quote) = (vec![String::new()], None);
    for letter in line.chars() {
        match (letter, quote) {
            (letter, Some(open)) if letter == open => quote = None,
            ('\'' | '"', None) => quote = Some(letter),
            (' ', None) => words.push(String::new()),
            (letter, _) => words.last_mut().into_iter().for_each(|word| word.push(letter)),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_line_has_the_words_that_a_shell_finds_in_it() {
        let line = r#"lockstep set leaf1 --comment 'two words' --update /a="b c""#;
        assert_eq!(
            words(line),
            ["lockstep", "set", "leaf1", "--comment", "two words", "--update", "/a=b c"]
        );
        assert_eq!(words(r#"sim drift a '"x y"'"#), ["sim", "drift", "a", "\"x y\""]);
    }
}
