"""The simulated device on its own, driven by gNMI clients that nobody here wrote."""

import contextlib
import datetime
import ipaddress
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pygnmi.client import gNMIclient
from pygnmi.spec.v080 import gnmi_pb2, gnmi_pb2_grpc

from lab import BINARY, MODELS, PATIENCE, Process, code, field, message, until, update, value

REFERENCE_CLIENT = "github.com/openconfig/gnmi/cmd/gnmi_cli@v0.14.1"
Code = grpc.StatusCode
# pygnmi hears of the end of a stream in a thread of its own, also when it was the one to end it.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")


class Device:
    """One simulated device in a process of its own."""

    def __init__(self, folder, *arguments, count=1):
        self.folder, self.arguments, self.count = folder, arguments, count
        self.tls = []
        self.start()

    def start(self):
        log = self.folder / "device.log"
        log.unlink(missing_ok=True)
        free = ["sim", "--models", MODELS, "--listen", "127.0.0.1:0", "--count", str(self.count)]
        self.process = Process(log, *free, *self.arguments)
        lines = until("it listens", lambda: self.lines(log))
        self.addresses = [line.split()[-1] for line in lines]
        self.address = self.addresses[0]
        self.port = int(self.address.rsplit(":", 1)[1])

    def lines(self, log):
        lines = log.read_text().splitlines()
        return lines if len(lines) == self.count else None

    def sim(self, command, *arguments):
        done = subprocess.run(
            [BINARY, "sim", command, self.address, *arguments, *self.tls],
            capture_output=True, text=True, timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def journal(self):
        return self.sim("journal").splitlines()

    @contextlib.contextmanager
    def client(self, **options):
        options = options or {"insecure": True}
        with gNMIclient(target=("127.0.0.1", self.port), gnmi_timeout=PATIENCE, **options) as client:
            yield client

    def set(self, timeout=PATIENCE, extension=None, **operations):
        with grpc.insecure_channel(self.address) as channel:
            request = gnmi_pb2.SetRequest(
                update=[update(path, content) for path, content in operations.get("update", [])],
                delete=[update(path, "").path for path in operations.get("delete", [])],
            )
            if extension:
                request.MergeFromString(field(5, extension))
            return gnmi_pb2_grpc.gNMIStub(channel).Set(request, timeout=timeout)

    def motd(self, text, **options):
        return self.set(update=[("/system/motd", text)], **options)

    def read(self, path):
        with self.client() as client:
            return value(client.get(path=[path], encoding="json_ietf"))


@pytest.fixture
def device(tmp_path):
    device = Device(tmp_path)
    try:
        yield device
    finally:
        device.process.kill()


def fails(expected, call):
    with pytest.raises(Exception) as caught:
        call()
    assert code(caught.value) == expected, message(caught.value)
    return message(caught.value)


def gives_up(call):
    """The client's own deadline, or the server's word for it, whichever is there first."""
    with pytest.raises(Exception) as caught:
        call()
    assert code(caught.value) in (Code.DEADLINE_EXCEEDED, Code.CANCELLED), message(caught.value)


def leaves(telemetry):
    """Path and value of each update of a message of pygnmi."""
    return {one["path"]: one["val"] for one in telemetry["update"].get("update", [])}


# What a client of any make does.


def test_capabilities_set_and_get(device):
    with device.client() as client:
        capabilities = client.capabilities()
        assert "lab" in [model["name"] for model in capabilities["supported_models"]]
        assert capabilities["gnmi_version"] == "0.10.0"
        client.set(update=[("/system", {"hostname": "a", "motd": "hi"})], encoding="json_ietf")
        client.set(replace=[("/system", {"motd": "ho"})], encoding="json_ietf")
        assert value(client.get(path=["/system"], encoding="json_ietf")) == {"lab:motd": "ho"}
        client.set(delete=["/system/motd"])
        fails(Code.NOT_FOUND, lambda: client.get(path=["/system/motd"], encoding="json_ietf"))
        fails(Code.INVALID_ARGUMENT, lambda: client.get(path=["/nonsense"], encoding="json_ietf"))


def test_subscribe_once(device):
    device.set(update=[("/system", {"hostname": "a", "motd": "hi"})])
    with device.client() as client:
        wanted = {"mode": "once", "encoding": "json", "subscription": [{"path": "/system"}]}
        found = {}
        for telemetry in client.subscribe2(subscribe=wanted):
            found |= leaves(telemetry) if "update" in telemetry else {}
        assert found == {"system/hostname": "a", "system/motd": "hi"}


def test_subscribe_by_polls(device):
    device.motd("one")
    with device.client() as client:
        wanted = {"mode": "poll", "encoding": "json", "subscription": [{"path": "/system/motd"}]}
        polls = client.subscribe2(subscribe=wanted)
        try:
            polls.get_update(timeout=PATIENCE)
            device.motd("two")
            # The second poll began after the change for sure.
            polls.get_update(timeout=PATIENCE)
            assert leaves(polls.get_update(timeout=PATIENCE)) == {"system/motd": "two"}
        finally:
            polls.close()


def test_subscribe_to_changes(device):
    device.motd("one")
    with device.client() as client:
        one = {"path": "/system", "mode": "on_change"}
        stream = client.subscribe2(subscribe={"mode": "stream", "encoding": "json", "subscription": [one]})
        try:
            assert leaves(stream.get_update(timeout=PATIENCE)) == {"system/motd": "one"}
            device.motd("two")
            assert leaves(stream.get_update(timeout=PATIENCE)) == {"system/motd": "two"}
            device.set(delete=["/system/motd"])
            gone = stream.get_update(timeout=PATIENCE)["update"]["delete"]
            assert [one["path"] for one in gone] == ["system/motd"]
        finally:
            stream.close()


def test_subscribe_to_samples(device):
    device.motd("one")
    with device.client() as client:
        one = {"path": "/system", "mode": "sample", "sample_interval": 200_000_000}
        stream = client.subscribe2(subscribe={"mode": "stream", "encoding": "json", "subscription": [one]})
        try:
            for _ in range(3):
                assert leaves(stream.get_update(timeout=PATIENCE)) == {"system/motd": "one"}
        finally:
            stream.close()


def test_commit_confirmed(device):
    """pygnmi's messages are older than this extension, so it is written by hand."""
    begin = lambda seconds: field(4, field(1, "id") + field(2, field(1, field(1, seconds))))
    confirm = field(4, field(1, "id") + field(3, b""))
    device.motd("a")
    fails(Code.FAILED_PRECONDITION, lambda: device.set(extension=confirm))
    device.motd("b", extension=begin(600))
    fails(Code.FAILED_PRECONDITION, lambda: device.motd("c"))
    device.set(extension=confirm)
    device.motd("c", extension=begin(1))
    assert device.read("/system/motd") == "c"
    until("it is taken back", lambda: device.read("/system/motd") == "b")
    assert "rollback commit id" in "\n".join(device.journal())


# Faults, as the command line gives them.


def test_refuse_a_path_and_heal(device):
    device.sim("refuse", "/system/motd", "--code", "ABORTED", "--message", "not today", "--times", "1")
    assert fails(Code.ABORTED, lambda: device.motd("x")) == "not today"
    device.motd("x")
    device.sim("refuse", "/system", "--deletes")
    device.motd("y")
    fails(Code.FAILED_PRECONDITION, lambda: device.set(delete=["/system/motd"]))
    assert "refuse" in device.sim("faults")
    device.sim("heal")
    assert device.sim("faults") == ""
    device.set(delete=["/system/motd"])


def test_any_call_any_code(device):
    device.sim("refuse", "--on", "get", "--code", "DATA_LOSS", "--times", "1")
    fails(Code.DATA_LOSS, lambda: device.read("/"))
    assert device.read("/") == {}


def test_hang_and_apply_late(device):
    device.sim("hang", "--times", "1")
    gives_up(lambda: device.motd("late", timeout=0.3))
    device.motd("early")
    device.sim("release")
    until("it is applied", lambda: device.read("/system/motd") == "late")
    assert any("late, after" in line and "unanswered" in line for line in device.journal())
    entries = [json.loads(line) for line in device.sim("journal", "--output", "json").splitlines()]
    (late,) = [entry for entry in entries if entry["late"]]
    assert late["effect"]["code"] == "OK" and late["told"] is None and late["paths"] == ["/system/motd"]
    assert late["arrived"] < late["timestamp"]


def test_slow(device):
    device.sim("delay", "300ms", "--times", "1")
    begun = time.monotonic()
    device.motd("x")
    assert time.monotonic() - begun >= 0.3


@pytest.mark.parametrize("when, held", [("before", {}), ("after", {"lab:system": {"motd": "x"}})])
def test_drop_the_connection(device, when, held):
    device.sim("drop", when, "--times", "1")
    fails(Code.UNAVAILABLE, lambda: device.motd("x"))
    assert device.read("/") == held


def test_rewrite(device):
    device.sim("rewrite", "upper", "/system/motd")
    device.motd("hello")
    assert device.read("/system/motd") == "HELLO"


def test_lack_and_ignore(device):
    device.sim("lack", "get")
    fails(Code.UNIMPLEMENTED, lambda: device.read("/"))
    device.sim("heal")
    arbitration = lambda low: field(2, field(2, field(2, low)))
    device.motd("a", extension=arbitration(2))
    fails(Code.PERMISSION_DENIED, lambda: device.motd("b", extension=arbitration(1)))
    device.sim("ignore", "arbitration")
    device.motd("b", extension=arbitration(1))


def test_drift_and_restart(device):
    device.sim("drift", "/system/motd", "mine")
    assert device.read("/system/motd") == "mine"
    device.sim("restart", "--keep")
    assert device.read("/system/motd") == "mine"
    device.sim("restart")
    assert device.read("/") == {}
    assert [line.split()[1] for line in device.journal()] == ["drift", "get", "restart", "get", "restart", "get"]


def test_faults_from_a_file(tmp_path):
    file = tmp_path / "faults.yaml"
    file.write_text("- {refuse: {code: ABORTED}, paths: /system/motd, devices: 2}\n- lack: capabilities\n")
    device = Device(tmp_path, "--faults", file, count=2)
    try:
        with grpc.insecure_channel(device.address) as channel:
            stub = gnmi_pb2_grpc.gNMIStub(channel)
            fails(Code.UNIMPLEMENTED, lambda: stub.Capabilities(gnmi_pb2.CapabilityRequest()))
        device.motd("x")
        device.address = device.addresses[1]
        fails(Code.ABORTED, lambda: device.motd("x"))
        file.write_text("- delay: 10ms\n")
        device.sim("faults", file)
        device.motd("x")
    finally:
        device.process.kill()


def test_what_it_holds_survives_the_process(tmp_path):
    device = Device(tmp_path, "--state", tmp_path / "state")
    try:
        device.motd("x")
        device.process.kill()
        device.start()
        assert device.read("/system/motd") == "x"
    finally:
        device.process.kill()


def certificates(folder):
    """An authority, and certificates that it signed for a device and for a client."""
    until_ = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
    keys = {name: ec.generate_private_key(ec.SECP256R1()) for name in ("ca", "device", "client")}
    named = lambda name: x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    for name, key in keys.items():
        address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
        builder = (
            x509.CertificateBuilder()
            .subject_name(named(name)).issuer_name(named("ca")).public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(until_ - datetime.timedelta(days=2)).not_valid_after(until_)
            .add_extension(x509.BasicConstraints(ca=name == "ca", path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([address, x509.DNSName(name)]), critical=False)
        )
        signed = builder.sign(keys["ca"], hashes.SHA256())
        (folder / f"{name}.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
        plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        (folder / f"{name}.key").write_bytes(key.private_bytes(serialization.Encoding.PEM, *plain))
    return lambda name: str(folder / name)


def test_mutual_tls(tmp_path):
    file = certificates(tmp_path)
    ours = ["--tls-cert", file("device.pem"), "--tls-key", file("device.key"), "--tls-ca", file("ca.pem")]
    device = Device(tmp_path, *ours)
    try:
        who = {"path_cert": file("client.pem"), "path_key": file("client.key"), "path_root": file("ca.pem")}
        with device.client(override="device", **who) as client:
            client.set(update=[("/system", {"motd": "x"})], encoding="json_ietf")
        device.tls = ["--tls-cert", who["path_cert"], "--tls-key", who["path_key"], "--tls-ca", who["path_root"]]
        assert "set OK /system/motd" in device.sim("journal")
        device.sim("restart")
        nobody = subprocess.run([BINARY, "sim", "journal", device.address], capture_output=True, text=True)
        assert nobody.returncode != 0
    finally:
        device.process.kill()


# The client of the gNMI repository itself, written in Go.


@pytest.fixture(scope="module")
def gnmi_cli():
    """Found on the path; built from its module if that is asked for, which takes minutes."""
    found = shutil.which("gnmi_cli")
    if found:
        return found
    if not shutil.which("go"):
        pytest.skip("no Go here to build gnmi_cli with, and none on the path")
    folder = pathlib.Path(tempfile.gettempdir()) / "lockstep-go"
    binary = folder / "bin" / "gnmi_cli"
    if not binary.exists():
        if not os.environ.get("LOCKSTEP_GO"):
            pytest.skip("gnmi_cli is not built yet; LOCKSTEP_GO=1 builds it, which takes minutes")
        built = subprocess.run(
            ["go", "install", REFERENCE_CLIENT],
            env={**os.environ, "GOPATH": str(folder)}, capture_output=True, text=True,
        )
        if built.returncode != 0:
            pytest.skip(f"gnmi_cli cannot be built: {built.stderr.splitlines()[-1]}")
    return str(binary)


def test_the_reference_client(device, gnmi_cli):
    def run(*arguments):
        common = [gnmi_cli, "-address", device.address, "-insecure", "-timeout", "10s"]
        done = subprocess.run([*common, *arguments], capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "lab" in run("-capabilities")
    elements = '{elem: {name: "system"} elem: {name: "motd"}}'
    run("-set", "-proto", f'update: {{path: {elements} val: {{string_val: "hi"}}}}')
    assert "hi" in run("-get", "-proto", f"path: {elements} encoding: JSON_IETF")
    assert "hi" in run("-query", "/system/motd", "-query_type", "once")
    polls = run("-query", "/system/motd", "-query_type", "polling", "-polling_interval", "100ms", "-count", "2")
    assert polls.count("hi") == 2
    device.sim("refuse", "/system")
    with pytest.raises(AssertionError, match="FailedPrecondition"):
        run("-set", "-proto", f"delete: {elements}")
