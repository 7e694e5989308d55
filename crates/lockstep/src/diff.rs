//! `diff`: where two configurations differ. And how changes are written for people, wherever they are shown.

use clap::Args;
use lockstep_gnmi::json;
use lockstep_gnmi::proto::lockstep::v1::{
    Change, Configuration, DiffRequest, DiffResponse, TargetChanges,
};
use lockstep_types::Path;

use crate::cli::{Failed, Global, Output};
use crate::client::{Certificates, Client, refused};
use crate::completions;
use crate::output::{json_document, line};
use crate::terminal::{Meaning, paint};

/// Show where two configurations differ.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep --insecure diff leaf1                     what its device has, and should not have, or lacks
  lockstep --insecure diff leaf1 --from 7            what became of it since transaction 7
  lockstep --insecure diff leaf1 --from 7 --to 9 --path /interfaces
  lockstep --insecure diff leaf1 leaf2 --path /system
  lockstep --insecure diff leaf1 --from 2026-11-16T08:00:00Z

A side is visible (what readers are served), committed (what was decided), applied (what the device accepted), device \
(what it has), the index of a transaction (how it stood after that) or a time.")]
pub(crate) struct Diff {
    /// Of which target
    #[arg(add = completions::targets())]
    target: String,
    /// And of which other one
    #[arg(add = completions::targets())]
    other: Option<String>,
    /// From which side; applied, and visible with another target or with --to
    #[arg(long, value_name = "SIDE", add = completions::sides())]
    from: Option<Side>,
    /// To which side; device, and visible with another target or with --from
    #[arg(long, value_name = "SIDE", add = completions::sides())]
    to: Option<Side>,
    /// Only there; may be given several times
    #[arg(long)]
    path: Vec<Path>,
    #[command(flatten)]
    certificates: Certificates,
}

/// A side of a target.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Side {
    Named(&'static str),
    Index(u64),
    Time(prost_types::Timestamp),
}

pub(crate) const SIDES: [&str; 4] = ["visible", "committed", "applied", "device"];

impl std::str::FromStr for Side {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(name) = SIDES.into_iter().find(|name| *name == text) {
            return Ok(Self::Named(name));
        }
        if let Ok(index) = text.parse() {
            return match index {
                0 => Err("transactions are counted from 1".into()),
                index => Ok(Self::Index(index)),
            };
        }
        text.parse().map(Self::Time).map_err(|_| {
            "give visible, committed, applied, device, an index, or a time such as 2026-11-16T08:00:00Z".into()
        })
    }
}

impl Side {
    /// What the device has.
    pub(crate) const DEVICE: Self = Self::Named("device");
    /// What the device accepted.
    pub(crate) const APPLIED: Self = Self::Named("applied");
    /// What was decided.
    pub(crate) const COMMITTED: Self = Self::Named("committed");

    /// That side of a target.
    pub(crate) fn of(&self, target: &str) -> Configuration {
        let target = target.to_owned();
        let now = Configuration { target, ..Configuration::default() };
        match self {
            Self::Named(side) => Configuration { side: (*side).to_owned(), ..now },
            Self::Index(index) => Configuration { index: *index, ..now },
            Self::Time(time) => Configuration { time: Some(*time), ..now },
        }
    }
}

/// Does it.
pub(crate) async fn diff(asked: &Diff, global: &Global) -> Result<(), Failed> {
    let alone = asked.other.is_none() && asked.from.is_none() && asked.to.is_none();
    let usual = |side: &'static str| Side::Named(if alone { side } else { "visible" });
    let from = asked.from.clone().unwrap_or_else(|| usual("applied"));
    let to = asked.to.clone().unwrap_or_else(|| usual("device"));
    let other = asked.other.as_ref().unwrap_or(&asked.target);
    let request = DiffRequest {
        from: Some(from.of(&asked.target)),
        to: Some(to.of(other)),
        path: asked.path.iter().map(ToString::to_string).collect(),
    };
    let client = Client::connect(global, &asked.certificates).await?;
    let answer = client.admin().diff(request).await.map_err(|status| refused(&status))?;
    let found = answer.into_inner();
    if global.output == Output::Json {
        return Ok(json_document(&json::diff(&found))?);
    }
    for text in told(&found) {
        line(&text)?;
    }
    Ok(())
}

/// What was found, for people.
fn told(found: &DiffResponse) -> Vec<String> {
    let mut told = lines(None, &found.changes);
    if told.is_empty() {
        told.push("there is no difference".into());
    }
    match found.secrets {
        0 => {}
        1 => told.push("a secret that you may not read is not compared".into()),
        several => told.push(format!("{several} secrets that you may not read are not compared")),
    }
    told
}

/// What changes on several targets, for people: a line each, which begins with what becomes of it.
pub(crate) fn by_target(changes: &[TargetChanges]) -> Vec<String> {
    changes.iter().flat_map(|one| lines(Some(&one.target), &one.changes)).collect()
}

/// The same of one target.
pub(crate) fn lines(target: Option<&str>, changes: &[Change]) -> Vec<String> {
    let mut gone: Option<&str> = None;
    let mut lines = Vec::new();
    for change in changes {
        // With what is gone, everything below it is.
        let below = gone.is_some_and(|gone| {
            change.path.strip_prefix(gone).is_some_and(|rest| rest.starts_with('/'))
        });
        if below && change.after.is_none() {
            continue;
        }
        if change.after.is_none() {
            gone = Some(&change.path);
        }
        lines.push(one(target, change));
    }
    lines
}

fn one(target: Option<&str>, change: &Change) -> String {
    let at = target.map(|target| format!("{target} ")).unwrap_or_default();
    let at = format!("{at}{}", change.path);
    match (&change.before, &change.after) {
        (_, None) => paint(Meaning::Bad, &format!("- {at}")),
        (None, Some(after)) => paint(Meaning::Good, &format!("+ {at}{}", value(after))),
        (Some(_), Some(_)) if change.masked => {
            paint(Meaning::Waits, &format!("~ {at} is secret, and may differ"))
        }
        (Some(before), Some(after)) => {
            let arrow = format!("~ {at} = {before} -> {after}");
            paint(Meaning::Waits, &arrow)
        }
    }
}

/// An entry of a list is there by its keys, which are in its path; a container by its name.
fn value(written: &str) -> String {
    if written.starts_with('{') { String::new() } else { format!(" = {written}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &str, before: Option<&str>, after: Option<&str>) -> Change {
        let text = |text: Option<&str>| text.map(str::to_owned);
        Change { path: path.into(), before: text(before), after: text(after), masked: false }
    }

    #[test]
    fn every_line_says_what_becomes_of_a_path() {
        let changes = [
            change("/a/l[k=1]", Some("{\"k\":1}"), None),
            change("/a/l[k=1]/x", Some("1"), None),
            change("/a/l[k=10]/x", Some("1"), None),
            change("/a/l[k=2]", None, Some("{\"k\":2}")),
            change("/a/l[k=2]/x", None, Some("\"y\"")),
            change("/b", Some("1"), Some("2")),
        ];
        assert_eq!(
            lines(Some("leaf1"), &changes),
            [
                "- leaf1 /a/l[k=1]",
                "- leaf1 /a/l[k=10]/x",
                "+ leaf1 /a/l[k=2]",
                "+ leaf1 /a/l[k=2]/x = \"y\"",
                "~ leaf1 /b = 1 -> 2",
            ]
        );
        assert_eq!(lines(None, &changes[5..]), ["~ /b = 1 -> 2"]);
    }

    #[test]
    fn a_secret_is_not_compared() {
        let none = DiffResponse { changes: Vec::new(), secrets: 2 };
        let words = ["there is no difference", "2 secrets that you may not read are not compared"];
        assert_eq!(told(&none), words);
        assert_eq!(told(&DiffResponse::default()), ["there is no difference"]);
        let mask = Some("\"********\"");
        let secret = Change { masked: true, ..change("/p", mask, mask) };
        assert_eq!(lines(None, &[secret]), ["~ /p is secret, and may differ"]);
    }

    #[test]
    fn sides_are_told_apart() {
        assert_eq!("device".parse(), Ok(Side::Named("device")));
        assert_eq!("7".parse(), Ok(Side::Index(7)));
        assert!(matches!("2026-11-16T08:00:00Z".parse(), Ok(Side::Time(_))));
        assert!("0".parse::<Side>().is_err() && "devise".parse::<Side>().is_err());
    }
}
