//! What stood where the load writes, which is put back at the end.

use lockstep_gnmi::proto::gnmi::{Path as WirePath, SetRequest, Update};
use lockstep_gnmi::proto::lockstep::v1::dry_run_request::Of;
use lockstep_gnmi::proto::lockstep::v1::{
    Change, DryRunRequest, ListTransactionsRequest, SetOptions, TargetChanges,
};
use lockstep_gnmi::{extension, path, value};
use lockstep_types::Path;
use serde_json::Value;

use super::plan::Plan;
use crate::cli::Failed;
use crate::client::{Client, refused};

/// How many targets are looked at or put back at once: one message holds them, however many leaves there are.
const AT_ONCE: usize = 100;
/// How long a device may take that has much to catch up with.
const PATIENCE: i64 = 300;

/// What puts everything back.
#[derive(Debug)]
pub(super) struct Before {
    /// The last entry of the log before anything was written.
    pub(super) head: u64,
    /// Each with the targets it is for.
    back: Vec<(Vec<String>, SetRequest)>,
}

impl Before {
    /// Looks what a first change would do, which also says whether the models take it.
    pub(super) async fn look(plan: &Plan, client: &Client) -> Result<Self, Failed> {
        let mut back = Vec::new();
        for targets in plan.targets.chunks(AT_ONCE) {
            let set = plan.values(0, targets.iter());
            let request = DryRunRequest { of: Some(Of::Set(set)) };
            let answer = client.admin().dry_run(request).await.map_err(|status| unfit(&status))?;
            let answer = answer.into_inner();
            if let Some(broken) = answer.violations.first() {
                let (target, message) = (&broken.target, &broken.message);
                return Err(format!("{target} does not take it: {message}; {OTHERWISE}").into());
            }
            back.push((targets.to_vec(), undo(&answer.changes)?));
        }
        let request = ListTransactionsRequest { limit: 1, brief: true, ..Default::default() };
        let listed = client.admin().list_transactions(request).await.map_err(|s| refused(&s))?;
        Ok(Self { head: listed.into_inner().head, back })
    }

    /// Puts it back; says for which targets that did not work, and why.
    ///
    /// Where answers were not waited for, neither is this one's: targets that are away get it when they come back.
    pub(super) async fn put_back(
        &self,
        client: &Client,
        asynchronous: bool,
    ) -> Vec<(String, String)> {
        let mut left = Vec::new();
        for (targets, set) in &self.back {
            let deadline = prost_types::Duration { seconds: PATIENCE, nanos: 0 };
            let options = SetOptions {
                queued: true,
                r#async: asynchronous,
                comment: "lockstep bench: as it was before".into(),
                deadline: Some(deadline),
                ..SetOptions::default()
            };
            let mut set = set.clone();
            set.extension.push(extension::with_options(&options));
            if let Err(status) = client.gnmi().set(set).await {
                left.push((targets.join(" "), status.message().to_owned()));
            }
        }
        left
    }
}

const OTHERWISE: &str = "--path and --value say what else to write";

fn unfit(status: &tonic::Status) -> Failed {
    format!("{}; {OTHERWISE}", refused(status)).into()
}

/// What takes these changes back.
fn undo(changes: &[TargetChanges]) -> Result<SetRequest, Failed> {
    let mut request = SetRequest::default();
    for TargetChanges { target, changes } in changes {
        let mut gone: Vec<Path> = Vec::new();
        for change in changes {
            let at: Path = change.path.parse()?;
            let wire = WirePath { target: target.clone(), ..path::write(&at) };
            match stood(change)? {
                // What is below something that goes, goes with it.
                Stood::Nothing if gone.iter().any(|above| above.is_prefix_of(&at)) => {}
                Stood::Nothing => {
                    request.delete.push(wire);
                    gone.push(at);
                }
                Stood::Value(json) => request.update.push(Update {
                    path: Some(wire),
                    val: Some(value::json(&json, true)),
                    ..Update::default()
                }),
                Stood::Order => {}
            }
        }
    }
    Ok(request)
}

/// What stood at a path.
#[derive(Debug, PartialEq)]
enum Stood {
    Nothing,
    Value(Value),
    /// The order of a list: it is as before when the entries that came are gone.
    Order,
}

fn stood(change: &Change) -> Result<Stood, Failed> {
    if change.masked {
        let path = &change.path;
        return Err(format!("{path} is secret, and could not be put back; {OTHERWISE}").into());
    }
    let Some(text) = &change.before else { return Ok(Stood::Nothing) };
    let json: Value = serde_json::from_str(text)?;
    let is_order = json.as_array().is_some_and(|all| all.iter().any(Value::is_object));
    Ok(if is_order { Stood::Order } else { Stood::Value(json) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn change(path: &str, before: Option<&str>) -> Change {
        Change { path: path.into(), before: before.map(str::to_owned), ..Change::default() }
    }

    fn shown(request: &SetRequest) -> (Vec<String>, Vec<(String, Value)>) {
        let text = |wire: &WirePath| format!("{} {}", wire.target, path::read(None, wire).unwrap());
        let value = |update: &Update| value::read(update.val.as_ref().unwrap()).unwrap().1;
        let updates = request.update.iter();
        let updates = updates.map(|update| (text(update.path.as_ref().unwrap()), value(update)));
        (request.delete.iter().map(text).collect(), updates.collect())
    }

    #[test]
    fn what_came_goes_and_what_changed_is_put_back() {
        let changes = vec![
            change("/interfaces/interface[name=bench0]", None),
            change("/interfaces/interface[name=bench0]/description", None),
            change("/interfaces/interface[name=bench1]/description", Some("\"uplink\"")),
            change("/policies/policy", Some("[{\"name\": \"a\"}]")),
        ];
        let request = undo(&[TargetChanges { target: "a".into(), changes }]).unwrap();
        let updates =
            vec![("a /interfaces/interface[name=bench1]/description".to_owned(), json!("uplink"))];
        let deletes = vec!["a /interfaces/interface[name=bench0]".to_owned()];
        assert_eq!(shown(&request), (deletes, updates));
    }

    #[test]
    fn what_is_secret_is_left_alone() {
        let secret = Change { masked: true, ..change("/users/user[name=a]/password", None) };
        let changes = [TargetChanges { target: "a".into(), changes: vec![secret] }];
        assert!(undo(&changes).unwrap_err().to_string().contains("secret"));
    }
}
