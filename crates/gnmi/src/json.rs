//! `lockstep.v1` as JSON: the form that others may rely on, the same on the command line and over HTTP.
//!
//! Nothing to say is `null`, not an empty text. Fields may be added, never renamed.

use prost_types::Timestamp;
use serde_json::{Map, Value, json};

use crate::proto::lockstep::v1::{
    Change, DiffResponse, Difference, DryRunResponse, Failure, Found, GetConfigurationResponse,
    GetSummaryResponse, Model, Module, Node, Outcome, Target, TargetChanges, Transaction,
    Violation, WhoAmIResponse,
};

fn text(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { json!(text) }
}

fn time(at: Option<&Timestamp>) -> Value {
    at.map_or(Value::Null, |at| json!(at.to_string()))
}

fn number(number: u64) -> Value {
    if number == 0 { Value::Null } else { json!(number) }
}

fn all<T>(each: &[T], one: impl Fn(&T) -> Value) -> Value {
    each.iter().map(one).collect()
}

/// Why something did not happen.
pub fn failure(failure: Option<&Failure>) -> Value {
    failure.map_or(Value::Null, |failure| {
        json!({ "code": failure.code, "message": failure.message, "path": text(&failure.path) })
    })
}

/// What became of a transaction that did not come to what was asked.
pub fn outcome(told: &Outcome) -> Value {
    let targets = told.targets.iter().map(|(name, target)| {
        let (code, message) = (&target.code, &target.message);
        let error = (!message.is_empty() || !code.is_empty())
            .then(|| json!({ "code": code, "message": message, "path": text(&target.path) }));
        let one = json!({
            "status": target.status,
            "stage": text(&target.stage),
            "error": error,
            "waiting_for": text(&target.waiting_for),
        });
        (name.clone(), one)
    });
    json!({
        "index": told.index,
        "id": told.id,
        "status": told.status,
        "stage": text(&told.stage),
        "targets": targets.collect::<Map<_, _>>(),
        "left_out": told.left_out,
    })
}

/// Where two configurations differ.
pub fn diff(found: &DiffResponse) -> Value {
    json!({ "changes": changes(&found.changes), "secrets": found.secrets })
}

/// A transaction.
pub fn transaction(shown: &Transaction) -> Value {
    let targets = shown.targets.iter().map(|(name, target)| {
        let one = json!({
            "status": target.status,
            "stage": text(&target.stage),
            "error": failure(target.error.as_ref()),
            "waiting_for": text(&target.waiting_for),
        });
        (name.clone(), one)
    });
    json!({
        "index": shown.index,
        "id": shown.id,
        "kind": shown.kind,
        "of": number(shown.of),
        "to": number(shown.to),
        "mode": shown.mode,
        "status": shown.status,
        "stage": text(&shown.stage),
        "author": shown.author,
        "comment": shown.comment,
        "submitted": time(shown.submitted.as_ref()),
        "deadline": time(shown.deadline.as_ref()),
        "decided": time(shown.decided.as_ref()),
        "finished": time(shown.finished.as_ref()),
        "waiting_for": text(&shown.waiting_for),
        "error": failure(shown.error.as_ref()),
        "rolled_back_by": number(shown.rolled_back_by),
        "window": text(&shown.window),
        "confirm_until": time(shown.confirm_until.as_ref()),
        "target_count": shown.target_count,
        "counts": shown.counts,
        "stages": shown.stages,
        "targets": targets.collect::<Map<_, _>>(),
    })
}

fn difference(found: &Difference) -> Value {
    json!({ "path": found.path, "shows": found.shows, "wanted": found.wanted })
}

/// A target.
pub fn target(shown: &Target) -> Value {
    json!({
        "name": shown.name,
        "address": shown.address,
        "connected": shown.connected,
        "master": text(&shown.master),
        "term": shown.term,
        "state": shown.state,
        "reason": text(&shown.reason),
        "fencing": shown.fencing,
        "committed": shown.committed,
        "applied": shown.applied,
        "model": shown.model,
        "tags": shown.tags,
        "source": shown.source,
        "waiting_for": text(&shown.waiting_for),
        "drift": all(&shown.drift, difference),
        "drift_more": shown.drift_more,
    })
}

/// A model set.
pub fn model(shown: &Model) -> Value {
    let module =
        |module: &Module| json!({ "name": module.name, "revision": text(&module.revision) });
    json!({
        "name": text(&shown.name),
        "digest": text(&shown.digest),
        "modules": all(&shown.modules, module),
        "targets": shown.targets,
        "error": text(&shown.error),
    })
}

/// A running node.
pub fn node(shown: &Node) -> Value {
    json!({
        "name": shown.name,
        "session": shown.session,
        "answers": shown.answers,
        "masterships": shown.masterships,
    })
}

/// A value that travels as text.
fn value(written: Option<&String>) -> Value {
    written.map_or(Value::Null, |text| {
        serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
    })
}

/// What changes at one path. Nothing there is `null`, which no value of a configuration is.
pub fn change(shown: &Change) -> Value {
    json!({
        "path": shown.path,
        "before": value(shown.before.as_ref()),
        "after": value(shown.after.as_ref()),
        "masked": shown.masked,
    })
}

/// What changes at several paths.
pub fn changes(shown: &[Change]) -> Value {
    all(shown, change)
}

/// What changes, target by target.
pub fn targets_changes(shown: &[TargetChanges]) -> Value {
    let each = shown.iter().map(|one| (one.target.clone(), changes(&one.changes)));
    Value::Object(each.collect())
}

fn violation(shown: &Violation) -> Value {
    json!({ "target": shown.target, "path": text(&shown.path), "message": shown.message })
}

/// What a dry run found.
pub fn dry_run(shown: &DryRunResponse) -> Value {
    json!({
        "valid": shown.violations.is_empty(),
        "changes": targets_changes(&shown.changes),
        "violations": all(&shown.violations, violation),
    })
}

/// A configuration, by path.
pub fn configuration(shown: &GetConfigurationResponse) -> Value {
    let found = |found: &Found| (found.path.clone(), value(Some(&found.value)));
    json!({
        "index": number(shown.index),
        "values": shown.found.iter().map(found).collect::<Map<_, _>>(),
    })
}

/// How everything stands.
pub fn summary(shown: &GetSummaryResponse) -> Value {
    json!({
        "node": shown.node,
        "version": shown.version,
        "now": time(shown.now.as_ref()),
        "nodes": shown.nodes,
        "head": shown.head,
        "horizon": shown.horizon,
        "targets": shown.targets,
        "transactions": shown.transactions,
        "open": all(&shown.open, transaction),
    })
}

/// Who somebody is.
pub fn who(shown: &WhoAmIResponse) -> Value {
    json!({
        "name": text(&shown.name),
        "how": shown.how,
        "groups": shown.groups,
        "rights": shown.rights,
        "everywhere": shown.everywhere,
        "until": time(shown.until.as_ref()),
    })
}
