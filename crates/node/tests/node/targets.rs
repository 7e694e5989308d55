//! Targets that come, are bound anew and go while nodes run.

use std::collections::BTreeMap;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use lockstep_node::{Handle, Models, State, start};
use lockstep_protocol::record::{Binding, Initial, Kind, Mode, Status};
use lockstep_protocol::{Body, Refusal, Reply, Request, Until};
use lockstep_simulator::{Options as Devices, Simulator};
use lockstep_store::{Memory, Records};
use lockstep_types::{Content, NodeName, Target, TransactionId};
use lockstep_yang::{ModelSet, Options as Files};

use crate::lab::{Lab, models, options, spec};

fn leaf(number: usize) -> Target {
    Target::new(format!("leaf{number}")).unwrap()
}

/// Simulated devices that no node knows of.
fn devices(count: u16) -> Simulator {
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    Simulator::start(Devices { models: models(), listen, count }).unwrap()
}

/// A node without targets, in front of these devices.
async fn empty(simulator: Simulator) -> Lab {
    let records = Records::open(Arc::new(Memory::new())).await.unwrap();
    Lab::without_targets(records, simulator).await
}

fn binding(lab: &Lab, device: usize, models: &ModelSet) -> Binding {
    spec(1, lab.simulator.addresses()[device], models, Initial::Adopt).binding
}

async fn ask(handle: &Handle, kind: Kind, target: &Target, binding: Option<Binding>) -> Reply {
    let request = Request {
        id: TransactionId::new(format!("{kind:?} {:?}", handle.now())).unwrap(),
        body: Body {
            kind,
            mode: Mode::Atomic,
            edits: BTreeMap::new(),
            only: [target.clone()].into(),
            window: None,
            binding: binding.map(Box::new),
        },
        until: Until::Outcome,
        deadline: handle.now().after(20_000_000_000),
        answer_by: None,
        author: String::new(),
        comment: String::new(),
    };
    handle.submit(request).await.unwrap()
}

fn is_applied(reply: &Reply) -> bool {
    matches!(reply, Reply::Transaction { status: Status::Applied, .. })
}

fn motd(lab: &Lab, device: usize) -> Option<Content> {
    let held = lab.simulator.device(device).unwrap().configuration();
    held.get(&"/system/motd".parse().unwrap()).cloned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_comes_is_changed_and_goes() {
    let lab = empty(devices(1)).await;
    let handle = lab.handle();
    assert!(handle.statuses().is_empty() && handle.states().is_empty());
    let bound = binding(&lab, 0, &models());
    assert!(is_applied(&ask(&handle, Kind::Add, &leaf(1), Some(bound.clone())).await));
    assert!(handle.target(&leaf(1)).is_some(), "whoever was answered finds it");
    lab.until("it is synchronised", |view| view.is_synchronised(&leaf(1))).await;
    assert!(is_applied(&lab.submit(&["leaf1"], "ours").await));
    assert_eq!(motd(&lab, 0), Some(Content::leaf("ours")));

    let twice = ask(&handle, Kind::Add, &leaf(1), Some(bound.clone())).await;
    assert_eq!(twice, Reply::Refused(Refusal::TargetExists(leaf(1))));
    assert!(is_applied(&ask(&handle, Kind::Remove, &leaf(1), None).await));
    assert!(handle.target(&leaf(1)).is_none() && handle.status(&leaf(1)).is_none());
    let gone = lab.submit(&["leaf1"], "nobody's").await;
    assert_eq!(gone, Reply::Refused(Refusal::UnknownTarget(leaf(1))));
    assert_eq!(motd(&lab, 0), Some(Content::leaf("ours")), "the device is left as it is");

    // It may come back, and then it is met as any other.
    assert!(is_applied(&ask(&handle, Kind::Add, &leaf(1), Some(bound)).await));
    lab.until("it is synchronised again", |view| view.is_synchronised(&leaf(1))).await;
    assert!(is_applied(&lab.submit(&["leaf1"], "again").await));
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_is_bound_to_another_address_is_reached_there() {
    let lab = empty(devices(2)).await;
    let handle = lab.handle();
    let here = binding(&lab, 0, &models());
    ask(&handle, Kind::Add, &leaf(1), Some(here)).await;
    lab.until("it is synchronised", |view| view.is_synchronised(&leaf(1))).await;
    lab.submit(&["leaf1"], "ours").await;
    let there = binding(&lab, 1, &models());
    assert!(is_applied(&ask(&handle, Kind::Rebind, &leaf(1), Some(there.clone())).await));
    assert_eq!(handle.status(&leaf(1)).unwrap().address, there.details);
    // The other device is brought to what is wanted of the target, and the first one hears nothing more.
    lab.eventually("the other has it", || motd(&lab, 1) == Some(Content::leaf("ours"))).await;
    lab.until("it is synchronised", |view| view.is_synchronised(&leaf(1))).await;
    assert!(is_applied(&lab.submit(&["leaf1"], "later").await));
    assert_eq!(motd(&lab, 0), Some(Content::leaf("ours")));
    assert_eq!(motd(&lab, 1), Some(Content::leaf("later")));
    // Bound to what cannot be reached, it says so, and nothing is sent any more.
    let nowhere = Binding { details: "nowhere".into(), ..there };
    assert!(is_applied(&ask(&handle, Kind::Rebind, &leaf(1), Some(nowhere)).await));
    lab.until("nobody has it", |view| view.master(&leaf(1)).is_none()).await;
    let status = handle.status(&leaf(1)).unwrap();
    assert_eq!(
        (status.state, status.reason.as_deref()),
        (State::Failed, Some("that is no address"))
    );
    let refused = lab.submit(&["leaf1"], "in vain").await;
    assert!(matches!(refused, Reply::Refused(Refusal::NotServed(..))), "{refused:?}");
    lab.stop().await;
}

/// What a device may change by itself is part of the binding, and no reason to connect to it anew.
#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_is_reached_as_before_keeps_its_connection() {
    let lab = empty(devices(1)).await;
    let handle = lab.handle();
    let bound = binding(&lab, 0, &models());
    ask(&handle, Kind::Add, &leaf(1), Some(bound.clone())).await;
    lab.until("it is synchronised", |view| view.is_synchronised(&leaf(1))).await;
    let term = handle.status(&leaf(1)).unwrap().term;
    let ignoring = Binding { ignore: vec!["/system/motd".parse().unwrap()], ..bound };
    assert!(is_applied(&ask(&handle, Kind::Rebind, &leaf(1), Some(ignoring)).await));
    lab.until("it is synchronised", |view| view.is_synchronised(&leaf(1))).await;
    assert_eq!(handle.status(&leaf(1)).unwrap().term, term);
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn any_node_serves_what_another_was_asked_to_add() {
    let lab = empty(devices(2)).await;
    let (n1, bound) = (lab.handle(), binding(&lab, 0, &models()));
    let mut second = options(lab.records.clone(), Vec::new());
    (second.name, second.models) = (NodeName::new("n2").unwrap(), lab_models(models()));
    let n2 = start(second).await.unwrap();
    ask(&n1, Kind::Add, &leaf(1), Some(bound)).await;
    let mut views = n2.handle().views();
    views.wait_for(|view| view.binding(&leaf(1)).is_some()).await.unwrap();
    assert!(n2.handle().target(&leaf(1)).is_some());
    views.wait_for(|view| view.is_synchronised(&leaf(1))).await.unwrap();
    let set = n2.handle().submit(lab.request(&["leaf1"], "through n2")).await.unwrap();
    assert!(is_applied(&set), "{set:?}");
    // Asked to remove it, the one lets go of what the other added.
    assert!(is_applied(&ask(&n2.handle(), Kind::Remove, &leaf(1), None).await));
    lab.until("it is gone", |view| view.binding(&leaf(1)).is_none()).await;
    assert!(n1.target(&leaf(1)).is_none());
    n2.stop().await.unwrap();
    lab.stop().await;
}

fn lab_models(models: ModelSet) -> Models {
    Models::new([("lab".to_owned(), models)].into())
}

/// The models of the devices, with a leaf more.
fn other_models() -> ModelSet {
    let folder = tempfile::tempdir().unwrap();
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/lab/lab.yang");
    let text = fs::read_to_string(own).unwrap();
    fs::write(folder.path().join("lab.yang"), text).unwrap();
    let more = "module more { namespace 'urn:more'; prefix m; leaf more { type string; } }";
    fs::write(folder.path().join("more.yang"), more).unwrap();
    ModelSet::load(&Files { path: folder.path().to_owned(), ..Files::default() }).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_waits_for_its_models_and_then_goes_on() {
    let lab = empty(devices(1)).await;
    let (handle, other) = (lab.handle(), other_models());
    let bound = binding(&lab, 0, &other);
    assert!(is_applied(&ask(&handle, Kind::Add, &leaf(1), Some(bound)).await));
    let status = handle.status(&leaf(1)).unwrap();
    assert_eq!(status.state, State::Failed);
    assert_eq!(handle.states(), [(leaf(1), State::Failed)]);
    let reason = status.reason.unwrap();
    assert!(
        reason.contains(other.digest().as_str()) && reason.contains("model reload"),
        "{reason}"
    );
    assert!(handle.target(&leaf(1)).is_none());
    let mut queued = lab.request(&["leaf1"], "later");
    (queued.body.mode, queued.until) = (Mode::Queued, Until::Decision);
    let refused = handle.submit(queued).await.unwrap();
    assert!(matches!(refused, Reply::Refused(Refusal::NotServed(..))), "{refused:?}");

    let sets = [("lab".to_owned(), models()), ("other".to_owned(), other)].into();
    handle.have_models(sets).await.unwrap();
    lab.until("it is synchronised", |view| view.is_synchronised(&leaf(1))).await;
    assert!(is_applied(&lab.submit(&["leaf1"], "now").await));
    lab.stop().await;
}

/// What one target is bound to stays when its name comes to stand for something else.
#[tokio::test(flavor = "multi_thread")]
async fn models_stay_while_a_target_is_bound_to_them() {
    let lab = empty(devices(1)).await;
    let (handle, other) = (lab.handle(), other_models());
    ask(&handle, Kind::Add, &leaf(1), Some(binding(&lab, 0, &models()))).await;
    lab.until("it is synchronised", |view| view.is_synchronised(&leaf(1))).await;
    handle.have_models([("lab".to_owned(), other.clone())].into()).await.unwrap();
    assert!(is_applied(&lab.submit(&["leaf1"], "as before").await));
    // Bound to the new ones, once they judged what stands, nobody needs the old ones.
    let anew = binding(&lab, 0, &other);
    assert!(is_applied(&ask(&handle, Kind::Rebind, &leaf(1), Some(anew)).await));
    handle.have_models([("lab".to_owned(), other)].into()).await.unwrap();
    assert!(handle.models().get(models().digest()).is_none());
    lab.until("it is synchronised", |view| view.is_synchronised(&leaf(1))).await;
    assert!(is_applied(&lab.submit(&["leaf1"], "with the new ones").await));
    lab.stop().await;
}
