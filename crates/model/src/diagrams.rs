//! The pictures of the protocol page, drawn from the core's own tables of transitions, so that they
//! cannot fall behind them. Only where each state stands is said here.

mod svg;

use lockstep_protocol::record::{PartStatus, Stage, Status};
use svg::Picture;

/// A picture: the name of its file, and how it is drawn.
type Diagram = (&'static str, fn() -> Result<String, String>);

/// Every picture.
const DIAGRAMS: [Diagram; 3] = [
    ("states-transaction", || {
        let picture =
            picture("A transaction", &TRANSACTION, &Status::ALL, Status::name, Status::successors);
        picture.drawn()
    }),
    ("states-target", || {
        let title = "A transaction on one target";
        picture(title, &PART, &PartStatus::ALL, PartStatus::name, PartStatus::successors).drawn()
    }),
    ("states-wide", || {
        let title = "The configuration of a target of a wide transaction";
        picture(title, &STAGE, &Stage::ALL, Stage::name, Stage::successors).drawn()
    }),
];

/// What stands below what, column by column: states, and between them the ways that arrows take which go further than to the
/// next column.
type Places = [&'static [&'static str]];

const TRANSACTION: [&[&str]; 4] = [
    &["pending"],
    &["pending>applied", "committed", "pending>cancelled", "pending>rejected"],
    &[
        "pending>applied",
        "confirming",
        "committed>applied",
        "committed>partial",
        "reverting",
        "committed>reverted",
        "committed>cancelled",
        "pending>cancelled",
        "pending>rejected",
    ],
    &["applied", "partial", "reverted", "cancelled", "rejected"],
];

const PART: [&[&str]; 4] = [
    &["pending"],
    &["pending>applied", "accepted", "pending>undone", "pending>withdrawn", "pending>refused"],
    &["applied", "accepted>undone", "pending>undone", "pending>withdrawn", "pending>refused"],
    &["undone", "withdrawn", "refused"],
];

const STAGE: [&[&str]; 3] = [&["prepared"], &["committed"], &["turned"]];

/// States and what may follow each, where they stand.
fn picture<S: Copy + 'static>(
    title: &'static str,
    places: &'static Places,
    states: &[S],
    name: impl Fn(S) -> &'static str,
    successors: impl Fn(S) -> &'static [S],
) -> Picture {
    let next = |state: &S| successors(*state).iter().map(|next| name(*next)).collect();
    let states = states.iter().map(|state| (name(*state), next(state))).collect();
    Picture { title, states, places }
}

/// Every picture: the name of its file in the folder `pictures`, and its text.
///
/// # Errors
/// What of a picture has no place in it.
pub fn drawn() -> Result<Vec<(String, String)>, String> {
    let named = |(name, draw): &Diagram| Ok((format!("{name}.svg"), draw()?));
    DIAGRAMS.iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    //! Every state and every transition is in its picture, and nothing that the core does not have.

    use super::*;

    #[test]
    fn a_picture_has_what_the_core_has() {
        let all = drawn().unwrap();
        assert_eq!(all.len(), 3);
        let (_, transaction) = &all[0];
        for state in Status::ALL {
            assert!(transaction.contains(&format!(">{}</text>", state.name())), "{}", state.name());
        }
        let arrows = Status::ALL.iter().map(|state| state.successors().len()).sum::<usize>();
        // One more leads to where everything begins.
        assert_eq!(transaction.matches("marker-end").count(), arrows + 1);
        assert!(transaction.contains("reverting, then reverted;"), "{transaction}");
    }

    #[test]
    fn what_has_no_place_or_no_meaning_is_told() {
        let of = |places: &'static Places| {
            let title = "wide";
            picture(title, places, &Stage::ALL, Stage::name, Stage::successors).drawn()
        };
        assert_eq!(of(&[&["prepared"], &["committed"]]), Err("wide: no place for turned".into()));
        let unknown = of(&[&["prepared"], &["committed"], &["turned", "lost"]]);
        assert_eq!(unknown, Err("wide: the core has no lost".into()));
        let nowhere = of(&[&["prepared"], &["prepared>turned", "committed"], &["turned"]]);
        assert_eq!(nowhere, Err("wide: the core has no prepared>turned".into()));
    }
}
