//! The acts of the story.

use std::io;

use lockstep_protocol::record::Status;
use lockstep_types::Index;

use super::stage::Stage;
use super::words;
use crate::scenario::target;
use crate::system::{Action, Reaction, Told};

fn outcome(index: u64, status: Status) -> Option<Told> {
    Some(Told::Status(Index::new(index), status))
}

pub(super) fn three_devices(stage: &mut Stage<'_>) -> io::Result<()> {
    stage.act("An atomic change on three devices")?;
    stage.play(Action::Submit(0))?;
    stage.settle(None)?;
    stage.stands(1, Status::Applied)?;
    stage.was_told(1, outcome(1, Status::Applied))?;
    stage.holds(["/mtu=9000"; 3])
}

pub(super) fn one_refuses(stage: &mut Stage<'_>) -> io::Result<()> {
    stage.act("One device refuses: the change is undone on all")?;
    stage.play(Action::Submit(0))?;
    // The leaf that refuses is asked last, when the others have accepted.
    for other in ["leaf1", "spine1"] {
        let at = stage.walk.system.requests.iter().position(|r| r.target == target(other));
        stage.check(at.is_some(), "every device should have been sent the change")?;
        stage.play(Action::Deliver(at.unwrap_or_default(), Reaction::Accept))?;
        stage.play(Action::Answer(0))?;
    }
    stage.holds(["/mtu=9216", "/mtu=9000", "/mtu=9216"])?;
    stage.remark("leaf2 is asked last; readers are still served /mtu=9000")?;
    let visible = stage.walk.system.store.visible(&target("leaf1"));
    stage.check(words::values(&visible) == "/mtu=9000", "readers should be served /mtu=9000")?;
    stage.settle(Some("leaf2"))?;
    stage.stands(2, Status::Reverted)?;
    stage.was_told(2, outcome(2, Status::Reverted))?;
    stage.holds(["/mtu=9000"; 3])
}

pub(super) fn one_is_away(stage: &mut Stage<'_>) -> io::Result<()> {
    stage.act("A queued change to a device that is away")?;
    stage.play(Action::Disconnect(0, target("leaf2")))?;
    stage.play(Action::Submit(0))?;
    stage.was_told(3, Some(Told::Refused))?;
    stage.play(Action::Submit(0))?;
    stage.settle(None)?;
    stage.stands(3, Status::Committed)?;
    stage.was_told(4, outcome(3, Status::Committed))?;
    stage.holds(["/mtu=9000 /ntp=on", "/mtu=9000", "/mtu=9000"])?;
    stage.remark("leaf2 comes back: new connection, new term, and it is read first")?;
    stage.play(Action::Connect(0, target("leaf2")))?;
    stage.settle(None)?;
    stage.stands(3, Status::Applied)?;
    stage.holds(["/mtu=9000 /ntp=on", "/mtu=9000 /ntp=on", "/mtu=9000"])
}

pub(super) fn one_restarts(stage: &mut Stage<'_>) -> io::Result<()> {
    stage.act("A device restarts and has lost its configuration")?;
    stage.play(Action::StopDevice(target("leaf1")))?;
    stage.play(Action::StartDevice(target("leaf1"), false))?;
    stage.holds(["nothing", "/mtu=9000 /ntp=on", "/mtu=9000"])?;
    stage.remark("it is read, and sent what it lacks of what was agreed")?;
    stage.play(Action::Connect(0, target("leaf1")))?;
    stage.settle(None)?;
    stage.holds(["/mtu=9000 /ntp=on", "/mtu=9000 /ntp=on", "/mtu=9000"])
}

pub(super) fn rolled_back(stage: &mut Stage<'_>) -> io::Result<()> {
    stage.act("A rollback")?;
    stage.play(Action::Submit(0))?;
    stage.settle(None)?;
    stage.stands(4, Status::Applied)?;
    stage.was_told(5, outcome(4, Status::Applied))?;
    stage.holds(["/mtu=9000"; 3])
}

pub(super) fn the_master_dies(stage: &mut Stage<'_>) -> io::Result<()> {
    stage.act("The master dies between a device's write and its record")?;
    stage.play(Action::Submit(0))?;
    stage.play(Action::Deliver(0, Reaction::Accept))?;
    stage.remark("n0 dies before it hears that; no record says what leaf1 did")?;
    stage.play(Action::Crash(0))?;
    stage.holds(["/mtu=1500", "/mtu=9000", "/mtu=9000"])?;
    stage.stands(5, Status::Committed)?;
    stage.play(Action::Expire(0))?;
    stage.remark("n1 takes over, and leaves alone what leaf1 already has")?;
    for name in ["leaf1", "leaf2", "spine1"] {
        stage.play(Action::Connect(1, target(name)))?;
        stage.settle(None)?;
    }
    stage.stands(5, Status::Applied)?;
    stage.was_told(6, None)?;
    stage.remark("the client had no answer, and asks n1 with the same id")?;
    stage.play(Action::Submit(1))?;
    stage.was_told(7, outcome(5, Status::Applied))?;
    stage.holds(["/mtu=1500", "/mtu=9000", "/mtu=1500"])
}
