//! A file that is not as it was written is noticed, named, and never the end of the process.

use std::collections::BTreeMap;
use std::path::Path;

use lockstep_store::kv::{Bytes, Op, Range};
use lockstep_store::{Embedded, Error, Store};

use crate::support::{open, write};

const FILE: &str = "store.redb";

type State = BTreeMap<Bytes, Bytes>;

/// A store with some pages of everything, closed or not.
async fn filled(folder: &Path) -> State {
    let store = open(folder);
    for round in 0..40_u64 {
        let put = |n: u64| {
            let key = format!("log/{:020}", round * 10 + n).into_bytes();
            Op::put(key, format!("{round} {n} ").repeat(30).into_bytes())
        };
        write(&store, (0..10).map(put).collect()).await;
    }
    let state = read(&store).await.unwrap();
    store.close().await.unwrap();
    state
}

async fn read(store: &Embedded) -> Result<State, Error> {
    let mut state = State::new();
    let mut next = Some(Range::all());
    while let Some(range) = next {
        let page = store.range(range.clone()).await?;
        next = range.after(&page);
        state.extend(page.entries.into_iter().map(|entry| (entry.key, entry.value)));
    }
    Ok(state)
}

/// Opens, reads, writes and checks; the first thing that goes wrong.
async fn used(folder: &Path) -> Result<State, Error> {
    Embedded::check(folder)?;
    let store = Embedded::open(folder)?;
    let read = read(&store).await;
    let op = Op::put(*b"more", *b"1");
    let written = store.txn(lockstep_store::kv::Txn { compares: vec![], ops: vec![op] }).await;
    store.close().await?;
    written?;
    read
}

/// Without the check that looks at every page, as a node opens it.
async fn opened(folder: &Path) -> Result<State, Error> {
    let store = Embedded::open(folder)?;
    let read = read(&store).await;
    store.close().await?;
    read
}

/// Says the file, and what to do.
fn is_told(error: &Error, file: &Path) {
    let Error::Damaged { file: named, .. } = error else { panic!("{error:?}") };
    assert_eq!(named, file);
    let said = error.to_string();
    assert!(said.contains("store.redb is damaged") && said.contains("backup"), "{said}");
}

/// Flips one bit in so many places of the file: in its first bytes, where it says what is where, and
/// then wherever something stands.
async fn flip(places: usize) {
    let folder = tempfile::tempdir().unwrap();
    let state = filled(folder.path()).await;
    let file = folder.path().join(FILE);
    let whole = std::fs::read(&file).unwrap();
    let used_bytes: Vec<usize> = (320..whole.len()).filter(|at| whole[*at] != 0).collect();
    let first = (0..320).step_by(8);
    let others = used_bytes.iter().copied().step_by((used_bytes.len() / places).max(1));
    let (mut noticed, mut harmless) = (0, 0);
    for (round, at) in first.chain(others).enumerate() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (round % 8);
        for thorough in [true, false] {
            std::fs::write(&file, &bytes).unwrap();
            let found =
                if thorough { used(folder.path()).await } else { opened(folder.path()).await };
            match found {
                Ok(found) => {
                    assert!(found == state, "byte {at}: other values, and no error");
                    harmless += 1;
                }
                Err(error) => {
                    is_told(&error, &file);
                    noticed += 1;
                }
            }
        }
    }
    println!("{noticed} noticed, {harmless} harmless");
    assert!(noticed > places / 2, "{noticed}");
}

#[tokio::test]
async fn a_changed_byte_is_noticed_or_does_not_matter() {
    flip(40).await;
}

#[tokio::test]
#[ignore = "thousands of places take minutes; `make crash` runs it"]
async fn a_changed_byte_anywhere_is_noticed_or_does_not_matter() {
    flip(4_000).await;
}

#[tokio::test]
async fn a_file_that_was_cut_short_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path()).await;
    let file = folder.path().join(FILE);
    let whole = std::fs::read(&file).unwrap();
    for length in [0, 1, 100, 4_096, 10_000, whole.len() / 2, whole.len() - 4_096, whole.len() - 1]
    {
        std::fs::write(&file, &whole[..length]).unwrap();
        let error = used(folder.path()).await.expect_err("a file that was cut");
        is_told(&error, &file);
        let error = opened(folder.path()).await.expect_err("a file that was cut");
        is_told(&error, &file);
    }
}

#[tokio::test]
async fn a_check_counts_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let state = filled(folder.path()).await;
    let checked = Embedded::check(folder.path()).unwrap();
    assert!(checked.clean && checked.rows > state.len() as u64, "{checked:?}");
    assert_eq!(checked.bytes, std::fs::metadata(&checked.file).unwrap().len());
    let none = Embedded::check(&folder.path().join("elsewhere"));
    assert!(matches!(none, Err(Error::NoStore { .. })), "{none:?}");
    assert!(!folder.path().join("elsewhere").exists(), "a look leaves nothing behind");
}
