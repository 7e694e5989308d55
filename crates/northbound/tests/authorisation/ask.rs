//! The requests of the table, in its words, and the answers in one word each.

use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::subscribe_request::Request as Message;
use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi::{
    CapabilityRequest, Encoding, GetRequest, Path, SetRequest, SubscribeRequest, Subscription,
    SubscriptionList, Update,
};
use lockstep_gnmi::proto::lockstep::v1::{
    AddTargetRequest, CancelRequest, ConfirmRequest, ExportRequest, GetTargetRequest,
    GetTransactionRequest, ListModelsRequest, ListTargetsRequest, ListTransactionsRequest,
    OperateTargetRequest, ReloadModelsRequest, RemoveTargetRequest, RestoreRequest,
    RollbackRequest, SetOptions, SetTargetRequest,
};
use lockstep_gnmi::{extension, path, value};
use serde_json::{Value, json};
use tonic::{Code, Status};

use super::lab::Lab;

/// What is shown in place of a secret.
const MASK: &str = "********";

/// How much of an answer there is, and whether some of it is masked.
#[derive(Default)]
pub(crate) struct Seen {
    count: usize,
    masked: bool,
}

impl Seen {
    fn look(&mut self, json: &Value) {
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

fn done() -> Answer {
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
        if !matches!(words[0], "get" | "subscribe" | "list" | "show" | "capabilities" | "health") {
            self.reset().await;
        }
        let answer = self.answer(identity, &words).await;
        let all = match words[0] {
            "get" | "subscribe" | "list" if answer.is_ok() => {
                self.answer("root", &words).await.unwrap().count
            }
            _ => 0,
        };
        match answer {
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
            ["export"] => {
                let mut stream = self.admin(identity).export(ExportRequest {}).await?.into_inner();
                while stream.message().await?.is_some() {}
                done()
            }
            _ => self.operated(identity, words).await,
        }
    }

    async fn operated(&self, identity: &str, words: &[&str]) -> Answer {
        let mut admin = self.admin(identity);
        match words {
            ["list", "targets"] => {
                let found =
                    admin.list_targets(ListTargetsRequest::default()).await?.into_inner().targets;
                Ok(Seen { count: found.len(), masked: false })
            }
            ["list", "transactions"] => {
                let request = ListTransactionsRequest { limit: 3, ..Default::default() };
                let found = admin.list_transactions(request).await?.into_inner().transactions;
                let targets = found.iter().map(|one| one.targets.len()).sum();
                Ok(Seen { count: targets, masked: false })
            }
            ["show", "target", name] => {
                admin.get_target(GetTargetRequest { name: (*name).into() }).await?;
                done()
            }
            ["show", "transaction", "of", target] => {
                let index = self.change(target, 0).await;
                admin
                    .get_transaction(GetTransactionRequest { index, ..Default::default() })
                    .await?;
                done()
            }
            ["list", "models"] => {
                let found = admin.list_models(ListModelsRequest {}).await?.into_inner().models;
                Ok(Seen { count: found.len(), masked: false })
            }
            ["reload", "models"] => {
                admin.reload_models(ReloadModelsRequest {}).await?;
                done()
            }
            ["add", target] => {
                admin.add_target(self.added(target)).await?;
                let request = RemoveTargetRequest { name: (*target).into(), ..Default::default() };
                self.admin("root").remove_target(request).await.unwrap();
                done()
            }
            ["bind", target] => {
                let (name, options) = ((*target).into(), self.added(target).options);
                admin.set_target(SetTargetRequest { name, options, ..Default::default() }).await?;
                self.settled().await;
                done()
            }
            ["remove", target] => {
                let request = RemoveTargetRequest { name: (*target).into(), ..Default::default() };
                admin.remove_target(request).await?;
                self.admin("root").add_target(self.added(target)).await.unwrap();
                self.settled().await;
                done()
            }
            ["pause", target] => {
                let request =
                    OperateTargetRequest { name: (*target).into(), order: "pause".into() };
                admin.operate_target(request).await?;
                self.resume(target).await;
                done()
            }
            ["rollback", target] => {
                let index = self.change(target, 0).await;
                admin.rollback(RollbackRequest { index, ..Default::default() }).await?;
                done()
            }
            ["restore", target] => {
                let index = self.change(target, 0).await - 1;
                let targets = vec![(*target).to_owned()];
                admin.restore(RestoreRequest { index, targets, ..Default::default() }).await?;
                done()
            }
            [end @ ("confirm" | "cancel"), target] => {
                let index = self.change(target, 600).await;
                let ended = match *end {
                    "confirm" => admin.confirm(ConfirmRequest { index }).await.map(drop),
                    _ => admin.cancel(CancelRequest { index }).await.map(drop),
                };
                if ended.is_err() {
                    self.admin("root").confirm(ConfirmRequest { index }).await.unwrap();
                }
                ended.and_then(|()| done())
            }
            other => panic!("what is {other:?}?"),
        }
    }

    /// A target as it is, to be added.
    fn added(&self, target: &str) -> AddTargetRequest {
        let address = prost_types::value::Kind::StringValue(self.address(target));
        let address = prost_types::Value { kind: Some(address) };
        let options = prost_types::Struct { fields: [("address".to_owned(), address)].into() };
        AddTargetRequest { name: target.into(), options: Some(options), ..Default::default() }
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
        let confirm = (seconds > 0).then_some(prost_types::Duration { seconds, nanos: 0 });
        let extension = extension::with_options(&SetOptions { confirm, ..SetOptions::default() });
        let update = vec![update(target, "/system/motd", &json!("changed"))];
        let request = SetRequest { update, extension: vec![extension], ..SetRequest::default() };
        let answer = self.gnmi("root").set(request).await.unwrap().into_inner();
        extension::outcome(&answer.extension).unwrap().index
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
