//! A leaf at its default, set or not, shown or not: the device is in line either way.

use lockstep_simulator::journal::Kind;
use lockstep_types::{Content, Target};

use crate::lab::Lab;

/// The simulated device reports every default that is in force; a resync must find nothing to do.
#[tokio::test(flavor = "multi_thread")]
async fn a_resync_finds_no_difference_in_defaults() {
    let lab = Lab::start(1).await;
    let mut request = lab.request(&["leaf1"], "defaults");
    let leaf1 = Target::new("leaf1").unwrap();
    let edit = request.body.edits.get_mut(&leaf1).unwrap();
    edit.set = [
        ("/interfaces/interface[name=a]", Content::Entry),
        // Set, and to just the default; `enabled` is not set and shown all the same.
        ("/interfaces/interface[name=a]/mtu", Content::leaf(1500_u64)),
    ]
    .into_iter()
    .map(|(path, content)| (path.parse().unwrap(), content))
    .collect();
    lab.handle().submit(request).await.unwrap();
    let device = lab.simulator.device(0).unwrap();
    let sets = || device.journal().iter().filter(|entry| entry.kind == Kind::Set).count();
    assert_eq!(sets(), 1);
    let term = lab.handle().status(&leaf1).unwrap().term;
    device.restart(true).await.unwrap();
    lab.until("it is synchronised again", |view| {
        let later = view.mastership(&leaf1).is_some_and(|m| m.term > term);
        later && view.is_synchronised(&leaf1)
    })
    .await;
    assert_eq!(sets(), 1, "nothing was sent: {:?}", device.journal());
    assert!(lab.handle().view().marks(&leaf1).is_none_or(|marks| marks.is_empty()));
    lab.stop().await;
}
