"""Processes that are killed, paused and started again, and that tell when they ended by themselves."""

import os
import signal
import subprocess
import threading
import time


class Watched:
    """A process; and its ends that nobody here brought about."""

    def __init__(self, log):
        self.log, self.process, self.lock = log, None, threading.Lock()
        # Since when it runs; and whether it is known why it does not, or will not for long.
        self.since, self.known, self.ends = 0.0, True, []

    def runs(self, process):
        """From here on it is this one."""
        self.process, self.since, self.known = process, time.monotonic(), False

    def look(self):
        """Notes, once, that it ended and nobody had it end."""
        with self.lock:
            if not self.known and (status := self.process.poll()) is not None:
                self.known = True
                end = {"from": self.since, "until": time.monotonic(), "status": status, "said": last_words(self.log)}
                self.ends.append(end)

    def is_to_end(self):
        """What becomes of it from here on was done to it."""
        self.look()
        self.known = True


class Program(Watched):
    """One that is given by its command."""

    def __init__(self, command, log, env=None):
        super().__init__(log)
        self.command, self.env = command, env
        self.starts, self.paused = 0, False

    def start(self):
        self.look()
        self.starts += 1
        with open(self.log, "ab") as log:
            log.write(f"--- start {self.starts}\n".encode())
            log.flush()
            self.runs(subprocess.Popen(self.command, stdout=log, stderr=log, env={**os.environ, **(self.env or {})}))

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        if self.process:
            self.is_to_end()
            self.process.kill()
            self.process.wait()
            self.paused = False

    def stop(self, patience):
        self.is_to_end()
        self.process.terminate()
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.kill()

    def pause(self):
        if self.is_running():
            self.process.send_signal(signal.SIGSTOP)
            self.paused = True

    def go_on(self):
        if self.is_running():
            self.process.send_signal(signal.SIGCONT)
        self.paused = False


def last_words(log):
    """The last line of a log; of a program in Go that panicked, what it said of that."""
    text = log.read_text(errors="replace").rpartition("--- start ")[2]
    lines = [line for line in text.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("panic: ", "fatal error: "))]
    return (fatal or lines or [""])[-1]
