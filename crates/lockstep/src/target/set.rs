//! `target set`: with a word before on what a device becomes by it.

use clap::Args;
use lockstep_gnmi::proto::lockstep::v1::{SetTargetRequest, Target};
use serde_json::{Map, Value};

use super::known::known;
use super::options::{self, Options};
use super::{Said, agree, told};
use crate::change::{self, seconds};
use crate::cli::{Failed, Global};
use crate::client::Client;
use crate::diff::Side;
use crate::{ask, completions, progress};

/// Change a target.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep target set leaf3 --address 10.0.1.3:57400
  lockstep target set leaf3 --model lab-2.0          what stands has to be valid by these models
  lockstep target set leaf3 --unset ignore --drift enforce

What is not given stays as it is. What is wanted of the target stays too, so whatever answers at another address is \
brought to that; and whatever is changed, so is a device that drifted. Both are asked for; --yes skips that.")]
pub(super) struct Set {
    /// Its name
    #[arg(add = completions::targets())]
    name: String,
    /// Where it is, as HOST:PORT; may be given several times
    #[arg(long, value_name = "ADDRESS")]
    address: Vec<String>,
    #[command(flatten)]
    pub(super) options: Options,
    /// Have this key as for a new target again; may be given several times
    #[arg(long, value_name = "KEY", add = completions::words(&options::KEYS))]
    unset: Vec<String>,
    #[command(flatten)]
    said: Said,
}

pub(super) async fn set(asked: &Set, client: &Client, global: &Global) -> Result<(), Failed> {
    let options = asked.options.given(&asked.address, &asked.unset)?;
    if ask::is_needed(global)
        && let Some(question) = question(&asked.name, &options, client).await?
    {
        ask::agree(&question)?;
    }
    let id = progress::id(&asked.said.id);
    let request = SetTargetRequest {
        name: asked.name.clone(),
        options: Some(options::wire(options)),
        comment: asked.said.comment.clone(),
        id: id.clone(),
        deadline: seconds(asked.said.deadline),
    };
    let mut admin = client.admin();
    let answer = change::awaited(client, &id, global, admin.set_target(request)).await?;
    told(answer.into_inner().transaction, global.output)
}

/// What to ask; none: no device becomes another by it.
async fn question(
    name: &str,
    options: &Map<String, Value>,
    client: &Client,
) -> Result<Option<String>, Failed> {
    if options.is_empty() {
        return Ok(None);
    }
    let Some(target) = known(name, client).await? else {
        let words = "What that writes to the device is not for you to read";
        return Ok(Some(format!("set {name}? {words}")));
    };
    if is_for_the_file(&target) {
        return Ok(None);
    }
    if let Some(address) = new_address(&target, options) {
        return Ok(Some(moves(&target, &address)));
    }
    // Whatever is changed of a target, its device is read again then and brought in line.
    if target.state != "drifted" {
        return Ok(None);
    }
    let found = agree::difference(name, &Side::DEVICE, &Side::APPLIED, client).await;
    let becomes = agree::becomes("write", "to the device", &found);
    Ok(becomes.map(|becomes| format!("set {name}? {becomes}")))
}

/// Whether a node's file says what it is, so that this is refused.
fn is_for_the_file(target: &Target) -> bool {
    target.source == "file" && !target.master.is_empty()
}

/// Where it is from then on, if that is another place.
fn new_address(target: &Target, options: &Map<String, Value>) -> Option<String> {
    let new = options.get("address")?.as_array()?;
    let new: Vec<&str> = new.iter().filter_map(Value::as_str).collect();
    Some(new.join(",")).filter(|new| *new != target.address)
}

fn moves(target: &Target, new: &str) -> String {
    let Target { name, address, .. } = target;
    format!(
        "set {name} ({address} -> {new})? Whatever answers there is brought to what is wanted of {name}"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn leaf1() -> Target {
        Target {
            name: "leaf1".into(),
            address: "10.0.0.1:57400,10.0.0.2:57400".into(),
            ..Target::default()
        }
    }

    fn given(options: Value) -> Map<String, Value> {
        options.as_object().cloned().unwrap()
    }

    #[test]
    fn another_place_is_told_from_the_same() {
        let new = |address: Value| new_address(&leaf1(), &given(json!({"address": address})));
        assert_eq!(new(json!(["10.0.0.1:57400", "10.0.0.2:57400"])), None);
        assert_eq!(new(json!(["10.0.0.2:57400"])).as_deref(), Some("10.0.0.2:57400"));
        // Which is refused: a target is somewhere.
        assert_eq!(new(Value::Null), None);
        assert_eq!(new_address(&leaf1(), &given(json!({"drift": "report"}))), None);
        let said = moves(&leaf1(), "10.0.0.3:57400");
        assert!(said.starts_with("set leaf1 (10.0.0.1:57400,10.0.0.2:57400 -> 10.0.0.3:57400)?"));
    }

    #[test]
    fn what_a_file_says_is_refused_without_a_question() {
        let of = |source: &str, master: &str| {
            let (source, master) = (source.into(), master.into());
            is_for_the_file(&Target { source, master, ..leaf1() })
        };
        assert!(of("file", "n1"));
        // No file names it any more.
        assert!(!of("file", "") && !of("api", "n1"));
    }
}
