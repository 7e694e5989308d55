//! A target whose list entries come and go under ever new names: what is kept of it follows what stands there and
//! what the log holds, in memory and in the store.

use lockstep_protocol::record::Trials;
use lockstep_protocol::{Retention, Settings};
use lockstep_store::records::check;
use lockstep_store::{Memory, Records};
use lockstep_types::{Content, Edit};

use crate::one_set::{Shell, leaf};
use crate::support::{bound, path, records, target, write};

/// How many come and go at once, and how many entries of the log are kept.
const ENTRIES: u64 = 10;
const KEPT: u64 = 10;

/// So many rounds, each with names of its own, of as many letters.
async fn churn(shell: &mut Shell, rounds: std::ops::Range<u64>) {
    for round in rounds {
        let names = (0..ENTRIES).map(|n| leaf(1_000_000 + round * ENTRIES + n));
        shell.set(names.map(|name| (name, Content::leaf("for a while")))).await;
        let clear = vec![path("/interfaces")];
        shell.change(Edit { clear, ..Edit::default() }).await;
    }
}

/// The units that are kept, by whoever watched and by whoever loads; and the bytes of their snapshot.
async fn kept(shell: &Shell, records: &Records) -> [u64; 3] {
    records.fold(&target("leaf1")).await.unwrap();
    let loaded = records.load().await.unwrap();
    let units = |view: &lockstep_protocol::View| {
        let (committed, applied) =
            (view.committed(&target("leaf1")), view.applied(&target("leaf1")));
        assert_eq!(committed, applied);
        committed.units().count() as u64
    };
    let found = check(&**records.store()).await.unwrap();
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    let bytes = |kind| found.kinds.get(kind).map_or(0, |count| count.bytes);
    [units(shell.view()), units(&loaded), bytes("snapshot") + bytes("chunk") + bytes("delta")]
}

#[tokio::test]
async fn what_is_kept_of_a_target_does_not_grow_with_what_it_once_had() {
    let records = records(Memory::new()).await;
    write(&records, vec![], vec![bound(&target("leaf1"))]).await;
    let retention = Retention { transactions: KEPT, step: 1, ..Retention::default() };
    let settings = Settings { retention, ..Settings::default() };
    let mut shell = Shell::with(records.clone(), Trials::Never, settings).await;
    churn(&mut shell, 0..20).await;
    let few = kept(&shell, &records).await;
    churn(&mut shell, 20..120).await;
    let many = kept(&shell, &records).await;
    println!("units in memory, units loaded, bytes of the snapshot: {few:?}, later {many:?}");
    assert_eq!(many[0], many[1]);
    // Those of the rounds that are kept, and of one or two that are about to go.
    assert!(many[0] <= ENTRIES * (KEPT / 2 + 2), "{many:?}");
    assert!(many[0] <= few[0] + ENTRIES && many[2] <= few[2] + few[2] / 4, "{few:?}, {many:?}");
}
