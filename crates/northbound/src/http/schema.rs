//! The form of everything that is given over HTTP. A test holds what is written to it.

use lockstep_gnmi::words;
use serde_json::{Map, Value, json};

fn text() -> Value {
    json!({ "type": "string" })
}

fn number() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn flag() -> Value {
    json!({ "type": "boolean" })
}

fn time() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

/// That, or nothing.
fn maybe(schema: &Value) -> Value {
    json!({ "oneOf": [schema, { "type": "null" }] })
}

fn many(schema: &Value) -> Value {
    json!({ "type": "array", "items": schema })
}

/// Any names, each with one of these.
fn named(schema: &Value) -> Value {
    json!({ "type": "object", "additionalProperties": schema })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// An object that always has these members.
fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let required: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> =
        members.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({ "type": "object", "required": required, "properties": properties })
}

/// By name.
pub(super) fn schemas() -> Map<String, Value> {
    let all = [transactions(), configurations(), targets(), others()].concat();
    all.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

fn transactions() -> Vec<(&'static str, Value)> {
    let failure = object([("code", text()), ("message", text()), ("path", maybe(&text()))]);
    let of_target = object([
        ("status", json!({ "enum": words::PARTS })),
        ("stage", maybe(&text())),
        ("error", maybe(&reference("Failure"))),
        ("waiting_for", maybe(&text())),
    ]);
    let transaction = object([
        ("index", number()),
        ("id", text()),
        (
            "kind",
            json!({ "enum": ["change", "rollback", "restore", "adopt", "add", "rebind", "remove"] }),
        ),
        ("of", maybe(&number())),
        ("to", maybe(&number())),
        ("mode", json!({ "enum": ["atomic", "queued"] })),
        ("status", json!({ "enum": words::STATUSES })),
        ("stage", maybe(&text())),
        ("author", text()),
        ("comment", text()),
        ("submitted", time()),
        ("deadline", maybe(&time())),
        ("decided", maybe(&time())),
        ("finished", maybe(&time())),
        ("waiting_for", maybe(&text())),
        ("error", maybe(&reference("Failure"))),
        ("rolled_back_by", maybe(&number())),
        ("window", json!({ "enum": ["waiting", "open", "confirmed", "reverted", null] })),
        ("confirm_until", maybe(&time())),
        ("target_count", number()),
        ("counts", named(&number())),
        ("stages", named(&number())),
        ("targets", named(&reference("TransactionTarget"))),
    ]);
    let list = object([
        ("transactions", many(&reference("Transaction"))),
        ("next_before", maybe(&number())),
        ("head", number()),
        ("horizon", number()),
    ]);
    let operations = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "update": { "type": "object", "description": "by path", "additionalProperties": true },
            "replace": { "type": "object", "description": "by path", "additionalProperties": true },
            "delete": { "type": "array", "items": text() },
        },
    });
    vec![
        ("Failure", failure),
        ("TransactionTarget", of_target),
        ("Transaction", transaction),
        ("Transactions", list),
        ("ChangeFile", named(&operations)),
        ("TargetNames", object([("targets", many(&text()))])),
        (
            "TransactionOrDryRun",
            json!({ "oneOf": [reference("Transaction"), reference("DryRun")] }),
        ),
    ]
}

fn configurations() -> Vec<(&'static str, Value)> {
    let value = json!({ "description": "a value (RFC 7951); null: nothing is there" });
    let change =
        object([("path", text()), ("before", value.clone()), ("after", value), ("masked", flag())]);
    let changes = many(&reference("Change"));
    let violation = object([("target", text()), ("path", maybe(&text())), ("message", text())]);
    let dry_run = object([
        ("valid", flag()),
        ("changes", reference("ChangesByTarget")),
        ("violations", many(&reference("Violation"))),
    ]);
    let configuration = object([
        ("index", maybe(&number())),
        (
            "values",
            json!({ "type": "object", "description": "by path", "additionalProperties": true }),
        ),
    ]);
    let changed = object([
        ("target", text()),
        ("index", maybe(&number())),
        ("time", time()),
        ("changes", changes.clone()),
    ]);
    vec![
        ("Change", change),
        ("ChangesByTarget", named(&changes)),
        ("Violation", violation),
        ("DryRun", dry_run),
        ("Configuration", configuration),
        ("Diff", object([("changes", changes), ("secrets", number())])),
        ("TargetChanged", changed),
        (
            "Synced",
            json!({ "type": "object", "description": "what was asked for first has been told" }),
        ),
    ]
}

fn targets() -> Vec<(&'static str, Value)> {
    let difference =
        object([("path", text()), ("shows", maybe(&text())), ("wanted", maybe(&text()))]);
    let states = ["pending", "synchronising", "synchronised", "drifted", "paused", "failed"];
    let target = object([
        ("name", text()),
        ("address", text()),
        ("connected", flag()),
        ("master", maybe(&text())),
        ("term", number()),
        ("state", json!({ "enum": states })),
        ("reason", maybe(&text())),
        ("fencing", json!({ "enum": ["device", "store-only", "unknown"] })),
        ("committed", number()),
        ("applied", number()),
        ("model", text()),
        ("tags", many(&text())),
        ("source", json!({ "enum": ["file", "api"] })),
        ("waiting_for", maybe(&text())),
        ("drift", many(&reference("Difference"))),
        ("drift_more", number()),
    ]);
    let changed = object([("targets", many(&reference("Target"))), ("gone", many(&text()))]);
    let done = object([
        ("transaction", maybe(&reference("Transaction"))),
        ("target", maybe(&reference("Target"))),
    ]);
    let options = json!({
        "type": "object",
        "description": "The keys of a target in the configuration file: address, model, username, password, …",
        "additionalProperties": true,
    });
    vec![
        ("Difference", difference),
        ("Target", target),
        ("TargetsChanged", changed),
        ("TargetDone", done),
        ("TargetOptions", options),
    ]
}

fn others() -> Vec<(&'static str, Value)> {
    let module = object([("name", text()), ("revision", maybe(&text()))]);
    let model = object([
        ("name", maybe(&text())),
        ("digest", maybe(&text())),
        ("modules", many(&reference("Module"))),
        ("targets", number()),
        ("error", maybe(&text())),
    ]);
    let node = object([
        ("name", text()),
        ("session", text()),
        ("answers", flag()),
        ("masterships", named(&number())),
    ]);
    let summary = object([
        ("node", text()),
        ("version", text()),
        ("now", time()),
        ("nodes", number()),
        ("head", number()),
        ("horizon", number()),
        ("targets", named(&number())),
        ("transactions", named(&number())),
        ("open", many(&reference("Transaction"))),
    ]);
    let rights = many(&json!({ "enum": ["read", "change", "operate", "read-secrets"] }));
    let me = object([
        ("name", maybe(&text())),
        ("how", json!({ "enum": ["password", "token", "certificate", "none"] })),
        ("groups", many(&text())),
        ("rights", rights.clone()),
        ("everywhere", rights),
        ("until", maybe(&time())),
    ]);
    let failed = object([("code", text()), ("message", text())]);
    let refused =
        object([("error", reference("Failed")), ("transaction", maybe(&reference("Transaction")))]);
    vec![
        ("Module", module),
        ("Model", model),
        ("Node", node),
        ("Summary", summary),
        ("Me", me),
        ("Compacted", object([("horizon", number()), ("revision", number())])),
        ("Failed", failed),
        ("Refused", refused),
        ("Document", json!({ "type": "object" })),
    ]
}
