//! What may become of a transaction once its client was told how it stands.

use lockstep_protocol::record::Status;
use lockstep_types::Index;

use crate::clients::Told;

/// The outcomes that may follow.
const fn after(told: Status) -> &'static [Status] {
    use Status::{Applied, Cancelled, Partial, Rejected, Reverted};
    match told {
        Status::Pending => &[Applied, Partial, Rejected, Reverted, Cancelled],
        Status::Committed => &[Applied, Partial, Reverted, Cancelled],
        Status::Confirming | Applied => &[Applied],
        Status::Reverting => &[Reverted, Cancelled],
        Partial => &[Partial],
        Rejected => &[Rejected],
        Reverted => &[Reverted],
        Cancelled => &[Cancelled],
    }
}

/// Whether what a client was told fits how it stands in the end; none: it is not in the log, or not any more.
#[must_use]
pub fn is_kept(told: &Told, stands: Option<(Index, Status)>, horizon: Index) -> bool {
    match (told, stands) {
        (Told::Nothing, _) => true,
        (Told::Refused, stands) => stands.is_none(),
        (Told::Status(index, told), Some((stands, status))) => {
            *index == stands && after(*told).contains(&status)
        }
        // What is not kept any more had its outcome.
        (Told::Status(index, _), None) => *index <= horizon,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Index = Index::new(3);

    fn fits(told: Status, status: Status) -> bool {
        is_kept(&Told::Status(HERE, told), Some((HERE, status)), Index::ZERO)
    }

    #[test]
    fn what_was_decided_is_not_rejected_afterwards() {
        assert!(fits(Status::Pending, Status::Rejected));
        assert!(!fits(Status::Committed, Status::Rejected));
        assert!(!fits(Status::Confirming, Status::Reverted));
        assert!(!fits(Status::Reverting, Status::Applied));
    }

    #[test]
    fn an_outcome_stays() {
        for told in Status::ALL.into_iter().filter(|status| status.is_final()) {
            for status in Status::ALL {
                assert_eq!(fits(told, status), told == status, "{told:?}, then {status:?}");
            }
        }
    }

    #[test]
    fn what_was_told_is_in_the_log_unless_that_has_forgotten_it() {
        let told = Told::Status(HERE, Status::Applied);
        assert!(!is_kept(&told, None, Index::new(2)) && is_kept(&told, None, HERE));
        assert!(!is_kept(&told, Some((HERE.next(), Status::Applied)), Index::ZERO));
        assert!(!is_kept(&Told::Refused, Some((HERE, Status::Applied)), Index::ZERO));
        assert!(is_kept(&Told::Nothing, Some((HERE, Status::Applied)), Index::ZERO));
    }
}
