"""The network between all parties, as the nemesis and the world see it; `proxy.py` is what runs it."""

import json
import pathlib
import subprocess
import sys
import threading

from program import Watched

PROXY = pathlib.Path(__file__).with_name("proxy.py")


class Network(Watched):
    """Who is reached at which port by whom, and what is done to the links between them."""

    def __init__(self, log):
        super().__init__(log)
        self.starts = 1
        self.turn = threading.Lock()
        with open(log, "ab") as errors:
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": errors}
            self.runs(subprocess.Popen([sys.executable, PROXY], text=True, **pipes))

    def order(self, what, **how):
        with self.turn:
            self.process.stdin.write(json.dumps({"order": what, **how}) + "\n")
            self.process.stdin.flush()
            assert self.process.stdout.readline(), "the network is gone"

    def link(self, listen, to, server, client=None):
        """Whoever connects to `listen` gets to the server; a client without a name is known by its process."""
        self.order("listen", listen=listen, to=to, server=server, client=client)

    def know(self, name, process):
        self.order("know", name=name, pid=process.pid)

    def cut(self, links):
        """Connections break, and new ones are refused."""
        self.order("treat", links=links, cut=True)

    def stall(self, links, up=True, down=True):
        """Nothing arrives, and nobody is told: from the client to the server (up), back (down), or both."""
        self.order("treat", links=links, up=not up, down=not down)

    def delay(self, links, milliseconds):
        self.order("treat", links=links, delay=milliseconds)

    def heal(self, links):
        self.order("treat", links=links)

    def stop(self):
        self.is_to_end()
        self.process.stdin.close()
        self.process.wait()
