"""Whether a node lives, and whether it can be given work: what it says while its store is away, and while it stops."""

import json
import os
import re
import resource
import signal
import threading
import time
from unittest import mock

import grpc

from lab import PATIENCE, Lab, options, until, update
from pygnmi.spec.v080 import gnmi_pb2
from test_etcd import etcd, lab_on
from test_http import ask


def health(lab, service=""):
    """What the standard health service says: 1 is serving, 2 is not."""
    asked = b"" if not service else b"\x0a" + bytes([len(service)]) + service.encode()
    with grpc.insecure_channel(f"127.0.0.1:{lab.port}") as channel:
        same = lambda content: content
        answer = channel.unary_unary("/grpc.health.v1.Health/Check", same, same)(asked, timeout=PATIENCE)
    return answer[1] if answer else 0


def test_a_node_without_its_store_lives_and_is_not_ready(tmp_path):
    with etcd(tmp_path) as (port, process), lab_on(tmp_path, [port]) as lab:
        assert ask(lab, "/healthz") == (200, "ok\n")
        assert ask(lab, "/readyz") == (200, "ready\n")
        assert health(lab) == health(lab, "gnmi.gNMI") == health(lab, "lockstep.v1.Admin") == 1
        process.send_signal(signal.SIGSTOP)
        until("it is not ready", lambda: ask(lab, "/readyz")[0] == 503)
        status, said = ask(lab, "/readyz")
        assert status == 503 and said.startswith("not ready: ") and "the store cannot be reached" in said
        assert ask(lab, "/healthz") == (200, "ok\n")
        until("gRPC says the same", lambda: health(lab) == health(lab, "gnmi.gNMI") == 2)
        assert "lockstep_session_held 0" in until("it counts", lambda: ask(lab, "/metrics")[1])
        process.send_signal(signal.SIGCONT)
        until("it is ready again", lambda: ask(lab, "/readyz") == (200, "ready\n"))
        until("gRPC says the same", lambda: health(lab) == 1)


def test_a_node_that_starts_anew_says_so(tmp_path):
    """Its session ran out while the store was away: the process goes on, and so does what it says over HTTP."""
    with etcd(tmp_path) as (port, process), lab_on(tmp_path, [port]) as lab:
        seen, over = set(), threading.Event()

        def look():
            while not over.is_set():
                seen.add((*ask(lab, "/healthz"), *ask(lab, "/readyz")))
                time.sleep(0.01)

        looking = threading.Thread(target=look)
        lab.node.process.send_signal(signal.SIGSTOP)
        until("its session has run out", lambda: "session" not in lab.run("store", "check", lab.store)["kinds"])
        lab.node.process.send_signal(signal.SIGCONT)
        looking.start()
        try:
            until("it began anew", lambda: "starts anew" in lab.node.log.read_text())
            until("it is ready again", lambda: ask(lab, "/readyz") == (200, "ready\n"))
        finally:
            over.set()
            looking.join()
        # All the while it was alive.
        assert {(status, said) for status, said, *_ in seen} == {(200, "ok\n")}
        assert all(status == 200 or said.startswith("not ready: ") for *_, status, said in seen), seen


def test_a_node_whose_disk_is_full_says_so_and_goes_on_when_there_is_room(tmp_path):
    """The disk is a limit on the size of files here: its writes fail as well, and nobody has to be root."""
    lab = Lab(tmp_path, devices=1)
    lab.start_device("leaf1")
    # The signal that comes with the limit stays ignored, as Python has it; and a trace would be a large file, too.
    with mock.patch.dict(os.environ):
        os.environ.pop("TRACES", None)
        lab.start_node(restore_signals=False)
    try:
        lab.wait_synchronised()
        room = lambda size: resource.prlimit(lab.node.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        room((lab.folder / "data" / "store.redb").stat().st_size)
        (lab.folder / "large.json").write_text(json.dumps({"leaf1": {"update": {"/system/motd": "x" * 1_000_000}}}))
        assert lab.command("set", "-f", str(lab.folder / "large.json"), "--deadline", "5").returncode != 0
        until("it says why", lambda: re.match(r"not ready: .*I/O error", ask(lab, "/readyz")[1]))
        assert ask(lab, "/healthz") == (200, "ok\n")
        until("it counts", lambda: "\nlockstep_session_held 0\n" in ask(lab, "/metrics")[1])
        room(resource.RLIM_INFINITY)
        until("it is ready again", lambda: ask(lab, "/readyz") == (200, "ready\n"))
        lab.wait_synchronised()
        lab.set("leaf1", update=[("/system/motd", "there is room")])
        assert [one["status"] for one in lab.transactions()] == ["applied"]
    finally:
        lab.stop()


def test_a_node_that_stops_says_so(lab):
    """It goes on for those who wait for an answer; nobody else is sent to it."""
    lab.sim("delay", lab.device("leaf1"), "2s")
    with lab.stub() as stub:
        request = gnmi_pb2.SetRequest(update=[update("/system/motd", "late", "leaf1")], extension=[options(seconds=20)])
        answer = stub.Set.future(request)
        # Asked at once: the device answers after two seconds, and a node that has nothing to do any more is gone.
        until("it is under way", lambda: json.loads(ask(lab, "/api/v1/transactions")[1])["transactions"])
        lab.node.process.terminate()
        status, said = until("it says so", lambda: told if (told := ask(lab, "/readyz"))[0] == 503 else None)
        assert (status, said) == (503, "not ready: the node is stopping\n")
        assert ask(lab, "/healthz") == (200, "ok\n")
        assert answer.exception(PATIENCE) is None
    assert lab.node.process.wait(PATIENCE) == 0
