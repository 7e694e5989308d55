//! A set of models of real size. Runs where the environment says where they are.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use lockstep_types::{Configuration, Content};
use lockstep_yang::{DataError, EditError, Form, ModelSet, Options};
use serde_json::{Value as Json, json};

use crate::common::{after, at, delete, path, replace, update, with};

fn load() -> Option<ModelSet> {
    let Some(folder) = std::env::var_os("LOCKSTEP_OPENCONFIG") else {
        println!("skipped: LOCKSTEP_OPENCONFIG does not name a folder with OpenConfig's models");
        return None;
    };
    let modules = [
        "openconfig-interfaces",
        "openconfig-if-ethernet",
        "openconfig-if-ip",
        "openconfig-vlan",
        "openconfig-system",
        "openconfig-network-instance",
        "openconfig-routing-policy",
        "openconfig-acl",
        "openconfig-lldp",
        "openconfig-network-instance-types",
        "openconfig-policy-types",
        "iana-if-type",
    ];
    let begun = Instant::now();
    let set = ModelSet::load(&Options {
        path: PathBuf::from(folder),
        modules: modules.map(str::to_owned).to_vec(),
        ..Options::default()
    });
    println!("loaded in {:?}", begun.elapsed());
    Some(set.unwrap())
}

fn interface(name: &str) -> Json {
    json!({
        "name": name,
        "config": {
            "name": name,
            "type": "iana-if-type:ethernetCsmacd",
            "mtu": 9000,
            "description": "uplink",
        },
        "subinterfaces": {"subinterface": [{
            "index": 0,
            "config": {"index": 0},
            "openconfig-if-ip:ipv4": {"addresses": {"address": [{
                "ip": "192.0.2.1",
                "config": {"ip": "192.0.2.1", "prefix-length": 24},
            }]}},
        }]},
    })
}

#[test]
fn edits_of_openconfig() {
    let Some(set) = load() else { return };
    let eth = "/interfaces/interface[name=Ethernet1\\/1]";
    let tree = after(
        &set,
        &Configuration::new(),
        &[
            update("/interfaces", json!({"openconfig-interfaces:interface": [interface("Ethernet1/1")]})),
            update("/network-instances/network-instance[name=default]", json!({
                "config": {"name": "default", "type": "openconfig-network-instance-types:DEFAULT_INSTANCE"},
            })),
            update(
                "/network-instances/network-instance[name=default]/protocols/protocol[identifier=STATIC][name=s]",
                json!({"config": {"identifier": "openconfig-policy-types:STATIC", "name": "s"}}),
            ),
        ],
    )
    .unwrap();
    assert_eq!(set.validate(&tree), []);
    assert_eq!(at(&set, &tree, &format!("{eth}/config/mtu"), Form::Json), json!(9000));
    assert_eq!(at(&set, &tree, &format!("{eth}/config/enabled"), Form::Json), json!(true));
    assert_eq!(at(&set, &tree, &format!("{eth}/config/type"), Form::Json), json!("ethernetCsmacd"));
    let protocol = "/network-instances/network-instance[name=default]/protocols/protocol[identifier=openconfig-policy-types:STATIC][name=s]";
    assert_eq!(tree.get(&path(protocol)), Some(&Content::Entry));

    let dangling = replace(&format!("{eth}/config"), json!({"name": "other"}));
    let violations = set.validate(&after(&set, &tree, &[dangling]).unwrap());
    assert!(!violations.is_empty());
    assert!(
        violations.iter().all(|violation| violation.path.to_string().starts_with("/interfaces"))
    );
    let gone = after(&set, &tree, &[delete("/.../ipv4/addresses")]).unwrap();
    assert!(gone.iter().all(|(path, _)| !path.to_string().contains("192.0.2.1")));
}

#[test]
fn a_thousand_interfaces() {
    let Some(set) = load() else { return };
    let names: Vec<String> = (0..1000).map(|number| format!("Ethernet1/{number}")).collect();
    let list: Json = names.iter().map(|name| interface(name)).collect();
    let begun = Instant::now();
    let tree = with(&set, json!({"openconfig-interfaces:interfaces": {"interface": list}}));
    println!("edit of {} units: {:?}", tree.len(), begun.elapsed());
    let begun = Instant::now();
    assert_eq!(set.validate(&tree), []);
    println!("validate: {:?}", begun.elapsed());
    let mtu = path("/interfaces/interface[name=Ethernet1\\/7]/config/mtu");
    let begun = Instant::now();
    assert_eq!(set.get(&tree, &mtu, Form::Json).unwrap(), [(mtu.clone(), json!(9000))]);
    println!("first get of a leaf: {:?}", begun.elapsed());
    let begun = Instant::now();
    assert_eq!(set.get(&tree, &mtu, Form::Json).unwrap().len(), 1);
    println!("second get of a leaf: {:?}", begun.elapsed());
    let begun = Instant::now();
    let all = at(&set, &tree, "/interfaces", Form::Ietf);
    println!("get of all: {:?}", begun.elapsed());
    let begun = Instant::now();
    let read = set.read(&path("/interfaces"), &crate::common::ietf(all)).unwrap();
    println!("read of {} units: {:?}", read.units.len(), begun.elapsed());
    assert_eq!(read.outside, Vec::<String>::new());
    let begun = Instant::now();
    let operation = update("/interfaces/interface[name=Ethernet1\\/7]/config/mtu", json!(1500));
    set.edit(&[operation]).unwrap();
    println!("edit of one leaf: {:?}", begun.elapsed());
}

/// The folder as the page that brings in a first device has it copied out of OpenConfig's repository.
#[test]
fn as_the_page_says() {
    let Some(folder) = std::env::var_os("LOCKSTEP_OPENCONFIG") else { return };
    let page = include_str!("../../../../docs/how-to/onboard-openconfig.md");
    let copies = page.lines().find(|line| line.contains("cp -r public/")).unwrap();
    let here = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(folder, here.path().join("public")).unwrap();
    let copied = Command::new("sh").args(["-c", copies]).current_dir(here.path()).status().unwrap();
    assert!(copied.success(), "{copies}");
    let modules = vec!["openconfig-system".to_owned()];
    let options = Options { path: here.path().join("oc"), modules, ..Options::default() };
    let set = ModelSet::load(&options).unwrap();
    let banner = update("/system/config/login-banner", json!("managed by Lockstep"));
    set.edit(&[banner]).unwrap();
}

/// Everything in the folder at once, IETF's interfaces too; and what is wrong with a value is told at its place.
#[test]
fn all_of_openconfig() {
    let Some(folder) = std::env::var_os("LOCKSTEP_OPENCONFIG") else { return };
    let path = PathBuf::from(folder);
    let begun = Instant::now();
    let set = ModelSet::load(&Options { path, ..Options::default() }).unwrap();
    println!("{} modules loaded in {:?}", set.modules().len(), begun.elapsed());
    assert_eq!(set.validate(&Configuration::new()), []);
    let mut interface = interface("Ethernet1/1");
    let address = "/subinterfaces/subinterface/0/openconfig-if-ip:ipv4/addresses/address/0/config";
    interface.pointer_mut(address).unwrap()["ip"] = json!("192.0.2.300");
    let error = set
        .edit(&[update("/openconfig-interfaces:interfaces/interface", json!([interface]))])
        .unwrap_err();
    println!("{error}");
    let EditError::Data(DataError::Values(values)) = &error else { panic!("{error:?}") };
    assert_eq!(values.len(), 1, "{error}");
    assert_eq!(values[0].value.as_deref(), Some("\"192.0.2.300\""));
    assert_eq!(
        values[0].path.to_string(),
        "/openconfig-interfaces:interfaces/interface[name=Ethernet1/1]/subinterfaces\
         /subinterface[index=0]/ipv4/addresses/address[ip=192.0.2.1]/config/ip"
    );
}
