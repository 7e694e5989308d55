//! The same for OpenConfig, where its modules are at hand.

use std::collections::BTreeSet;
use std::path::PathBuf;

use lockstep_types::{Configuration, Delta, Path};
use lockstep_yang::{Data, DataForm, ModelSet, Operation, Options};
use serde_json::{Value as Json, json};

use crate::Random;
use crate::defaults;
use crate::walk::{Tally, judge};

const MODULES: [&str; 12] = [
    "iana-if-type",
    "openconfig-network-instance-types",
    "openconfig-policy-types",
    "openconfig-interfaces",
    "openconfig-if-ip",
    "openconfig-if-ethernet",
    "openconfig-if-aggregate",
    "openconfig-vlan",
    "openconfig-network-instance",
    "openconfig-acl",
    "openconfig-system",
    "openconfig-platform",
];

fn load() -> Option<(ModelSet, PathBuf)> {
    let Some(folder) = std::env::var_os("LOCKSTEP_OPENCONFIG") else {
        println!("skipped: LOCKSTEP_OPENCONFIG names no folder");
        return None;
    };
    let modules = MODULES.map(str::to_owned).to_vec();
    let path = PathBuf::from(folder);
    let options = Options { path: path.clone(), modules, ..Options::default() };
    Some((ModelSet::load(&options).unwrap(), path))
}

/// So many changes, each judged both ways.
pub(crate) fn run(changes: usize, round: u64) {
    let Some((set, folder)) = load() else { return };
    let context = defaults::context(&folder, &MODULES);
    let mut tally = Tally::default();
    let mut random = Random::new(1 + round);
    let mut tree = Configuration::new();
    for number in 0..changes {
        let operations: Vec<Operation> =
            (0..1 + random.below(3)).map(|_| operation(&mut random, &tree)).collect();
        let Ok(edit) = set.edit(&operations) else { continue };
        let mut delta: Delta = edit.onto(&tree);
        if random.chance(10) {
            spoil(&mut random, &tree, &mut delta);
        }
        let hint = || format!("change {number}: {operations:?}");
        if let Some(next) = judge(&set, &tree, &delta, &mut tally, &hint) {
            if number % 50 == 0 {
                defaults::judge(&set, &context, &next, &hint);
            }
            // Small enough for the whole to be validated thousands of times.
            tree = if next.len() > 400 { Configuration::new() } else { next };
        }
    }
    println!("OpenConfig: {tally:?}");
    assert!(tally.valid > changes / 10 && tally.invalid > changes / 20, "{tally:?}");
}

/// Takes single units away, as no client does.
fn spoil(random: &mut Random, tree: &Configuration, delta: &mut Delta) {
    let units: Vec<&Path> = tree.iter().map(|(path, _)| path).collect();
    if !units.is_empty() {
        delta.insert((*random.pick(&units)).clone(), None);
    }
}

fn operation(random: &mut Random, tree: &Configuration) -> Operation {
    let units: Vec<&Path> = tree.iter().map(|(path, _)| path).collect();
    if !units.is_empty() && random.chance(30) {
        let path = *random.pick(&units);
        let cut = path.elements().len() - random.below(path.elements().len().min(4));
        let cut: Path = path.elements().iter().take(cut).cloned().collect();
        let names: BTreeSet<&str> = cut.elements().iter().map(|e| e.name()).collect();
        if !names.is_empty() {
            return Operation::Delete(cut);
        }
    }
    let (path, json) = subtree(random);
    let data = Data { form: DataForm::Json, json };
    Operation::Update(path.parse().unwrap(), data)
}

fn name(random: &mut Random) -> String {
    format!("eth{}", random.below(6))
}

fn subtree(random: &mut Random) -> (String, Json) {
    match random.below(9) {
        0..=2 => interface(random),
        3 => subinterface(random),
        4 => instance(random),
        5 => instance_interface(random),
        6 => bgp(random),
        7 => acl(random),
        _ => system(random),
    }
}

fn interface(random: &mut Random) -> (String, Json) {
    let name = name(random);
    let other = if random.chance(8) { "else".to_owned() } else { name.clone() };
    let kind = *random.pick(&["iana-if-type:ethernetCsmacd", "iana-if-type:ieee8023adLag"]);
    let mut json = json!({"config": {"name": other, "type": kind, "mtu": 1500, "enabled": true}});
    if random.chance(15) {
        json["config"].as_object_mut().unwrap().remove("type");
    }
    match random.below(5) {
        0 => json["ethernet"] = json!({"config": {"aggregate-id": self::name(random)}}),
        1 => json["aggregation"] = json!({"config": {"lag-type": "LACP", "min-links": 2}}),
        2 => json["hold-time"] = json!({"config": {"up": random.below(9)}}),
        3 => {
            json["ethernet"] = json!({"switched-vlan": {"config": {
                "interface-mode": *random.pick(&["TRUNK", "ACCESS"]), "native-vlan": 7,
            }}});
        }
        _ => {}
    }
    (format!("/interfaces/interface[name={name}]"), json)
}

fn subinterface(random: &mut Random) -> (String, Json) {
    let (name, index) = (name(random), random.below(3));
    let ip = format!("10.0.{index}.{}", random.below(4));
    let json = json!({
        "config": {"index": if random.chance(8) { 9 } else { index }},
        "ipv4": {"addresses": {"address": [
            {"ip": ip, "config": {"ip": ip, "prefix-length": 24}},
        ]}},
    });
    (format!("/interfaces/interface[name={name}]/subinterfaces/subinterface[index={index}]"), json)
}

fn instance(random: &mut Random) -> (String, Json) {
    let name = *random.pick(&["default", "red"]);
    let kind = *random.pick(&["DEFAULT_INSTANCE", "L3VRF"]);
    let json = json!({"config": {
        "name": name, "type": format!("openconfig-network-instance-types:{kind}"),
    }});
    (format!("/network-instances/network-instance[name={name}]"), json)
}

fn instance_interface(random: &mut Random) -> (String, Json) {
    let (ni, interface, index) = (*random.pick(&["default", "red"]), name(random), random.below(3));
    let id = format!("{interface}.{index}");
    let mut json = json!({"config": {"id": id, "interface": interface}});
    if random.chance(60) {
        json["config"]["subinterface"] = json!(index);
    }
    (format!("/network-instances/network-instance[name={ni}]/interfaces/interface[id={id}]"), json)
}

fn bgp(random: &mut Random) -> (String, Json) {
    let ni = *random.pick(&["default", "red"]);
    let (peer, group) = (format!("10.1.1.{}", random.below(4)), random.below(3));
    let mut json = json!({
        "config": {"identifier": "BGP", "name": "bgp"},
        "bgp": {"global": {"config": {"as": 65000}}},
    });
    json["bgp"]["neighbors"] = json!({"neighbor": [{
        "neighbor-address": peer,
        "config": {"neighbor-address": peer, "peer-group": format!("g{group}")},
    }]});
    if random.chance(60) {
        json["bgp"]["peer-groups"] = json!({"peer-group": [{
            "peer-group-name": format!("g{group}"), "config": {"peer-group-name": format!("g{group}")},
        }]});
    }
    let at = format!("/network-instances/network-instance[name={ni}]");
    (format!("{at}/protocols/protocol[identifier=BGP][name=bgp]"), json)
}

fn acl(random: &mut Random) -> (String, Json) {
    let (set, kind) = (*random.pick(&["in", "out"]), *random.pick(&["ACL_IPV4", "ACL_IPV6"]));
    if random.chance(40) {
        let id = name(random);
        let json = json!({
            "config": {"id": id},
            "interface-ref": {"config": {"interface": name(random), "subinterface": random.below(3)}},
            "ingress-acl-sets": {"ingress-acl-set": [
                {"set-name": set, "type": kind, "config": {"set-name": set, "type": kind}},
            ]},
        });
        return (format!("/acl/interfaces/interface[id={id}]"), json);
    }
    let number = random.below(5);
    let mut entry = json!({"sequence-id": number, "config": {"sequence-id": number}});
    if random.chance(80) {
        entry["actions"] = json!({"config": {"forwarding-action": "ACCEPT"}});
    }
    let json = json!({
        "config": {"name": set, "type": kind}, "acl-entries": {"acl-entry": [entry]},
    });
    (format!("/acl/acl-sets/acl-set[name={set}][type={kind}]"), json)
}

fn system(random: &mut Random) -> (String, Json) {
    let json = match random.below(3) {
        0 => json!({"config": {"hostname": "h", "motd-banner": "m"}}),
        1 => {
            let server = format!("10.9.9.{}", random.below(4));
            json!({"ntp": {"config": {"enabled": true}, "servers": {"server": [
                {"address": server, "config": {"address": server, "iburst": true}},
            ]}}})
        }
        _ => json!({"clock": {"config": {"timezone-name": "Europe/Prague"}}}),
    };
    ("/system".to_owned(), json)
}
