//! Clients that change devices through any node, and keep what they were told.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use lockstep_node::Handle;
use lockstep_protocol::record::{Kind, Mode, Rule, Status};
use lockstep_protocol::{Body, Reply, Request, Until};
use lockstep_types::{Content, Edit, Index, Path, Target, TransactionId};
use tokio::time::timeout;

use crate::chance::Chance;

/// How long a client waits.
const PATIENCE: Duration = Duration::from_secs(40);

/// What a client was told of one thing it asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// It is in the log, and stood there like this.
    Status(Index, Status),
    /// Nothing was written.
    Refused,
    /// Nobody told: the node ended, or it took too long.
    Nothing,
}

impl Told {
    /// What an answer says.
    pub fn of<B, E>(answer: Result<Result<Reply, B>, E>) -> Self {
        match answer {
            Ok(Ok(Reply::Transaction { index, status })) => Self::Status(index, status),
            Ok(Ok(Reply::Refused(_) | Reply::Done)) => Self::Refused,
            Ok(Err(_)) | Err(_) => Self::Nothing,
        }
    }
}

/// One thing that was asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its id.
    pub id: TransactionId,
    /// What came of it.
    pub told: Told,
}

/// Asks for something, and waits for the answer.
pub async fn ask(handle: Handle, targets: Vec<Target>, number: usize, chance: Chance) -> Asked {
    let id = TransactionId::new(format!("request {number}")).expect("an id");
    let atomic = chance.percent(70);
    let body = match chance.below(12) {
        0 => rollback(&handle, &chance),
        1 => restore(&handle, &targets, &chance),
        _ => change(&targets, number, atomic, &chance),
    };
    let request = Request {
        id: id.clone(),
        body,
        until: if chance.percent(70) { Until::Outcome } else { Until::Decision },
        deadline: handle.now().after(seconds(chance.below(20) + 2)),
        answer_by: None,
        author: String::new(),
        comment: String::new(),
    };
    let told = Told::of(timeout(PATIENCE, handle.submit(request)).await);
    Asked { id, told }
}

fn seconds(seconds: usize) -> u64 {
    seconds as u64 * 1_000_000_000
}

fn change(targets: &[Target], number: usize, atomic: bool, chance: &Chance) -> Body {
    let count = *chance.one(&[1, 1, 1, 1, 2, 2, 2, 3, 4, 5]).unwrap_or(&1);
    let mut edits = BTreeMap::new();
    while edits.len() < count.min(targets.len()) {
        if let Some(target) = chance.one(targets) {
            edits.insert(target.clone(), edit(number, chance));
        }
    }
    let mode = if atomic { Mode::Atomic } else { Mode::Queued };
    let window = (atomic && chance.percent(10)).then(|| seconds(chance.below(10) + 1));
    Body { kind: Kind::Change, mode, edits, only: BTreeSet::new(), window, binding: None }
}

/// A value that nobody else sets, or one that goes; now and then something that is not valid.
fn edit(number: usize, chance: &Chance) -> Edit {
    let path = |text: &str| text.parse::<Path>().expect("a path");
    let vlan = format!("/vlans/vlan[id={}]/name", chance.below(3) + 1);
    let mut edit = Edit::default();
    match chance.below(8) {
        0 => edit.clear.push(path("/system/motd")),
        1 => edit.clear.push(path("/vlans")),
        2 | 3 => drop(edit.set.insert(path(&vlan), Content::leaf(format!("v{number}")))),
        4 => drop(edit.set.insert(path("/system/hostname"), Content::leaf(format!("h{number}")))),
        _ => drop(edit.set.insert(path("/system/motd"), Content::leaf(format!("m{number}")))),
    }
    edit
}

fn rollback(handle: &Handle, chance: &Chance) -> Body {
    let view = handle.view();
    let latest: Vec<Index> = view.transactions_backwards().take(4).map(|t| t.index).collect();
    let of = chance.one(&latest).copied().unwrap_or(Index::new(1));
    let rule = if chance.percent(50) { Rule::Path } else { Rule::Target };
    let (edits, only) = Default::default();
    let kind = Kind::Rollback { of, rule };
    Body { kind, mode: Mode::Atomic, edits, only, window: None, binding: None }
}

/// Takes a target or two back to how they stood not long ago.
fn restore(handle: &Handle, targets: &[Target], chance: &Chance) -> Body {
    let view = handle.view();
    let latest: Vec<Index> = view.transactions_backwards().take(12).map(|t| t.index).collect();
    let to = chance.one(&latest).copied().unwrap_or(Index::new(1));
    let only = (0..=chance.below(2)).filter_map(|_| chance.one(targets).cloned()).collect();
    let mode = if chance.percent(50) { Mode::Atomic } else { Mode::Queued };
    let kind = Kind::Restore { to };
    Body { kind, mode, edits: BTreeMap::new(), only, window: None, binding: None }
}
