//! A process that is killed loses nothing that it was told was written.
//!
//! The child is this test binary itself, told by its environment to be one. It says each write on its
//! output once it has been answered, and goes on until it is killed.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use lockstep_store::kv::Op;
use lockstep_store::{Embedded, Error, Store};
use lockstep_types::Revision;

use crate::support::{keys, open, write};

const FOLDER: &str = "LOCKSTEP_STORE_CRASH_FOLDER";
const ROUND: &str = "LOCKSTEP_STORE_CRASH_ROUND";
const ROUNDS: u32 = 5;
const WRITERS: u64 = 8;

/// Not a test of its own: what the child does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    println!();
    let round = std::env::var(ROUND).unwrap();
    let store = open(&folder);
    let writers = (0..WRITERS).map(|writer| {
        let (store, round) = (store.clone(), round.clone());
        tokio::spawn(async move {
            for number in 0.. {
                let name = format!("{round}/{writer}/{number}");
                let op = |kind: &str| Op::put(format!("{kind}/{name}").into_bytes(), vec![0; 100]);
                let revision = write(&store, vec![op("a"), op("b")]).await;
                let mut out = std::io::stdout().lock();
                writeln!(out, "wrote {revision} {name}").unwrap();
                out.flush().unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
}

#[tokio::test]
async fn nothing_acknowledged_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let mut told: BTreeSet<(Revision, String)> = BTreeSet::new();
    for round in 0..ROUNDS {
        let (mut child, mut lines) = start(folder.path(), round);
        // Each round ends at another point between two commits.
        take(&mut lines, &mut told, 100 + 13 * round as usize);
        held_by(folder.path(), child.id());
        child.kill().unwrap();
        // What it had said before it died counts too.
        take(&mut lines, &mut told, usize::MAX);
        child.wait().unwrap();
        check(folder.path(), &told).await;
    }
    println!("{} writes acknowledged in {ROUNDS} processes, none lost", told.len());
}

fn start(folder: &Path, round: u32) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::child", "--nocapture"])
        .env(FOLDER, folder)
        .env(ROUND, round.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap());
    (child, lines)
}

fn take(lines: &mut BufReader<ChildStdout>, told: &mut BTreeSet<(Revision, String)>, count: usize) {
    let before = told.len();
    let mut line = String::new();
    while told.len() < before.saturating_add(count) && lines.read_line(&mut line).unwrap() > 0 {
        // A line may be cut short by the end; then nobody was told.
        let words: Vec<&str> = line.trim_end_matches('\n').split(' ').collect();
        if let ["wrote", revision, name] = words[..]
            && line.ends_with('\n')
        {
            told.insert((revision.parse().unwrap(), name.to_owned()));
        }
        line.clear();
    }
}

fn held_by(folder: &Path, child: u32) {
    match Embedded::open(folder) {
        Err(Error::Held { pid, .. }) => assert_eq!(pid, Some(child)),
        other => panic!("{other:?}"),
    }
}

async fn check(folder: &Path, told: &BTreeSet<(Revision, String)>) {
    let store = open(folder);
    let found = keys(&store).await;
    let side = |kind: &str| -> BTreeSet<(Revision, String)> {
        let name = |key: &str| key.strip_prefix(kind).map(ToOwned::to_owned);
        found.iter().filter_map(|(key, revision)| Some((*revision, name(key)?))).collect()
    };
    let (a, b) = (side("a/"), side("b/"));
    assert_eq!(a, b, "a write is there in part");
    assert!(told.is_subset(&a), "lost: {:?}", told.difference(&a).collect::<Vec<_>>());
    let last = a.last().map_or(Revision::ZERO, |(revision, _)| *revision);
    assert_eq!(store.revision().await.unwrap(), last);
    let revisions: BTreeSet<_> = a.iter().map(|(revision, _)| revision).collect();
    assert_eq!(revisions.len() as u64, last.get(), "each revision is one write");
    store.close().await.unwrap();
}
