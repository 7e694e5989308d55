//! Words for what the core handles.

use std::collections::BTreeMap;

use lockstep_protocol::record::{Kind, Mode, PartStatus};
use lockstep_protocol::{Answer, Ask, Reply, Request};
use lockstep_types::{Configuration as Tree, Content, Delta, Edit, Target};

/// A list of names.
pub(super) fn names<'n>(names: impl IntoIterator<Item = &'n Target>) -> String {
    let names: Vec<_> = names.into_iter().map(Target::as_str).collect();
    names.join(", ")
}

fn content(content: &Content) -> String {
    match content {
        Content::Leaf(value) => value.to_string(),
        other => format!("{other:?}"),
    }
}

/// What a device holds.
pub(super) fn values(tree: &Tree) -> String {
    let values: Vec<_> = tree.iter().map(|(path, c)| format!("{path}={}", content(c))).collect();
    if values.is_empty() { "nothing".into() } else { values.join(" ") }
}

fn delta(delta: &Delta) -> String {
    let unit = |(path, wanted): (_, &Option<Content>)| match wanted {
        Some(wanted) => format!("{path}={}", content(wanted)),
        None => format!("no {path}"),
    };
    delta.iter().map(unit).collect::<Vec<_>>().join(" ")
}

fn edit(edit: &Edit) -> String {
    let cleared = edit.clear.iter().map(|path| format!("no {path}"));
    let set = edit.set.iter().map(|(path, c)| format!("{path}={}", content(c)));
    cleared.chain(set).collect::<Vec<_>>().join(" ")
}

/// What a client asks.
pub(super) fn request(request: &Request) -> String {
    let body = &request.body;
    if let Kind::Rollback { of, .. } = body.kind {
        return format!("roll back transaction {of}");
    }
    if let Kind::Restore { to } = body.kind {
        return format!("take {} back to transaction {to}", names(body.only.iter()));
    }
    let mode = match body.mode {
        Mode::Atomic => "atomic",
        Mode::Queued => "queued",
    };
    let mut alike: BTreeMap<String, Vec<&Target>> = BTreeMap::new();
    for (target, asked) in &body.edits {
        alike.entry(edit(asked)).or_default().push(target);
    }
    let parts = alike.into_iter().map(|(edit, on)| format!("{edit} on {}", names(on)));
    format!("{mode}: {}", parts.collect::<Vec<_>>().join("; "))
}

/// What a client is told.
pub(super) fn reply(reply: &Reply) -> String {
    match reply {
        Reply::Done => "done".into(),
        Reply::Refused(refusal) => format!("no: {refusal}"),
        Reply::Transaction { index, status } => {
            format!("transaction {index} is {}", status.name())
        }
    }
}

/// What a device is asked.
pub(super) fn ask(ask: &Ask) -> String {
    match ask {
        Ask::Claim => "claim".into(),
        Ask::Read => "read".into(),
        Ask::Set(units) => format!("set {}", delta(units)),
        Ask::Trial { delta: units, .. } => format!("try {}", delta(units)),
        Ask::Confirm(_) => "keep it".into(),
        Ask::Cancel(_) => "take it back".into(),
    }
}

/// What a device answers.
pub(super) fn answer(answer: &Answer) -> String {
    match answer {
        Answer::Accepted => "accepted".into(),
        Answer::Unfenced(_) => "accepted, as anyone's".into(),
        Answer::Values(tree) => values(tree),
        Answer::Refused(failure) => format!("REFUSED: {}", failure.message),
        Answer::Lost => "has nothing on trial".into(),
        Answer::Fenced => "fenced".into(),
        Answer::Unknown => "no answer".into(),
        Answer::Busy => "busy".into(),
    }
}

/// How far a proposal is.
pub(super) fn part(status: PartStatus) -> &'static str {
    match status {
        PartStatus::Pending => "pending on",
        PartStatus::Accepted => "on trial on",
        PartStatus::Applied => "applied on",
        PartStatus::Refused => "refused by",
        PartStatus::Withdrawn => "withdrawn on",
        PartStatus::Undone => "undone on",
    }
}
