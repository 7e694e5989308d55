//! What is written, and where: the n-th change.

use lockstep_gnmi::proto::gnmi::{Path as WirePath, SetRequest, Update};
use lockstep_gnmi::proto::gnmi_ext::Extension;
use lockstep_gnmi::proto::lockstep::v1::{ListTargetsRequest, SetOptions, Target};
use lockstep_gnmi::{extension, path, value};
use lockstep_types::Path;

use super::Bench;
use crate::cli::Failed;
use crate::client::{Client, refused};
use crate::output::names;

/// A leaf that the devices of our own have, as many of it as wanted.
pub(super) const PATH: &str = "/interfaces/interface[name=bench{leaf}]/description";
/// Another value each time.
pub(super) const VALUE: &str = "bench {n}";
/// What a transaction says that it is for.
const COMMENT: &str = "lockstep bench";

/// Everything that decides what the n-th change is.
#[derive(Debug)]
pub(super) struct Plan {
    /// The targets, by name.
    pub(super) targets: Vec<String>,
    /// The leaves that are set on each.
    pub(super) paths: Vec<Path>,
    wire: Vec<WirePath>,
    value: String,
    at_once: usize,
    options: Extension,
}

impl Plan {
    /// The plan for what was asked, on the targets that there are.
    pub(super) async fn make(asked: &Bench, client: &Client) -> Result<Self, Failed> {
        let request = ListTargetsRequest::default();
        let answer = client.admin().list_targets(request).await.map_err(|s| refused(&s))?;
        Self::on(asked, targets(asked, &answer.into_inner().targets)?)
    }

    /// The plan for what was asked, on these targets.
    pub(super) fn on(asked: &Bench, targets: Vec<String>) -> Result<Self, Failed> {
        let at_once = asked.targets_per_transaction;
        if at_once > targets.len() {
            return Err(format!(
                "a change cannot concern {at_once} of {} targets; --targets N takes more of them",
                targets.len()
            )
            .into());
        }
        if asked.leaves > 1 && !asked.path.contains("{leaf}") {
            return Err(format!(
                "{} is one leaf; put {{leaf}} where the number of each goes, as in {PATH}",
                asked.path
            )
            .into());
        }
        let paths = (0..asked.leaves).map(|leaf| place(&asked.path, leaf));
        let paths = paths.collect::<Result<Vec<Path>, Failed>>()?;
        let options = SetOptions {
            queued: asked.queued,
            r#async: asked.asynchronous,
            comment: COMMENT.into(),
            ..SetOptions::default()
        };
        Ok(Self {
            wire: paths.iter().map(path::write).collect(),
            targets,
            paths,
            value: asked.value.clone(),
            at_once,
            options: extension::with_options(&options),
        })
    }

    /// The n-th change. Those that follow each other go on with the next targets, so that all get their share and
    /// clients meet on one as seldom as possible.
    pub(super) fn change(&self, number: u64) -> SetRequest {
        let mut request = self.values(number, self.concerned(number));
        request.extension.push(self.options.clone());
        request
    }

    fn concerned(&self, number: u64) -> impl Iterator<Item = &String> {
        let count = self.targets.len() as u64;
        let first = number.wrapping_mul(self.at_once as u64) % count;
        let first = usize::try_from(first).unwrap_or_default();
        self.targets.iter().cycle().skip(first).take(self.at_once)
    }

    /// The values of the n-th change, on other targets, without its options.
    pub(super) fn values<'a>(
        &self,
        number: u64,
        targets: impl Iterator<Item = &'a String>,
    ) -> SetRequest {
        let value = value::text(self.value.replace("{n}", &number.to_string()));
        let on_each = targets.flat_map(|target| {
            let value = &value;
            self.wire.iter().map(move |path| Update {
                path: Some(WirePath { target: target.clone(), ..path.clone() }),
                val: Some(value.clone()),
                ..Update::default()
            })
        });
        SetRequest { update: on_each.collect(), ..SetRequest::default() }
    }

    /// Where the n-th read or subscription looks.
    pub(super) fn looked_at(&self, number: usize) -> (WirePath, Vec<WirePath>) {
        let target = self.targets.get(number % self.targets.len().max(1)).cloned();
        (WirePath { target: target.unwrap_or_default(), ..WirePath::default() }, self.wire.clone())
    }

    /// What is written, in words.
    pub(super) fn told(&self) -> String {
        let targets: Vec<&str> = self.targets.iter().map(String::as_str).collect();
        let paths: Vec<String> = self.paths.iter().map(ToString::to_string).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        format!("{} on {}, again and again", names(&paths), names(&targets))
    }
}

fn place(path: &str, leaf: usize) -> Result<Path, Failed> {
    let text = path.replace("{leaf}", &leaf.to_string());
    text.parse().map_err(|error| format!("{text} is no path: {error}").into())
}

/// The targets that are meant; all of them can be written to.
fn targets(asked: &Bench, there: &[Target]) -> Result<Vec<String>, Failed> {
    // What is queued and not waited for is for those as well that are away.
    let any = asked.queued && asked.asynchronous;
    let is_ready = |target: &&Target| any || target.connected && target.state == "synchronised";
    if !asked.target.is_empty() {
        for name in &asked.target {
            match there.iter().find(|target| target.name == *name) {
                None => {
                    let hint = "`lockstep target list` has those there are";
                    return Err(format!("there is no target {name}; {hint}").into());
                }
                Some(target) if !is_ready(&target) => {
                    let state = &target.state;
                    let hint = "its device has to be connected and synchronised";
                    return Err(format!("{name} is {state}; {hint}").into());
                }
                Some(_) => {}
            }
        }
        return Ok(asked.target.clone());
    }
    let ready: Vec<String> =
        there.iter().filter(is_ready).map(|target| target.name.clone()).collect();
    let wanted = asked.targets.unwrap_or_else(|| asked.own.map_or(1, usize::from));
    if ready.len() < wanted {
        return Err(format!(
            "{wanted} targets are wanted, and {} of {} are connected and synchronised; ask for fewer with \
             --targets N, or for devices of its own with --own {wanted}",
            ready.len(),
            there.len()
        )
        .into());
    }
    Ok(ready.into_iter().take(wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::super::tests::asked;
    use super::*;

    fn target(name: &str, state: &str) -> Target {
        Target { name: name.into(), connected: true, state: state.into(), ..Target::default() }
    }

    fn on(request: &SetRequest) -> Vec<&str> {
        let paths = request.update.iter().filter_map(|update| update.path.as_ref());
        paths.map(|path| path.target.as_str()).collect()
    }

    #[test]
    fn changes_go_round_the_targets() {
        let asked = asked("bench --targets-per-transaction 2 --leaves 2");
        let targets = ["a", "b", "c"].map(str::to_owned).to_vec();
        let plan = Plan::on(&asked, targets).unwrap();
        assert_eq!(on(&plan.change(0)), ["a", "a", "b", "b"]);
        assert_eq!(on(&plan.change(1)), ["c", "c", "a", "a"]);
        let second = &plan.change(7).update[1];
        assert_eq!(second.val, Some(value::text("bench 7")));
        let at = path::read(None, second.path.as_ref().unwrap()).unwrap();
        assert_eq!(at.to_string(), "/interfaces/interface[name=bench1]/description");
    }

    #[test]
    fn a_plan_that_makes_no_sense_says_what_would() {
        for (line, targets, words) in [
            ("bench --targets-per-transaction 3", 2, "--targets N"),
            ("bench --leaves 2 --path /system/motd", 1, "{leaf}"),
            ("bench --path //", 1, "no path"),
        ] {
            let targets = (0..targets).map(|n| n.to_string()).collect();
            let said = Plan::on(&asked(line), targets).unwrap_err().to_string();
            assert!(said.contains(words), "{said}");
        }
    }

    #[test]
    fn only_targets_that_can_be_written_to() {
        let there =
            [target("a", "paused"), target("b", "synchronised"), target("c", "synchronised")];
        let of = |line: &str| targets(&asked(line), &there).map_err(|error| error.to_string());
        assert_eq!(of("bench"), Ok(vec!["b".into()]));
        assert_eq!(of("bench --targets 2"), Ok(vec!["b".into(), "c".into()]));
        assert_eq!(of("bench --target c"), Ok(vec!["c".into()]));
        assert_eq!(of("bench --target a --queued --async"), Ok(vec!["a".into()]));
        assert!(of("bench --targets 3").unwrap_err().contains("2 of 3"));
        assert!(of("bench --target a").unwrap_err().contains("a is paused"));
        assert!(of("bench --target d").unwrap_err().contains("no target d"));
    }
}
