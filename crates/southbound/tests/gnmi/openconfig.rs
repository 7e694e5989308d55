//! Models of real size. Runs where the environment says where they are.

use std::path::PathBuf;
use std::time::Instant;

use lockstep_protocol::Ask;
use lockstep_simulator::{Options as Devices, Simulator};
use lockstep_southbound::{Notice, Watch};
use lockstep_types::{Configuration, Content, Path};
use lockstep_yang::{Data, DataForm, ModelSet, Operation, Options};
use serde_json::{Value, json};

use crate::support::{World, accepted, delta, options, path, within};

const MODULES: [&str; 7] = [
    "openconfig-interfaces",
    "openconfig-if-ip",
    "openconfig-network-instance",
    "openconfig-network-instance-types",
    "openconfig-policy-types",
    "openconfig-acl",
    "iana-if-type",
];

fn load() -> Option<ModelSet> {
    let Some(folder) = std::env::var_os("LOCKSTEP_OPENCONFIG") else {
        println!("skipped: LOCKSTEP_OPENCONFIG does not name a folder with OpenConfig's models");
        return None;
    };
    let (path, features) = (PathBuf::from(folder), Vec::new());
    let modules = MODULES.map(str::to_owned).to_vec();
    let origin = Some("openconfig".to_owned());
    Some(ModelSet::load(&Options { path, modules, features, origin }).unwrap())
}

fn interface(number: usize) -> Value {
    let name = format!("Ethernet1/{number}");
    let address =
        json!({ "ip": "192.0.2.1", "config": { "ip": "192.0.2.1", "prefix-length": 24 } });
    json!({
        "name": name,
        "config": { "name": name, "type": "iana-if-type:ethernetCsmacd", "mtu": 9000 },
        "subinterfaces": { "subinterface": [ {
            "index": 0,
            "config": { "description": "uplink" },
            "openconfig-if-ip:ipv4": { "addresses": { "address": [address] } },
        } ] },
    })
}

fn network(interfaces: usize) -> Value {
    let instance = json!({
        "name": "default",
        "config": {
            "name": "default",
            "type": "openconfig-network-instance-types:DEFAULT_INSTANCE",
        },
        "protocols": { "protocol": [ {
            "identifier": "openconfig-policy-types:STATIC",
            "name": "s",
            "config": { "identifier": "openconfig-policy-types:STATIC", "name": "s" },
        } ] },
    });
    let interfaces: Vec<Value> = (1..=interfaces).map(interface).collect();
    json!({
        "openconfig-interfaces:interfaces": { "interface": interfaces },
        "openconfig-network-instance:network-instances": { "network-instance": [instance] },
    })
}

fn units(models: &ModelSet, json: Value) -> Configuration {
    let data = Data { form: DataForm::Ietf, json };
    let edit = models.edit(&[Operation::Update(Path::root(), data)]).unwrap();
    edit.set.into_iter().collect()
}

#[tokio::test]
async fn hundreds_of_interfaces_there_and_back() {
    let Some(models) = load() else { return };
    let listen = ([127, 0, 0, 1], 0).into();
    let devices = Devices { models: models.clone(), listen, count: 1 };
    let simulator = Simulator::start(devices).unwrap();
    let device = simulator.device(0).unwrap();
    let mut world = World::start_with(options(device.address()), models.clone());
    world.expect_connected().await;
    accepted(world.ask(Ask::Claim).await);
    let nothing = Configuration::new();
    world.assert_holds(&nothing).await;

    let wanted = units(&models, network(200));
    let begun = Instant::now();
    accepted(world.ask(Ask::Set(nothing.diff(&wanted))).await);
    println!("set of {} units: {:?}", wanted.len(), begun.elapsed());
    assert!(device.configuration().same_values(&wanted));
    let begun = Instant::now();
    world.assert_holds(&wanted).await;
    println!("read: {:?}", begun.elapsed());

    accepted(world.ask(Ask::Set(wanted.diff(&nothing))).await);
    assert!(device.configuration().is_empty(), "{:?}", device.configuration());
}

#[tokio::test]
async fn a_change_of_one_interface_is_told_without_its_state() {
    let Some(models) = load() else { return };
    let listen = ([127, 0, 0, 1], 0).into();
    let devices = Devices { models: models.clone(), listen, count: 1 };
    let simulator = Simulator::start(devices).unwrap();
    let device = simulator.device(0).unwrap();
    let mut world = World::start_with(options(device.address()), models.clone());
    world.expect_connected().await;
    let stands = units(&models, network(2));
    accepted(world.ask(Ask::Set(Configuration::new().diff(&stands))).await);
    let mut told = world.link.watch(Watch::default());
    let Some(Notice::All(all)) = within("all", told.recv()).await.map(|told| told.notice) else {
        panic!("not all");
    };
    assert_eq!(models.fold(&all, &stands), stands);

    let mtu = "/interfaces/interface[name=Ethernet1/2]/config/mtu";
    device.drift(&path(mtu), Some(json!(1400))).await.unwrap();
    let Some(Notice::Changed(edit)) = within("a change", told.recv()).await.map(|told| told.notice)
    else {
        panic!("no change");
    };
    let mut after = all.clone();
    after.apply_values(&edit.onto(&all));
    assert_eq!(all.diff(&after), delta([(path(mtu), Some(Content::leaf(1400_u64)))]));
}
