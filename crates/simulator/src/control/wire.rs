//! Faults and journals on the wire.

use lockstep_gnmi::proto::lockstep::sim::v1 as wire;
use lockstep_gnmi::{Election, code};
use lockstep_types::Path;
use tonic::{Code, Status};

use crate::Faults;
use crate::faults::Refusal;
use crate::journal::{Effect, Entry, Kind};

/// Faults as they were asked for.
pub(super) fn read_faults(faults: &wire::Faults) -> Result<Faults, Status> {
    let refuse = faults.refuse.iter().map(read_refusal).collect::<Result<_, _>>()?;
    Ok(Faults { refuse })
}

fn read_refusal(refusal: &wire::Refusal) -> Result<Refusal, Status> {
    let wire::Refusal { pattern, code: name, message } = refusal;
    let path = pattern
        .parse()
        .map_err(|error| Status::invalid_argument(format!("pattern `{pattern}`: {error}")))?;
    let code = match name.as_str() {
        "" => Refusal::of(Path::root()).code,
        name => error_code(name)?,
    };
    Ok(Refusal { pattern: path, code, message: message.clone() })
}

fn error_code(name: &str) -> Result<Code, Status> {
    match code::parse(name) {
        Some(Code::Ok) => Err(Status::invalid_argument("a refusal cannot have the code OK")),
        Some(code) => Ok(code),
        None => Err(Status::invalid_argument(format!(
            "there is no gRPC code `{name}`; it is written as in FAILED_PRECONDITION"
        ))),
    }
}

/// Faults to ask for.
pub(super) fn write_faults(faults: &Faults) -> wire::Faults {
    let refuse = faults.refuse.iter().map(|one| wire::Refusal {
        pattern: one.pattern.to_string(),
        code: code::name(one.code).into(),
        message: one.message.clone(),
    });
    wire::Faults { refuse: refuse.collect() }
}

/// An entry of a journal, without the configuration.
pub(super) fn write_entry(entry: Entry) -> wire::Entry {
    let (code, message) = match entry.effect {
        Effect::Done => (Code::Ok, String::new()),
        Effect::Refused { code, message } => (code, message),
    };
    let role = entry.role;
    wire::Entry {
        number: entry.number,
        timestamp: entry.timestamp,
        boot: entry.boot,
        kind: entry.kind.to_string(),
        master: entry.election.map(|Election { high, low }| wire::Master { role, high, low }),
        paths: entry.paths.iter().map(ToString::to_string).collect(),
        code: code::name(code).into(),
        message,
    }
}

/// An entry of a journal, or the name of the field that cannot be one.
pub(super) fn read_entry(entry: wire::Entry) -> Result<Entry, &'static str> {
    let effect = match code::parse(&entry.code).ok_or("code")? {
        Code::Ok => Effect::Done,
        code => Effect::Refused { code, message: entry.message },
    };
    let election = entry.master.as_ref().map(|one| Election { high: one.high, low: one.low });
    Ok(Entry {
        number: entry.number,
        timestamp: entry.timestamp,
        boot: entry.boot,
        kind: Kind::parse(&entry.kind).ok_or("kind")?,
        election,
        role: entry.master.map(|master| master.role).unwrap_or_default(),
        paths: entry
            .paths
            .iter()
            .map(|path| path.parse())
            .collect::<Result<_, _>>()
            .or(Err("paths"))?,
        effect,
        configuration: None,
    })
}
