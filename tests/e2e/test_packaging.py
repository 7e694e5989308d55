"""What is packaged is what a node can be started with."""

import http.client
import os
import re
import shutil
import ssl
import subprocess
from unittest import mock

import pytest
import yaml

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


# The manifests.

KUBERNETES = PACKAGING / "kubernetes"
# What there is before them, as their tops say and README tells how to make, with the keys that are taken from it.
BEFORE = {
    ("Secret", "etcd-tls"): {"tls.crt", "tls.key", "ca.crt"},
    ("Secret", "etcd-client-tls"): {"tls.crt", "tls.key", "ca.crt"},
    ("Secret", "lockstep-tls"): {"tls.crt", "tls.key", "ca.crt"},
    ("Secret", "lockstep"): {"admin-hash"},
    ("ConfigMap", "lockstep-models"): None,
}
VERSIONS = {
    "Namespace": "v1",
    "ConfigMap": "v1",
    "Service": "v1",
    "PodDisruptionBudget": "policy/v1",
    "StatefulSet": "apps/v1",
    "NetworkPolicy": "networking.k8s.io/v1",
}


class Strict(yaml.SafeLoader):
    """Takes no key twice."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        assert len(set(keys)) == len(keys), f"{node.start_mark}: a key twice: {keys}"
        return super().construct_mapping(node, deep)


def manifests():
    """Every object of every file, by kind and name."""
    found = {}
    for path in sorted(KUBERNETES.glob("*.yaml")):
        for one in yaml.load_all(path.read_text(), Strict):
            key = (one["kind"], one["metadata"]["name"])
            assert key not in found, f"{path.name}: {key} is there twice"
            found[key] = one
    return found


def test_the_manifests_are_all_there():
    found = manifests()
    assert set(found) == {
        ("Namespace", "lockstep"),
        ("ConfigMap", "lockstep"),
        ("Service", "etcd"), ("Service", "lockstep"), ("Service", "lockstep-nodes"),
        ("PodDisruptionBudget", "etcd"), ("PodDisruptionBudget", "lockstep"),
        ("StatefulSet", "etcd"), ("StatefulSet", "lockstep"),
        ("NetworkPolicy", "etcd"), ("NetworkPolicy", "lockstep"),
    }  # fmt: skip
    for (kind, name), one in found.items():
        assert one["apiVersion"] == VERSIONS[kind], (kind, name)
        assert set(one) == {"apiVersion", "kind", "metadata", "data" if kind == "ConfigMap" else "spec"} - ({"spec"} if kind == "Namespace" else set())
        # Whatever is in a namespace is in the one that there is.
        assert kind == "Namespace" or ("Namespace", one["metadata"]["namespace"]) in found, (kind, name)


def test_what_the_manifests_select_is_there():
    found = manifests()
    pods = {name: one["spec"]["template"] for (kind, name), one in found.items() if kind == "StatefulSet"}

    def chosen(labels):
        return [name for name, pod in pods.items() if labels.items() <= pod["metadata"]["labels"].items()]

    for (kind, name), one in found.items():
        spec = one.get("spec", {})
        if kind == "StatefulSet":
            assert chosen(spec["selector"]["matchLabels"]) == [name]
            headless = found["Service", spec["serviceName"]]["spec"]
            assert headless["clusterIP"] == "None" and chosen(headless["selector"]) == [name]
            apart = spec["template"]["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
            assert [chosen(rule["labelSelector"]["matchLabels"]) for rule in apart] == [[name]]
        elif kind == "Service":
            ports = {port["name"]: port["containerPort"] for of in chosen(spec["selector"]) for port in container(pods[of])["ports"]}
            for port in spec["ports"]:
                there = port.get("targetPort", port["port"])
                assert there in ports or there in ports.values(), (name, port)
                assert ports[port["name"]] == port["port"], (name, port)
        elif kind == "PodDisruptionBudget":
            assert chosen(spec["selector"]["matchLabels"]) == [name]
        elif kind == "NetworkPolicy":
            assert chosen(spec["podSelector"]["matchLabels"]) == [name]
            here = {port["containerPort"] for port in container(pods[name])["ports"]}
            let_in = {port["port"] for rule in spec["ingress"] for port in rule["ports"]}
            assert let_in == here, (name, "what listens and what is let in")
            others = [peer["podSelector"]["matchLabels"] for rule in spec["ingress"] for peer in rule.get("from", [])]
            assert all(chosen(labels) for labels in others), (name, others)


def container(pod):
    (only,) = pod["spec"]["containers"]
    return only


def test_what_the_manifests_refer_to_is_there():
    found = manifests()
    there = {(kind, name): set(one["data"]) for (kind, name), one in found.items() if kind == "ConfigMap"} | BEFORE
    used = set()

    def take(kind, name, key=None):
        used.add((kind, name))
        keys = there[kind, name]
        assert key is None or keys is None or key in keys, (kind, name, key)

    for (kind, name), one in found.items():
        if kind != "StatefulSet":
            continue
        pod = one["spec"]["template"]
        main = container(pod)
        volumes = {volume["name"]: volume for volume in pod["spec"]["volumes"]}
        claims = {claim["metadata"]["name"] for claim in one["spec"].get("volumeClaimTemplates", [])}
        assert {mount["name"] for mount in main["volumeMounts"]} == set(volumes) | claims
        for volume in volumes.values():
            if "secret" in volume:
                take("Secret", volume["secret"]["secretName"])
                # 0440: for the group of the process, which is not root.
                assert volume["secret"]["defaultMode"] == 0o440
            if "configMap" in volume:
                take("ConfigMap", volume["configMap"]["name"])
        for variable in main["env"]:
            if reference := variable.get("valueFrom", {}).get("secretKeyRef"):
                take("Secret", reference["name"], reference["key"])
        names = {port["name"] for port in main["ports"]}
        assert all(main[probe]["httpGet"]["port"] in names for probe in main if probe.endswith("Probe"))
        variables = {variable["name"] for variable in main["env"]}
        assert set(re.findall(r"\$\((\w+)\)", " ".join(main["args"]))) <= variables
        # A file that an argument names is in one of the volumes.
        mounts = {mount["mountPath"]: volumes.get(mount["name"], {}) for mount in main["volumeMounts"]}
        assert all(any(path.startswith(f"{mount}/") for mount in mounts) for path in re.findall(r"(?:=|^)(/\S+)", "\n".join(main["args"]), re.M))
        # What the namespace asks of everything in it.
        assert found["Namespace", "lockstep"]["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
        assert pod["spec"]["securityContext"]["runAsNonRoot"] and pod["spec"]["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault"
        assert main["securityContext"]["capabilities"] == {"drop": ["ALL"]} and main["securityContext"]["allowPrivilegeEscalation"] is False
    assert used == set(there), "and nothing is asked for that is not used"


def test_the_file_of_the_cluster_names_what_is_there():
    found = manifests()
    told = yaml.load(found["ConfigMap", "lockstep"]["data"]["lockstep.yaml"], Strict)
    nodes, etcd = (found["StatefulSet", name]["spec"] for name in ("lockstep", "etcd"))
    main = container(nodes["template"])
    assert f"/{list(found['ConfigMap', 'lockstep']['data'])[0]}" == main["args"][-1].removeprefix("/etc/lockstep")
    ports = {port["name"]: port["containerPort"] for port in main["ports"]}
    assert [int(told[name].rpartition(":")[2]) for name in ("listen", "http")] == [ports["gnmi"], ports["http"]]
    # Its variables are among those of the container, and its files in what is mounted there.
    text = found["ConfigMap", "lockstep"]["data"]["lockstep.yaml"]
    assert set(re.findall(r"\$(\w+)", text)) <= {variable["name"] for variable in main["env"]}
    mounts = {mount["mountPath"]: mount["name"] for mount in main["volumeMounts"]}
    files = [*told["store-tls"].values(), *told["tls"].values()]
    secrets = {volume["name"]: volume["secret"]["secretName"] for volume in nodes["template"]["spec"]["volumes"] if "secret" in volume}
    for file in files:
        folder, _, name = file.rpartition("/")
        assert name in BEFORE["Secret", secrets[mounts[folder]]], file
    assert all(path in mounts for path in told["models"].values())
    # The members of etcd, as the file and they themselves name them.
    members = [f"etcd-{number}.{etcd['serviceName']}.lockstep.svc" for number in range(etcd["replicas"])]
    assert re.findall(r"([\w.-]+):2379", told["store"]) == members
    (cluster,) = (argument for argument in container(etcd["template"])["args"] if argument.startswith("--initial-cluster="))
    assert re.findall(r"https://([\w.-]+):2380", cluster) == members


def test_a_manifest_that_names_a_key_twice_would_be_found():
    with pytest.raises(AssertionError, match="a key twice"):
        yaml.load("a: 1\na: 2\n", Strict)
