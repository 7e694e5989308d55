//! What a path stands for.

use lockstep_yang::{Kind, Node, PathError};

use crate::common::{LAB, TYPES, path};

#[test]
fn every_kind_of_node() {
    for (text, config, state_below, kind) in [
        ("/", true, true, Kind::Root),
        ("/all", true, false, Kind::Container),
        ("/defaults/present", true, false, Kind::Presence),
        ("/keyed", true, true, Kind::Container),
        ("/keyed/by-number", true, false, Kind::List),
        ("/keyed/by-number[id=*]", true, false, Kind::List),
        ("/keyed/by-number[id=1]", true, false, Kind::Entry),
        ("/keyed/by-identity[name=1]", true, true, Kind::List),
        ("/keyed/by-identity/state", false, true, Kind::Leaf),
        ("/keyed/by-number[id=1]/id", true, false, Kind::Leaf),
        ("/all/numbers", true, false, Kind::LeafList),
        ("/blob", true, false, Kind::Any),
        ("/*", true, true, Kind::Several),
        ("/.../note", true, false, Kind::Several),
        ("/.../wide", true, false, Kind::Leaf),
        ("/choices/line/speed", true, false, Kind::Leaf),
    ] {
        assert_eq!(TYPES.check(&path(text)), Ok(Node { config, state_below, kind }), "{text}");
    }
}

#[test]
fn state_is_seen_from_above() {
    assert!(LAB.check(&path("/system")).unwrap().state_below);
    assert!(!LAB.check(&path("/system/motd")).unwrap().state_below);
    assert!(!LAB.check(&path("/vlans")).unwrap().state_below);
    let uptime = LAB.check(&path("/system/uptime")).unwrap();
    assert_eq!((uptime.config, uptime.state_below), (false, true));
}

#[test]
fn unknown_paths() {
    assert!(matches!(LAB.check(&path("/system/clock-source")), Err(PathError::Unknown { .. })));
    assert!(matches!(LAB.check(&path("/vlans/vlan[id=0]")), Err(PathError::WrongKey { .. })));
}
