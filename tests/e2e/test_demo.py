"""The demo, from its start to whatever end."""

import os
import signal
import subprocess

import pytest

from lab import BINARY, PATIENCE, until


@pytest.fixture
def demo(tmp_path):
    """Starts the demo with a folder of its own for what it leaves behind, which is to be nothing."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    log = tmp_path / "demo.log"
    started = []

    def start(*arguments):
        environment = {**os.environ, "TMPDIR": str(temporary)}
        with open(log, "wb") as out:
            process = subprocess.Popen(
                [BINARY, "demo", *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment
            )
        started.append(process)
        return process

    start.log, start.temporary = log, temporary
    yield start
    for process in started:
        process.kill()
        process.wait()


def test_the_tour_goes_as_told(demo):
    # Without a terminal it ends by itself.
    assert demo().wait(PATIENCE * 2) == 0, demo.log.read_text()
    assert "All of it is in the log" in demo.log.read_text()
    assert not list(demo.temporary.iterdir())


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", ["", "Lockstep: one node"])
def test_it_ends_when_it_is_told_to(demo, how, moment):
    process = demo()
    if moment:
        until("the tour has begun", lambda: moment in demo.log.read_text())
    else:
        until("it has begun", lambda: list(demo.temporary.iterdir()))
    process.send_signal(how)
    assert process.wait(PATIENCE) == 128 + how, demo.log.read_text()
    assert "It stays up" not in demo.log.read_text()
    assert not list(demo.temporary.iterdir())
