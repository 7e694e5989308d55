"""What every test here is given."""

import base64
import pathlib
import subprocess

import grpc
import pytest
from pygnmi.spec.v080 import gnmi_pb2

from identity import ISSUED, SECRETS
from lab import ROOT, SERVED, TRACED, Lab, path
from panics import panics

CHECKER = ROOT / "target" / "explore" / "lockstep-model"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    labs = [found for found in item.funcargs.values() if isinstance(found, Lab)]
    if report.when == "call" and report.failed and labs:
        report.sections.append(("logs", labs[0].logs()))
    return report


@pytest.fixture(scope="session", autouse=True)
def nothing_secret_and_no_panic_in_any_log(tmp_path_factory):
    """After everything: nothing that a node or a command wrote for people to read has a password, a token, a token's
    secret or a masked value in it; and nothing that ran panicked, not even where that was caught."""
    yield
    base = tmp_path_factory.getbasetemp()
    unwanted = [*secrets(), *tokens_of_pages(base)]
    found, read = [], set()
    for log in filter(is_log, base.rglob("*")):
        content = log.read_bytes()
        found += [f"{log}: {place}" for place in panics(content)]
        if is_read_by_people(log):
            found += [f"{what} in {log}" for what, secret in unwanted if secret in content]
            read.add(log)
    assert not found, found
    assert SERVED <= read, f"{len(read)} logs were read, and these of nodes were not: {SERVED - read}"


# Devices hold configuration as it is, and so do stores, exports and traces; tests write configuration and keys themselves.
LOGS = ("*.log", "audit*.jsonl")
OTHERS = ("leaf*.log", "box*.log", "sim*.log", "device*.log")


def is_log(file):
    return is_one_of(file, LOGS) and file.is_file()


def is_read_by_people(log):
    return not is_one_of(log, OTHERS)


def is_one_of(file, patterns):
    return any(file.match(pattern) for pattern in patterns)


def secrets():
    """What must be in no log, in each form that it goes over the wire in."""
    yield from ((what, secret.encode()) for what, secret in SECRETS.items())
    yield from (("a token", token.encode()) for token in ISSUED)
    # A name and a password as HTTP has them begin at any of three places of a base64 group.
    for what in ("password", "guess"):
        for shift in range(3):
            encoded = base64.b64encode(b"x" * shift + SECRETS[what].encode())
            yield f"{what} in base64", encoded[4 if shift else 0 : -4]


def tokens_of_pages(base):
    """Those that pages of the documentation issue, in processes of their own."""
    for file in filter(pathlib.Path.is_file, base.rglob("token")):
        token = file.read_bytes().strip()
        assert token, file
        yield f"the token of {file}", token


@pytest.fixture(scope="session", autouse=True)
def every_trace_keeps_to_the_protocol(tmp_path_factory):
    """After everything: whatever was written down by nodes can have happened, and something was."""
    yield
    wrong, traces = [], list(tmp_path_factory.getbasetemp().rglob("trace-*.jsonl"))
    for trace in traces:
        done = subprocess.run([CHECKER, "check-trace", trace], capture_output=True, text=True)
        print(done.stdout + done.stderr)
        wrong += [done.stderr] if done.returncode else []
    assert not wrong, "\n".join(wrong)
    assert traces or not TRACED, f"nodes were to write down their steps, and did not: {sorted(TRACED)}"


@pytest.fixture
def lab(tmp_path):
    """Three devices and a node, all synchronised."""
    lab = Lab(tmp_path)
    try:
        yield lab.start()
    finally:
        lab.stop()


@pytest.fixture(scope="module")
def one_lab(tmp_path_factory):
    """Two devices, a box and a node, for all tests of a file."""
    lab = Lab(tmp_path_factory.mktemp("lab"), devices=2, boxes=1)
    try:
        yield lab.start()
    finally:
        lab.stop()


@pytest.fixture
def clean(one_lab):
    """The same, with nothing configured."""
    nothing = gnmi_pb2.SetRequest(delete=[path("/", name) for name in one_lab.names])
    with one_lab.stub() as stub:
        try:
            stub.Set(nothing)
        except grpc.RpcError:
            tidy(one_lab)
            stub.Set(nothing)
    return one_lab


def tidy(lab):
    """A test that failed has left something behind: what is wrong with devices, what waits, and windows that are open."""
    for name in lab.names:
        lab.sim("heal", lab.device(name))
    for one in lab.transactions():
        if one["status"] in ("pending", "committed") or one["window"] == "open":
            lab.command("cancel", str(one["index"]), "--yes")
    lab.wait_synchronised()
