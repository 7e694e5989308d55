"""The network: bytes get through, unless somebody wants otherwise."""

import contextlib
import os
import socket
import threading
import time
import types

import pytest
from network import Network

from lab import free_ports, until

SHORT, LONG = 0.3, 10


class Echo(threading.Thread):
    """A server that says back what it hears."""

    def __init__(self):
        super().__init__(daemon=True)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.heard = []

    def run(self):
        while True:
            connection, _ = self.socket.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with contextlib.suppress(OSError):
            while data := connection.recv(100):
                self.heard.append(data)
                connection.sendall(data)


@pytest.fixture
def party(tmp_path):
    """A client that is connected to a server, and the network between."""
    server, network = Echo(), Network(tmp_path / "log")
    server.start()
    [port] = free_ports(1)
    network.link(port, server.port, server="s", client="c")
    dial = lambda: socket.create_connection(("127.0.0.1", port), LONG)
    with dial() as client:
        yield types.SimpleNamespace(server=server, network=network, client=client, dial=dial, port=port)
    network.stop()


def hears(client, patience=LONG):
    """What arrives; none: nothing does."""
    client.settimeout(patience)
    try:
        return client.recv(100)
    except TimeoutError:
        return None


def test_bytes_get_through(party):
    party.client.sendall(b"one")
    assert hears(party.client) == b"one"


def test_a_link_that_is_cut_breaks_and_is_refused_until_it_is_healed(party):
    party.client.sendall(b"one")
    assert hears(party.client) == b"one"
    party.network.cut([("c", "s")])
    with contextlib.suppress(ConnectionResetError):
        assert hears(party.client) == b""
    with contextlib.suppress(ConnectionResetError), party.dial() as again:
        assert hears(again) == b""
    party.network.heal([("c", "s")])
    with party.dial() as again:
        again.sendall(b"two")
        assert hears(again) == b"two"


def test_what_is_stalled_arrives_once_it_flows(party):
    party.client.sendall(b"one")
    assert hears(party.client) == b"one"
    party.network.stall([("c", "s")])
    party.client.sendall(b"two")
    assert hears(party.client, SHORT) is None and party.server.heard == [b"one"]
    party.network.heal([("c", "s")])
    assert hears(party.client) == b"two"


def test_one_way(party):
    party.network.stall([("c", "s")], up=False)
    party.client.sendall(b"one")
    until("it arrived", lambda: party.server.heard == [b"one"])
    assert hears(party.client, SHORT) is None, "the answer did not"
    party.network.heal([("c", "s")])
    assert hears(party.client) == b"one"


def test_a_stalled_link_takes_connections_and_passes_nothing_on(party):
    party.network.stall([("c", "s")])
    with party.dial() as late:
        late.sendall(b"late")
        assert hears(late, SHORT) is None and party.server.heard == []
        party.network.heal([("c", "s")])
        assert hears(late) == b"late"


def test_a_slow_link(party):
    party.network.delay([("c", "s")], 100)
    begun = time.monotonic()
    party.client.sendall(b"one")
    assert hears(party.client) == b"one"
    assert time.monotonic() - begun >= 0.2


def test_a_link_that_is_fast_again_keeps_its_order(party):
    party.network.delay([("c", "s")], 300)
    party.client.sendall(b"one")
    assert hears(party.client, 0.1) is None
    party.network.heal([("c", "s")])
    party.client.sendall(b"two")
    heard = b""
    while len(heard) < 6:
        heard += hears(party.client)
    assert heard == b"onetwo"


def test_other_links_are_left_alone(party):
    party.network.cut([("c", "other"), ("other", "s")])
    party.client.sendall(b"one")
    assert hears(party.client) == b"one"


def test_who_comes_is_known_by_its_process(party):
    """Where several share a port."""
    [port] = free_ports(1)
    party.network.link(port, party.server.port, server="s")
    party.network.know("me", types.SimpleNamespace(pid=os.getpid()))
    with socket.create_connection(("127.0.0.1", port), LONG) as mine:
        mine.sendall(b"one")
        assert hears(mine) == b"one"
        party.network.stall([("me", "s")])
        mine.sendall(b"two")
        assert hears(mine, SHORT) is None
