"""A slow disk: whatever a process has to have on it takes longer. strace holds those calls up, and nothing else of the process."""

import contextlib
import pathlib
import shutil
import subprocess
import sys
import time

CALLS = "fsync,fdatasync"
PATIENCE = 3


class Brake:
    """Holds up a process until it is let go: each time that it waits for its disk, by so many seconds."""

    def __init__(self, pid, seconds):
        command = ["strace", "-f", "-qqq", "-o", "/dev/null", "-e", f"trace={CALLS}", "-p", str(pid)]
        command += ["-e", f"inject={CALLS}:delay_enter={int(seconds * 1e6)}"]
        self.strace = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE
        while not is_held(pid):
            if self.strace.poll() is not None or time.monotonic() > deadline:
                self.let_go()
                raise RuntimeError(f"strace does not get hold of process {pid}")
            time.sleep(0.02)

    def let_go(self):
        """The process goes on as before."""
        self.strace.terminate()
        try:
            self.strace.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.strace.kill()
            self.strace.wait()


def is_held(pid):
    """Whether somebody has every thread of it."""
    with contextlib.suppress(FileNotFoundError):  # threads come and go
        threads = [status.read_text() for status in pathlib.Path(f"/proc/{pid}/task").glob("*/status")]
        return bool(threads) and not any("TracerPid:\t0\n" in status for status in threads)
    return False


def works():
    """Whether strace is here, and may do it."""
    if not shutil.which("strace"):
        return False
    sleeper = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        Brake(sleeper.pid, 0.1).let_go()
        return True
    except (RuntimeError, OSError):
        return False
    finally:
        sleeper.kill()
        sleeper.wait()
