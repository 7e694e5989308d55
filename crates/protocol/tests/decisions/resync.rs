//! A resync claims, then reads, then sends the difference (rule 6), and nothing flaps.

use lockstep_protocol::record::{Header, Key, Marks, PartStatus, Rewritten, Status};
use lockstep_protocol::{Answer, Ask, Command, Compare, Op, Request, Wake};
use lockstep_types::{Content, Term};

use crate::support::{
    N1, World, asynchronous, change, claim, delta, failure, mark, patch, path, queued, read, send,
    session, set, set_on, sets, target, term, tree, write,
};

fn one(name: &str, value: &str) -> Request {
    change(name, [("t1", set([("/a", value)]))])
}

fn marks(world: &World) -> Marks {
    world.store.marks(&target("t1")).cloned().unwrap_or_default()
}

/// One node whose target has `/a = 1` applied, back on connection 2 and read.
fn reading(before: impl FnOnce(&mut World)) -> (World, Vec<Command>) {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("a", "1"));
    let gone = world.disconnect(N1, "t1", 1);
    world.drive(N1, gone);
    before(&mut world);
    let take = world.connect(N1, "t1", 2);
    let claimed = world.perform(N1, &take);
    assert_eq!(claimed, [claim("t1", (2, 4, 2))]);
    let reading = world.answer(N1, &claimed, Answer::Accepted);
    assert_eq!(reading, [read("t1", (2, 5, 2))]);
    (world, reading)
}

#[test]
fn only_the_difference_is_sent_and_then_read_back() {
    let (mut world, reading) = reading(|_| {});
    let seen = Answer::Values(tree([("/a", "0"), ("/x", "9")]));
    let pushed = world.answer(N1, &reading, seen);
    let difference = delta([("/a", Some("1")), ("/x", None)]);
    assert_eq!(pushed, [set_on("t1", (2, 6, 2), Ask::Set(difference))]);
    let verified = world.answer(N1, &pushed, Answer::Accepted);
    assert_eq!(verified, [read("t1", (2, 7, 2))]);
    let record = world.answer(N1, &verified, Answer::Values(tree([("/a", "1")])));

    let t1 = target("t1");
    let header = Header { synced: term(2), ..world.header("t1") };
    let expected = world.txn(
        [Key::Configuration(t1.clone()), Key::Mastership(t1.clone())],
        [Compare::Exists(Key::Session(session("s1")))],
        [Op::Configuration {
            target: t1.clone(),
            header,
            committed: patch([]),
            applied: patch([]),
            cleared: false,
        }],
    );
    assert_eq!(record, [write(Wake::Target(t1), expected)]);
    assert_eq!(world.perform(N1, &record), []);
}

#[test]
fn a_device_that_is_in_line_is_not_written_to() {
    let (mut world, reading) = reading(|_| {});
    let record = world.answer(N1, &reading, Answer::Values(tree([("/a", "1")])));
    assert!(sets(&record).is_empty());
    world.perform(N1, &record);
    assert_eq!(world.header("t1").synced, term(2));
}

#[test]
fn what_the_next_change_will_set_is_left_as_it_is() {
    let (mut world, reading) = reading(|world| {
        let request = asynchronous(queued(change("b", [("t1", set([("/a", "2"), ("/b", "2")]))])));
        world.commit(N1, 2, request);
    });
    // The device has half of it already, from a Set that was never recorded.
    let pushed = world.answer(N1, &reading, Answer::Values(tree([("/a", "2"), ("/x", "9")])));
    assert_eq!(pushed, [set_on("t1", (2, 6, 2), Ask::Set(delta([("/x", None)])))]);
    let verified = world.answer(N1, &pushed, Answer::Accepted);
    let record = world.answer(N1, &verified, Answer::Values(tree([("/a", "2")])));
    let next = world.perform(N1, &record);
    let whole = delta([("/a", Some("2")), ("/b", Some("2"))]);
    assert_eq!(next, [set_on("t1", (2, 8, 2), Ask::Set(whole))]);
    assert_eq!(marks(&world), Marks::new());
}

#[test]
fn a_resync_over_a_change_that_is_withdrawn_meanwhile_is_void() {
    let (mut world, reading) = reading(|world| {
        world.commit(N1, 2, asynchronous(queued(one("b", "2"))));
    });
    let cancelled = world.cancel(N1, 3, 2);
    let synced = world.answer(N1, &reading, Answer::Values(tree([("/a", "2")])));
    assert!(matches!(synced[..], [Command::Write { .. }]), "nothing to send over the head");
    world.perform(N1, &cancelled);
    assert_eq!(world.part(2, "t1"), PartStatus::Withdrawn);

    let again = world.perform(N1, &synced);
    assert_eq!(again, [claim("t1", (2, 6, 2))], "the device still has what was withdrawn");
    assert_eq!(world.header("t1").synced, Term::ZERO);
    *world.device("t1") = tree([("/a", "2")]);
    world.drive(N1, again);
    assert!(world.device("t1").same_values(&tree([("/a", "1")])));
}

#[test]
fn what_a_device_rewrites_is_marked_and_not_pushed_again() {
    let (mut world, reading) = reading(|_| {});
    let pushed = world.answer(N1, &reading, Answer::Values(tree([])));
    let verified = world.answer(N1, &pushed, Answer::Accepted);
    let record = world.answer(N1, &verified, Answer::Values(tree([("/a", "01")])));
    world.perform(N1, &record);
    let mark = Rewritten { wanted: Some(Content::leaf("1")), seen: Some(Content::leaf("01")) };
    assert_eq!(marks(&world), [(path("/a"), mark)].into());

    // Read again in the same form: nothing to send, and the mark stays.
    *world.device("t1") = tree([("/a", "01")]);
    world.connect_and_drive(N1, "t1", 3);
    assert_eq!((world.header("t1").synced, marks(&world).len()), (term(3), 1));
    assert!(world.device("t1").same_values(&tree([("/a", "01")])));

    // Another value is wanted: it is pushed, and the mark is void.
    world.submit_and_drive(N1, 2, one("b", "2"));
    *world.device("t1") = tree([("/a", "01")]);
    world.connect_and_drive(N1, "t1", 4);
    assert!(world.device("t1").same_values(&tree([("/a", "2")])));
    assert_eq!(marks(&world), Marks::new());
}

#[test]
fn a_change_in_another_form_behind_our_back_is_pushed() {
    let (mut world, reading) = reading(|_| {});
    let pushed = world.answer(N1, &reading, Answer::Values(tree([])));
    let verified = world.answer(N1, &pushed, Answer::Accepted);
    let record = world.answer(N1, &verified, Answer::Values(tree([("/a", "01")])));
    world.perform(N1, &record);
    let take = world.connect(N1, "t1", 3);
    let claimed = world.perform(N1, &take);
    let reading = world.answer(N1, &claimed, Answer::Accepted);
    let pushed = world.answer(N1, &reading, Answer::Values(tree([("/a", "7")])));
    assert_eq!(sets(&pushed), [&delta([("/a", Some("1"))])]);
}

#[test]
fn after_a_restart_of_the_device_everything_comes_back() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, change("a", [("t1", set([("/a", "1"), ("/b", "2")]))]));
    let gone = world.disconnect(N1, "t1", 1);
    world.drive(N1, gone);
    *world.device("t1") = tree([("/factory", "default")]);
    world.connect_and_drive(N1, "t1", 2);
    assert!(world.device("t1").same_values(&tree([("/a", "1"), ("/b", "2")])));
    assert_eq!((world.status(1), world.header("t1").applied), (Status::Applied, mark(1, 1)));
}

#[test]
fn a_busy_device_is_claimed_again_from_the_start() {
    let mut world = World::new(1, ["t1"]);
    let take = world.connect(N1, "t1", 1);
    let claimed = world.perform(N1, &take);
    let reading = world.answer(N1, &claimed, Answer::Accepted);
    assert_eq!(world.answer(N1, &reading, Answer::Busy), []);
    let at = world.node(N1).desk().next_retry().expect("a retry").get();
    assert_eq!(world.tick(N1, at), [send("t1", 3, Ask::Claim)]);
}

#[test]
fn a_claim_that_is_refused_is_recorded_and_tried_again() {
    let mut world = World::new(1, ["t1"]);
    let take = world.connect(N1, "t1", 1);
    let claimed = world.perform(N1, &take);
    let record = world.answer(N1, &claimed, Answer::Refused(failure()));
    assert_eq!(world.perform(N1, &record), []);
    assert_eq!(world.header("t1").resync_refused, Some(failure()));
    let at = world.node(N1).desk().next_retry().expect("a retry").get();
    let claimed = world.tick(N1, at);
    assert_eq!(claimed, [send("t1", 2, Ask::Claim)]);
    world.drive(N1, claimed);
    assert_eq!(world.header("t1").resync_refused, None);
}
