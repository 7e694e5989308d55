"""A slow disk: what a process has to have on it takes longer, for as long as it is held up, and nothing else does."""

import subprocess
import sys
import time

import disk
import pytest

# More than a disk takes that is busy with something else.
DELAY = 2
# Writes a line, has it on its disk, says how long that took; and says how long it took to say that.
WRITER = """
import os, sys, time
file = open(sys.argv[1], "w")
for _ in sys.stdin:
    begun = time.monotonic()
    file.write("line")
    file.flush()
    wrote = time.monotonic()
    os.fdatasync(file.fileno())
    print(wrote - begun, time.monotonic() - wrote, flush=True)
"""


@pytest.fixture
def writer(tmp_path):
    if not disk.works():
        pytest.skip("there is no strace here, or it may not trace")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", WRITER, tmp_path / "file"], **pipes)
    yield process
    process.kill()
    process.wait()


def took(writer):
    writer.stdin.write("again\n")
    writer.stdin.flush()
    return [float(seconds) for seconds in writer.stdout.readline().split()]


def test_a_disk_is_slow_for_a_while(writer):
    assert max(took(writer)) < DELAY
    brake = disk.Brake(writer.pid, DELAY)
    written, synced = took(writer)
    assert written < DELAY <= synced
    brake.let_go()
    assert max(took(writer)) < DELAY


def test_a_process_that_is_not_there_cannot_be_held_up(writer):
    writer.kill()
    writer.wait()
    begun = time.monotonic()
    with pytest.raises(RuntimeError):
        disk.Brake(writer.pid, DELAY)
    assert time.monotonic() - begun < disk.PATIENCE


def test_a_process_that_is_killed_meanwhile_is_gone(writer):
    brake = disk.Brake(writer.pid, DELAY)
    writer.kill()
    assert writer.wait(disk.PATIENCE) < 0
    brake.let_go()
