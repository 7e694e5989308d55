"""A node that is told to stop, whatever its clients do."""

import contextlib
import queue
import signal
import socket
import time

import grpc
import pytest
from pygnmi.spec.v080 import gnmi_pb2

from lab import PATIENCE, code, options, until, update

# What clients may make a stop wait for, and a machine that is busy with something else.
SOON = 10


@contextlib.contextmanager
def held(lab):
    """Connections that nobody will let go: silent ones, half a request, a stream without an end."""
    with contextlib.ExitStack() as stack:
        for port in (lab.port, lab.http):
            for start in (b"", b"GET /healthz HTTP/1.1\r\nHost:"):
                connection = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
                connection.sendall(start)
        channel = stack.enter_context(grpc.insecure_channel(f"127.0.0.1:{lab.port}"))
        same = lambda content: content
        watch = channel.unary_stream("/grpc.health.v1.Health/Watch", same, same)(b"")
        next(watch)
        service = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
        asked = queue.Queue()
        asked.put(b"\x3a\x00")  # list_services
        reflection = channel.stream_stream(service, same, same)(iter(asked.get, None))
        next(reflection)
        yield
        asked.put(None)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_waits_for_no_client(lab, how):
    lab.set("leaf1", update=[("/system/motd", "hello")])
    with held(lab):
        began = time.monotonic()
        lab.node.process.send_signal(how)
        assert lab.node.process.wait(PATIENCE) == 0
        assert time.monotonic() - began < SOON
    checked = lab.command("store", "check", str(lab.folder / "data"))
    assert checked.returncode == 0 and "closed cleanly" in checked.stdout, checked
    lab.start_node()
    assert lab.get("leaf1", "/system/motd") == "hello"


def test_a_set_that_outlasts_the_stop_is_asked_for_again_under_its_id(lab):
    """A node that stops goes on for three seconds; the device takes longer."""
    lab.sim("delay", lab.device("leaf1"), "8s", "--on", "set")
    asked = gnmi_pb2.SetRequest(update=[update("/system/motd", "slow", "leaf1")], extension=[options(id="mine")])
    with lab.stub() as stub:
        answer = stub.Set.future(asked, timeout=PATIENCE)
        until("it is decided", lambda: [t["status"] for t in lab.transactions()] == ["committed"])
        assert lab.node.stop() == 0
        error = answer.exception()
    assert code(error) == grpc.StatusCode.UNAVAILABLE and "under the id mine" in error.details(), error
    lab.start_node()
    with lab.stub() as stub:
        stub.Set(asked, timeout=PATIENCE)
    assert lab.get("leaf1", "/system/motd") == "slow" and len(lab.transactions()) == 1


def test_whoever_asks_twice_waits_no_longer(lab):
    with held(lab):
        lab.node.process.terminate()
        until("it stops", lambda: "stopping" in lab.node.log.read_text())
        lab.node.process.terminate()
        # It says so, where it was not done by then anyway.
        assert lab.node.process.wait(PATIENCE) in (0, 1)
    lab.start_node()
    lab.wait_synchronised()


def test_a_stop_during_the_start_is_heard(lab):
    lab.node.stop()
    lab.start_node(wait=False)
    until("it lives", lambda: lab.node.is_running())
    lab.node.process.terminate()
    # Before it listens for signals they end it as the system does.
    assert lab.node.process.wait(PATIENCE) in (0, -signal.SIGTERM)
    lab.start_node()
