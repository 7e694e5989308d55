//! The pictures of the protocol page, drawn from the core's own tables of transitions, so that they
//! cannot fall behind them.

use std::fmt::Write;

use lockstep_protocol::record::{PartStatus, Stage, Status};

/// A picture: its name on the page, and how it is drawn.
type Diagram = (&'static str, fn() -> String);

/// Every picture.
const DIAGRAMS: [Diagram; 3] = [
    ("transaction", || drawn(&Status::ALL, Status::name, Status::successors)),
    ("part", || drawn(&PartStatus::ALL, PartStatus::name, PartStatus::successors)),
    ("stage", || drawn(&Stage::ALL, Stage::name, Stage::successors)),
];

/// States and what may follow each. The first is where everything begins; what nothing follows ends.
fn drawn<S: Copy + 'static>(
    states: &[S],
    name: impl Fn(S) -> &'static str,
    successors: impl Fn(S) -> &'static [S],
) -> String {
    let mut text = String::from("```mermaid\nstateDiagram-v2\n");
    let mut arrow = |from: &str, to: &str| {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "    {from} --> {to}");
    };
    if let Some(first) = states.first() {
        arrow("[*]", name(*first));
    }
    for state in states {
        let next = successors(*state);
        next.iter().for_each(|next| arrow(name(*state), name(*next)));
        if next.is_empty() {
            arrow(name(*state), "[*]");
        }
    }
    text.push_str("```\n");
    text
}

/// The page with its pictures drawn anew.
///
/// # Errors
/// The name of a picture that has no place on the page.
pub fn redrawn(page: &str) -> Result<String, &'static str> {
    DIAGRAMS.iter().try_fold(page.to_owned(), |page, (name, draw)| {
        let (begin, end) = (format!("<!-- diagram: {name} -->\n"), "<!-- end -->");
        let from = page.find(&begin).ok_or(*name)? + begin.len();
        let until = from + page[from..].find(end).ok_or(*name)?;
        Ok([&page[..from], &draw(), &page[until..]].concat())
    })
}

#[cfg(test)]
mod tests {
    //! Pictures go to their places, and a page without one is told of.

    use super::*;

    #[test]
    fn a_picture_is_put_between_its_marks() {
        let place = |name: &str| format!("<!-- diagram: {name} -->\nold\n<!-- end -->\n");
        let page: String = ["transaction", "part", "stage"].map(place).concat();
        let drawn = redrawn(&page).unwrap();
        assert!(drawn.contains("    pending --> committed\n"), "{drawn}");
        assert!(drawn.contains("    turned --> [*]\n") && !drawn.contains("old"), "{drawn}");
        assert_eq!(redrawn(&drawn), Ok(drawn.clone()), "drawn again it is the same");
        assert_eq!(redrawn("nothing"), Err("transaction"));
    }
}
