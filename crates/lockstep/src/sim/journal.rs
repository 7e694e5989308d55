//! A device's journal and faults, for people.

use lockstep_gnmi::{Election, code};
use lockstep_simulator::faults::{Does, Fault, Rewrite};
use lockstep_simulator::journal::{Effect, Entry, Told};
use serde_json::{Value as Json, json};
use tonic::Code;

/// An entry of a journal: number, what, by whom, what came of it, where.
pub(super) fn entry(entry: &Entry) -> String {
    let mut words = vec![format!("{:>4} {}", entry.number, entry.kind)];
    if !entry.commit.is_empty() {
        words.push(format!("commit {}", entry.commit));
    }
    words.extend(entry.election.map(|id| format!("by {}.{}", id.high, id.low)));
    words.push(match &entry.effect {
        Effect::Done => "OK".to_owned(),
        Effect::Nothing => "nothing".to_owned(),
        Effect::Refused { code, message } => format!("{}: {message}", code::name(*code)),
    });
    if entry.late {
        let after = entry.timestamp.saturating_sub(entry.arrived) / 1_000_000;
        words.push(format!("late, after {after} ms"));
    }
    match &entry.told {
        Told::Nothing => words.push("unanswered".into()),
        Told::Error { code, message } => {
            words.push(format!("answered {}: {message}", code::name(*code)));
        }
        Told::Effect => {}
    }
    if !entry.faults.is_empty() {
        words.push(format!("({})", entry.faults.join(", ")));
    }
    words.extend(entry.paths.iter().map(ToString::to_string));
    words.join(" ")
}

/// The same for programs.
pub(super) fn json(entry: &Entry) -> Json {
    let refused = |code, message: &str| json!({"code": code::name(code), "message": message});
    let effect = match &entry.effect {
        Effect::Done => refused(Code::Ok, ""),
        Effect::Nothing => Json::Null,
        Effect::Refused { code, message } => refused(*code, message),
    };
    let told = match &entry.told {
        Told::Effect => effect.clone(),
        Told::Nothing => Json::Null,
        Told::Error { code, message } => refused(*code, message),
    };
    let master = |id: Election| json!({"role": entry.role, "high": id.high, "low": id.low});
    let paths: Vec<String> = entry.paths.iter().map(ToString::to_string).collect();
    json!({
        "number": entry.number,
        "kind": entry.kind.to_string(),
        "arrived": entry.arrived,
        "timestamp": entry.timestamp,
        "boot": entry.boot,
        "master": entry.election.map(master),
        "commit": entry.commit,
        "effect": effect,
        "told": told,
        "late": entry.late,
        "faults": entry.faults,
        "paths": paths,
    })
}

/// A fault: what, to which requests, how often.
pub(super) fn fault(fault: &Fault) -> String {
    let mut words = vec![fault.does.name().to_owned()];
    words.extend(detail(&fault.does));
    if !fault.on.kinds.is_empty() {
        let kinds: Vec<_> = fault.on.kinds.iter().map(ToString::to_string).collect();
        words.push(format!("on {}", kinds.join(", ")));
    }
    if fault.on.deletes {
        words.push("that deletes".into());
    }
    words.extend(fault.on.paths.iter().map(ToString::to_string));
    words.extend(fault.times.map(|times| format!("({times} left)")));
    words.join(" ")
}

fn detail(does: &Does) -> Option<String> {
    Some(match does {
        Does::Refuse { code, message, after } => {
            let after = if *after { " after doing it" } else { "" };
            format!("{} {message}", code::name(*code)).trim_end().to_owned() + after
        }
        Does::Delay(by) => format!("{} ms", by.as_millis()),
        Does::Hang(None) => "until released".into(),
        Does::Hang(Some(after)) => format!("and apply after {} ms", after.as_millis()),
        Does::Drop { after } => when(*after).into(),
        Does::Restart { after, keep } => {
            format!("{}, {}", when(*after), if *keep { "keeping" } else { "losing" })
        }
        Does::Rewrite(Rewrite::Value(value)) => format!("to {value}"),
        Does::Rewrite(Rewrite::Upper) => "upper".into(),
        Does::Rewrite(Rewrite::Lower) => "lower".into(),
        Does::Rewrite(Rewrite::Keep) => "keep".into(),
        Does::Lack(feature) | Does::Ignore(feature) => feature.name().into(),
        Does::Drift { value: Some(value), every } => {
            format!("to {value} every {} ms", every.as_millis())
        }
        Does::Drift { value: None, every } => format!("away every {} ms", every.as_millis()),
    })
}

fn when(after: bool) -> &'static str {
    if after { "after" } else { "before" }
}
