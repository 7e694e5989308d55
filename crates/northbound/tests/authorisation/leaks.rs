//! What refusals and answers do not say.

use lockstep_gnmi::proto::lockstep::v1::{
    GetTargetRequest, GetTransactionRequest, ListModelsRequest, ListTransactionsRequest,
    OperateTargetRequest, RollbackRequest, Target, Transaction, WatchTransactionsRequest,
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
async fn targets_that_may_not_be_known_of_are_not_counted() {
    let lab = lab().await;
    for (who, seen) in [("root", 3), ("ports", 2), ("half", 1)] {
        let answer = lab.admin(who).list_models(ListModelsRequest {}).await.unwrap();
        let counted: u64 = answer.into_inner().models.iter().map(|model| model.targets).sum();
        assert_eq!(counted, seen, "{who}");
    }
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
async fn whoever_asks_for_a_target_is_not_told_that_there_is_one() {
    let lab = lab().await;
    // On all targets at once.
    lab.reset().await;
    for (name, seen) in [("leaf1", true), ("spine1", false), ("nowhere", false)] {
        let target = vec![name.to_owned()];
        let request = ListTransactionsRequest { target: target.clone(), ..Default::default() };
        let listed = lab.admin("tagged").list_transactions(request).await.unwrap().into_inner();
        assert_eq!(!listed.transactions.is_empty(), seen, "{name}");
        let request = WatchTransactionsRequest { target, latest: 1, ..Default::default() };
        let mut told = lab.admin("tagged").watch_transactions(request).await.unwrap().into_inner();
        // What is there comes first, and then a word that it was all.
        let first = told.message().await.unwrap().unwrap().transaction;
        assert_eq!(first.is_some(), seen, "{name}");
    }
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_later_is_told_no_other_way() {
    let lab = lab().await;
    lab.reset().await;
    let request = WatchTransactionsRequest { target: vec!["spine1".into()], ..Default::default() };
    let mut told = lab.admin("ports").watch_transactions(request).await.unwrap().into_inner();
    assert_eq!(told.message().await.unwrap().unwrap().transaction, None);
    lab.reset().await;
    // It ends with the node, and has told nothing by then.
    let stopped = tokio::spawn(lab.stop());
    assert!(told.message().await.is_err());
    stopped.await.unwrap();
}

/// A change of both leaves, which leaf1 refuses with these words; its index.
async fn refused_by_leaf1(lab: &Lab, words: &str) -> u64 {
    lab.refuse("leaf1", "/system/motd", words);
    let change = lab.answer("root", &["update", "leaf1,leaf2", "/system/motd=other"]).await;
    let (code, said) = refused(change.map(|_| ()));
    assert!(code == Code::Aborted && said.contains(words), "{said}");
    lab.heal("leaf1");
    lab.settled().await;
    let listed = lab.admin("root").list_transactions(ListTransactionsRequest::default()).await;
    listed.unwrap().into_inner().transactions[0].index
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_device_said_is_for_those_who_may_read_all_of_it() {
    let lab = lab().await;
    lab.reset().await;
    let words = "/system/motd: `swordfish` is no banner";
    let index = refused_by_leaf1(&lab, words).await;
    let shown = async |who: &str| -> Transaction {
        let request = GetTransactionRequest { index, ..GetTransactionRequest::default() };
        let found = lab.admin(who).get_transaction(request).await.unwrap().into_inner();
        found.transaction.unwrap()
    };
    for who in ["root", "reader"] {
        let all = format!("{:?}", shown(who).await);
        assert_eq!(all.matches("swordfish").count(), 2, "{who}: {all}");
    }
    // This one may read the interfaces of both, and is told that it was refused, and how.
    let found = shown("ports").await;
    let said = format!("{found:?}");
    assert!(!said.contains("swordfish") && !said.contains("motd"), "{said}");
    let there = found.targets["leaf1"].error.clone().unwrap();
    assert_eq!(there.code, "FAILED_PRECONDITION");
    assert!(there.message.contains("may not be read"), "{}", there.message);
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_changes_something_hears_what_a_device_says_of_that() {
    let lab = lab().await;
    lab.reset().await;
    let update = ["update", "leaf1", "/interfaces/interface[name=eth1]/description=x"];
    for (words, is_heard) in [
        ("/interfaces/interface[name=eth1]/description: too short", true),
        ("too busy for that", true),
        ("`/system/motd` is `hello`, so no", false),
    ] {
        for who in ["ports", "root"] {
            lab.refuse("leaf1", "/interfaces", words);
            let (_, said) = refused(lab.answer(who, &update).await.map(|_| ()));
            assert_eq!(said.contains(words), is_heard || who == "root", "{who}: {said}");
            lab.heal("leaf1");
            lab.settled().await;
        }
    }
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn why_a_device_is_not_in_line_is_not_told_where_it_may_not_be_read() {
    let lab = lab().await;
    lab.reset().await;
    lab.tamper("leaf1").await;
    lab.refuse("leaf1", "/", "`/system/motd` is `swordfish`, so no");
    let sync = OperateTargetRequest { name: "leaf1".into(), order: "sync".into() };
    lab.admin("root").operate_target(sync).await.unwrap();
    let reason = async |who: &str| {
        let request = GetTargetRequest { name: "leaf1".into() };
        let target = lab.admin(who).get_target(request).await.unwrap().into_inner().target;
        target.unwrap().reason
    };
    lab.eventually(async || reason("root").await.contains("swordfish")).await;
    assert!(reason("reader").await.contains("swordfish"));
    let said = reason("ports").await;
    assert!(said.starts_with("FAILED_PRECONDITION: ") && !said.contains("motd"), "{said}");
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
