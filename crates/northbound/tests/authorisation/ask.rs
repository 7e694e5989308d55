//! The requests of the table, in its words, and the answers in one word each.

use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::subscribe_request::Request as Message;
use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi::{
    CapabilityRequest, Encoding, GetRequest, Path, SetRequest, SubscribeRequest, Subscription,
    SubscriptionList, Update,
};
use lockstep_gnmi::proto::lockstep::v1::{ExportRequest, SetOptions};
use lockstep_gnmi::{extension, path, value};
use serde_json::{Value, json};
use tonic::{Code, Status};
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;

use super::lab::Lab;

/// What is shown in place of a secret.
const MASK: &str = "********";

/// How much of an answer there is, and whether some of it is masked.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) count: usize,
    pub(crate) masked: bool,
}

impl Seen {
    pub(crate) fn look(&mut self, json: &Value) {
        match json {
            Value::Object(members) => members.values().for_each(|one| self.look(one)),
            Value::Array(all) => all.iter().for_each(|one| self.look(one)),
            other => {
                self.count += 1;
                self.masked |= other == MASK;
            }
        }
    }
}

pub(crate) type Answer = Result<Seen, Status>;

pub(crate) fn done() -> Answer {
    Ok(Seen::default())
}

pub(crate) fn wire(target: &str, text: &str) -> Path {
    let text: lockstep_types::Path = text.parse().unwrap();
    Path { target: target.to_owned(), ..path::write(&text) }
}

fn update(target: &str, text: &str, json: &Value) -> Update {
    let (path, val) = (Some(wire(target, text)), Some(value::json(json, true)));
    Update { path, val, ..Update::default() }
}

/// `PATH=VALUE` for one target, or for several.
pub(crate) fn updates(targets: &str, assignment: &str) -> SetRequest {
    let (at, text) = assignment.rsplit_once('=').unwrap();
    let one = |target: &str| update(target, at, &json!(text));
    SetRequest { update: targets.split(',').map(one).collect(), ..SetRequest::default() }
}

impl Lab {
    /// What is answered to somebody.
    pub(crate) async fn ask(&self, identity: &str, request: &str) -> String {
        let words: Vec<&str> = request.split(' ').collect();
        const READS: [&str; 10] = [
            "get",
            "subscribe",
            "list",
            "show",
            "watch",
            "diff",
            "capabilities",
            "health",
            "reflection",
            "GET",
        ];
        let anew = async || {
            if !READS.contains(&words[0]) || request.contains("changes") {
                self.reset().await;
            }
        };
        anew().await;
        let answer = self.answer(identity, &words).await;
        // Who somebody is, and how many may be seen, is something else for everybody.
        let own = ["/me", "/summary"].iter().any(|path| request.ends_with(path));
        let compared = ["get", "subscribe", "list", "watch", "diff", "get-side", "GET"]
            .contains(&words[0])
            || request.starts_with("show changes");
        let all = match compared && answer.is_ok() && !own {
            true => {
                anew().await;
                self.answer("root", &words).await.unwrap().count
            }
            false => 0,
        };
        match answer {
            Ok(seen) if seen.count < all && seen.masked => "part, masked".into(),
            Ok(seen) if seen.count < all => "part".into(),
            Ok(seen) if seen.masked => "masked".into(),
            Ok(_) => "yes".into(),
            Err(status) => match status.code() {
                Code::PermissionDenied => "no".into(),
                Code::Unauthenticated => "who?".into(),
                Code::NotFound => "not found".into(),
                other => format!("{other:?}: {}", status.message()),
            },
        }
    }

    pub(crate) async fn answer(&self, identity: &str, words: &[&str]) -> Answer {
        match words {
            ["get", target, at] => self.get(identity, target, at).await,
            ["subscribe", target, at] => self.subscribe(identity, target, at).await,
            ["update", targets, assignment] => {
                self.set(identity, updates(targets, assignment)).await
            }
            ["dry-run", targets, assignment] => {
                let options = SetOptions { dry_run: true, ..SetOptions::default() };
                let extension = vec![extension::with_options(&options)];
                self.set(identity, SetRequest { extension, ..updates(targets, assignment) }).await
            }
            ["replace", target, at] => {
                let replace = vec![update(target, at, &json!({}))];
                self.set(identity, SetRequest { replace, ..SetRequest::default() }).await
            }
            ["delete", target, at] => {
                let delete = vec![wire(target, at)];
                self.set(identity, SetRequest { delete, ..SetRequest::default() }).await
            }
            ["empty-set"] => self.set(identity, SetRequest::default()).await,
            ["capabilities"] => {
                self.gnmi(identity).capabilities(CapabilityRequest::default()).await?;
                done()
            }
            ["health"] => {
                let request = tonic_health::pb::HealthCheckRequest::default();
                self.health(identity).check(request).await?;
                done()
            }
            ["reflection"] => {
                let asked = ServerReflectionRequest {
                    host: String::new(),
                    message_request: Some(MessageRequest::ListServices(String::new())),
                };
                let asked = tokio_stream::iter([asked]);
                let answer = self.reflection(identity).server_reflection_info(asked).await?;
                answer.into_inner().message().await?;
                done()
            }
            ["export"] => {
                let mut stream = self.admin(identity).export(ExportRequest {}).await?.into_inner();
                while stream.message().await?.is_some() {}
                done()
            }
            ["commit", action, target] => self.commit(identity, action, target).await,
            [method @ ("GET" | "POST" | "PATCH" | "DELETE"), path] => {
                self.web(identity, method, path).await
            }
            ["watch", ..] | ["diff", ..] | ["get-side", ..] => self.read(identity, words).await,
            ["list", ..] | ["show", ..] => self.looked(identity, words).await,
            _ => self.operated(identity, words).await,
        }
    }

    pub(crate) async fn get(&self, identity: &str, target: &str, at: &str) -> Answer {
        let request = GetRequest {
            path: vec![wire(target, at)],
            r#type: DataType::Config.into(),
            encoding: Encoding::JsonIetf.into(),
            ..GetRequest::default()
        };
        let answer = self.gnmi(identity).get(request).await?.into_inner();
        let mut seen = Seen::default();
        for update in answer.notification.into_iter().flat_map(|one| one.update) {
            seen.look(&value::read(&update.val.unwrap()).unwrap().1);
        }
        Ok(seen)
    }

    async fn subscribe(&self, identity: &str, target: &str, at: &str) -> Answer {
        let subscription = Subscription { path: Some(wire(target, at)), ..Subscription::default() };
        let list = SubscriptionList {
            subscription: vec![subscription],
            mode: Mode::Once.into(),
            encoding: Encoding::Proto.into(),
            ..SubscriptionList::default()
        };
        let extension = lockstep_gnmi::proto::gnmi_ext::Extension {
            ext: Some(lockstep_gnmi::proto::gnmi_ext::extension::Ext::ConfigSubscription(
                lockstep_gnmi::proto::gnmi_ext::ConfigSubscription {
                    action: Some(
                        lockstep_gnmi::proto::gnmi_ext::config_subscription::Action::Start(
                            lockstep_gnmi::proto::gnmi_ext::ConfigSubscriptionStart {},
                        ),
                    ),
                },
            )),
        };
        let request = SubscribeRequest {
            request: Some(Message::Subscribe(list)),
            extension: vec![extension],
        };
        let requests = tokio_stream::iter([request]);
        let mut stream = self.gnmi(identity).subscribe(requests).await?.into_inner();
        let mut seen = Seen::default();
        while let Some(message) = stream.message().await? {
            use lockstep_gnmi::proto::gnmi::subscribe_response::Response;
            let Some(Response::Update(told)) = message.response else { continue };
            for update in told.update {
                seen.look(&value::read(&update.val.unwrap()).unwrap().1);
            }
        }
        Ok(seen)
    }

    async fn set(&self, identity: &str, request: SetRequest) -> Answer {
        self.gnmi(identity).set(request).await?;
        done()
    }

    /// A change of root's, to be confirmed if there is a time for that; its index.
    pub(crate) async fn change(&self, target: &str, seconds: i64) -> u64 {
        let request = SetRequest {
            update: vec![update(target, "/system/motd", &json!("changed"))],
            ..SetRequest::default()
        };
        self.opened("root", request, seconds).await.unwrap()
    }

    /// A change of somebody's, to be confirmed if there is a time for that; its index.
    pub(crate) async fn opened(
        &self,
        identity: &str,
        request: SetRequest,
        seconds: i64,
    ) -> Result<u64, Status> {
        let confirm = (seconds > 0).then_some(prost_types::Duration { seconds, nanos: 0 });
        let extension = extension::with_options(&SetOptions { confirm, ..SetOptions::default() });
        let request = SetRequest { extension: vec![extension], ..request };
        let answer = self.gnmi(identity).set(request).await?.into_inner();
        Ok(extension::outcome(&answer.extension).unwrap().index)
    }

    /// The same configuration on every device, whatever was done to them; the index of that.
    pub(crate) async fn reset(&self) -> u64 {
        let standing = json!({
            "lab:system": {"hostname": "secret-name", "motd": "hello"},
            "lab:vlans": {"vlan": [{"id": 7, "name": "seven"}]},
            "lab:interfaces": {"interface": [{"name": "eth1", "description": "up", "access-vlan": 7}]},
        });
        let all = ["leaf1", "leaf2", "spine1"].map(|target| update(target, "/", &standing));
        let request = SetRequest { replace: all.to_vec(), ..SetRequest::default() };
        let answer = self.gnmi("root").set(request).await.unwrap().into_inner();
        extension::outcome(&answer.extension).unwrap().index
    }
}
