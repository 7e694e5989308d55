//! Faults on the wire.

use std::time::Duration;

use lockstep_gnmi::code;
use lockstep_gnmi::proto::lockstep::sim::v1::{self as wire, fault, rewrite};
use lockstep_types::Path;
use serde_json::Value as Json;
use tonic::Code;

use crate::faults::{Does, Fault, Feature, On, Plan, Rewrite};
use crate::journal::Kind;

/// Faults as they were asked for, or what is wrong with them.
pub(in crate::control) fn read(faults: &wire::Faults) -> Result<Plan, String> {
    let refuse = faults.refuse.iter().map(|refusal| {
        let wire::Refusal { pattern, code, message } = refusal.clone();
        let does = fault::Does::Refuse(wire::Refuse { code, message, after: false });
        let paths = vec![pattern];
        read_one(&wire::Fault { paths, does: Some(does), ..wire::Fault::default() })
    });
    let all = refuse.chain(faults.fault.iter().map(read_one));
    all.collect::<Result<Vec<_>, _>>().map(Plan::from)
}

/// One of them.
pub(crate) fn read_one(fault: &wire::Fault) -> Result<Fault, String> {
    let does = read_does(fault.does.as_ref().ok_or("a fault that does nothing")?)?;
    let mut kinds = Vec::new();
    for name in &fault.on {
        kinds.extend(read_kind(name)?);
    }
    let paths = fault
        .paths
        .iter()
        .map(|text| text.parse::<Path>().map_err(|error| format!("pattern `{text}`: {error}")));
    let paths = paths.collect::<Result<Vec<_>, _>>()?;
    if matches!(does, Does::Drift { .. }) && paths.is_empty() {
        return Err("a drift needs a path".into());
    }
    let on = On { kinds, paths, deletes: fault.deletes };
    Ok(Fault { on, does, times: (fault.times > 0).then_some(fault.times) })
}

fn read_kind(name: &str) -> Result<Vec<Kind>, String> {
    if name == "any" {
        return Ok(Kind::REQUESTS.to_vec());
    }
    let kind = Kind::parse(name).filter(|kind| Kind::REQUESTS.contains(kind));
    kind.map(|kind| vec![kind]).ok_or_else(|| {
        let names: Vec<_> = Kind::REQUESTS.iter().map(ToString::to_string).collect();
        format!("`{name}` is no kind of request; there are {} and any", names.join(", "))
    })
}

fn read_does(does: &fault::Does) -> Result<Does, String> {
    let time = Duration::from_millis;
    Ok(match does {
        fault::Does::Refuse(wire::Refuse { code, message, after }) => {
            Does::Refuse { code: error_code(code)?, message: message.clone(), after: *after }
        }
        fault::Does::Delay(delay) => Does::Delay(time(delay.milliseconds)),
        fault::Does::Hang(hang) => Does::Hang(hang.milliseconds.map(time)),
        fault::Does::Drop(wire::Drop { after }) => Does::Drop { after: *after },
        fault::Does::Restart(wire::PowerCut { after, keep }) => {
            Does::Restart { after: *after, keep: *keep }
        }
        fault::Does::Rewrite(rewrite) => Does::Rewrite(read_rewrite(rewrite)?),
        fault::Does::Lack(name) => Does::Lack(feature(name)?),
        fault::Does::Ignore(name) => {
            let feature = feature(name)?;
            if !feature.can_be_ignored() {
                return Err(format!(
                    "{name} cannot be ignored, only arbitration and commit-confirmed"
                ));
            }
            Does::Ignore(feature)
        }
        fault::Does::Drift(wire::Drifting { every_milliseconds: 0, .. }) => {
            return Err("a drift needs some time from one to the next".into());
        }
        fault::Does::Drift(drift) => {
            Does::Drift { value: json(&drift.value)?, every: time(drift.every_milliseconds) }
        }
    })
}

fn read_rewrite(rewrite: &wire::Rewrite) -> Result<Rewrite, String> {
    match &rewrite.to {
        Some(rewrite::To::How(how)) => match how.as_str() {
            "upper" => Ok(Rewrite::Upper),
            "lower" => Ok(Rewrite::Lower),
            "keep" => Ok(Rewrite::Keep),
            how => Err(format!("there is no way to rewrite `{how}`; there are upper, lower, keep")),
        },
        Some(rewrite::To::Value(text)) => {
            json(text)?.map(Rewrite::Value).ok_or_else(|| "a rewrite to nothing".into())
        }
        None => Err("a rewrite to nothing".into()),
    }
}

fn feature(name: &str) -> Result<Feature, String> {
    Feature::parse(name).ok_or_else(|| format!("there is no feature `{name}`"))
}

/// A value in JSON; none where there is no text.
pub(in crate::control) fn json(text: &str) -> Result<Option<Json>, String> {
    match text {
        "" => Ok(None),
        text => serde_json::from_str(text).map(Some).map_err(|error| format!("`{text}`: {error}")),
    }
}

fn error_code(name: &str) -> Result<Code, String> {
    match (name, code::parse(name)) {
        ("", _) => Ok(Code::FailedPrecondition),
        (_, Some(Code::Ok)) => Err("a refusal cannot have the code OK".into()),
        (_, Some(code)) => Ok(code),
        (_, None) => {
            Err(format!("there is no gRPC code `{name}`; it is written as in FAILED_PRECONDITION"))
        }
    }
}

/// Faults to ask for.
pub(in crate::control) fn write(plan: &Plan) -> wire::Faults {
    wire::Faults { refuse: Vec::new(), fault: plan.iter().map(write_one).collect() }
}

fn write_one(fault: &Fault) -> wire::Fault {
    wire::Fault {
        on: fault.on.kinds.iter().map(ToString::to_string).collect(),
        paths: fault.on.paths.iter().map(ToString::to_string).collect(),
        deletes: fault.on.deletes,
        times: fault.times.unwrap_or(0),
        does: Some(write_does(&fault.does)),
    }
}

fn write_does(does: &Does) -> fault::Does {
    let time = |length: &Duration| u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
    match does {
        Does::Refuse { code, message, after } => {
            let (code, message) = (code::name(*code).into(), message.clone());
            fault::Does::Refuse(wire::Refuse { code, message, after: *after })
        }
        Does::Delay(by) => fault::Does::Delay(wire::Delay { milliseconds: time(by) }),
        Does::Hang(after) => {
            fault::Does::Hang(wire::Hang { milliseconds: after.as_ref().map(time) })
        }
        Does::Drop { after } => fault::Does::Drop(wire::Drop { after: *after }),
        Does::Restart { after, keep } => {
            fault::Does::Restart(wire::PowerCut { after: *after, keep: *keep })
        }
        Does::Rewrite(to) => {
            let to = match to {
                Rewrite::Upper => rewrite::To::How("upper".into()),
                Rewrite::Lower => rewrite::To::How("lower".into()),
                Rewrite::Keep => rewrite::To::How("keep".into()),
                Rewrite::Value(json) => rewrite::To::Value(json.to_string()),
            };
            fault::Does::Rewrite(wire::Rewrite { to: Some(to) })
        }
        Does::Lack(feature) => fault::Does::Lack(feature.name().into()),
        Does::Ignore(feature) => fault::Does::Ignore(feature.name().into()),
        Does::Drift { value, every } => {
            let value = value.as_ref().map(ToString::to_string).unwrap_or_default();
            fault::Does::Drift(wire::Drifting { value, every_milliseconds: time(every) })
        }
    }
}
