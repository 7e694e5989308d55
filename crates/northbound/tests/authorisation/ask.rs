//! The requests of the table, in its words, and the answers in one word each.

use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::subscribe_request::Request as Message;
use lockstep_gnmi::proto::gnmi::subscription_list::Mode;
use lockstep_gnmi::proto::gnmi::{
    CapabilityRequest, Encoding, GetRequest, Path, SetRequest, SubscribeRequest, Subscription,
    SubscriptionList, Update,
};
use lockstep_gnmi::proto::lockstep::v1::dry_run_request::Of;
use lockstep_gnmi::proto::lockstep::v1::{
    AddTargetRequest, CancelRequest, CompactRequest, Configuration, ConfirmRequest, DiffRequest,
    DryRunRequest, ExportRequest, GetConfigurationRequest, GetSummaryRequest, GetTargetRequest,
    GetTransactionRequest, ListModelsRequest, ListNodesRequest, ListTargetsRequest,
    ListTransactionsRequest, OperateTargetRequest, ReloadModelsRequest, RemoveTargetRequest,
    RestoreRequest, RollbackRequest, SetOptions, SetTargetRequest, WatchConfigurationsRequest,
    WatchTargetsRequest, WatchTransactionsRequest, WhoAmIRequest,
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
        const READS: [&str; 9] =
            ["get", "subscribe", "list", "show", "watch", "diff", "capabilities", "health", "GET"];
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
            ["export"] => {
                let mut stream = self.admin(identity).export(ExportRequest {}).await?.into_inner();
                while stream.message().await?.is_some() {}
                done()
            }
            [method @ ("GET" | "POST" | "PATCH" | "DELETE"), path] => {
                self.web(identity, method, path).await
            }
            ["watch", ..] | ["diff", ..] | ["get-side", ..] => self.read(identity, words).await,
            _ => self.operated(identity, words).await,
        }
    }

    /// What the admin service has to read.
    async fn read(&self, identity: &str, words: &[&str]) -> Answer {
        let mut admin = self.admin(identity);
        let side = |target: &str, side: &str| Configuration {
            target: target.into(),
            side: side.into(),
            ..Configuration::default()
        };
        let mut seen = Seen::default();
        match words {
            ["watch", "transactions"] => {
                let request = WatchTransactionsRequest { latest: 1, ..Default::default() };
                let mut told = admin.watch_transactions(request).await?.into_inner();
                let first = told.message().await?.unwrap().transaction;
                seen.count = first.map(|first| first.targets.len()).unwrap_or_default();
            }
            ["watch", "targets"] => {
                let mut told =
                    admin.watch_targets(WatchTargetsRequest::default()).await?.into_inner();
                seen.count = told.message().await?.unwrap().targets.len();
            }
            ["watch", "configurations", target, at] => {
                let request = WatchConfigurationsRequest {
                    target: vec![(*target).into()],
                    path: vec![(*at).into()],
                };
                let mut told = admin.watch_configurations(request).await?.into_inner();
                told.message().await?.unwrap();
            }
            ["diff", from, to, at] => {
                let (from, to) = (Some(side(from, "")), Some(side(to, "device")));
                let request = DiffRequest { from, to, path: vec![(*at).into()] };
                let changes = admin.diff(request).await?.into_inner().changes;
                changes.iter().for_each(|change| seen.look(&lockstep_gnmi::json::change(change)));
            }
            ["get-side", target, named, at] => {
                let of = Some(side(target, named));
                let path = vec![(*at).to_owned()];
                let request = GetConfigurationRequest { of, path, defaults: true };
                let found = admin.get_configuration(request).await?.into_inner();
                seen.look(&lockstep_gnmi::json::configuration(&found)["values"]);
            }
            other => panic!("what is {other:?}?"),
        }
        Ok(seen)
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
            ["show", "changes", "of", target] => {
                let index = self.change(target, 0).await;
                let request = GetTransactionRequest { index, changes: true, ..Default::default() };
                let found = admin.get_transaction(request).await?.into_inner().changes;
                let mut seen = Seen::default();
                seen.look(&lockstep_gnmi::json::targets_changes(&found));
                Ok(seen)
            }
            ["show", "summary"] => {
                admin.get_summary(GetSummaryRequest::default()).await?;
                done()
            }
            ["show", "me"] => {
                admin.who_am_i(WhoAmIRequest {}).await?;
                done()
            }
            ["list", "nodes"] => {
                let found = admin.list_nodes(ListNodesRequest {}).await?.into_inner().nodes;
                let count = found.iter().map(|node| node.masterships.len()).sum();
                Ok(Seen { count, masked: false })
            }
            ["compact"] => {
                admin.compact(CompactRequest { keep: 0 }).await?;
                done()
            }
            ["try", what, target] => {
                let index = self.change(target, 0).await;
                let targets = vec![(*target).to_owned()];
                let of = match *what {
                    "set" => Of::Set(updates(target, "/system/motd=x")),
                    "rollback" => Of::Rollback(RollbackRequest { index, ..Default::default() }),
                    _ => Of::Restore(RestoreRequest { index, targets, ..Default::default() }),
                };
                admin.dry_run(DryRunRequest { of: Some(of) }).await?;
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
    pub(crate) fn added(&self, target: &str) -> AddTargetRequest {
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
