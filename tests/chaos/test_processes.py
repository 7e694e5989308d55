"""Processes that end by themselves are noted, once; and are explained by a fault, or are found."""

import sys

import pytest
from check import check
from program import Program
from story import Story
from world import wait


def found(*faults, **end):
    story = Story()
    story.faults = list(faults)
    said = "lockstep: the store cannot be used"
    story.ends = [{"who": "n1", "from": 100, "until": 103, "status": 1, "said": said, **end}]
    return [text for name, text in check(story.end())[0] if name == "Processes"]


def fault(kind, begin, end, **more):
    return {"fault": kind, "node": "n2", "member": "m3", "from": begin, "until": end, **more}


def test_a_node_that_ends_without_a_fault():
    assert found() == ["n1 ended by itself with status 1 after 3 s; its last words: lockstep: the store cannot be used"]


def test_a_node_that_finds_no_store():
    assert not found(fault("majority-kill", 99, 110))
    assert not found(fault("majority-kill", 80, 95)), "members elect a leader first"
    assert found(fault("majority-kill", 80, 90)), "that was long before"
    assert found(fault("majority-kill", 104, 110)), "that came later"
    assert found(fault("node-from-devices", 90, 110, devices=["d1"])), "that is none of the store's"


@pytest.mark.parametrize("end", [{"status": 101}, {"status": -11}, {"status": 0}, {"said": "thread panicked"}])
def test_a_node_that_does_not_say_why_it_ends(end):
    assert found(fault("majority-kill", 99, 110), **end)


def test_a_member_whose_disk_is_full():
    for kind in ("full-disk", "disk-fills"):
        assert not found(fault(kind, 99, 110), who="m3")
        assert found(fault(kind, 99, 110), who="m2"), "it is the disk of another"
    assert found(fault("member-pause", 99, 110), who="m3")


@pytest.mark.parametrize("who", ["devices1", "guests", "network"])
def test_devices_and_the_network_go_on_whatever_happens(who):
    assert found(fault("no-space", 99, 110), fault("disk-fills", 99, 110), who=who)


def ends(program):
    program.look()
    return [(end["status"], end["said"]) for end in program.ends]


@pytest.fixture
def program(tmp_path):
    """Says something and ends when it is told to."""
    script = "import sys; print('words', flush=True); sys.exit(int(sys.stdin.readline() or 3))"
    program = Program(["sh", "-c", f'sleep 1; exec {sys.executable} -c "{script}" < /dev/null'], tmp_path / "log")
    program.start()
    yield program
    program.kill()


def test_an_end_is_noted_once_with_its_last_words(program):
    assert ends(program) == []
    wait("it ends", lambda: not program.is_running(), 10)
    assert ends(program) == ends(program) == [(3, "words")]
    program.start()
    wait("it ends", lambda: not program.is_running(), 10)
    program.start()
    assert len(ends(program)) == 2


def test_an_end_that_was_brought_about_is_none(program):
    program.kill()
    assert ends(program) == []
    program.start()
    program.stop(patience=10)
    assert ends(program) == []


def test_what_a_program_in_go_says_of_its_panic_is_told(tmp_path):
    said = "--- start 1\npanic: old\n--- start 2\npanic: the disk is full\n\ngoroutine 1 [running]:\nmain()\n"
    go = Program(["sh", "-c", f"printf '%s' '{said}'; exit 2"], tmp_path / "log")
    go.start()
    wait("it ends", lambda: not go.is_running(), 10)
    assert ends(go) == [(2, "panic: the disk is full")]
