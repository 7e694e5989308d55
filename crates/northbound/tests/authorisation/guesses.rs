//! A secret cannot be found out by trying.

use lockstep_gnmi::proto::gnmi::{Notification, SetRequest};
use lockstep_gnmi::proto::lockstep::v1::SetOptions;
use lockstep_gnmi::{extension, value};

use super::ask::updates;
use super::lab::Lab;
use super::page::Page;

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_does_not_tell_a_right_guess_from_a_wrong_one() {
    let lab = Lab::start(Page::read().roles()).await;
    lab.reset().await;
    let tried = async |who: &str, guess: &str| -> Vec<Notification> {
        let options = SetOptions { dry_run: true, ..SetOptions::default() };
        let mut request = updates("leaf1", &format!("/system/hostname={guess}"));
        request.update.extend(updates("leaf1", "/system/motd=x").update);
        let request = SetRequest { extension: vec![extension::with_options(&options)], ..request };
        let answer = lab.gnmi(who).set(request).await.unwrap().into_inner();
        let changes = extension::preview(&answer.extension).unwrap().changes;
        changes.into_iter().map(|one| Notification { timestamp: 0, ..one }).collect()
    };
    let (right, wrong) = (tried("changer", "secret-name").await, tried("changer", "other").await);
    assert_eq!(right, wrong);
    let masked = value::json(&"********".into(), true);
    assert_eq!(right[0].update[0].val, Some(masked), "{right:?}");
    assert_eq!(right[0].update.len(), 2, "{right:?}");
    // Who may see it is told what would change.
    let right = format!("{:?}", tried("root", "secret-name").await);
    assert!(!right.contains("hostname") && right.contains("motd"), "{right}");
    lab.stop().await;
}
