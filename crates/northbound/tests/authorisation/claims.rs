//! Who is listened to as the only one to write: nobody who may not write, or does not.

use lockstep_gnmi::Election;
use lockstep_gnmi::extension::{self, Arbitration};
use lockstep_gnmi::proto::gnmi::SetRequest;
use lockstep_gnmi::proto::lockstep::v1::SetOptions;
use tonic::Code;

use super::ask::{updates, wire};
use super::lab::Lab;
use super::page::Page;

#[tokio::test(flavor = "multi_thread")]
async fn only_a_set_that_is_allowed_and_done_takes_over() {
    let lab = Lab::start(Page::read().roles()).await;
    lab.reset().await;
    let set = async |who: &str, low, dry_run| {
        let claim = Arbitration { role: "writers".into(), election: Election { high: 0, low } };
        let options = SetOptions { dry_run, ..SetOptions::default() };
        let extension = vec![extension::claim(&claim), extension::with_options(&options)];
        let request = SetRequest { extension, ..updates("leaf1", "/system/motd=x") };
        lab.gnmi(who).set(request).await.map_err(|status| status.code())
    };
    // This one may write elsewhere alone.
    assert_eq!(set("ports", 9, false).await.unwrap_err(), Code::PermissionDenied);
    assert!(set("root", 8, true).await.is_ok());
    assert!(set("root", 5, false).await.is_ok());
    assert_eq!(set("root", 4, false).await.unwrap_err(), Code::PermissionDenied);
    // A dry run tells what would become of it, and so it does here.
    assert_eq!(set("root", 4, true).await.unwrap_err(), Code::PermissionDenied);
    lab.stop().await;
}

// rule: arbitration-target
#[tokio::test(flavor = "multi_thread")]
async fn nobody_takes_over_where_they_may_not_write() {
    let lab = Lab::start(Page::read().roles()).await;
    lab.reset().await;
    let by = |low| {
        let claim = Arbitration { role: "writers".into(), election: Election { high: 0, low } };
        vec![extension::claim(&claim)]
    };
    let set = async |target: &str, low| {
        let request = SetRequest { extension: by(low), ..updates(target, "/system/motd=x") };
        lab.gnmi("root").set(request).await.map_err(|status| status.code())
    };
    // Everywhere that this one may write, which is on the leaves.
    let empty = SetRequest { extension: by(9), ..SetRequest::default() };
    lab.gnmi("ports").set(empty).await.unwrap();
    assert_eq!(set("leaf1", 5).await.unwrap_err(), Code::PermissionDenied);
    assert_eq!(set("leaf2", 5).await.unwrap_err(), Code::PermissionDenied);
    assert!(set("spine1", 5).await.is_ok());
    let prefix = Some(wire("spine1", "/"));
    let named = SetRequest { extension: by(9), prefix, ..SetRequest::default() };
    let refused = lab.gnmi("ports").set(named.clone()).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
    assert!(refused.message().contains("`change` on target spine1"), "{refused}");
    assert!(set("spine1", 5).await.is_ok());
    lab.gnmi("root").set(named).await.unwrap();
    assert_eq!(set("spine1", 5).await.unwrap_err(), Code::PermissionDenied);
    lab.stop().await;
}
