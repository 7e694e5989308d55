//! How results are written: tables for people, JSON for programs.

use std::error::Error;
use std::io::{self, Write};

pub(crate) use lockstep_gnmi::json::{configuration, model, node, target, transaction};
use serde_json::Value;

use crate::terminal;

/// An error and everything that led to it, on one line.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let next = error.to_string();
        // tonic and others repeat what they wrap.
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        source = error.source();
    }
    text
}

/// Writes a line for people. Whatever devices and others put into it, a terminal does nothing on its behalf.
pub(crate) fn line(text: &str) -> io::Result<()> {
    written(&terminal::harmless(text))
}

/// A reader that went away ends the command quietly.
fn written(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        result => result,
    }
}

/// Writes JSON, indented.
pub(crate) fn json_document(value: &Value) -> io::Result<()> {
    written(&escaped(&format!("{value:#}")))
}

/// Writes JSON on a line of its own.
pub(crate) fn json_line(value: &Value) -> io::Result<()> {
    written(&escaped(&value.to_string()))
}

/// The control characters that JSON may have as they are, which stand in texts alone, as it may also have them.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '\u{7f}'..='\u{9f}' => out.push_str(&format!("\\u{:04x}", u32::from(character))),
            other => out.push(other),
        }
    }
    out
}

/// A text on one line, whatever a device put into it.
pub(crate) fn one_line(text: &str) -> String {
    let clean = |character: char| if character.is_control() { ' ' } else { character };
    let text: String = text.chars().map(clean).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Some names, and how many there are besides.
pub(crate) fn names(names: &[&str]) -> String {
    const NAMED: usize = 4;
    match names.len().checked_sub(NAMED) {
        None | Some(0) => names.join(","),
        Some(more) => format!("{} and {more} more", names[..NAMED].join(",")),
    }
}

/// Writes rows under their titles. On a terminal they fit: the widest columns give way.
pub(crate) fn table(titles: &[&str], rows: &[Vec<String>]) -> io::Result<()> {
    for text in lines(titles, rows, terminal::width()) {
        line(&text)?;
    }
    Ok(())
}

/// How narrow columns may get; narrower only where there is no other way.
const NARROWEST: [usize; 4] = [8, 5, 3, 1];

fn lines(titles: &[&str], rows: &[Vec<String>], room: Option<usize>) -> Vec<String> {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([titles[column].chars().count()]).max().unwrap_or_default()
    };
    let mut widths: Vec<usize> = (0..titles.len()).map(width).collect();
    if let Some(room) = room {
        fit(&mut widths, room);
    }
    let titles: Vec<String> = titles.iter().map(|title| (*title).to_owned()).collect();
    let line = |(number, row): (usize, &Vec<String>)| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| {
            let short = shortened(cell, *width);
            let space = " ".repeat(width.saturating_sub(short.chars().count()));
            let shown = if number == 0 { short } else { terminal::short_word(cell, &short) };
            format!("{shown}{space}")
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    std::iter::once(&titles).chain(&rows).enumerate().map(line).collect()
}

/// Takes from the widest column, again and again, until all of them have room.
fn fit(widths: &mut [usize], room: usize) {
    let between = 2 * widths.len().saturating_sub(1);
    for narrowest in NARROWEST {
        while widths.iter().sum::<usize>() + between > room {
            match widths.iter_mut().max_by_key(|width| **width) {
                Some(width) if *width > narrowest => *width -= 1,
                _ => break,
            }
        }
    }
}

/// A text that has room, with a sign that there was more.
pub(crate) fn shortened(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let kept: String = text.chars().take(room.saturating_sub(1)).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::{escaped, lines, one_line};

    fn rows() -> Vec<Vec<String>> {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        vec![
            row(["1", "applied", "the quick brown fox jumps over the lazy dog"]),
            row(["12", "reverted", "short"]),
        ]
    }

    #[test]
    fn a_table_is_as_wide_as_it_needs_to_be() {
        assert_eq!(
            lines(&["INDEX", "STATUS", "WHY"], &rows(), None),
            [
                "INDEX  STATUS    WHY",
                "1      applied   the quick brown fox jumps over the lazy dog",
                "12     reverted  short",
            ]
        );
    }

    #[test]
    fn on_a_terminal_it_fits() {
        assert_eq!(
            lines(&["INDEX", "STATUS", "WHY"], &rows(), Some(30)),
            ["INDEX  STATUS    WHY", "1      applied   the quick br…", "12     reverted  short"]
        );
        let narrow = lines(&["INDEX", "STATUS", "WHY"], &rows(), Some(16));
        assert_eq!(narrow, ["IND…  STA…  WHY", "1     app…  the…", "12    rev…  sho…"]);
    }

    #[test]
    fn json_moves_no_terminal() {
        let value = serde_json::json!({"a": "\u{9b}31m\u{7f}\x1b[31m ü"});
        let written = escaped(&value.to_string());
        assert!(!written.chars().any(char::is_control), "{written:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&written).unwrap(), value);
    }

    #[test]
    fn nothing_breaks_out_of_its_line() {
        assert_eq!(one_line("a\n  b\tc\x1b[31m"), "a b c [31m");
    }
}
