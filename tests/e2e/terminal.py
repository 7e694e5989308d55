"""A terminal, for what commands do only where somebody sits."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time

from lab import BINARY, PATIENCE


class Terminal:
    """A command on a terminal."""

    def __init__(self, lab, *arguments, columns=80, lines=24, stderr=None, **env):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
        server = ["--server", f"127.0.0.1:{lab.port}", "--insecure"]
        self.process = subprocess.Popen(
            [BINARY, *server, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=stderr or slave,
            env={**environment, "TERM": "xterm", **env},
        )
        os.close(slave)
        self.said = ""

    def until(self, words):
        deadline = time.monotonic() + PATIENCE
        while words not in self.said:
            ready, _, _ = select.select([self.master], [], [], 0.1)
            try:
                self.said += os.read(self.master, 65536).decode() if ready else ""
            except OSError:
                break
            assert time.monotonic() < deadline, self.said
        assert words in self.said, self.said

    def echoes(self):
        """Whether it shows what is typed."""
        return bool(termios.tcgetattr(self.master)[3] & termios.ECHO)

    def type(self, words):
        os.write(self.master, words.encode())

    def end(self):
        """All that was written, and how it ended."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            ready, _, _ = select.select([self.master], [], [], 0.1)
            try:
                said = os.read(self.master, 65536).decode() if ready else None
            except OSError:
                break
            if said is None and self.process.poll() is not None:
                break
            self.said += said or ""
        os.close(self.master)
        return self.said, self.process.wait(PATIENCE)
