//! What there is to look at: targets, transactions, nodes, models, configurations.

use lockstep_gnmi::proto::lockstep::v1::{
    Configuration, DiffRequest, GetConfigurationRequest, GetSummaryRequest, GetTargetRequest,
    GetTransactionRequest, ListModelsRequest, ListNodesRequest, ListTargetsRequest,
    ListTransactionsRequest, WatchConfigurationsRequest, WatchTargetsRequest,
    WatchTransactionsRequest, WhoAmIRequest,
};

use super::ask::{Answer, Seen, done};
use super::lab::Lab;

impl Lab {
    pub(crate) async fn looked(&self, identity: &str, words: &[&str]) -> Answer {
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
            ["list", "models"] => {
                let found = admin.list_models(ListModelsRequest {}).await?.into_inner().models;
                Ok(Seen { count: found.len(), masked: false })
            }
            other => panic!("what is {other:?}?"),
        }
    }

    /// What the admin service has to read.
    pub(crate) async fn read(&self, identity: &str, words: &[&str]) -> Answer {
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
}
