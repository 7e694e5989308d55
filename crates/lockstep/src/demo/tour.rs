//! The tour: each step is done over gNMI or the admin API, and checked on the devices themselves.

use lockstep_gnmi::proto::gnmi::SetRequest;
use lockstep_gnmi::proto::lockstep::v1::{
    GetTransactionRequest, ListTransactionsRequest, RollbackRequest,
};
use lockstep_gnmi::value;
use lockstep_simulator::Faults;
use lockstep_simulator::faults::Refusal;
use lockstep_types::Path;
use serde_json::{Value, json};

use super::network::{NAMES, Network};
use super::tell::{done, expect, say, step};
use crate::change::update;
use crate::cli::Failed;
use crate::client::refused;

pub(super) async fn tour(network: &Network) -> Result<(), Failed> {
    say(
        "Lockstep: one node, three devices (leaf1, leaf2, spine1), every one of them speaking gNMI.",
    )?;
    one_change(network).await?;
    refused_by_models(network).await?;
    refused_by_device(network).await?;
    restarted(network).await?;
    rolled_back(network).await?;
    log(network).await?;
    say("")
}

/// Sends one Set with a banner for each of these devices.
async fn set(
    network: &Network,
    at: &str,
    value: &Value,
    names: &[&str],
) -> Result<(), tonic::Status> {
    let at: Path = at.parse().map_err(|_| tonic::Status::internal("not a path"))?;
    let updates = names.iter().map(|name| update(name, &at, value::json(value, true)));
    let request = SetRequest { update: updates.collect(), ..SetRequest::default() };
    network.client().gnmi().set(request).await.map(|_| ())
}

/// Every device says itself that this is its banner.
async fn every_banner_is(network: &Network, banner: &Value) -> Result<(), Failed> {
    let held = network.held_everywhere("/system/motd").await?;
    let wanted = NAMES.map(|name| (name, Some(banner.clone()))).into();
    expect("the banner of each device", &held, &wanted)
}

async fn one_change(network: &Network) -> Result<(), Failed> {
    step(1, "One Set, three devices")?;
    let banner = json!("change window tonight");
    set(network, "/system/motd", &banner, &NAMES).await.map_err(|s| refused(&s))?;
    every_banner_is(network, &banner).await?;
    done(
        "gNMI Set: update /system/motd on leaf1, leaf2 and spine1",
        "applied on all three; each of them says so itself",
    )
}

async fn refused_by_models(network: &Network) -> Result<(), Failed> {
    step(2, "A mistake never reaches a device")?;
    let eth = json!({ "name": "eth1/1", "access-vlan": 42 });
    let said = set(network, "/interfaces/interface[name=eth1/1]", &eth, &["leaf1", "leaf2"]).await;
    let status = said.err().ok_or("this did not go as told: the mistake was accepted")?;
    expect("the code", &status.code(), &tonic::Code::InvalidArgument)?;
    expect("leaf1", &network.held("leaf1", "/interfaces").await?, &None)?;
    done(
        "gNMI Set: put eth1/1 into VLAN 42, which does not exist, on leaf1 and leaf2",
        status.message(),
    )
}

async fn refused_by_device(network: &Network) -> Result<(), Failed> {
    step(3, "One device refuses: nothing stays anywhere")?;
    let device = network.simulated("spine1")?;
    let locked = "the banner is locked here".to_owned();
    let refusal = Refusal { message: locked, ..Refusal::of("/system/motd".parse()?) };
    device.set_faults(Faults { refuse: vec![refusal] });
    let said = set(network, "/system/motd", &json!("all clear"), &NAMES).await;
    device.set_faults(Faults::default());
    let status = said.err().ok_or("this did not go as told: the device did not refuse")?;
    expect("the code", &status.code(), &tonic::Code::Aborted)?;
    let banner = json!("change window tonight");
    every_banner_is(network, &banner).await?;
    done(
        "gNMI Set: another banner on all three, and spine1 will not take it",
        &format!("{}\nall three have the banner from before", status.message()),
    )
}

async fn restarted(network: &Network) -> Result<(), Failed> {
    step(4, "A device restarts and has forgotten everything")?;
    let term = network.term("leaf1")?;
    network.simulated("leaf1")?.restart(false).await?;
    network.synchronised_after("leaf1", term).await?;
    let held = network.held("leaf1", "/system/motd").await?;
    expect("its banner", &held, &Some(json!("change window tonight")))?;
    done("leaf1 loses its power, and its configuration with it", "brought back to what was agreed")
}

async fn rolled_back(network: &Network) -> Result<(), Failed> {
    step(5, "Taking a change back")?;
    let mut admin = network.client().admin();
    let request = RollbackRequest { index: 1, ..RollbackRequest::default() };
    admin.rollback(request).await.map_err(|status| refused(&status))?;
    let held = network.held_everywhere("/system").await?;
    expect("what the devices hold", &held, &NAMES.map(|name| (name, None)).into())?;
    let first = admin
        .get_transaction(GetTransactionRequest { index: 1, ..Default::default() })
        .await?
        .into_inner();
    let by = first.transaction.map(|transaction| transaction.rolled_back_by).unwrap_or_default();
    done(
        "lockstep rollback 1",
        &format!("transaction {by} took it out; no device has a banner any more"),
    )
}

async fn log(network: &Network) -> Result<(), Failed> {
    step(6, "All of it is in the log")?;
    let request = ListTransactionsRequest::default();
    let listed = network.client().admin().list_transactions(request).await?.into_inner();
    let statuses: Vec<&str> = listed.transactions.iter().map(|t| t.status.as_str()).collect();
    expect(
        "the log, latest first",
        &statuses,
        &vec!["applied", "reverted", "rejected", "applied"],
    )?;
    for transaction in listed.transactions.iter().rev() {
        let why = transaction.error.as_ref().map(|error| format!(": {}", error.message));
        let (kind, status) = (&transaction.kind, &transaction.status);
        say(&format!("   {}  {kind:<9} {status}{}", transaction.index, why.unwrap_or_default()))?;
    }
    Ok(())
}
