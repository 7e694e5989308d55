"""What is packaged is what a node can be started with."""

import http.client
import os
import re
import shutil
import ssl
import subprocess
from unittest import mock

import pytest

from identity import hashed
from lab import BINARY, MODELS, ROOT, Lab, Process, until
from test_http import ask
from test_tls import Authority

PACKAGING = ROOT / "packaging"


def start(lab, text, **env):
    """A node that is told this."""
    (lab.folder / "packaged.yaml").write_text(text)
    # Its file is no JSON, which is how others are asked whether they may be traced.
    env = {name: value for name, value in os.environ.items() if name != "TRACES"} | env
    with mock.patch.dict(os.environ, env, clear=True):
        lab.node = Process(lab.folder / "node.log", "serve", "--config", lab.folder / "packaged.yaml")


def put(text, here):
    for there, place in here.items():
        assert there in text, there
        text = text.replace(there, place)
    return text


def test_a_node_starts_with_the_file_of_the_package(tmp_path):
    lab = Lab(tmp_path, devices=0)
    text = (PACKAGING / "lockstep.yaml").read_text()
    text = put(text, {"127.0.0.1:9339": f"127.0.0.1:{lab.port}", "127.0.0.1:9340": f"127.0.0.1:{lab.http}"})
    text = put(text, {"/var/lib/lockstep/data": "./data"})
    # What is commented out fits where it stands.
    text = put(text, {"models: {}\n#  ": "models:\n  ", "/usr/share/lockstep/models/lab": str(MODELS)})
    start(lab, text)
    try:
        until("it is ready", lambda: ask(lab, "/readyz") == (200, "ready\n"))
        assert [model["name"] for model in lab.run("model", "list")] == ["lab-1.0"]
    finally:
        lab.stop()


def test_a_node_starts_with_the_file_of_the_cluster(tmp_path):
    """As the manifests tell it, but for where it is and for etcd; and the probe gets through without a certificate."""
    manifest = (PACKAGING / "kubernetes" / "lockstep.yaml").read_text()
    text = re.search(r"^  lockstep.yaml: \|\n((?:    .*\n)+)", manifest, re.M)[1].replace("\n    ", "\n")[4:]
    authority, lab = Authority(tmp_path), Lab(tmp_path, devices=0)
    authority.issue("node")
    text = re.sub(r"^store: etcd.*$", "store: ./data", text, flags=re.M)
    text = re.sub(r"^store-tls: .*\n", "", text, flags=re.M)
    text = put(text, {"0.0.0.0:9339": f"0.0.0.0:{lab.port}", "0.0.0.0:9340": f"0.0.0.0:{lab.http}", "/models": str(MODELS)})
    text = put(text, {"/tls/tls.crt": "node.pem", "/tls/tls.key": "node.key", "/tls/ca.crt": "ca.pem"})
    start(lab, text, NODE="lockstep-0", ADMIN_HASH=hashed("for the admin alone"))

    def probe(path):
        unverified = ssl._create_unverified_context()
        connection = http.client.HTTPSConnection("127.0.0.1", lab.http, context=unverified, timeout=10)
        connection.request("GET", path)
        return connection.getresponse().status

    try:
        paths = re.findall(r"httpGet: \{path: (\S+), port: http, scheme: HTTPS\}", manifest)
        assert paths == ["/healthz", "/readyz"]
        until("it is ready", lambda: [probe(path) for path in paths] == [200, 200])
    finally:
        lab.stop()


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
def test_the_service_is_understood_and_hardened(tmp_path):
    unit = tmp_path / "lockstep.service"
    unit.write_text((PACKAGING / "lockstep.service").read_text().replace("/usr/bin/lockstep", str(BINARY)))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
    ours = [line for line in done.stderr.splitlines() if "lockstep" in line]
    assert not ours, ours
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", unit], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-600:] + done.stderr


def test_what_others_wrote_travels_with_its_terms():
    text = subprocess.run([PACKAGING / "notices"], check=True, capture_output=True, text=True).stdout
    lists, *terms = text.split("-" * 80)
    for name in ("tokio", "rustls", "libyang5-sys", "preact", "htm"):
        assert re.search(rf"^{name}\b", lists, re.M), name
        assert any(re.search(rf"\b{name}\b", heading) for heading in terms[::2]), name
    assert "CESNET" in text and "Jason Miller" in text
    # Nothing that only tests or builds need.
    assert not re.search(r"^(proptest|protox) ", lists, re.M)


def test_the_certificates_of_the_cluster_are_what_its_manifests_take(tmp_path):
    subprocess.run([PACKAGING / "kubernetes" / "certificates", tmp_path], check=True, capture_output=True)
    manifests = "".join(path.read_text() for path in (PACKAGING / "kubernetes").glob("*.yaml"))
    names = set(re.findall(r"secretName: (\S+-tls)", manifests))
    assert names == {path.name for path in tmp_path.iterdir() if path.is_dir()}

    def verified(name, host, purpose):
        folder = tmp_path / name
        command = ["openssl", "verify", "-CAfile", folder / "ca.crt", "-purpose", purpose]
        command += ["-verify_hostname", host] if host else []
        return subprocess.run([*command, folder / "tls.crt"], capture_output=True).returncode == 0

    for member in re.findall(r"https://(etcd-\d\.etcd\.lockstep\.svc):2380", manifests):
        assert verified("etcd-tls", member, "sslserver") and verified("etcd-tls", member, "sslclient")
    assert verified("etcd-client-tls", None, "sslclient")
    for node in ("lockstep.lockstep.svc", "lockstep-0.lockstep-nodes.lockstep.svc"):
        assert verified("lockstep-tls", node, "sslserver")
    assert not verified("lockstep-tls", "elsewhere", "sslserver")


@pytest.mark.parametrize(
    "script", ["release", "packages", "kubernetes/certificates", "deb/build", "deb/postinst", "deb/prerm", "deb/postrm"]
)
def test_scripts_are_well_formed(script):
    shell = (PACKAGING / script).read_text().splitlines()[0].split("/")[-1].split(" ")[-1]
    subprocess.run([shell, "-n", PACKAGING / script], check=True)
