//! Names and numbers on the wire, which no change to the .proto files may move.

#![allow(clippy::expect_used, clippy::panic, reason = "a test says what went wrong by panicking")]

use lockstep_gnmi::DESCRIPTORS;
use prost::Message;
use prost_types::{DescriptorProto, FileDescriptorSet};

fn files() -> FileDescriptorSet {
    FileDescriptorSet::decode(DESCRIPTORS).expect("the descriptor set")
}

/// `name=number` of each field of a message, by number.
fn fields(package: &str, message: &str) -> String {
    let files = files();
    let in_package = files.file.iter().filter(|file| file.package() == package);
    let found: &DescriptorProto = in_package
        .flat_map(|file| &file.message_type)
        .find(|one| one.name() == message)
        .unwrap_or_else(|| panic!("no message {package}.{message}"));
    let mut fields: Vec<_> = found.field.iter().map(|one| (one.number(), one.name())).collect();
    fields.sort_unstable();
    fields.iter().map(|(number, name)| format!("{name}={number}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn gnmi_has_the_numbers_of_the_protocol() {
    let table = [
        ("Path", "element=1 origin=2 elem=3 target=4"),
        ("PathElem", "name=1 key=2"),
        (
            "TypedValue",
            "string_val=1 int_val=2 uint_val=3 bool_val=4 bytes_val=5 float_val=6 decimal_val=7 \
             leaflist_val=8 any_val=9 json_val=10 json_ietf_val=11 ascii_val=12 proto_bytes=13 \
             double_val=14",
        ),
        ("Update", "path=1 value=2 val=3 duplicates=4"),
        ("Notification", "timestamp=1 prefix=2 alias=3 update=4 delete=5 atomic=6"),
        ("SetRequest", "prefix=1 delete=2 replace=3 update=4 extension=5 union_replace=6"),
        ("SetResponse", "prefix=1 response=2 message=3 timestamp=4 extension=5"),
        ("UpdateResult", "timestamp=1 path=2 message=3 op=4"),
        ("GetRequest", "prefix=1 path=2 type=3 encoding=5 use_models=6 extension=7"),
        ("GetResponse", "notification=1 error=2 extension=3"),
        ("SubscribeRequest", "subscribe=1 poll=3 aliases=4 extension=5"),
        ("SubscribeResponse", "update=1 sync_response=3 error=4 extension=5"),
        (
            "SubscriptionList",
            "prefix=1 subscription=2 use_aliases=3 qos=4 mode=5 allow_aggregation=6 use_models=7 \
             encoding=8 updates_only=9",
        ),
        (
            "Subscription",
            "path=1 mode=2 sample_interval=3 suppress_redundant=4 heartbeat_interval=5",
        ),
        (
            "CapabilityResponse",
            "supported_models=1 supported_encodings=2 gNMI_version=3 extension=4",
        ),
        ("ModelData", "name=1 organization=2 version=3"),
    ];
    for (message, expected) in table {
        assert_eq!(fields("gnmi", message), expected, "{message}");
    }
}

#[test]
fn extensions_have_the_numbers_of_the_protocol() {
    let table = [
        (
            "Extension",
            "registered_ext=1 master_arbitration=2 history=3 commit=4 depth=5 \
             config_subscription=6",
        ),
        ("RegisteredExtension", "id=1 msg=2"),
        ("MasterArbitration", "role=1 election_id=2"),
        ("Uint128", "high=1 low=2"),
        ("Commit", "id=1 commit=2 confirm=3 cancel=4 set_rollback_duration=5"),
        ("CommitSetRollbackDuration", "rollback_duration=1"),
        ("Depth", "level=1"),
        ("ConfigSubscription", "start=1 sync_done=2"),
        ("ConfigSubscriptionSyncDone", "commit_confirm_id=1 server_commit_id=2 done=3"),
        ("History", "snapshot_time=1 range=2"),
    ];
    for (message, expected) in table {
        assert_eq!(fields("gnmi_ext", message), expected, "{message}");
    }
}

#[test]
fn our_options_have_the_numbers_that_were_promised() {
    let expected = "queued=1 async=2 dry_run=3 comment=4 deadline=5 id=6 confirm=7";
    assert_eq!(fields("lockstep.v1", "SetOptions"), expected);
}

#[test]
fn the_descriptors_are_whole() {
    let files = files();
    let names: Vec<_> = files.file.iter().map(|file| file.name()).collect();
    for import in files.file.iter().flat_map(|file| &file.dependency) {
        assert!(names.contains(&import.as_str()), "{import} is imported and not there");
    }
    let services: Vec<_> = files
        .file
        .iter()
        .flat_map(|file| {
            file.service.iter().map(|one| format!("{}.{}", file.package(), one.name()))
        })
        .collect();
    assert!(services.contains(&"gnmi.gNMI".into()), "{services:?}");
    assert!(services.contains(&"lockstep.v1.Admin".into()), "{services:?}");
    assert!(services.contains(&"lockstep.sim.v1.Control".into()), "{services:?}");
}
