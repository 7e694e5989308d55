"""The demo, from its start to whatever end: what it tells, what it leaves behind, and what it invites to."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import termios
import urllib.request

import pytest

from lab import BINARY, PATIENCE, until

# What each step shows as evidence: what the commands really printed, and what the devices say.
EVIDENCE = [
    r"^    \$ lockstep target list$",
    r"^    leaf4 .* synchronised ",
    r"^1\. ",
    r"^    \+ leaf4 /vlans/vlan\[id=100\]/name = \"customer\"$",
    r"^    ~ spine1 .*/mtu = 1500 -> 9000$",
    r"^    transaction 7 applied: 10 operations on ",
    r"^✓ All six devices say themselves that they have it, .* after",
    r"^2\. ",
    r"^    lockstep: transaction 8 rejected: target leaf2: ",
    r"^✓ No device was sent anything",
    r"^3\. ",
    r"^    lockstep: transaction 9 reverted: target leaf3 refused it: ",
    r"^      leaf1: undone$",
    r"^✓ After .* all six devices hold exactly what they held before",
    r"^4\. ",
    r"^    \$ lockstep sim restart 127\.0\.0\.1:\d+$",
    r"^    target leaf4: synchronised$",
    r"^✓ By its own journal leaf4 was sent everything .* after its restart",
    r"^5\. ",
    r"^    leaf2 .* drifted ",
    r"^    ~ .*/description = \"to spine1\" -> \"do not touch\"$",
    r"^✓ leaf2 says itself that the description is the agreed one again",
    r"^6\. ",
    r"^    transaction 10: rollback of 7 applied$",
    r"^✓ .* all six devices hold exactly what they came with",
    r"^    10 .* rollback of 7 .* applied ",
    r"^✓ Every step went as told\.$",
]


class Demo:
    """A demo in a session of its own, with a folder of its own for what it leaves behind, which is to be nothing."""

    def __init__(self, folder, *arguments, terminal=None):
        self.temporary, self.log = folder / "temporary", folder / "demo.log"
        self.temporary.mkdir()
        self.screen = terminal
        environment = {**os.environ, "TMPDIR": str(self.temporary), "TERM": "xterm", "LOCKSTEP_TOKEN": "of somebody else"}
        environment.pop("NO_COLOR", None)
        with open(self.log, "wb") as out:
            there = {"stdin": terminal, "stdout": terminal, "stderr": terminal}
            nowhere = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": out}
            self.process = subprocess.Popen(
                [BINARY, "demo", *arguments], env=environment, start_new_session=True, **(there if terminal else nowhere)
            )

    def said(self):
        return self.log.read_text()

    def nothing_is_left(self):
        assert not list(self.temporary.iterdir())
        until("no process is left", self.is_gone)

    def is_gone(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, 0)
            return False
        return True

    def end(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def demo(tmp_path):
    started = []

    def start(*arguments, **more):
        started.append(Demo(tmp_path, *arguments, **more))
        return started[-1]

    yield start
    for one in started:
        one.end()


def test_the_tour_goes_as_told(demo):
    one = demo("--exit")
    assert one.process.wait(PATIENCE * 2) == 0, one.said()
    lines = iter(one.said().splitlines())
    for wanted in EVIDENCE:
        assert any(re.search(wanted, line) for line in lines), (wanted, one.said())
    assert "\x1b" not in one.said() and "Yours to try" not in one.said()
    one.nothing_is_left()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_without_a_terminal_it_stays_to_be_tried_as_well(demo, how):
    one = demo()
    until("it invites", lambda: len(invited(one.said().splitlines())) == 3, 2 * PATIENCE)
    [page] = re.findall(r"^The page: +(\S+)$", one.said(), re.M)
    assert urllib.request.urlopen(f"{page}healthz", timeout=PATIENCE).status == 200
    one.process.send_signal(how)
    assert one.process.wait(PATIENCE) == 0, one.said()
    one.nothing_is_left()


def test_a_port_that_somebody_has_is_no_trouble(demo):
    with socket.socket() as ours:
        # As the demo itself would: connections of before that are only waiting to be forgotten are in nobody's way.
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Whoever has it otherwise will do as well.
        with contextlib.suppress(OSError):
            ours.bind(("127.0.0.1", 9339))
            ours.listen()
        one = demo("--exit")
        assert one.process.wait(PATIENCE * 2) == 0, one.said()
        assert re.search(r"Port 9339 is in use, so the node listens on 127\.0\.0\.1:\d+\.", one.said())


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", ["", "Everything below really happens", "$ lockstep set -f another.yaml", "$ lockstep sim restart"])
def test_it_ends_when_it_is_told_to(demo, how, moment):
    one = demo()
    if moment:
        until("the tour is there", lambda: moment in one.said(), 2 * PATIENCE)
    else:
        until("it has begun", lambda: list(one.temporary.iterdir()))
    one.process.send_signal(how)
    assert one.process.wait(PATIENCE) == 128 + how, one.said()
    assert "Yours to try" not in one.said()
    one.nothing_is_left()


class Screen:
    """A terminal that somebody sits at."""

    def __init__(self, columns):
        self.ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.text = b""

    def until(self, condition):
        """Reads until its lines are so."""
        while not condition(self.lines()):
            ready, _, _ = select.select([self.ours], [], [], PATIENCE)
            assert ready, self.text.decode()
            self.text += os.read(self.ours, 65536)

    def lines(self):
        return re.sub(r"\x1b\[\d*m", "", self.text.decode()).replace("\r", "").splitlines()

    def close(self):
        os.close(self.ours)
        os.close(self.theirs)


def invited(lines):
    """The commands that it shows at the end."""
    words = "From another terminal:"
    return [line.strip() for line in lines[lines.index(words) + 1 :] if line.strip()] if words in lines else []


def test_on_a_terminal_it_stays_to_be_tried(demo):
    columns = 70
    screen = Screen(columns)
    try:
        one = demo("--fast", terminal=screen.theirs)
        screen.until(lambda lines: len(invited(lines)) == 3 and screen.text.endswith(b"\n"))
        assert b"\x1b[" in screen.text, "there is colour"
        lines = screen.lines()
        # What is there to be copied is not broken up; everything else fits.
        wide = [line for line in lines if len(line) > columns and "lockstep " not in line]
        assert not wide, wide
        (page,) = [line.split()[-1] for line in lines if line.startswith("The page:")]
        assert urllib.request.urlopen(f"{page}healthz", timeout=PATIENCE).status == 200
        for command in invited(lines):
            until(command, lambda: run(command))
        one.process.send_signal(signal.SIGINT)
        assert one.process.wait(PATIENCE) == 0
        one.nothing_is_left()
    finally:
        screen.close()


def run(command):
    """As printed, from another terminal; what it says."""
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=PATIENCE, cwd="/")
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return True
