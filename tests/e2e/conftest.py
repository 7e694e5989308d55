"""What every test here is given."""

import subprocess

import pytest
from pygnmi.spec.v080 import gnmi_pb2

from identity import SECRETS
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
    """After everything: no log of any node has a password, a token's secret or a masked value in it."""
    yield
    found = []
    for log in [*tmp_path_factory.getbasetemp().rglob("node*.log"), *tmp_path_factory.getbasetemp().rglob("audit*.jsonl")]:
        text = log.read_text(errors="replace")
        found += [f"{what} in {log}" for what, secret in SECRETS.items() if secret in text]
    assert not found, found


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
