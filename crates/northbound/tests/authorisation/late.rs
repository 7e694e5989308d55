//! What a node does not know of yet is nobody's to operate.

use lockstep_gnmi::proto::lockstep::v1::{
    CancelRequest, ConfirmRequest, RemoveTargetRequest, RestoreRequest, RollbackRequest,
};
use tonic::{Code, Status};

use super::ask::updates;
use super::lab::Lab;
use super::page::Page;

fn code<T: std::fmt::Debug>(answer: Result<T, Status>) -> Code {
    answer.unwrap_err().code()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_concerns_no_target_is_refused() {
    let lab = Lab::start(Page::read().roles()).await;
    let index = lab.reset().await;
    for who in ["half", "root"] {
        let mut admin = lab.admin(who);
        let restore = RestoreRequest { index, ..RestoreRequest::default() };
        let refused = admin.restore(restore).await.unwrap_err();
        assert_eq!(refused.code(), Code::FailedPrecondition, "{who}: {refused}");
        assert!(refused.message().contains("name the targets"), "{who}: {refused}");
        let restore = RestoreRequest { index: 9999, ..RestoreRequest::default() };
        assert_eq!(code(admin.restore(restore).await), Code::NotFound);
        let rollback = RollbackRequest { index: 9999, ..RollbackRequest::default() };
        assert_eq!(code(admin.rollback(rollback).await), Code::FailedPrecondition);
        assert_eq!(code(admin.cancel(CancelRequest { index: 9999 }).await), Code::NotFound);
        assert_eq!(code(admin.confirm(ConfirmRequest { index: 9999 }).await), Code::NotFound);
    }
    let mut changer = lab.admin("changer");
    assert_eq!(code(changer.cancel(CancelRequest { index: 9999 }).await), Code::PermissionDenied);
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_sent_again_is_answered_though_its_target_is_gone() {
    let lab = Lab::start(Page::read().roles()).await;
    let index = lab.change("spine1", 0).await;
    let rollback = RollbackRequest { index, id: "once".into(), ..RollbackRequest::default() };
    let first = lab.admin("root").rollback(rollback.clone()).await.unwrap().into_inner();
    let remove = RemoveTargetRequest { name: "spine1".into(), ..RemoveTargetRequest::default() };
    lab.admin("root").remove_target(remove).await.unwrap();
    let again = lab.admin("root").rollback(rollback.clone()).await.unwrap().into_inner();
    let indexes = [first, again].map(|one| one.transaction.unwrap().index);
    assert_eq!(indexes[0], indexes[1]);
    assert_eq!(code(lab.admin("half").rollback(rollback).await), Code::PermissionDenied);
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_asks_the_store_before_it_says_who_may() {
    let lab = Lab::start(Page::read().roles()).await;
    let index = lab.reset().await;
    lab.lose_store().await;
    let mut admin = lab.admin("half");
    let rollback = RollbackRequest { index, ..RollbackRequest::default() };
    let restore = RestoreRequest { index: index - 1, ..RestoreRequest::default() };
    for refused in [
        admin.cancel(CancelRequest { index: index + 1 }).await.unwrap_err(),
        admin.confirm(ConfirmRequest { index: index + 1 }).await.unwrap_err(),
        admin.rollback(rollback).await.unwrap_err(),
        admin.restore(restore).await.unwrap_err(),
    ] {
        assert_eq!(refused.code(), Code::Unavailable, "{refused}");
        assert!(refused.message().contains("the store cannot be read"), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_concerns_what_it_was_allowed_on_and_nothing_else() {
    let lab = Lab::start(Page::read().roles()).await;
    lab.reset().await;
    for _ in 0..20 {
        let index = lab.change("leaf1", 0).await;
        let request = updates("leaf1", "/system/motd=later");
        lab.gnmi("root").set(request).await.unwrap();
        // At the same time somebody changes what this one may not operate.
        let restore = RestoreRequest { index, ..RestoreRequest::default() };
        let (mut half, mut root) = (lab.admin("half"), lab.gnmi("root"));
        let change = root.set(updates("leaf2", "/system/motd=elsewhere"));
        let (restored, changed) = tokio::join!(half.restore(restore), change);
        changed.unwrap();
        match restored {
            Ok(answer) => {
                let done = answer.into_inner().transaction.unwrap();
                assert_eq!(done.targets.keys().collect::<Vec<_>>(), ["leaf1"]);
            }
            // Or it was there already when it was looked at.
            Err(refused) => assert_eq!(refused.code(), Code::PermissionDenied, "{refused}"),
        }
    }
    // Sent again, it is what it was, whatever was changed since.
    let index = lab.change("leaf1", 0).await;
    lab.gnmi("root").set(updates("leaf1", "/system/motd=later")).await.unwrap();
    let restore = RestoreRequest { index, id: "again".into(), ..RestoreRequest::default() };
    let first = lab.admin("root").restore(restore.clone()).await.unwrap().into_inner();
    lab.change("spine1", 0).await;
    let again = lab.admin("root").restore(restore).await.unwrap().into_inner();
    assert_eq!(first.transaction.unwrap().index, again.transaction.unwrap().index);
    lab.stop().await;
}
