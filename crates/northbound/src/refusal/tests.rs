//! What can be done about a refusal: never what would be refused itself.

use lockstep_protocol::record::{Failure, Kind, Rule, Status};
use lockstep_types::Index;

use super::*;

fn index(number: u64) -> Index {
    Index::new(number)
}

fn finished(kind: Kind, status: Status) -> String {
    next(&Refusal::Finished { index: index(9), kind, status })
}

#[test]
fn only_what_can_be_rolled_back_is_advised_to_be() {
    let rollback = ": applied; `lockstep rollback 9` takes it out again";
    let kinds = [Kind::Change, Kind::Restore { to: index(1) }, Kind::Adopt { first: false }];
    for kind in kinds {
        assert_eq!(finished(kind, Status::Applied), rollback, "{kind:?}");
    }
    let of = Kind::Rollback { of: index(1), rule: Rule::Target };
    for kind in [of, Kind::Adopt { first: true }, Kind::Add, Kind::Rebind, Kind::Remove] {
        let said = finished(kind, Status::Applied);
        assert_eq!(said, ": applied; `lockstep tx show 9` says what it is", "{kind:?}");
    }
    let said = finished(Kind::Change, Status::Reverted);
    assert_eq!(said, ": reverted; `lockstep tx show 9` says why");
}

#[test]
fn nothing_that_undoes_more_is_advised() {
    for refusal in [Refusal::NotAChange(index(1)), Refusal::NoWindow(index(1))] {
        let said = next(&refusal);
        assert!(said.contains("`lockstep tx show 1`"), "{said}");
        assert!(
            !said.contains("lockstep restore") && !said.contains("lockstep rollback"),
            "{said}"
        );
    }
}

#[test]
fn what_was_asked_wrongly_says_how_to_ask() {
    let target = Target::new("leaf1").unwrap();
    let failure = Failure { code: "ABORTED".into(), message: "no".into() };
    for (refusal, words) in [
        (Refusal::NoTarget, "name at least one"),
        (Refusal::TooManyTargets(9), "several transactions"),
        (Refusal::WindowTooWide(9), "leave out `confirm`"),
        (Refusal::NoWindowFor, "leave out `confirm`"),
        (Refusal::IdTaken(index(3)), "`lockstep tx show 3`"),
        (Refusal::IdPending, "another id"),
        (Refusal::NeverMet { target, failure }, "`lockstep target sync leaf1`"),
    ] {
        let said = next(&refusal);
        assert!(said.starts_with("; ") && said.contains(words), "{refusal:?}: {said}");
    }
}
