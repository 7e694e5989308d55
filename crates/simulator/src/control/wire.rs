//! Journals on the wire.

pub(super) mod faults;

use lockstep_gnmi::proto::lockstep::sim::v1 as wire;
use lockstep_gnmi::{Election, code};
use tonic::Code;

use crate::journal::{Effect, Entry, Kind, Told};

/// An entry of a journal, without the configuration.
pub(super) fn write_entry(entry: Entry) -> wire::Entry {
    let told = told(&entry);
    let (code, message) = match entry.effect {
        Effect::Done => (code::name(Code::Ok), String::new()),
        Effect::Nothing => ("", String::new()),
        Effect::Refused { code, message } => (code::name(code), message),
    };
    let role = entry.role;
    wire::Entry {
        number: entry.number,
        timestamp: entry.timestamp,
        boot: entry.boot,
        kind: entry.kind.to_string(),
        master: entry.election.map(|Election { high, low }| wire::Master { role, high, low }),
        paths: entry.paths.iter().map(ToString::to_string).collect(),
        code: code.into(),
        message,
        arrived: entry.arrived,
        late: entry.late,
        told: Some(told),
        faults: entry.faults,
        commit: entry.commit,
        changes: Vec::new(),
    }
}

fn told(entry: &Entry) -> wire::Told {
    let (code, message) = match (&entry.told, &entry.effect) {
        (Told::Nothing, _) | (Told::Effect, Effect::Nothing) => ("", ""),
        (Told::Effect, Effect::Done) => (code::name(Code::Ok), ""),
        (Told::Effect, Effect::Refused { code, message }) | (Told::Error { code, message }, _) => {
            (code::name(*code), message.as_str())
        }
    };
    wire::Told { code: code.into(), message: message.into() }
}

/// An entry of a journal, or the name of the field that cannot be one.
pub(super) fn read_entry(entry: wire::Entry) -> Result<Entry, &'static str> {
    let told = entry.told.unwrap_or_default();
    let told = match told.code.as_str() {
        code if code == entry.code => Told::Effect,
        "" => Told::Nothing,
        code => Told::Error { code: code::parse(code).ok_or("told")?, message: told.message },
    };
    let effect = match entry.code.as_str() {
        "" => Effect::Nothing,
        name => match code::parse(name).ok_or("code")? {
            Code::Ok => Effect::Done,
            code => Effect::Refused { code, message: entry.message },
        },
    };
    let paths = entry.paths.iter().map(|path| path.parse()).collect::<Result<_, _>>();
    Ok(Entry {
        number: entry.number,
        timestamp: entry.timestamp,
        arrived: entry.arrived,
        boot: entry.boot,
        kind: Kind::parse(&entry.kind).ok_or("kind")?,
        election: entry.master.as_ref().map(|one| Election { high: one.high, low: one.low }),
        role: entry.master.map(|master| master.role).unwrap_or_default(),
        paths: paths.or(Err("paths"))?,
        commit: entry.commit,
        effect,
        told,
        late: entry.late,
        faults: entry.faults,
        configuration: None,
    })
}
