//! What operators do, and how it is put right again.

use lockstep_gnmi::proto::lockstep::v1::dry_run_request::Of;
use lockstep_gnmi::proto::lockstep::v1::{
    AddTargetRequest, CancelRequest, CompactRequest, ConfirmRequest, DryRunRequest,
    OperateTargetRequest, ReloadModelsRequest, RemoveTargetRequest, RestoreRequest,
    RollbackRequest, SetTargetRequest,
};
use prost_types::value::Kind;
use prost_types::{Struct, Value};

use super::ask::{Answer, done, updates};
use super::lab::Lab;

/// Options of a target, of which there is one.
fn options(key: &str, text: &str) -> Struct {
    let text = Value { kind: Some(Kind::StringValue(text.to_owned())) };
    Struct { fields: [(key.to_owned(), text)].into() }
}

impl Lab {
    pub(crate) async fn operated(&self, identity: &str, words: &[&str]) -> Answer {
        let mut admin = self.admin(identity);
        match words {
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
            ["set-target", target] => {
                let (name, options) = ((*target).into(), self.added(target).options);
                admin.set_target(SetTargetRequest { name, options, ..Default::default() }).await?;
                self.settled().await;
                done()
            }
            ["set-target", target, option] => {
                let (key, text) = option.split_once('=').unwrap();
                let (name, options) = ((*target).into(), Some(options(key, text)));
                admin.set_target(SetTargetRequest { name, options, ..Default::default() }).await?;
                self.settled().await;
                done()
            }
            ["remove", target] => {
                let (name, id) = ((*target).into(), self.id(identity));
                let request = RemoveTargetRequest { name, id, ..Default::default() };
                admin.remove_target(request).await?;
                self.admin("root").add_target(self.added(target)).await.unwrap();
                self.settled().await;
                done()
            }
            ["pause", target] => {
                self.order(identity, target, "pause").await?;
                self.resume(target).await;
                done()
            }
            ["resume", target] => {
                self.order("root", target, "pause").await.unwrap();
                let resumed = self.order(identity, target, "resume").await;
                self.resume(target).await;
                resumed
            }
            [order @ ("sync" | "adopt" | "claim"), target] => {
                self.order(identity, target, order).await?;
                self.settled().await;
                done()
            }
            ["rollback", target] => {
                let index = self.change(target, 0).await;
                let id = self.id(identity);
                admin.rollback(RollbackRequest { index, id, ..Default::default() }).await?;
                done()
            }
            ["restore", target] => {
                let index = self.change(target, 0).await - 1;
                let (targets, id) = (vec![(*target).to_owned()], self.id(identity));
                admin.restore(RestoreRequest { index, targets, id, ..Default::default() }).await?;
                done()
            }
            [end @ ("confirm-own" | "cancel-own"), target] => {
                let end = end.trim_end_matches("-own");
                let own = updates(target, "/interfaces/interface[name=eth1]/description=own");
                let index = self.opened(identity, own, 600).await?;
                self.ended(identity, end, index).await
            }
            [end @ ("confirm" | "cancel"), target] => {
                let index = self.change(target, 600).await;
                self.ended(identity, end, index).await
            }
            other => panic!("what is {other:?}?"),
        }
    }

    /// Tells a target to do something.
    async fn order(&self, identity: &str, target: &str, order: &str) -> Answer {
        let request = OperateTargetRequest { name: target.into(), order: order.into() };
        self.admin(identity).operate_target(request).await?;
        done()
    }

    /// Confirms a change, or takes it back; in the end, its window is closed.
    async fn ended(&self, identity: &str, end: &str, index: u64) -> Answer {
        let mut admin = self.admin(identity);
        let ended = match end {
            "confirm" => admin.confirm(ConfirmRequest { index }).await.map(drop),
            _ => admin.cancel(CancelRequest { index }).await.map(drop),
        };
        if ended.is_err() {
            self.admin("root").confirm(ConfirmRequest { index }).await.unwrap();
        }
        ended.and_then(|()| done())
    }

    /// A target as it is, to be added.
    pub(crate) fn added(&self, target: &str) -> AddTargetRequest {
        let options = Some(options("address", &self.address(target)));
        AddTargetRequest { name: target.into(), options, ..Default::default() }
    }
}
