"""Who may come in, what they may do, what they see, and what is written down of it."""

import base64
import itertools
import json
import os
import re
import signal
import time
import urllib.error
import urllib.request
from unittest import mock

import grpc
import pytest
from pygnmi.client import gNMIclient
from pygnmi.spec.v080 import gnmi_pb2, gnmi_pb2_grpc

import gnmi
from identity import SECRETS, Signer, bearer, code, encode, hashed, password
from lab import PATIENCE, ROOT as ROOT_FOLDER, Lab, options, path, until, update
from test_tls import Authority

DENIED, UNKNOWN = grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNAUTHENTICATED
EXHAUSTED, OK = grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.OK
WORDS = {name: f"{SECRETS['password']}-{name}" for name in ("alice", "root", "olga")}
SHARED = SECRETS["shared"].encode()


def access(folder, signers):
    """Everything about who may do what."""
    (folder / "shared").write_bytes(SHARED + b"\n")
    for name in ("RS256", "ES256", "EdDSA"):
        (folder / f"{name}.pem").write_bytes(signers[name].public())
    keys = [signers[name].jwk(name) for name in ("RS256", "ES256", "EdDSA")]
    (folder / "jwks.json").write_text(json.dumps({"keys": keys}))
    issuer = lambda name, **key: {"issuer": name, "audience": "lockstep", **key}
    return {
        "users": {
            "alice": {"password": hashed(WORDS["alice"]), "groups": ["ports"]},
            "olga": hashed(WORDS["olga"]),
            "root": hashed(WORDS["root"]),
        },
        "tokens": [
            issuer("sso", jwks="jwks.json"),
            issuer("shared", secret="shared"),
            *[issuer(name, key=f"{name}.pem") for name in ("RS256", "ES256", "EdDSA")],
        ],
        "roles": {
            "ports": {"may": ["read", "change"], "groups": ["ports"], "paths": ["/interfaces/**"]},
            "look": {"may": ["read"], "users": ["alice", "olga"], "targets": ["leaf1"]},
            "operators": {"may": ["operate"], "users": ["olga"]},
            "root": {"may": ["read", "change", "operate", "read-secrets"], "users": ["root"]},
        },
        "secret-paths": ["/**/motd"],
        "audit": "audit.jsonl",
    }


class Guarded(Lab):
    """A lab whose node asks who is there, and logs all that it can."""

    def __init__(self, folder, **more):
        super().__init__(folder, devices=2)
        self.signers = {name: Signer(name, SHARED) for name in ("HS256", "RS256", "ES256", "EdDSA")}
        self.access = {**access(folder, self.signers), **more}
        self.write_config(**self.access)

    def start_node(self, wait=True):
        # As much as there is: it is searched for what must not be in it.
        with mock.patch.dict(os.environ, LOCKSTEP_LOG="trace"):
            super().start_node(wait)

    def command(self, *arguments, name="root", **more):
        login = {"LOCKSTEP_USERNAME": name, "LOCKSTEP_PASSWORD": WORDS[name]}
        with mock.patch.dict(os.environ, login):
            return super().command(*arguments, **more)

    def logs(self):
        return "\n".join(line for line in super().logs().splitlines() if " TRACE " not in line and " DEBUG " not in line)

    def get_as(self, metadata, at="/interfaces", target="leaf1"):
        with self.stub() as stub:
            request = gnmi_pb2.GetRequest(path=[path(at, target)], type=1, encoding=4)
            return stub.Get(request, metadata=metadata, timeout=PATIENCE)

    def set_as(self, metadata, at, content, target="leaf1", *extensions):
        with self.stub() as stub:
            request = gnmi_pb2.SetRequest(update=[update(at, content, target)], extension=extensions)
            return stub.Set(request, metadata=metadata, timeout=PATIENCE)

    def audit(self, name="audit.jsonl"):
        return [json.loads(line) for line in (self.folder / name).read_text().splitlines()]


ROOT = password("root", WORDS["root"])
ALICE = password("alice", WORDS["alice"])


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    lab = Guarded(tmp_path_factory.mktemp("guarded"))
    try:
        lab.start()
        lab.set_as(ROOT, "/interfaces", {"interface": [{"name": "eth1", "description": "up"}]})
        lab.set_as(ROOT, "/system", {"hostname": "leaf1", "motd": SECRETS["motd"]})
        yield lab
    finally:
        lab.stop()


def refusal(call):
    """The code and the words that a call is refused with."""
    with pytest.raises(grpc.RpcError) as refused:
        call()
    return refused.value.code(), refused.value.details()


# rule: error-unauthenticated
def test_what_is_wrong_is_not_said(lab):
    nobody = refusal(lambda: lab.get_as([]))
    assert nobody[0] == UNKNOWN and "client certificate" in nobody[1]
    assert refusal(lambda: lab.get_as(password("", ""))) == nobody
    wrong = [
        password("nina", WORDS["root"]),
        password("olga", ""),
        bearer(""),
        bearer("a.b.c"),
        [("authorization", "Basic !")],
        [*password("olga", WORDS["olga"]), *bearer("x")],
    ]
    assert {refusal(lambda: lab.get_as(given)) for given in wrong} == {(UNKNOWN, "the credentials are not valid")}
    for call in ("Capabilities", "Set", "Get"):
        with lab.stub() as stub:
            request = {"Capabilities": gnmi_pb2.CapabilityRequest, "Set": gnmi_pb2.SetRequest, "Get": gnmi_pb2.GetRequest}
            assert code(lambda: getattr(stub, call)(request[call]())) == UNKNOWN
            assert code(lambda: list(stub.Subscribe(iter([])))) == UNKNOWN


# rule: credentials
def test_a_password_as_gnmi_clients_send_it(lab):
    with gNMIclient(
        target=("127.0.0.1", lab.port), username="alice", password=WORDS["alice"], insecure=True, gnmi_timeout=PATIENCE
    ) as client:
        assert client.capabilities()["gnmi_version"] == "0.10.0"
        client.set(target="leaf1", update=[("/interfaces/interface[name=eth1]/description", '"by alice"')], encoding="json_ietf")
        answer = client.get(target="leaf1", path=["/interfaces/interface[name=eth1]/description"], datatype="config")
        assert answer["notification"][0]["update"][0]["val"] == "by alice"
    latest = lab.run("tx", "list")[0]
    assert latest["author"] == "alice"


# rule: credentials
@pytest.mark.parametrize("algorithm", ["HS256", "RS256", "ES256", "EdDSA"])
def test_tokens_of_every_kind(lab, algorithm):
    signer = lab.signers[algorithm]
    issuers = ["shared"] if algorithm == "HS256" else ["sso", algorithm]
    for issuer in issuers:
        good = lambda **claims: bearer(signer.token(**{"iss": issuer, **claims}))
        assert code(lambda: lab.get_as(good())) == OK
        assert code(lambda: lab.get_as(good(sub="zoe", groups=["ports"]))) == OK
        assert code(lambda: lab.get_as(good(sub="zoe"))) == DENIED
        if issuer == "sso":
            assert code(lambda: lab.get_as(bearer(signer.token({"kid": algorithm}, iss=issuer)))) == OK
            assert code(lambda: lab.get_as(bearer(signer.token({"kid": "other"}, iss=issuer)))) == UNKNOWN
        for bad in (
            good(exp=time.time() - 60),
            good(exp=None),
            good(nbf=time.time() + 600),
            good(aud="other"),
            good(aud=None),
            good(iss="nobody"),
            good(sub=None),
            bearer(Signer(algorithm, b"x" * 40).token(iss=issuer)),
            bearer(signer.token({"alg": "none"}, iss=issuer)),
            bearer(signer.token({"crit": ["exp"]}, iss=issuer)),
        ):
            assert code(lambda: lab.get_as(bad)) == UNKNOWN, bad


# rule: error-unauthenticated
def test_tokens_that_were_tampered_with(lab):
    token = lab.signers["ES256"].token()
    header, claims, signature = token.split(".")
    other = encode(json.dumps({"iss": "sso", "aud": "lockstep", "sub": "root", "exp": time.time() + 600}).encode())
    unsigned = encode(b'{"alg":"none"}')
    for bad in (
        f"{header}.{other}.{signature}",
        f"{header}.{claims}.",
        f"{unsigned}.{other}.",
        f"{header}.{claims}.{signature[::-1]}",
        f"{header}.{claims}",
        token + "x",
    ):
        assert code(lambda: lab.get_as(bearer(bad))) == UNKNOWN, bad
    # What everybody knows is no secret.
    confused = Signer("HS256", lab.signers["RS256"].public())
    for issuer in ("sso", "RS256"):
        assert code(lambda: lab.get_as(bearer(confused.token(iss=issuer, sub="root")))) == UNKNOWN


# rule: error-permission
def test_a_refusal_names_the_rule_that_is_missing(lab):
    says = lambda call: refusal(call)[1]
    assert refusal(lambda: lab.set_as(ALICE, "/system/motd", "x"))[0] == DENIED
    assert says(lambda: lab.set_as(ALICE, "/system/motd", "x")) == "no role gives alice `change` on target leaf1 at /system/motd"
    assert says(lambda: lab.get_as(ALICE, "/system", "leaf2")) == "no role gives alice `read` on target leaf2 at /system"
    delete = gnmi_pb2.SetRequest(delete=[path("/", "leaf1")])
    with lab.stub() as stub:
        assert says(lambda: stub.Set(delete, metadata=ALICE)) == "no role gives alice `change` on target leaf1 at /"
    # Whether there is such a target is not for everybody to know.
    olga = password("olga", WORDS["olga"])
    assert [says(lambda: lab.get_as(olga, "/system", name)) for name in ("leaf2", "nowhere")] == [
        f"no role gives olga `read` on target {name}" for name in ("leaf2", "nowhere")
    ]
    done = lab.command("rollback", "1", "--yes", name="alice")
    assert done.returncode == 1 and "no role gives alice `operate` on any target (PERMISSION_DENIED)" in done.stderr


# rule: error-permission
def test_what_may_not_be_read_is_left_out(lab):
    lab.set_as(ROOT, "/system", {"hostname": "leaf2", "motd": SECRETS["motd"]}, "leaf2")
    top = lambda metadata: set(gnmi.value(lab.get_as(metadata, "/", "leaf2").notification[0].update[0].val))
    assert refusal(lambda: top(ALICE))[0] == grpc.StatusCode.NOT_FOUND
    lab.set_as(ROOT, "/interfaces", {"interface": [{"name": "eth1", "enabled": True, "mtu": 1500}]}, "leaf2")
    assert top(ROOT) == {"lab:system", "lab:interfaces"}
    assert top(ALICE) == {"lab:interfaces"}
    listed = json.loads(lab.command("target", "list", "-o", "json", name="olga").stdout)
    assert [target["name"] for target in listed] == ["leaf1"]


def test_secrets_are_masked(lab):
    secret, mask = SECRETS["motd"], "********"
    value = lambda answer: gnmi.value(answer.notification[0].update[0].val)
    assert value(lab.get_as(ROOT, "/system/motd")) == secret
    assert value(lab.get_as(ALICE, "/system")) == {"lab:hostname": "leaf1", "lab:motd": mask}
    with lab.stub() as stub:
        request = gnmi_pb2.GetRequest(path=[path("/system", "leaf1")], type=1, encoding=2)
        proto = stub.Get(request, metadata=ALICE).notification[0]
        assert {gnmi.text(one.path): gnmi.value(one.val) for one in proto.update}["/system/motd"] == mask
        list_ = gnmi_pb2.SubscriptionList(
            subscription=[gnmi_pb2.Subscription(path=path("/system/motd", "leaf1"))], mode="ONCE", encoding=4
        )
        asked = gnmi_pb2.SubscribeRequest(subscribe=list_)
        told = [one.update for one in stub.Subscribe(iter([asked]), metadata=ALICE, timeout=PATIENCE)]
        assert gnmi.leaves(told) == {("leaf1", "/system/motd"): mask}
    # What was read is not written back.
    status, words = refusal(lambda: lab.set_as(ROOT, "/system/motd", mask))
    assert status == grpc.StatusCode.INVALID_ARGUMENT and "no value of one" in words
    # A dry run says what would change, to whom it may.
    dry = lab.set_as(ROOT, "/system/motd", f"{secret}2", "leaf1", options(dry_run=True))
    assert f"{secret}2".encode() in dry.SerializeToString()


def test_what_a_device_says_of_a_secret_is_masked(lab):
    secret = f"{SECRETS['motd']}-refused"
    lab.sim("refuse", lab.device("leaf1"), "/system/motd")
    try:
        assert code(lambda: lab.set_as(ROOT, "/system/motd", secret)) == grpc.StatusCode.ABORTED
    finally:
        lab.sim("heal", lab.device("leaf1"))
    lab.wait_synchronised()
    index = lab.run("tx", "list")[0]["index"]
    shown = lab.command("tx", "show", str(index), "-o", "json", name="alice")
    assert shown.returncode == 0 and secret not in shown.stdout, shown
    # Somebody else changes it: that it did is shown, and not to what.
    drifted = f"{SECRETS['motd']}-drifted"
    with lab.client(lab.ports["leaf1"]) as client:
        client.set(update=[("/system/motd", json.dumps(drifted))], encoding="json_ietf")
    as_ = lambda name: json.loads(lab.command("target", "show", "leaf1", "-o", "json", name=name).stdout)
    until("it is noticed", lambda: as_("root")["state"] == "drifted")
    assert drifted in as_("root")["reason"]
    assert as_("olga")["state"] == "drifted" and drifted not in json.dumps(as_("olga"))
    assert lab.command("target", "sync", "leaf1").returncode == 0
    lab.wait_synchronised()


def test_an_export_is_whole_or_not_at_all(lab, tmp_path):
    denied = lab.command("store", "export", "--file", tmp_path / "x", name="olga")
    assert denied.returncode == 1 and "no role gives olga `read` on every target and path" in denied.stderr
    assert not (tmp_path / "x").exists()
    whole = lab.command("store", "export", "--file", tmp_path / "dump", name="root")
    assert whole.returncode == 0, whole.stderr
    assert SECRETS["motd"] in (tmp_path / "dump").read_text()


def ask_for(request):
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def text_of(lab, path, **headers):
    request = urllib.request.Request(f"http://127.0.0.1:{lab.http}{path}", headers=headers)
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        assert answer.status == 200
        return answer.read().decode()


def ask(lab, path, **headers):
    request = urllib.request.Request(f"http://127.0.0.1:{lab.http}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers


def assets(document):
    """The files that the document of the page names."""
    found = re.findall(r'(?:href|src)="(/assets/[^"]+)"', document)
    assert found, document
    return found


def test_http_is_open_where_nothing_of_the_network_is(lab):
    assert [ask(lab, path)[0] for path in ("/healthz", "/readyz", "/metrics")] == [200, 200, 200]
    # The page and the documentation are the same for everybody: whoever is to sign in needs them first.
    places = ("/", "/targets", "/targets/leaf1", "/transactions/1", "/docs", "/login")
    (document,) = {text_of(lab, place) for place in places}
    assert SECRETS["motd"] not in document and "leaf1" not in document
    for asset in assets(document):
        assert ask(lab, asset)[0] == 200, asset
    assert text_of(lab, "/docs/security.md") == (ROOT_FOLDER / "docs" / "security.md").read_text()


def test_http_asks_who_is_there_for_all_the_rest(lab):
    root = base64.b64encode(f"root:{WORDS['root']}".encode()).decode()
    described = json.loads(text_of(lab, "/api/v1/openapi.json", Authorization=f"Basic {root}"))["paths"]
    assert len(described) > 20
    for path_, methods in described.items():
        for method, operation in methods.items():
            at = re.sub("{[a-z]+}", "1", path_)
            request = urllib.request.Request(f"http://127.0.0.1:{lab.http}{at}", method=method.upper())
            assert ask_for(request) == (200 if operation.get("security") == [] else 401), (method, at)
    basic = base64.b64encode(f"alice:{WORDS['alice']}".encode()).decode()
    for path_ in ("/api", "/api/v1/targets", "/nowhere", "/healthz/", "/metrics/x"):
        status, headers = ask(lab, path_)
        assert status == 401 and headers["www-authenticate"].startswith("Basic"), path_
        wrong = base64.b64encode(b"alice:wrong").decode() if path_ == "/api" else "!"
        assert ask(lab, path_, Authorization=f"Basic {wrong}")[0] == 401
        assert ask(lab, path_, Authorization="Bearer x")[0] == 401
        assert ask(lab, path_, Authorization=f"Basic {basic}")[0] in (200, 404, 501)
        token = lab.signers["EdDSA"].token()
        assert ask(lab, path_, Authorization=f"Bearer {token}")[0] in (200, 403, 404, 501)


def test_http_is_written_down_too(lab):
    before = len(lab.audit())
    basic = base64.b64encode(f"alice:{WORDS['alice']}".encode()).decode()
    for method in ("GET", "POST"):
        request = urllib.request.Request(f"http://127.0.0.1:{lab.http}/api/v1/targets", method=method)
        request.add_header("Authorization", f"Basic {basic}")
        assert ask_for(request) == {"GET": 200, "POST": 405}[method]
    (line,) = lab.audit()[before:]
    assert (line["identity"], line["action"], line["outcome"]) == ("alice", "POST /api/v1/targets", "UNIMPLEMENTED")
    # What hands out everything is, although it only reads.
    root = base64.b64encode(f"root:{WORDS['root']}".encode()).decode()
    assert ask(lab, "/api/v1/export", Authorization=f"Basic {root}")[0] == 200
    assert ask(lab, "/api/v1/export", Authorization=f"Basic {basic}")[0] == 403
    lines = lab.audit()[before + 1 :]
    assert [(one["identity"], one["action"], one["outcome"]) for one in lines] == [
        ("root", "GET /api/v1/export", "OK"),
        ("alice", "GET /api/v1/export", "PERMISSION_DENIED"),
    ]


def test_who_is_turned_away_is_written_down_as_far_as_that_is_known(lab):
    before = len(lab.audit())
    assert code(lambda: lab.get_as(password("olga", "hunter2"))) == UNKNOWN
    assert code(lambda: lab.get_as(password("hunter2", ""))) == UNKNOWN
    user, nobody = lab.audit()[before:]
    assert (user["identity"], user["tried"]) == ("", "olga")
    assert "tried" not in nobody and "hunter2" not in json.dumps(nobody)


def test_what_was_done_is_written_down(lab):
    before = len(lab.audit())
    lab.set_as(ALICE, "/interfaces", {"interface": [{"name": "eth1", "description": "audited"}]})
    assert code(lambda: lab.set_as(ALICE, "/system/motd", SECRETS["motd"])) == DENIED
    assert code(lambda: lab.get_as(ALICE, "/system", "leaf2")) == DENIED
    lab.get_as(ALICE)
    assert code(lambda: lab.get_as(bearer("x"))) == UNKNOWN
    assert lab.command("target", "pause", "leaf2", name="olga").returncode == 0
    assert lab.command("target", "resume", "leaf2", name="olga").returncode == 0
    lab.wait_synchronised()
    done, denied, unread, unknown, pause, resume = lab.audit()[before:]
    index = done["index"]
    assert lab.run("tx", "show", str(index))["author"] == done["identity"] == "alice"
    assert (done["action"], done["how"], done["outcome"]) == ("Set", "password", "OK")
    assert "/interfaces/interface[name=eth1]/description" in done["targets"]["leaf1"]
    assert done["address"].startswith("127.0.0.1:") and done["time"].endswith("Z") and done["id"]
    assert (denied["outcome"], denied["refused"]) == (
        "PERMISSION_DENIED",
        "no role gives alice `change` on target leaf1 at /system/motd",
    )
    assert (unread["action"], unread["targets"]) == ("Get", {"leaf2": ["/system"]})
    assert (unknown["outcome"], unknown["identity"]) == ("UNAUTHENTICATED", "")
    assert [(one["detail"], one["identity"], one["targets"]) for one in (pause, resume)] == [
        ("pause", "olga", {"leaf2": []}),
        ("resume", "olga", {"leaf2": []}),
    ]


def test_every_entry_has_its_author_and_every_line_who_did_it(lab):
    """Also those that a node makes for somebody, and those that it makes by itself."""
    before, last = len(lab.audit()), lab.run("tx", "list")[0]["index"]
    lab.sim("drift", lab.device("leaf1"), "/vlans/vlan[id=9]/name", f"by hand {time.time_ns()}")
    until("it is drifted", lambda: lab.target("leaf1")["state"] == "drifted")
    assert lab.command("target", "adopt", "leaf1", name="olga").returncode == 0
    lab.wait_synchronised("leaf1")
    eth = lambda name, words: ["set", "leaf1", "--update", f"/interfaces/interface[name={name}]/description={words}", "--confirm"]
    called_off = json.loads(lab.command(*eth("eth7", "maybe"), "600", "-o", "json", name="alice").stdout)["index"]
    assert lab.command("cancel", str(called_off), name="olga").returncode == 0
    late = json.loads(lab.command(*eth("eth8", "maybe"), "1", "-o", "json", name="alice").stdout)["index"]
    until("it is taken out", lambda: lab.run("tx", "show", str(late))["rolled_back_by"])
    entries = [one for one in reversed(lab.run("tx", "list")) if one["index"] > last]
    assert [(one["kind"], one["author"]) for one in entries] == [
        ("adopt", "olga"),
        ("change", "alice"),
        ("rollback", "olga"),
        ("change", "alice"),
        ("rollback", "lockstep"),
    ]
    own = lambda: [one for one in lab.audit()[before:] if one["identity"] == "lockstep"]
    (line,) = until("it is written down", own)
    assert (line["action"], line["how"], line["address"], line["index"]) == ("Revert", "node", None, entries[-1]["index"])
    assert line["targets"] == {"leaf1": []} and f"transaction {late} was not confirmed in time" in line["detail"]
    assert all(one["identity"] for one in lab.audit()[before:])
    # And nobody can be taken for a node.
    token = lab.signers["EdDSA"].token(iss="EdDSA", sub="lockstep", groups=["ports"])
    assert code(lambda: lab.get_as(bearer(token))) == UNKNOWN


def test_what_a_client_did_that_went_away_is_written_down(lab):
    before = lab.run("tx", "list")[0]["index"]
    lab.sim("delay", lab.device("leaf2"), "2s", "--on", "set")
    try:
        with lab.stub() as stub:
            request = gnmi_pb2.SetRequest(update=[update("/system/hostname", "gone", "leaf2")])
            asked = stub.Set.future(request, metadata=ROOT)
            until("it is in the log", lambda: lab.run("tx", "list")[0]["index"] > before)
            asked.cancel()
        last = lambda: [one for one in lab.audit() if one.get("index", 0) > before]
        (line,) = until("it is written down", last)
        assert (line["identity"], line["outcome"]) == ("root", "OK")
        assert lab.run("tx", "show", str(line["index"]))["status"] == "applied"
    finally:
        lab.sim("heal", lab.device("leaf2"))


def test_subscriptions_that_are_refused_are_written_down(lab):
    before = len(lab.audit())
    wanted = lambda at: gnmi_pb2.SubscribeRequest(
        subscribe=gnmi_pb2.SubscriptionList(subscription=[gnmi_pb2.Subscription(path=path(at, "leaf2"))], mode="ONCE")
    )
    stranger = bearer(lab.signers["EdDSA"].token(sub="zoe"))
    with lab.stub() as stub:
        for who, at in ((stranger, "/interfaces"), (ALICE, "/system"), (ALICE, "/interfaces")):
            asked = stub.Subscribe(iter([wanted(at)]), metadata=who, timeout=PATIENCE)
            assert code(lambda: list(asked)) == (OK if (who, at) == (ALICE, "/interfaces") else DENIED)
    lines = [(one["identity"], one["action"], one["refused"], one["targets"]) for one in lab.audit()[before:]]
    assert lines == [
        ("zoe", "Subscribe", "no role gives zoe `read` on any target", {}),
        ("alice", "Subscribe", "no role gives alice `read` on target leaf2 at /system", {"leaf2": ["/system"]}),
    ]


def test_the_file_is_opened_anew(lab):
    (lab.folder / "audit.jsonl").rename(lab.folder / "audit.1.jsonl")
    lab.node.process.send_signal(signal.SIGHUP)
    until("it is made anew", lambda: (lab.folder / "audit.jsonl").exists())
    assert (lab.folder / "audit.jsonl").stat().st_mode & 0o777 == 0o600
    lab.set_as(ALICE, "/interfaces", {"interface": [{"name": "eth1", "description": "again"}]})
    assert [one["action"] for one in lab.audit()] == ["Set"]
    assert lab.audit("audit.1.jsonl")


def test_users_and_roles_change_without_a_restart(lab):
    carl = password("carl", WORDS["alice"])
    assert code(lambda: lab.get_as(carl)) == UNKNOWN
    users = {**lab.access["users"], "carl": lab.access["users"]["alice"]}
    lab.write_config(**{**lab.access, "users": users})
    until("carl is known", lambda: code(lambda: lab.get_as(carl)) == OK)
    with lab.stub() as stub:
        wanted = gnmi_pb2.SubscriptionList(
            subscription=[gnmi_pb2.Subscription(path=path("/interfaces", "leaf1"), mode="ON_CHANGE")], mode="STREAM"
        )
        requests = iter([gnmi_pb2.SubscribeRequest(subscribe=wanted)])
        told = stub.Subscribe(requests, metadata=carl, timeout=PATIENCE)
        assert any(one.sync_response for one in iter(lambda: next(told), None) if one.sync_response or None)
        # A file that cannot be used changes nothing, and neither does one that would let everybody in.
        (lab.folder / "lockstep.yaml").write_text("users: [")
        log = lambda: (lab.folder / "node.log").read_text()
        until("it is told", lambda: lab.get_as(carl) and "cannot be used; the old ones are" in log())
        lab.write_config()
        until("it is told", lambda: lab.get_as(carl) and "they would ask nobody who they are any more" in log())
        assert code(lambda: lab.get_as([])) == UNKNOWN
        lab.write_config(**lab.access)
        until("carl is known no more", lambda: code(lambda: lab.get_as(carl)) == UNKNOWN)
        lab.set_as(ALICE, "/interfaces", {"interface": [{"name": "eth1", "description": "not for carl"}]})
        with pytest.raises(grpc.RpcError) as ended:
            for _ in told:
                pass
        assert ended.value.code() == UNKNOWN


# rule: target-all
def test_every_target_is_those_that_may_be_read_by_now(lab):
    olga = password("olga", WORDS["olga"])
    roles = lab.access["roles"]
    both = {**roles, "look": {**roles["look"], "targets": ["leaf*"]}}
    lab.write_config(**{**lab.access, "roles": both})
    describe = lambda text, name: lab.set_as(ROOT, "/interfaces", {"interface": [{"name": "eth1", "description": text}]}, name)
    describe("there", "leaf2")
    until("olga may read both", lambda: code(lambda: lab.get_as(olga, target="leaf2")) == OK)
    with lab.stub() as stub:
        wanted = gnmi_pb2.SubscriptionList(
            subscription=[gnmi_pb2.Subscription(path=path("/interfaces", "*"), mode="ON_CHANGE")], mode="STREAM"
        )
        told = stub.Subscribe(iter([gnmi_pb2.SubscribeRequest(subscribe=wanted)]), metadata=olga, timeout=PATIENCE)
        stands = itertools.takewhile(lambda one: not one.sync_response, told)
        assert {one.update.prefix.target for one in stands} == {"leaf1", "leaf2"}
        lab.write_config(**lab.access)
        until("olga may read one", lambda: code(lambda: lab.get_as(olga, target="leaf2")) == DENIED)
        describe("not for olga", "leaf2")
        describe("for olga", "leaf1")
        assert next(told).update.prefix.target == "leaf1"
        told.cancel()


# rule: limit-login
def test_whoever_guesses_waits(lab):
    wrong = lambda: refusal(lambda: lab.get_as(password("gina", "wrong")))
    _, why = until("it is throttled", lambda: (said := wrong())[0] == EXHAUSTED and said)
    assert "too many logins failed; try again in" in why
    guess = base64.b64encode(b"gina:wrong").decode()
    asked = lambda: ask(lab, "/api/v1/targets", Authorization=f"Basic {guess}")
    # Who guesses again after the wait is let guess, and waits longer then.
    _, headers = until("over HTTP, too", lambda: (told := asked())[0] == 429 and told)
    assert int(headers["retry-after"]) > 0
    # Nobody else does, and neither does who was let in before.
    assert code(lambda: lab.get_as(ALICE)) == OK
    assert code(lambda: lab.get_as(bearer(lab.signers["EdDSA"].token()))) == OK


def test_nothing_secret_is_in_any_log(lab):
    log = (lab.folder / "node.log").read_text()
    assert "TRACE" in log and "not let in" in log and "not allowed" in log
    everything = {file.name: file.read_text() for file in lab.folder.glob("*") if file.suffix in (".log", ".jsonl")}
    assert {"node.log", "audit.jsonl", "audit.1.jsonl"} <= set(everything)
    for name, text in everything.items():
        if name.startswith("leaf"):
            continue
        for what, secret in SECRETS.items():
            assert secret not in text, f"{what} in {name}"


# rule: credentials, tls-mutual
def test_a_certificate_says_who_one_is(tmp_path):
    authority = Authority(tmp_path)
    for name, *units in (("node",), ("zoe", "staff", "ports"), ("mallory",)):
        authority.issue(name, *units)
    tls = {"cert": "node.pem", "key": "node.key", "ca": "ca.pem"}
    lab = Guarded(tmp_path, insecure=False, tls=tls)
    lab.start_device("leaf1")
    lab.start_node(wait=False)
    read = lambda name: (tmp_path / name).read_bytes()

    def ask(name, metadata=()):
        own = (read(f"{name}.key"), read(f"{name}.pem")) if name else ()
        with grpc.secure_channel(f"127.0.0.1:{lab.port}", grpc.ssl_channel_credentials(read("ca.pem"), *own)) as channel:
            stub = gnmi_pb2_grpc.gNMIStub(channel)
            entry = gnmi.place("/interfaces/interface[name=eth1]/description", "leaf1")
            value = gnmi_pb2.TypedValue(string_val="x")
            request = gnmi_pb2.SetRequest(update=[gnmi_pb2.Update(path=entry, val=value)])
            return code(lambda: stub.Set(request, metadata=metadata, timeout=PATIENCE))

    try:
        until("zoe is let in", lambda: ask("zoe") == OK)
        assert ask("mallory") == DENIED
        assert ask(None) == UNKNOWN
        # What is said counts before what is shown, and if it is wrong that does not help.
        assert ask("mallory", ROOT) == OK
        assert ask("zoe", password("root", "wrong")) == UNKNOWN
        assert ask("zoe", bearer("x")) == UNKNOWN
        assert ask(None, bearer(lab.signers["EdDSA"].token(groups=["ports"]))) == OK
        files = ["--tls-ca", tmp_path / "ca.pem", "--tls-cert", tmp_path / "zoe.pem", "--tls-key", tmp_path / "zoe.key"]
        listed = Lab.command(lab, "tx", "list", "-o", "json", *files, insecure=False)
        authors = {one["author"] for one in json.loads(listed.stdout)}
        assert authors == {"zoe", "root", "alice"}
        assert {(one["identity"], one["how"]) for one in lab.audit() if one["outcome"] == "OK"} == {
            ("zoe", "certificate"),
            ("root", "password"),
            ("alice", "token"),
        }
    finally:
        lab.stop()


# rule: limit-rate
def test_a_rate_is_kept_by_identity(tmp_path):
    lab = Guarded(tmp_path, limits={"rate": 2}, audit={"file": "log", "reads": True})
    lab.start_node(wait=False)
    try:
        until("the node answers", lambda: ask(lab, "/readyz")[0] == 200)
        gina = bearer(lab.signers["EdDSA"].token(sub="gina", groups=["ports"]))
        answers = lambda who: {refused(lab, who) for _ in range(20)}
        assert any("limits.rate" in words for _, words in answers(gina))
        assert refused(lab, ROOT)[0] != EXHAUSTED
        log = (tmp_path / "node.log").read_text()
        lines = [json.loads(line.partition(" audit: ")[2]) for line in log.splitlines() if " audit: {" in line]
        assert {(one["identity"], one["action"]) for one in lines} >= {("gina", "Get"), ("root", "Get")}
        assert any("more than 2 calls a second" in one.get("refused", "") for one in lines)
    finally:
        lab.stop()


def test_what_cannot_be_written_down_is_not_done(tmp_path):
    lab = Guarded(tmp_path, audit="/dev/full")
    lab.start_node(wait=False)
    try:
        until("the node answers", lambda: ask(lab, "/readyz")[0] == 200)
        unreachable = lambda: refusal(lambda: lab.set_as(ROOT, "/system/hostname", "x", "nowhere"))
        until("it is noticed", lambda: unreachable() == (grpc.StatusCode.UNAVAILABLE, UNWRITTEN))
        # Reading goes on.
        assert lab.run("target", "list")
    finally:
        lab.stop()


UNWRITTEN = "the node cannot write its audit, so nothing is done; its log says why"


def refused(lab, who):
    try:
        lab.get_as(who)
    except grpc.RpcError as error:
        return error.code(), error.details()
    return OK, ""
