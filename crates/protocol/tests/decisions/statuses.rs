//! The one table of transitions. That every write of every test keeps to it is checked in
//! `support/rules.rs`.

use lockstep_protocol::record::Status;

const ALL: [Status; 9] = [
    Status::Pending,
    Status::Committed,
    Status::Confirming,
    Status::Reverting,
    Status::Applied,
    Status::Partial,
    Status::Rejected,
    Status::Reverted,
    Status::Cancelled,
];

#[test]
fn what_follows_what() {
    let table: [(Status, &[Status]); 9] = [
        (
            Status::Pending,
            &[Status::Committed, Status::Applied, Status::Rejected, Status::Cancelled],
        ),
        (
            Status::Committed,
            &[
                Status::Applied,
                Status::Partial,
                Status::Confirming,
                Status::Reverting,
                Status::Reverted,
                Status::Cancelled,
            ],
        ),
        (Status::Confirming, &[Status::Applied]),
        (Status::Reverting, &[Status::Reverted]),
        (Status::Applied, &[]),
        (Status::Partial, &[]),
        (Status::Rejected, &[]),
        (Status::Reverted, &[]),
        (Status::Cancelled, &[]),
    ];
    for (status, successors) in table {
        assert_eq!(status.successors(), successors, "after {status:?}");
    }
}

#[test]
fn an_outcome_is_what_nothing_follows() {
    for status in ALL {
        assert_eq!(status.is_final(), status.successors().is_empty(), "{status:?}");
    }
}

#[test]
fn what_stands_was_decided_for() {
    let stands: Vec<Status> = ALL.into_iter().filter(|status| status.stands()).collect();
    assert_eq!(stands, [Status::Committed, Status::Confirming, Status::Applied, Status::Partial]);
}
