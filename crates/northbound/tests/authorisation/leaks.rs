//! What refusals and answers do not say.

use lockstep_gnmi::proto::lockstep::v1::{
    GetTargetRequest, ListTransactionsRequest, RollbackRequest, Target,
};
use tonic::{Code, Status};

use super::lab::Lab;
use super::page::Page;

async fn lab() -> Lab {
    Lab::start(Page::read().roles()).await
}

fn refused<T: std::fmt::Debug>(answer: Result<T, Status>) -> (Code, String) {
    let status = answer.unwrap_err();
    (status.code(), status.message().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_may_not_be_known_of_is_like_none() {
    let lab = lab().await;
    lab.reset().await;
    for who in ["tagged", "half", "words"] {
        for at in ["/interfaces", "/nonsense", "/system/uptime"] {
            let [hidden, none] = ["spine1", "nowhere"].map(|name| (name, lab.get(who, name, at)));
            let (hidden, none) = ((hidden.0, hidden.1.await), (none.0, none.1.await));
            let said = |(name, answer): (&str, Result<_, Status>)| {
                let (code, words) = refused(answer.map(|_| ()));
                (code, words.replace(name, "NAME"))
            };
            assert_eq!(said(hidden), said(none), "{who} {at}");
        }
    }
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_target_is_every_one_that_may_be_known_of() {
    let lab = lab().await;
    lab.reset().await;
    let (code, words) = refused(lab.get("ports", "*", "/system").await.map(|_| ()));
    assert_eq!(code, Code::PermissionDenied);
    assert!(words.contains("leaf") && !words.contains("spine1"), "{words}");
    let answer = lab.answer("ports", &["subscribe", "*", "/system"]).await;
    let (code, words) = refused(answer.map(|_| ()));
    assert_eq!(code, Code::PermissionDenied);
    assert!(words.contains("leaf") && !words.contains("spine1"), "{words}");
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_does_not_tell_of_targets_that_may_not_be_known_of() {
    let lab = lab().await;
    // On all targets at once.
    let index = lab.reset().await;
    let rollback = RollbackRequest { index, ..RollbackRequest::default() };
    let (code, words) = refused(lab.admin("half").rollback(rollback.clone()).await);
    assert_eq!(code, Code::PermissionDenied);
    assert_eq!(words, "no role gives half `operate` on all targets that this concerns");
    let named = RollbackRequest { targets: vec!["leaf1".into(), "spine1".into()], ..rollback };
    let (_, words) = refused(lab.admin("half").rollback(named).await);
    assert_eq!(words, "no role gives half `operate` on target spine1");
    let listed = lab.admin("tagged").list_transactions(ListTransactionsRequest::default()).await;
    let listed = format!("{:?}", listed.unwrap().into_inner());
    assert!(listed.contains("leaf1") && !listed.contains("leaf2") && !listed.contains("spine1"));
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_is_not_valid_is_not_quoted() {
    let lab = lab().await;
    lab.reset().await;
    let set = |who| lab.answer(who, &["update", "leaf1", "/system/hostname=-not-a-name-"]);
    let (code, words) = refused(set("changer").await.map(|_| ()));
    assert_eq!(code, Code::InvalidArgument);
    assert!(words.contains("/system/hostname") && !words.contains("not-a-name"), "{words}");
    let (_, words) = refused(set("root").await.map(|_| ()));
    assert!(words.contains("-not-a-name-"), "{words}");
    let dry = |who| lab.answer(who, &["dry-run", "leaf1", "/system/hostname=-not-a-name-"]);
    let (_, words) = refused(dry("changer").await.map(|_| ()));
    assert!(!words.contains("not-a-name"), "{words}");
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_a_device_differs_is_shown_as_values_are() {
    let lab = lab().await;
    lab.reset().await;
    lab.tamper("leaf1").await;
    let shown = async |who: &str| -> Target {
        let request = GetTargetRequest { name: "leaf1".into() };
        lab.admin(who).get_target(request).await.unwrap().into_inner().target.unwrap()
    };
    lab.eventually(async || shown("root").await.drift.len() == 2).await;
    let all = format!("{:?}", shown("root").await);
    assert!(all.contains("somebody-else") && all.contains("secret-name"), "{all}");
    for who in ["reader", "operator", "tagged"] {
        let target = shown(who).await;
        assert_eq!(target.drift.len(), 2, "{who}");
        assert_eq!(target.drift[0].path, "/system/hostname");
        let said = format!("{target:?}");
        assert!(!said.contains("somebody-else") && !said.contains("secret-name"), "{who}: {said}");
        assert!(said.contains("********") && said.contains("by hand"), "{who}: {said}");
    }
    let target = shown("ports").await;
    assert!(target.drift.is_empty(), "it has interfaces alone: {target:?}");
    lab.stop().await;
}
