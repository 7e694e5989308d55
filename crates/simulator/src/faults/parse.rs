//! Faults from a file.

use std::time::Duration;

use lockstep_gnmi::proto::lockstep::sim::v1 as wire;
use serde::Deserialize;
use serde_json::Value as Json;

use super::Fault;
use crate::control;

/// Why a file of faults cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is no YAML, or not of this shape.
    #[error("{0}")]
    Yaml(String),
    /// One of the faults makes no sense.
    #[error("fault {number}: {reason}")]
    Fault {
        /// Which, from 1.
        number: usize,
        /// Why.
        reason: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Item {
    #[serde(default)]
    devices: Many<usize>,
    #[serde(default)]
    on: Many<String>,
    #[serde(default)]
    paths: Many<String>,
    #[serde(default)]
    deletes: bool,
    #[serde(default)]
    times: u32,
    refuse: Option<Refuse>,
    delay: Option<String>,
    hang: Option<Hang>,
    drop: Option<When>,
    restart: Option<Restart>,
    rewrite: Option<Rewrite>,
    lack: Option<String>,
    ignore: Option<String>,
    drift: Option<Drift>,
}

/// One, or a list of them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Many<T> {
    One(T),
    Some(Vec<T>),
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Refuse {
    #[serde(default)]
    code: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    after: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Hang {
    apply_after: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum When {
    #[default]
    Before,
    After,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Restart {
    #[serde(default)]
    when: When,
    #[serde(default)]
    keep: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Rewrite {
    How(String),
    Value { value: Json },
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Drift {
    value: Option<Json>,
    every: String,
}

impl<T> Default for Many<T> {
    fn default() -> Self {
        Self::Some(Vec::new())
    }
}

impl<T> Many<T> {
    fn into_vec(self) -> Vec<T> {
        match self {
            Self::One(one) => vec![one],
            Self::Some(some) => some,
        }
    }
}

/// Reads a list of faults in YAML. Each comes with the devices it is for, counted from 1; none: all.
pub fn from_yaml(text: &str) -> Result<Vec<(Vec<usize>, Fault)>, Unreadable> {
    let items: Vec<Item> =
        serde_saphyr::from_str(text).map_err(|error| Unreadable::Yaml(error.to_string()))?;
    let mut faults = Vec::new();
    for (number, mut item) in (1..).zip(items) {
        let devices = std::mem::take(&mut item.devices).into_vec();
        let fault = item.into_wire().and_then(|fault| control::read_fault(&fault));
        faults.push((devices, fault.map_err(|reason| Unreadable::Fault { number, reason })?));
    }
    Ok(faults)
}

/// Reads a length of time such as `500ms`, `2s` or `10m`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let wrong = || format!("`{text}` is no length of time; write it like 500ms, 2s or 10m");
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let each = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(wrong()),
    };
    number.checked_mul(each).map(Duration::from_millis).ok_or_else(wrong)
}

fn milliseconds(text: &str) -> Result<u64, String> {
    duration(text).map(|length| u64::try_from(length.as_millis()).unwrap_or(u64::MAX))
}

impl Item {
    fn into_wire(self) -> Result<wire::Fault, String> {
        use wire::fault::Does;
        let after = |when| matches!(when, When::After);
        let does = [
            self.refuse.map(|Refuse { code, message, after }| {
                Ok(Does::Refuse(wire::Refuse { code, message, after }))
            }),
            self.delay.map(|by| {
                milliseconds(&by).map(|milliseconds| Does::Delay(wire::Delay { milliseconds }))
            }),
            self.hang.map(|hang| {
                let milliseconds = hang.apply_after.as_deref().map(milliseconds).transpose()?;
                Ok(Does::Hang(wire::Hang { milliseconds }))
            }),
            self.drop.map(|when| Ok(Does::Drop(wire::Drop { after: after(when) }))),
            self.restart.map(|Restart { when, keep }| {
                Ok(Does::Restart(wire::PowerCut { after: after(when), keep }))
            }),
            self.rewrite.map(|rewrite| {
                let to = match rewrite {
                    Rewrite::How(how) => wire::rewrite::To::How(how),
                    Rewrite::Value { value } => wire::rewrite::To::Value(value.to_string()),
                };
                Ok(Does::Rewrite(wire::Rewrite { to: Some(to) }))
            }),
            self.lack.map(|feature| Ok(Does::Lack(feature))),
            self.ignore.map(|feature| Ok(Does::Ignore(feature))),
            self.drift.map(|Drift { value, every }| {
                let value = value.map(|value| value.to_string()).unwrap_or_default();
                milliseconds(&every).map(|every_milliseconds| {
                    Does::Drift(wire::Drifting { value, every_milliseconds })
                })
            }),
        ];
        let mut does = does.into_iter().flatten();
        let (Some(first), None) = (does.next(), does.next()) else {
            return Err(
                "exactly one of refuse, delay, hang, drop, restart, rewrite, lack, ignore, drift"
                    .into(),
            );
        };
        Ok(wire::Fault {
            on: self.on.into_vec(),
            paths: self.paths.into_vec(),
            deletes: self.deletes,
            times: self.times,
            does: Some(first?),
        })
    }
}

#[cfg(test)]
mod tests;
