//! The power is cut at every single call to the disk of a script, and each time three things may have
//! become of what was not synced: nothing of it is there, all of it, or some sectors.

use std::collections::BTreeMap;

use lockstep_protocol::Written;
use lockstep_types::Revision;

use super::drive::{Drive, roll, small};
use super::{make, open};
use crate::kv::{Op, Range, Txn};
use crate::ledger::{Job, Ledger};

/// Batches of the script. The store is closed and opened again in the middle.
const BATCHES: u64 = 24;

/// What the store holds: value and revision by key.
type State = BTreeMap<Vec<u8>, (Vec<u8>, Revision)>;

/// Keys that are written again and again, that come and go, and that only come; some values are
/// longer than a page. So pages are split, merged and freed, and the file grows.
fn batch(number: u64) -> Vec<Job> {
    let mut dice = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let job = |part: u64| {
        let own = number * 3 + part;
        let length = if own.is_multiple_of(7) { 9_000 } else { small(roll(&mut dice, 600)) };
        let mut ops = vec![
            Op::put(*b"head", own.to_be_bytes()),
            Op::put(format!("log/{own:020}").into_bytes(), vec![b'l'; length]),
            Op::put(format!("again/{}", own % 5).into_bytes(), own.to_be_bytes()),
        ];
        if own >= 12 {
            ops.push(Op::Delete(format!("log/{:020}", own - 12).into_bytes().into()));
        }
        Job::Txn(Txn { compares: Vec::new(), ops })
    };
    (0..3).map(job).collect()
}

/// The state after each batch, by a model that is a map.
fn states() -> Vec<State> {
    let mut state = State::new();
    let mut states = vec![state.clone()];
    let mut revision = Revision::ZERO;
    for number in 0..BATCHES {
        for job in batch(number) {
            let Job::Txn(txn) = job else { continue };
            revision = revision.next();
            for op in txn.ops {
                match op {
                    Op::Put { key, value, .. } => {
                        state.insert(key.to_vec(), (value.to_vec(), revision))
                    }
                    Op::Delete(key) => state.remove(&key.to_vec()),
                };
            }
        }
        states.push(state.clone());
    }
    states
}

fn found(ledger: &Ledger) -> State {
    let mut state = State::new();
    let mut next = Some(Range::all());
    while let Some(range) = next {
        let page = ledger.page(&range).expect("a page");
        next = range.after(&page);
        let entries = page.entries.into_iter();
        state.extend(entries.map(|e| (e.key.to_vec(), (e.value.to_vec(), e.revision))));
    }
    state
}

/// Plays the script until the power goes. How many batches were answered; none: there was not even a
/// file, because it gets its name only once it is made.
fn play(drive: &Drive) -> Option<u64> {
    make(drive.clone()).ok()?;
    Some(play_batches(drive))
}

fn play_batches(drive: &Drive) -> u64 {
    let mut answered = 0;
    for half in [0..BATCHES / 2, BATCHES / 2..BATCHES] {
        let Ok(ledger) = open(drive.clone()) else { return answered };
        for number in half {
            match ledger.run(&batch(number)).pop() {
                Some(Ok(Written::Done(_))) => answered = number + 1,
                _ => return answered,
            }
        }
        ledger.close();
    }
    answered
}

/// Cuts at every call, each with so many rolls of the dice. How many cuts there were.
fn cut(rounds: u64) -> usize {
    let states = states();
    let drive = Drive::new(Vec::new(), usize::MAX);
    assert_eq!(play(&drive), Some(BATCHES));
    let (calls, mut cuts) = (drive.calls(), 0);
    for at in 1..=calls {
        let drive = Drive::new(Vec::new(), at);
        let Some(answered) = play(&drive) else { continue };
        for round in 0..2 + rounds {
            let mut dice = (at as u64) << 8 | round | 1 << 63;
            let bytes = drive.remains(|| match round {
                0 => false,
                1 => true,
                _ => roll(&mut dice, 2) == 0,
            });
            let ledger = open(Drive::new(bytes, usize::MAX))
                .unwrap_or_else(|error| panic!("cut {at} of {calls}, {round}: {error:?}"));
            let state = found(&ledger);
            let batches = ledger.revision().unwrap().get() / 3;
            // What was answered is there; the one under way may be, whole.
            assert!(
                (answered..=answered + 1).contains(&batches),
                "cut {at}: {answered}, {batches}"
            );
            assert!(state == states[small(batches)], "cut {at}, {round}: another state");
            cuts += 1;
        }
    }
    println!("{calls} calls, {cuts} cuts, {BATCHES} batches");
    cuts
}

#[test]
fn a_power_cut_at_any_call_loses_nothing() {
    assert!(cut(1) > 500);
}

#[test]
#[ignore = "thousands of cuts take minutes; `make crash` runs it"]
fn a_power_cut_at_any_call_loses_nothing_however_the_dice_fall() {
    assert!(cut(20) > 5_000);
}
