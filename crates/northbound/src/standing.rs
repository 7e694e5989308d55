//! How a transaction stands, in the words that others rely on; and why it does so on one of its targets.

use lockstep_protocol::record::{Part, PartStatus, Reason, Status, Transaction};
use lockstep_types::Target;

/// A word, and what is more exact where there is something: empty otherwise.
pub(crate) type Words = (&'static str, &'static str);

/// Of a transaction.
pub(crate) fn of(status: Status) -> Words {
    match status {
        Status::Confirming => (Status::Committed.name(), status.name()),
        other => (other.name(), ""),
    }
}

/// Of a transaction on one target. Nothing is to come there of one that was decided against or called off.
pub(crate) fn there(status: Status, part: &Part) -> Words {
    match (part.told(), status) {
        (PartStatus::Pending, Status::Rejected | Status::Cancelled) => {
            (PartStatus::Withdrawn.name(), "")
        }
        (PartStatus::Accepted, _) => (PartStatus::Pending.name(), PartStatus::Accepted.name()),
        (other, _) => (other.name(), ""),
    }
}

/// Why it did not go well on one target: what happened there, or which rules were broken there.
pub(crate) fn reason(transaction: &Transaction, target: &Target, part: &Part) -> Option<Reason> {
    if let Some(reason) = &part.reason {
        return Some(reason.clone());
    }
    let Some(Reason::Invalid(all)) = &transaction.reason else { return None };
    let here: Vec<_> = all.iter().filter(|broken| broken.target == *target).cloned().collect();
    (!here.is_empty()).then_some(Reason::Invalid(here))
}

#[cfg(test)]
mod tests {
    use lockstep_gnmi::words;
    use lockstep_node::State;
    use lockstep_protocol::record::Failure;

    use super::*;

    #[test]
    fn no_other_words_are_said() {
        for status in Status::ALL {
            let (word, stage) = of(status);
            assert!(words::STATUSES.contains(&word), "{word}");
            assert!(stage.is_empty() || words::STAGES.contains(&stage), "{stage}");
            assert_eq!(words::OPEN.contains(&word), !status.is_final(), "{word}");
        }
        for status in PartStatus::ALL {
            let (word, stage) = there(Status::Committed, &part(status, None));
            assert!(words::PARTS.contains(&word), "{word}");
            assert!(stage.is_empty() || words::STAGES.contains(&stage), "{stage}");
        }
        assert_eq!(State::ALL.map(State::name), words::STATES);
    }

    fn part(status: PartStatus, reason: Option<Reason>) -> Part {
        Part { status, reason, ..Part::default() }
    }

    #[test]
    fn what_a_device_refused_is_told_from_what_was_called_off() {
        let failure = Failure { code: "ABORTED".into(), message: "no".into() };
        let refused = Reason::Refused { target: Target::new("leaf1").unwrap(), failure };
        let word = |reason| there(Status::Partial, &part(PartStatus::Withdrawn, Some(reason))).0;
        assert_eq!(word(refused), "refused");
        assert_eq!(word(Reason::Cancelled), "withdrawn");
        assert_eq!(word(Reason::InvalidAfterWithdrawal(Vec::new())), "withdrawn");
    }
}
