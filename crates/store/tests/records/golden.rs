//! One of each record with all its fields, as this version writes it, held against a file for each format level.
//!
//! Nodes of two versions may be at work on one store, and an earlier one writes back records without what it does
//! not know. So what is written changes with the level alone. Nothing here may be left to a default: a field that
//! is new has to be filled in, and then the file does not fit.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use lockstep_protocol::record::{
    Binding, Difference, Drift, Drifted, Failure, Head, Header, Horizon, Initial, Key, Kind, Mark,
    Mastership, Mode, Next, Part, PartStatus, Proposal, Reason, Rewritten, Rule, Stage, Status,
    Transaction, Trials, Window, WindowStage,
};
use lockstep_protocol::{Compare, Op};
use lockstep_store::kv::{self, Range};
use lockstep_store::records::LEVEL;
use lockstep_store::{Memory, Records, Store};
use lockstep_types::{
    Addition, Connection, Content, Delta, Edit, Index, ModelDigest, Patch, Revision, SessionId,
    Target, Term, Timestamp, TransactionId, Undo, Unit, Value,
};

use crate::support::{node, path, records, target, write};

fn folder() -> PathBuf {
    FilePath::new(env!("CARGO_MANIFEST_DIR")).join("tests/records/golden")
}

fn leaf1() -> Target {
    target("leaf1")
}

fn session() -> SessionId {
    SessionId::new("n1-5-7").unwrap()
}

fn failure() -> Failure {
    Failure { code: "ABORTED".into(), message: "no".into() }
}

fn reason() -> Reason {
    Reason::Refused { target: leaf1(), failure: failure() }
}

fn binding() -> Binding {
    Binding {
        models: ModelDigest::new("models-1").unwrap(),
        initial: Initial::Replace,
        drift: Drift::Adopt,
        ignore: vec![path("/system/clock")],
        details: "{}".into(),
    }
}

fn part() -> Part {
    Part {
        status: PartStatus::Refused,
        reason: Some(reason()),
        rolled_back_by: Some(Index::new(9)),
    }
}

fn transaction() -> Transaction {
    Transaction {
        index: Index::new(7),
        id: TransactionId::new("a").unwrap(),
        kind: Kind::Rollback { of: Index::new(3), rule: Rule::Path },
        mode: Mode::Queued,
        origin: session(),
        author: "ann".into(),
        comment: "why".into(),
        only: [leaf1()].into(),
        window: Some(Window { length: 60, stage: WindowStage::Open { until: Timestamp::new(99) } }),
        binding: Some(Box::new(binding())),
        submitted: Timestamp::new(10),
        deadline: Timestamp::new(20),
        decided: Some(Timestamp::new(11)),
        finished: Some(Timestamp::new(12)),
        status: Status::Reverted,
        reason: Some(reason()),
        targets: [(leaf1(), part())].into(),
        wide: true,
        trial: true,
        called_off: true,
        disturbed: 2,
    }
}

fn proposal() -> Proposal {
    let values = vec![Value::string("x")];
    Proposal {
        edit: Edit {
            clear: vec![path("/vlans")],
            set: [(path("/system/motd"), Content::leaf("hi"))].into_iter().collect(),
            add: [(path("/system/dns"), Addition::Values { values, sorted: true })]
                .into_iter()
                .collect(),
        },
        delta: Delta::from_iter([
            (path("/system/motd"), Some(Content::leaf("hi"))),
            (path("/vlans/vlan[id=7]"), None),
        ]),
        undo: Undo {
            units: [(path("/vlans/vlan[id=7]"), Unit::present(Content::Entry, Index::new(2)))]
                .into_iter()
                .collect(),
        },
    }
}

fn header() -> Header {
    Header {
        committed: Mark { index: Index::new(7), revision: Index::new(6) },
        applied: Mark { index: Index::new(5), revision: Index::new(4) },
        synced: Term::new(3),
        holder: Some(Index::new(7)),
        stage: Stage::Turned,
        recheck: Some(Index::new(6)),
        resync_refused: Some(failure()),
        met: true,
        paused: true,
        claim: Term::new(8),
        since: Index::new(1),
        adopting: true,
        adopting_for: "ann".into(),
        trials: Trials::Always,
        fenced: Some(true),
        trial: Some(Index::new(7)),
    }
}

fn patch(motd: &str) -> Patch {
    let unit = Unit::present(Content::leaf(motd), Index::new(7));
    [(path("/system/motd"), unit)].into_iter().collect()
}

fn ops() -> Vec<Op> {
    let target = leaf1;
    let (index, wanted, seen) = (Index::new(7), Some(Content::leaf("a")), Some(Content::leaf("b")));
    let difference =
        Difference { path: path("/system/motd"), shows: seen.clone(), wanted: wanted.clone() };
    let mastership = Mastership {
        session: Some(session()),
        term: Term::new(3),
        connection: Connection::new(4),
        next: Some(Next { session: session(), connection: Connection::new(5) }),
    };
    let drifted = Drifted { term: Term::new(3), first: vec![difference], more: 1, given_up: true };
    vec![
        Op::Head(Head { index, timestamp: Timestamp::new(12) }),
        Op::Horizon(Horizon { index: Index::new(1), since: Timestamp::new(2) }),
        Op::Id { id: TransactionId::new("a").unwrap(), index },
        Op::Transaction(transaction()),
        Op::Proposal { index, target: target(), proposal: proposal() },
        Op::Part { index, target: target(), part: part() },
        Op::Configuration {
            target: target(),
            header: header(),
            committed: patch("a"),
            applied: patch("b"),
            cleared: true,
        },
        Op::Marks {
            target: target(),
            marks: [(path("/system/motd"), Rewritten { wanted, seen })].into(),
        },
        Op::Drifted { target: target(), drifted },
        Op::Mastership { target: target(), mastership },
        Op::Binding { target: target(), binding: binding() },
    ]
}

/// Everything in a store of ours, a line each: the key, and the value as it is but for the byte in front of it.
async fn lines(store: &dyn Store) -> Vec<String> {
    let entries = store.range(Range::all()).await.unwrap().entries;
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let lines = entries.iter().map(|entry| (text(&entry.key), text(&entry.value[1..])));
    let ours = lines.filter(|(key, _)| !key.starts_with("meta/"));
    // The name of a session has the lease in it.
    let ours = ours.map(|(key, value)| match key.starts_with("session/") {
        true => format!("session/n1 {value}"),
        false => format!("{key} {value}"),
    });
    ours.collect()
}

/// As it is written, and again once its deltas have become a snapshot.
async fn written() -> String {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let records = Records::open(Arc::clone(&store)).await.unwrap();
    let absent = Compare::Absent(Key::Configuration(leaf1()));
    write(&records, vec![absent], ops()).await;
    let session = records.begin(&node()).await.unwrap();
    let mut all = lines(&*store).await;
    records.fold(&leaf1()).await.unwrap();
    let folded = lines(&*store).await;
    all.extend(
        folded
            .into_iter()
            .filter(|line| line.starts_with("snapshot/") || line.starts_with("chunk/")),
    );
    session.end().await.unwrap();
    all.join("\n") + "\n"
}

#[tokio::test]
async fn what_is_written_changes_with_the_format_level_alone() {
    let (file, now) = (folder().join(format!("level-{LEVEL}.txt")), written().await);
    if std::env::var_os("LOCKSTEP_WRITE").is_some() {
        std::fs::write(&file, &now).unwrap();
    }
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    for (known, now) in known.lines().zip(now.lines()) {
        assert_eq!(known, now, "{CHANGED}");
    }
    assert_eq!(known, now, "{CHANGED}");
}

const CHANGED: &str = "\
records are not written as they were: nodes of an earlier version would not read them, or drop what they do not know. \
Raise LEVEL in crates/store/src/records/format.rs, unless it was raised since the last release, and write the new file: \
LOCKSTEP_WRITE=1 cargo test -p lockstep-store --test records golden";

/// Those of every level there was.
#[tokio::test]
async fn what_any_level_wrote_is_read() {
    for level in 2..=LEVEL {
        let file = folder().join(format!("level-{level}.txt"));
        let known = std::fs::read_to_string(&file).unwrap();
        let store = Memory::new();
        let entries = known.lines().map(|line| line.split_once(' ').unwrap());
        let ops = entries
            .map(|(key, value)| kv::Op::put(key.as_bytes(), format!("\u{1}{value}").as_bytes()));
        let ops: Vec<_> = ops.collect();
        let records = records(store.clone()).await;
        store.txn(kv::Txn { compares: vec![], ops }).await.unwrap();
        let view = records.load().await.unwrap();
        assert_eq!(view.transaction(Index::new(7)), Some(&transaction()), "level {level}");
        // A transaction that has come to its end holds nothing any more, whatever the record says.
        let read = Header { holder: None, stage: Stage::Committed, ..header() };
        assert_eq!(view.header(&leaf1()), &read, "level {level}");
        assert!(view.revision() > Revision::ZERO);
    }
}
