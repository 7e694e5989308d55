//! How results are written: tables for people, JSON for programs.

use std::error::Error;
use std::io::{self, Write};

pub(crate) use lockstep_gnmi::json::{configuration, model, node, target, transaction};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

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

/// Writes rows under their titles. On a terminal they fit: what is empty is left out, then the columns that are named
/// `aside`, the first of them first; and what is left gives way where it is widest.
pub(crate) fn table(titles: &[&str], aside: &[&str], rows: &[Vec<String>]) -> io::Result<()> {
    for text in lines(titles, aside, rows, terminal::width()) {
        line(&text)?;
    }
    Ok(())
}

/// How much of a column can be read without guessing: a time, and the beginning of a sentence.
const READABLE: usize = 20;
/// How narrow columns get where there is no other way.
const NARROWEST: [usize; 4] = [8, 5, 3, 1];
/// What is between two columns.
const BETWEEN: usize = 2;

fn lines(
    titles: &[&str],
    aside: &[&str],
    rows: &[Vec<String>],
    room: Option<usize>,
) -> Vec<String> {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
        cells.chain([titles[column].width()]).max().unwrap_or_default()
    };
    let mut columns: Vec<(usize, usize)> =
        (0..titles.len()).map(|column| (column, width(column))).collect();
    if let Some(room) = room {
        let is_empty = |column: usize| rows.iter().all(|row| row[column].is_empty());
        let empty = (0..titles.len()).filter(|column| !rows.is_empty() && is_empty(*column));
        let named = aside.iter().filter_map(|name| titles.iter().position(|title| title == name));
        leave_out(&mut columns, empty.chain(named), room);
        fit(&mut columns, room);
    }
    let titles: Vec<String> = titles.iter().map(|title| (*title).to_owned()).collect();
    let line = |(number, row): (usize, &Vec<String>)| {
        let cells = columns.iter().map(|(column, width)| {
            let cell = &row[*column];
            let short = shortened(cell, *width);
            let space = " ".repeat(width.saturating_sub(short.width()));
            let shown = if number == 0 { short } else { terminal::short_word(cell, &short) };
            format!("{shown}{space}")
        });
        cells.collect::<Vec<_>>().join(&" ".repeat(BETWEEN)).trim_end().to_owned()
    };
    std::iter::once(&titles).chain(&rows).enumerate().map(line).collect()
}

/// How wide columns are together, none of them wider than so much.
fn together(columns: &[(usize, usize)], most: usize) -> usize {
    let between = BETWEEN * columns.len().saturating_sub(1);
    columns.iter().map(|(_, width)| (*width).min(most)).sum::<usize>() + between
}

/// Leaves columns out, one by one, until the others can be read.
fn leave_out(
    columns: &mut Vec<(usize, usize)>,
    candidates: impl Iterator<Item = usize>,
    room: usize,
) {
    for candidate in candidates {
        if together(columns, READABLE) <= room {
            return;
        }
        columns.retain(|(column, _)| *column != candidate);
    }
}

/// Takes from the widest column, again and again, until all of them have room.
fn fit(columns: &mut [(usize, usize)], room: usize) {
    for narrowest in std::iter::once(READABLE).chain(NARROWEST) {
        while together(columns, usize::MAX) > room {
            match columns.iter_mut().max_by_key(|(_, width)| *width) {
                Some((_, width)) if *width > narrowest => *width -= 1,
                _ => break,
            }
        }
    }
}

/// A text that has room, with a sign that there was more. Room is what a terminal gives: two columns to characters that
/// are wide, none to those that go with the one before.
pub(crate) fn shortened(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let ends = text.char_indices().map(|(at, character)| at + character.len_utf8());
    let kept = ends.map(|end| &text[..end]).take_while(|kept| kept.width() < room);
    format!("{}…", kept.last().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::{escaped, lines, one_line, shortened};

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
            lines(&["INDEX", "STATUS", "WHY"], &[], &rows(), None),
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
            lines(&["INDEX", "STATUS", "WHY"], &[], &rows(), Some(30)),
            ["INDEX  STATUS    WHY", "1      applied   the quick br…", "12     reverted  short"]
        );
        let narrow = lines(&["INDEX", "STATUS", "WHY"], &[], &rows(), Some(16));
        assert_eq!(narrow, ["IND…  STA…  WHY", "1     app…  the…", "12    rev…  sho…"]);
    }

    #[test]
    fn where_it_is_narrow_columns_are_left_out_before_words_are_cut() {
        let row = |cells: [&str; 5]| cells.map(str::to_owned).to_vec();
        let titles = ["NAME", "MASTER", "STATE", "NOTE", "WHY"];
        let why = "the device answered nothing in 10 s";
        let rows =
            [row(["leaf1", "n1", "synchronised", "", ""]), row(["leaf2", "n1", "failed", "", why])];
        let at = |room| lines(&titles, &["MASTER", "STATE"], &rows, Some(room));
        assert_eq!(at(80)[0], "NAME   MASTER  STATE         NOTE  WHY", "all of it has room");
        assert_eq!(
            at(54),
            [
                "NAME   MASTER  STATE         WHY",
                "leaf1  n1      synchronised",
                "leaf2  n1      failed        the device answered noth…",
            ]
        );
        assert_eq!(at(45)[2], "leaf2  failed        the device answered not…", "without MASTER");
        assert_eq!(at(30)[2], "leaf2  the device answered no…", "and without STATE");
        assert_eq!(lines(&titles, &["MASTER"], &[], Some(10))[0], "…  …  …  …", "without any row");
    }

    #[test]
    fn wide_characters_keep_columns_in_line() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let rows = [row(["東京", "x"]), row(["e\u{301}te\u{301}", "y"]), row(["🚀 a", "z"])];
        assert_eq!(
            lines(&["NAME", "B"], &[], &rows, None),
            ["NAME  B", "東京  x", "e\u{301}te\u{301}   y", "🚀 a  z"]
        );
        for (text, room, short) in [
            ("東京都庁", 8, "東京都庁"),
            ("東京都庁", 7, "東京都…"),
            ("東京都庁", 6, "東京…"),
            ("e\u{301}te\u{301}s", 3, "e\u{301}t…"),
            ("e\u{301}te\u{301}s!", 4, "e\u{301}te\u{301}…"),
            ("ab", 1, "…"),
        ] {
            assert_eq!(shortened(text, room), short, "{text} in {room}");
            assert!(shortened(text, room).width() <= room);
        }
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
