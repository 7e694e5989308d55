//! A story of a few transactions, told as it happens: the real core, on three devices of the model.
//!
//! Nothing is said that is not so: sentences are made from the run's own trace (`teller`), and at the
//! end of every act what it was to show is held against the store and the devices (`stage`).

mod acts;
mod stage;
mod teller;
mod words;

use std::io::{self, Write};

use crate::trace::{self, line::Line, writer::Writer};
use stage::Stage;

/// How the story went.
#[derive(Debug)]
pub struct Ending {
    /// The run as a trace.
    pub lines: Vec<Line>,
    /// What was told and is not so.
    pub failures: Vec<String>,
}

/// Tells the story.
///
/// # Errors
///
/// What the writer says.
pub fn tell(out: &mut dyn Write, colours: bool) -> io::Result<Ending> {
    let mut stage = Stage::new(out, colours)?;
    acts::three_devices(&mut stage)?;
    acts::one_refuses(&mut stage)?;
    acts::one_is_away(&mut stage)?;
    acts::one_restarts(&mut stage)?;
    acts::rolled_back(&mut stage)?;
    acts::the_master_dies(&mut stage)?;
    stage.end()
}

/// Holds a run against the checker of traces. Gives how many steps it has.
fn checked(lines: &[Line]) -> Result<usize, String> {
    let mut writer = Writer::new(Vec::new());
    let written = lines.iter().try_for_each(|line| writer.write(line));
    let text = written.and_then(|()| writer.finish()).map_err(|error| error.to_string())?;
    let report = trace::check(&text[..]).map_err(|error| error.to_string())?;
    Ok(report.steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_goes_as_told() {
        let mut text = Vec::new();
        let ending = tell(&mut text, false).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(ending.failures, Vec::<String>::new(), "{text}");
        assert!((60..=130).contains(&text.lines().count()), "{}", text.lines().count());
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(!text.contains('\u{1b}'), "no colours unless asked for");
    }

    #[test]
    fn what_is_not_so_is_found() {
        let mut text = Vec::new();
        let mut stage = Stage::new(&mut text, false).unwrap();
        stage.holds(["nothing", "nothing", "/mtu=9000"]).unwrap();
        let ending = stage.end().unwrap();
        assert_eq!(ending.failures, ["the devices should hold nothing | nothing | /mtu=9000"]);
        assert!(String::from_utf8(text).unwrap().contains("NOT SO"));
    }
}
