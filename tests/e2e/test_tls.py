"""A node behind certificates."""

import datetime
import http.client
import ipaddress
import json
import socket
import ssl

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from pygnmi.spec.v080 import gnmi_pb2, gnmi_pb2_grpc

from lab import Lab, Process, until


class Authority:
    """Signs certificates, and writes them where a node finds them."""

    def __init__(self, folder):
        self.folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "lab")])
        constraints = x509.BasicConstraints(ca=True, path_length=None)
        self.certificate = self.sign(self.name, self.key, (constraints, True))
        self.write("ca", self.certificate)

    def sign(self, name, key, *extensions):
        now = datetime.datetime.now(datetime.timezone.utc)
        day = datetime.timedelta(days=1)
        builder = x509.CertificateBuilder(self.name, name, key.public_key(), x509.random_serial_number(), now - day, now + day)
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(self.key, hashes.SHA256())

    def issue(self, name, *units):
        key = ec.generate_private_key(ec.SECP256R1())
        unit = lambda unit: x509.NameAttribute(x509.NameOID.ORGANIZATIONAL_UNIT_NAME, unit)
        subject = x509.Name([*map(unit, units), x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
        self.write(name, self.sign(subject, key, (address, False)))
        pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        (self.folder / f"{name}.key").write_bytes(pem)

    def write(self, name, certificate):
        (self.folder / f"{name}.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))


@pytest.fixture
def behind_tls(tmp_path):
    authority = Authority(tmp_path)
    authority.issue("node")
    authority.issue("client")
    lab = Lab(tmp_path, devices=1)
    lab.authority = authority
    tls = {"cert": "node.pem", "key": "node.key", "ca": "ca.pem", "require-client-cert": True}
    lab.write_config(insecure=False, tls=tls)
    lab.start_device("leaf1")
    try:
        yield lab
    finally:
        lab.stop()


def flags(lab, *, client=True):
    own = ["--tls-cert", lab.folder / "client.pem", "--tls-key", lab.folder / "client.key"]
    return ["--tls-ca", lab.folder / "ca.pem", *(own if client else [])]


# rule: tls, tls-mutual
def test_only_who_has_a_certificate_comes_in(behind_tls):
    lab = behind_tls
    lab.start_node(wait=False)
    ask = lambda *more: lab.command("target", "list", *more, insecure=False)
    until("the node answers", lambda: ask(*flags(lab)).returncode == 0)
    assert ask(*flags(lab, client=False)).returncode != 0
    assert ask().returncode != 0
    assert lab.command("target", "list").returncode != 0
    until("leaf1 is synchronised", lambda: "synchronised" in ask(*flags(lab)).stdout)
    read = lambda name: (lab.folder / name).read_bytes()
    credentials = grpc.ssl_channel_credentials(read("ca.pem"), read("client.key"), read("client.pem"))
    with grpc.secure_channel(f"127.0.0.1:{lab.port}", credentials) as channel:
        stub = gnmi_pb2_grpc.gNMIStub(channel)
        assert stub.Capabilities(gnmi_pb2.CapabilityRequest()).gNMI_version == "0.10.0"
    set_ = lab.command("set", "leaf1", "--update", "/system/motd=x", *flags(lab), insecure=False)
    assert set_.stdout.startswith("transaction 1 applied"), set_
    # Nobody is asked who they are, and it is written down who they showed to be.
    assert "author     client" in lab.command("tx", "show", "1", *flags(lab), insecure=False).stdout


def test_certificates_of_nobody_in_particular(behind_tls):
    lab = behind_tls
    lab.write_config(insecure=False, tls={"cert": "node.pem", "key": "node.key", "require-client-cert": True})
    node = Process(lab.folder / "node.log", "serve", "--config", lab.folder / "lockstep.yaml")
    assert node.process.wait(30) == 1
    assert "tls.require-client-cert" in node.log.read_text()


def serial(lab):
    """The serial number of the certificate that the node shows."""
    context = ssl.create_default_context(cafile=lab.folder / "ca.pem")
    context.load_cert_chain(lab.folder / "client.pem", lab.folder / "client.key")
    context.set_alpn_protocols(["h2"])
    with socket.create_connection(("127.0.0.1", lab.port)) as plain:
        with context.wrap_socket(plain, server_hostname="127.0.0.1") as wrapped:
            return x509.load_der_x509_certificate(wrapped.getpeercert(True)).serial_number


# rule: tls-reload
def test_certificates_are_renewed_without_a_restart(behind_tls):
    lab = behind_tls
    lab.start_node(wait=False)
    first = until("the node answers", lambda: serial(lab))
    read = lambda name: (lab.folder / name).read_bytes()
    credentials = grpc.ssl_channel_credentials(read("ca.pem"), read("client.key"), read("client.pem"))
    with grpc.secure_channel(f"127.0.0.1:{lab.port}", credentials) as channel:
        ask = lambda: gnmi_pb2_grpc.gNMIStub(channel).Capabilities(gnmi_pb2.CapabilityRequest())
        ask()
        # Half of a pair is no pair: the old one is used.
        whole, key = read("node.pem"), read("node.key")
        lab.authority.issue("node")
        renewed = read("node.key")
        (lab.folder / "node.key").write_bytes(key)
        assert serial(lab) == first
        (lab.folder / "node.key").write_bytes(renewed)
        second = until("the new one is shown", lambda: serial(lab) != first and serial(lab))
        assert second == x509.load_pem_x509_certificate(read("node.pem")).serial_number
        # Who was connected stays so.
        ask()
    assert whole != read("node.pem")


# rule: tls-mutual
def test_a_certificate_of_the_client_may_be_left_to_it(behind_tls):
    lab = behind_tls
    lab.write_config(insecure=False, tls={"cert": "node.pem", "key": "node.key", "ca": "ca.pem"})
    lab.start_node(wait=False)
    ask = lambda *more: lab.command("target", "list", *more, insecure=False)
    until("the node answers", lambda: ask(*flags(lab, client=False)).returncode == 0)
    assert ask(*flags(lab)).returncode == 0
    # One that somebody else signed is worse than none.
    stranger = lab.folder / "stranger"
    stranger.mkdir()
    Authority(stranger).issue("client")
    own = ["--tls-cert", stranger / "client.pem", "--tls-key", stranger / "client.key"]
    assert ask("--tls-ca", lab.folder / "ca.pem", *own).returncode != 0


# rule: tls-plaintext
def test_plaintext_is_for_the_machine_itself_and_only_when_asked_for(tmp_path):
    lab = Lab(tmp_path, devices=1)
    for listen, insecure, words in (("0.0.0.0:0", True, "which others can reach"), ("127.0.0.1:0", False, "tls is missing")):
        lab.write_config(listen=listen, insecure=insecure)
        node = Process(lab.folder / "node.log", "serve", "--config", lab.folder / "lockstep.yaml")
        assert node.process.wait(30) == 1
        assert words in node.log.read_text().replace("tls: is", "tls is"), node.log.read_text()


def test_http_that_others_can_reach_is_behind_certificates(tmp_path):
    """And a client's certificate says who asks, as it does with gRPC."""
    authority = Authority(tmp_path)
    for name in ("node", "alice", "stranger"):
        authority.issue(name)
    lab = Lab(tmp_path, devices=1)
    tls = {"cert": "node.pem", "key": "node.key", "ca": "ca.pem"}
    roles = {"look": {"may": ["read"], "users": ["alice"]}}
    lab.write_config(insecure=False, tls=tls, roles=roles, http=f"0.0.0.0:{lab.http}")

    def ask(name=None, path="/api/v1/me"):
        context = ssl.create_default_context(cafile=tmp_path / "ca.pem")
        if name:
            context.load_cert_chain(tmp_path / f"{name}.pem", tmp_path / f"{name}.key")
        connection = http.client.HTTPSConnection("127.0.0.1", lab.http, context=context, timeout=30)
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()

    try:
        lab.start_device("leaf1")
        lab.start_node(wait=False)
        until("it answers", lambda: ask(path="/readyz") == (200, b"ready\n"))
        status, said = ask("alice")
        assert status == 200 and json.loads(said)["how"] == "certificate" and json.loads(said)["rights"] == ["read"]
        assert ask("alice", "/api/v1/targets")[0] == 200
        assert ask("stranger", "/api/v1/targets")[0] == 403
        assert ask()[0] == 401
        with pytest.raises((ConnectionError, http.client.HTTPException, OSError)):
            plain = http.client.HTTPConnection("127.0.0.1", lab.http, timeout=30)
            plain.request("GET", "/healthz")
            plain.getresponse()
    finally:
        lab.stop()
    # Without certificates it is refused there.
    lab.write_config(http=f"0.0.0.0:{lab.http}")
    lab.start_node(wait=False)
    assert lab.node.process.wait(30) != 0
    assert "which others can reach; give `tls` instead" in (tmp_path / "node.log").read_text()
