"""What every test here is given."""

import base64
import subprocess

import pytest
from pygnmi.spec.v080 import gnmi_pb2

from identity import ISSUED, SECRETS
from lab import ROOT, Lab, path

CHECKER = ROOT / "target" / "explore" / "lockstep-model"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    labs = [found for found in item.funcargs.values() if isinstance(found, Lab)]
    if report.when == "call" and report.failed and labs:
        report.sections.append(("logs", labs[0].logs()))
    return report


@pytest.fixture(scope="session", autouse=True)
def nothing_secret_in_any_log(tmp_path_factory):
    """After everything: nothing that a node or a command wrote for people to read has a password, a token, a token's
    secret or a masked value in it."""
    yield
    found = []
    for log in filter(is_read_by_people, tmp_path_factory.getbasetemp().rglob("*")):
        content = log.read_bytes()
        found += [f"{what} in {log}" for what, secret in secrets() if secret in content]
    assert not found, found


# Devices hold configuration as it is, and so do stores, exports and traces; tests write configuration and keys themselves.
LOGS = ("*.log", "audit*.jsonl")
OTHERS = ("leaf*.log", "box*.log", "sim*.log", "device*.log")


def is_read_by_people(file):
    is_one_of = lambda patterns: any(file.match(pattern) for pattern in patterns)
    return file.is_file() and is_one_of(LOGS) and not is_one_of(OTHERS)


def secrets():
    """What must be in no log, in each form that it goes over the wire in."""
    yield from ((what, secret.encode()) for what, secret in SECRETS.items())
    yield from (("a token", token.encode()) for token in ISSUED)
    # A name and a password as HTTP has them begin at any of three places of a base64 group.
    for what in ("password", "guess"):
        for shift in range(3):
            encoded = base64.b64encode(b"x" * shift + SECRETS[what].encode())
            yield f"{what} in base64", encoded[4 if shift else 0 : -4]


@pytest.fixture(scope="session", autouse=True)
def every_trace_keeps_to_the_protocol(tmp_path_factory):
    """After everything: whatever was written down by nodes can have happened."""
    yield
    wrong = []
    for trace in tmp_path_factory.getbasetemp().rglob("trace-*.jsonl"):
        done = subprocess.run([CHECKER, "check-trace", trace], capture_output=True, text=True)
        print(done.stdout + done.stderr)
        wrong += [done.stderr] if done.returncode else []
    assert not wrong, "\n".join(wrong)


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
    with one_lab.stub() as stub:
        stub.Set(gnmi_pb2.SetRequest(delete=[path("/", name) for name in one_lab.names]))
    return one_lab
