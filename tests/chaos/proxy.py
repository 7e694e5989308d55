"""The network: a process that forwards bytes on every link between two parties, and does so badly on demand.

A link has a client and a server by name, and one port of its own, so that any two can be parted, one way too. Where several
clients have to share a port (members of etcd know each other by one address each), who came is read off the system's own
table of sockets. What is stalled is not read, as if the network lost it: it arrives once the link flows again.

Orders come in as lines of JSON, each answered by a line; `network.py` is the other end of that.
"""

import asyncio
import collections
import contextlib
import json
import os
import re
import sys

OPEN = {"cut": False, "up": True, "down": True, "delay": 0}


class Side(asyncio.Protocol):
    """One end of a connection: whatever it reads goes to the other end."""

    def __init__(self, pipe, way):
        self.pipe, self.way, self.other, self.transport, self.full = pipe, way, None, None, False
        self.late = collections.deque()

    def connection_made(self, transport):
        self.transport = transport
        self.pipe.settle()

    def data_received(self, data):
        """Passed on at once or later, but never before what came before it: a link that is fast again has to bring what
        it is late with first."""
        loop = asyncio.get_running_loop()
        delay = self.pipe.link()["delay"] / 1000
        if not delay and not self.late:
            return self.pass_on(data)
        self.late.append((loop.time() + delay, data))
        if len(self.late) == 1:
            loop.call_at(self.late[0][0], self.pass_on_late)

    def pass_on_late(self):
        loop = asyncio.get_running_loop()
        while self.late and self.late[0][0] <= loop.time():
            self.pass_on(self.late.popleft()[1])
        if self.late:
            loop.call_at(self.late[0][0], self.pass_on_late)

    def pass_on(self, data):
        if self.other.transport and not self.other.transport.is_closing():
            self.other.transport.write(data)

    def connection_lost(self, _):
        self.pipe.close()

    def pause_writing(self):
        self.other.full = True
        self.pipe.settle()

    def resume_writing(self):
        self.other.full = False
        self.pipe.settle()


class Pipe:
    """A connection of a client to a server."""

    def __init__(self, network, server, port, client=None):
        self.network, self.server, self.port, self.client = network, server, port, client
        self.near, self.far = Side(self, "up"), Side(self, "down")
        self.near.other, self.far.other = self.far, self.near
        self.dialling = False
        network.pipes.add(self)

    def link(self):
        return self.network.links.get((self.client, self.server), OPEN)

    def settle(self):
        """Does to the connection what is done to its link now."""
        if self.near.transport and not self.client and self.network.is_ill(self.server):
            ends = (self.near.transport.get_extra_info(end)[1] for end in ("peername", "sockname"))
            self.client = self.network.who(*ends)
        link = self.link()
        if link["cut"]:
            return self.close()
        if self.near.transport and not self.dialling and link["up"]:
            self.dialling = True
            self.network.spawn(self.dial())
        for side in (self.near, self.far):
            if side.transport and not side.transport.is_closing():
                flows = link[side.way] and not side.full and (side is self.far or self.far.transport is not None)
                side.transport.resume_reading() if flows else side.transport.pause_reading()

    async def dial(self):
        try:
            await asyncio.get_running_loop().create_connection(lambda: self.far, "127.0.0.1", self.port)
        except OSError:
            self.close()

    def close(self):
        self.network.pipes.discard(self)
        for side in (self.near, self.far):
            if side.transport:
                # What was read is still passed on, as a network would.
                side.transport.close() if not self.link()["cut"] else side.transport.abort()


class Network:
    """All links, and whoever is known by the process it is."""

    def __init__(self):
        self.links, self.pipes, self.processes, self.tasks = {}, set(), {}, set()

    def spawn(self, work):
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def is_ill(self, server):
        """Whether something is done to any link to it. Only then is it worth finding out who came, which takes a while."""
        return any(link != OPEN for (_, to), link in self.links.items() if to == server)

    def who(self, port, to):
        """Whose socket leads from this port to that, of the processes that are known."""
        with open("/proc/net/tcp") as table:
            line = re.search(rf"^ *\d+: 0100007F:{port:04X} 0100007F:{to:04X} .*$", table.read(), re.MULTILINE)
        inode = line and line[0].split()[9]
        for name, pid in self.processes.items():
            with contextlib.suppress(OSError):
                for file in os.listdir(f"/proc/{pid}/fd"):
                    with contextlib.suppress(OSError):
                        if os.readlink(f"/proc/{pid}/fd/{file}") == f"socket:[{inode}]":
                            return name
        return "nobody"

    async def listen(self, listen, to, server, client=None):
        make = lambda: Pipe(self, server, to, client).near
        await asyncio.get_running_loop().create_server(make, "127.0.0.1", listen)

    async def treat(self, links, **how):
        for client, server in links:
            self.links[client, server] = {**OPEN, **how}
        treated = {server for _, server in links}
        for pipe in [pipe for pipe in self.pipes if pipe.server in treated]:
            pipe.settle()

    async def know(self, name, pid):
        self.processes[name] = pid


async def main():
    network, loop = Network(), asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        order = json.loads(line)
        await getattr(network, order.pop("order"))(**order)
        print("{}", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
