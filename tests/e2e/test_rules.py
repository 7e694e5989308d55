"""The rules of Set and Get, one by one, on a lab that all tests here share."""

import datetime
import json
import re

import grpc
from pygnmi.spec.v080 import gnmi_ext_pb2, gnmi_pb2

from gnmi import commit, configuration_only, depth, each, fails, leaves, place, registered, request, snapshot, subscribed
from lab import field, fields, options, until
from lab import registered as answered

INVALID = grpc.StatusCode.INVALID_ARGUMENT
MISSING = grpc.StatusCode.NOT_FOUND
UNIMPLEMENTED = grpc.StatusCode.UNIMPLEMENTED
ETH = "/interfaces/interface[name=eth1/1]"


def typed(content):
    return gnmi_pb2.TypedValue(json_ietf_val=json.dumps(content).encode())


def updates(given, target=""):
    """Updates from (path, content); a content that is a TypedValue is taken as it is."""
    wire = lambda content: content if isinstance(content, gnmi_pb2.TypedValue) else typed(content)
    return [gnmi_pb2.Update(path=place(path, target), val=wire(content)) for path, content in given]


def set_(lab, *, target="leaf1", update=(), replace=(), delete=(), prefix="", extensions=(), **more):
    asked = gnmi_pb2.SetRequest(
        prefix=place(prefix, target),
        delete=[place(path) for path in delete],
        replace=updates(replace),
        update=updates(update),
        extension=extensions,
    )
    with lab.stub() as stub:
        return stub.Set(asked, **more)


def get(lab, *paths, target="leaf1", kind="CONFIG", encoding="JSON_IETF", models=(), extensions=(), prefix=""):
    asked = gnmi_pb2.GetRequest(
        prefix=place(prefix, target),
        path=[place(path) for path in paths],
        type=gnmi_pb2.GetRequest.DataType.Value(kind),
        encoding=gnmi_pb2.Encoding.Value(encoding),
        use_models=[gnmi_pb2.ModelData(name=name) for name in models],
        extension=extensions,
    )
    with lab.stub() as stub:
        return stub.Get(asked).notification


def got(lab, *paths, **more):
    return leaves(get(lab, *paths, **more))


# rule: set-order, set-response, set-timestamp, prefix-echo
def test_deletes_then_replaces_then_updates_and_the_last_one_wins(clean):
    set_(clean, update=[("/system", {"hostname": "a", "motd": "old"})])
    answer = set_(
        clean,
        prefix="/system",
        update=[("motd", "first"), ("motd", "last")],
        replace=[("hostname", "b")],
        delete=["hostname", "name-server"],
    )
    operation = gnmi_pb2.UpdateResult.Operation.Value
    assert [one.op for one in answer.response] == [operation(op) for op in ["DELETE"] * 2 + ["REPLACE"] + ["UPDATE"] * 2]
    assert [one.path.elem[0].name for one in answer.response] == ["hostname", "name-server", "hostname", "motd", "motd"]
    assert (answer.prefix.target, answer.prefix.elem[0].name) == ("leaf1", "system")
    assert answer.timestamp > 10**18
    assert got(clean, "/system") == {("leaf1", "/system"): {"lab:hostname": "b", "lab:motd": "last"}}


# rule: set-replace, set-replace-list, set-update-merges, set-delete
def test_replace_update_and_delete_of_subtrees(clean):
    vlan = lambda n: {"id": n, "name": f"v{n}"}
    set_(clean, update=[("/vlans", {"vlan": [vlan(1), vlan(2)]})])
    set_(clean, update=[("/vlans", {"vlan": [{"id": 3}]})])
    ids = lambda: [one["id"] for one in got(clean, "/vlans")["leaf1", "/vlans"]["lab:vlan"]]
    assert ids() == [1, 2, 3]
    # A replace of the list removes the other entries; of an entry, what it leaves out.
    set_(clean, replace=[("/vlans", {"vlan": [vlan(1), {"id": 2}]})])
    assert ids() == [1, 2]
    fails(MISSING, lambda: got(clean, "/vlans/vlan[id=2]/name"))
    set_(clean, replace=[("/vlans/vlan[id=1]", {"id": 1})])
    fails(MISSING, lambda: got(clean, "/vlans/vlan[id=1]/name"))
    # What is left out goes to its default.
    set_(clean, update=[(ETH, {"name": "eth1/1", "mtu": 9000})])
    set_(clean, replace=[(ETH, {"name": "eth1/1", "description": "x"})])
    assert got(clean, ETH + "/mtu") == {("leaf1", ETH + "/mtu"): 1500}
    # Deletes take all that is below, by wildcards and without keys; where nothing is, that is fine.
    set_(clean, update=[("/vlans", {"vlan": [vlan(1), vlan(2)]})])
    set_(clean, delete=["/vlans/vlan[id=*]/name", "/vlans/vlan[id=77]"])
    assert ids() == [1, 2]
    fails(MISSING, lambda: got(clean, "/vlans/vlan/name"))
    set_(clean, delete=["/vlans/vlan"])
    fails(MISSING, lambda: got(clean, "/vlans"))
    set_(clean, update=[("/vlans", {"vlan": [vlan(1), vlan(2)]})])
    set_(clean, delete=["/vlans"])
    fails(MISSING, lambda: got(clean, "/vlans"))


# rule: set-recreate, mistake-recreate
def test_what_is_deleted_and_set_again_is_there(clean):
    set_(clean, update=[(ETH, {"name": "eth1/1", "mtu": 9000, "description": "old"})])
    set_(clean, delete=["/interfaces"], update=[(ETH + "/description", "new")])
    assert got(clean, ETH)["leaf1", ETH] == {
        "lab:name": "eth1/1", "lab:description": "new", "lab:mtu": 1500, "lab:enabled": True
    }
    assert clean.on_device("leaf1", ETH + "/description") == "new"


# rule: set-empty-entry, set-keys, set-key-characters
def test_keys(clean):
    for update in [(ETH, {}), (ETH + "/mtu", None)]:
        fails(INVALID, lambda: set_(clean, replace=[update]))
    fails(INVALID, lambda: set_(clean, update=[("/interfaces/interface/mtu", 9000)]))
    fails(INVALID, lambda: set_(clean, update=[(ETH, {"name": "other"})]))
    for name in ("eth1/1", "10.0.0.0/8", "a]b", "a b", "ü", "a\\b", "'\""):
        path = gnmi_pb2.Path(
            elem=[
                gnmi_pb2.PathElem(name="interfaces"),
                gnmi_pb2.PathElem(name="interface", key={"name": name}),
                gnmi_pb2.PathElem(name="description"),
            ],
            target="leaf2",
        )
        with clean.stub() as stub:
            stub.Set(gnmi_pb2.SetRequest(update=[gnmi_pb2.Update(path=path, val=typed(name))]))
            (told,) = stub.Get(gnmi_pb2.GetRequest(path=[path], type=1)).notification
        assert json.loads(told.update[0].val.json_val) == name
        assert told.update[0].path.elem[1].key["name"] == name


# rule: mistake-relative, value-relative
def test_a_value_is_relative_to_its_path_and_not_to_the_prefix(clean):
    set_(clean, prefix="/interfaces", update=[("interface[name=eth1/1]", {"name": "eth1/1", "mtu": 9000})])
    assert got(clean, ETH + "/mtu") == {("leaf1", ETH + "/mtu"): 9000}
    fails(MISSING, lambda: set_(clean, prefix="/interfaces", update=[("system", {"motd": "x"})]))
    below = ("interface[name=eth1/1]", {"interface": [{"name": "eth1/1"}]})
    fails(INVALID, lambda: set_(clean, prefix="/interfaces", update=[below]))


# rule: value-json-ietf, value-json, value-scalar, value-relative
def test_values_in_every_form(clean):
    ietf = {"name": "b", "speed": "2.25", "bytes": "18446744073709551615"}
    plain = {"name": "b", "speed": 2.25, "bytes": 18446744073709551615}
    json_val = gnmi_pb2.TypedValue(json_val=json.dumps(plain).encode())
    for content in (ietf, json_val):
        set_(clean, target="box1", replace=[("/box/config", content)])
        assert got(clean, "/box/config", target="box1")["box1", "/box/config"] == {
            f"box:{name}": value for name, value in ietf.items()
        }
        told = got(clean, "/box/config", target="box1", encoding="JSON")["box1", "/box/config"]
        assert told == plain
    scalars = {
        "name": gnmi_pb2.TypedValue(string_val="s"),
        "speed": gnmi_pb2.TypedValue(double_val=7.5),
        "bytes": gnmi_pb2.TypedValue(uint_val=7),
        "tag": gnmi_pb2.TypedValue(
            leaflist_val=gnmi_pb2.ScalarArray(element=[gnmi_pb2.TypedValue(uint_val=n) for n in (1, 2)])
        ),
    }
    set_(clean, target="box1", update=[("/box/config/" + name, value) for name, value in scalars.items()])
    told = got(clean, "/box/config", target="box1", encoding="PROTO")
    assert told == {
        ("box1", "/box/config/" + name): value
        for name, value in {"name": "s", "speed": 7.5, "bytes": 7, "tag": [1, 2]}.items()
    }
    # A 64-bit number is a string in JSON_IETF.
    fails(INVALID, lambda: set_(clean, target="box1", update=[("/box/config/bytes", 7)]))


# rule: error-path, error-value, error-not-found, error-encoding, error-target, error-yang, union-replace
def test_every_refusal_has_its_code(clean):
    system = "/system/motd"
    fails(INVALID, lambda: set_(clean, update=[(system, gnmi_pb2.TypedValue(json_ietf_val=b"{"))]))
    fails(INVALID, lambda: set_(clean, update=[(system, gnmi_pb2.TypedValue())]))
    with clean.stub() as stub:
        nameless = gnmi_pb2.Path(elem=[gnmi_pb2.PathElem(name="")], target="leaf1")
        fails(INVALID, lambda: stub.Set(gnmi_pb2.SetRequest(delete=[nameless])))
        union = gnmi_pb2.SetRequest.FromString(field(6, updates([(system, "x")], "leaf1")[0].SerializeToString()))
        assert "union_replace" in fails(UNIMPLEMENTED, lambda: stub.Set(union))
        union.delete.append(place(system, "leaf1"))
        fails(INVALID, lambda: stub.Set(union))
    fails(MISSING, lambda: set_(clean, update=[("/nowhere", 1)]))
    fails(MISSING, lambda: set_(clean, delete=["/nowhere"]))
    fails(MISSING, lambda: set_(clean, target="nobody", delete=["/system"]))
    fails(UNIMPLEMENTED, lambda: set_(clean, update=[(system, gnmi_pb2.TypedValue(ascii_val="x"))]))
    fails(INVALID, lambda: set_(clean, update=[(ETH, {"name": "eth1/1", "access-vlan": 9})]))
    fails(INVALID, lambda: set_(clean, update=[("/system/hostname", "no name")]))


# rule: get-notifications, get-not-found, get-invalid, get-default-encoding, get-use-models, get-depth
def test_get(clean):
    set_(clean, update=[("/system", {"hostname": "a", "motd": "m"}), ("/vlans/vlan[id=1]/name", "one")])
    told = get(clean, "/system/motd", "/vlans")
    assert [len(one.update) for one in told] == [1, 1]
    assert leaves(told) == {("leaf1", "/system/motd"): "m", ("leaf1", "/vlans"): {"lab:vlan": [{"id": 1, "name": "one"}]}}
    fails(MISSING, lambda: get(clean, "/interfaces"))
    fails(INVALID, lambda: get(clean, "/system/motd", "/nowhere"))
    fails(INVALID, lambda: get(clean, "/sys"))
    for encoding in ("BYTES", "ASCII"):
        fails(UNIMPLEMENTED, lambda: get(clean, "/system", encoding=encoding))
    with clean.stub() as stub:
        (plain,) = stub.Get(gnmi_pb2.GetRequest(path=[place("/system/motd", "leaf1")])).notification
        assert plain.update[0].val.json_val == b'"m"'
        fails(INVALID, lambda: stub.Get(gnmi_pb2.GetRequest(path=[place("/", "leaf1")], type=9)))
        fails(INVALID, lambda: stub.Get(gnmi_pb2.GetRequest(path=[place("/", "leaf1")], encoding=9)))
    both = dict(kind="ALL", extensions=[depth(1)])
    assert got(clean, "/system", **both)["leaf1", "/system"] == {"lab:hostname": "a", "lab:motd": "m"}
    assert got(clean, "/system", kind="ALL", models=["lab"])["leaf1", "/system"]["lab:motd"] == "m"
    fails(INVALID, lambda: get(clean, "/system", models=["nobody"]))
    fails(INVALID, lambda: get(clean, "/system", extensions=[snapshot(1)]))


# rule: get-state, get-wildcards, target-all, encoding-proto
def test_get_of_state_and_of_many(clean):
    set_(clean, target="box1", update=[("/box/config/name", "b")])
    for name in ("leaf1", "leaf2"):
        set_(clean, target=name, update=[("/vlans/vlan[id=1]/name", name)])
    state = got(clean, "/box", target="box1", kind="STATE")["box1", "/box"]
    assert state == {"box:state": {"name": "b", "speed": "1.5"}}
    assert got(clean, "/box", target="box1", kind="OPERATIONAL")["box1", "/box"] == state
    both = got(clean, "/box", target="box1", kind="ALL")["box1", "/box"]
    assert set(both) == {"box:config", "box:state"}
    proto = got(clean, "/box", target="box1", kind="ALL", encoding="PROTO")
    assert proto["box1", "/box/state/speed"] == 1.5 and proto["box1", "/box/config/name"] == "b"
    # At depth 1 there are containers only.
    fails(MISSING, lambda: got(clean, "/box", target="box1", kind="ALL", extensions=[depth(1)]))
    names = {(name, "/vlans/vlan[id=1]/name"): name for name in ("leaf1", "leaf2")}
    for pattern in ("/vlans/vlan/name", "/vlans/vlan[id=*]/name", "/vlans/*/name", "/.../vlan/name"):
        assert got(clean, pattern, target="*") == names, pattern
    fails(MISSING, lambda: got(clean, "/interfaces", target="*"))
    fails(INVALID, lambda: got(clean, "/nowhere", target="*"))


# rule: isolation-get
def test_nothing_is_seen_before_all_of_it_was_accepted(clean):
    both = ("leaf1", "leaf2")
    for name in both:
        set_(clean, target=name, update=[("/system/motd", "before")])
    seen = lambda: {name: got(clean, "/system/motd", target=name)[name, "/system/motd"] for name in both}
    clean.sim("delay", clean.device("leaf2"), "6s")
    try:
        with clean.stub() as stub:
            asked = [one for name in both for one in updates([("/system/motd", "after")], name)]
            call = stub.Set.future(gnmi_pb2.SetRequest(update=asked))
            until("leaf1 has it", lambda: clean.on_device("leaf1", "/system/motd") == "after")
            assert seen() == {"leaf1": "before", "leaf2": "before"}
            assert not call.done()
            call.result()
            assert seen() == {"leaf1": "after", "leaf2": "after"}
    finally:
        clean.sim("heal", clean.device("leaf2"))


# rule: target-not-sent, target-all-set
def test_a_target_is_echoed_where_it_was_sent(clean):
    with clean.stub() as stub:
        answer = stub.Set(gnmi_pb2.SetRequest(update=updates([("/system/motd", "x")], "leaf1")))
        assert answer.prefix.target == "" and answer.response[0].path.target == "leaf1"
    assert set_(clean, update=[("/system/motd", "x")]).prefix.target == "leaf1"
    fails(MISSING, lambda: set_(clean, target="*", update=[("/system/motd", "x")]))
    fails(MISSING, lambda: set_(clean, target="*", delete=["/system"]))


# rule: mistake-refused-again
def test_what_was_refused_is_not_pushed_again(clean):
    for mode in (dict(), dict(queued=True)):
        clean.sim("refuse", clean.device("leaf1"), "/system/motd")
        refused = lambda: set_(clean, update=[("/system/motd", "refused")], extensions=[options(**mode)])
        fails(grpc.StatusCode.ABORTED, refused)
        clean.sim("heal", clean.device("leaf1"))
        term = clean.target("leaf1")["term"]
        set_(clean, update=[("/system/hostname", "kept")])
        clean.sim("restart", clean.device("leaf1"))
        until("it is met anew", lambda: clean.target("leaf1")["term"] > term)
        clean.wait_synchronised("leaf1")
        assert clean.on_device("leaf1", "/system") == {"lab:hostname": "kept"}


# rule: set-empty, set-all-or-nothing, target-path, target-disagree, target-none, origin
def test_targets_and_origins(clean):
    with clean.stub() as stub:
        assert stub.Set(gnmi_pb2.SetRequest()).timestamp > 0
        assert stub.Set(gnmi_pb2.SetRequest(extension=[registered(77, b"x")])).timestamp > 0
        half = gnmi_pb2.SetRequest(
            update=updates([("/system/motd", "x")], "leaf1") + updates([("/system/hostname", "-")], "leaf2")
        )
        fails(INVALID, lambda: stub.Set(half))
        fails(MISSING, lambda: got(clean, "/system"))
        twice = gnmi_pb2.SetRequest(prefix=place("", "leaf1"), delete=[place("/system", "leaf2")])
        fails(INVALID, lambda: stub.Set(twice))
        fails(INVALID, lambda: stub.Set(gnmi_pb2.SetRequest(delete=[place("/system")])))
        named = lambda origin, prefix="": gnmi_pb2.SetRequest(
            prefix=place("", "leaf1", prefix), update=[gnmi_pb2.Update(path=place("/system/motd", "", origin), val=typed("x"))]
        )
        stub.Set(named("lab"))
        fails(INVALID, lambda: stub.Set(named("elsewhere")))
        fails(INVALID, lambda: stub.Set(named("lab", "lab")))


# rule: dry-run
def test_a_dry_run_says_what_would_change(clean):
    set_(clean, update=[("/system/motd", "old"), (ETH, {"name": "eth1/1", "mtu": 9000})])
    before = clean.transactions()
    asked = dict(update=[("/system/motd", "new")], delete=[ETH + "/mtu"], extensions=[options(dry_run=True)])
    answer = set_(clean, **asked)
    any_ = fields(answered(answer, 999))
    assert any_[1] == [b"type.googleapis.com/lockstep.v1.Preview"]
    told = [gnmi_pb2.Notification.FromString(one) for one in fields(any_[2][0])[1]]
    assert leaves(told) == {("leaf1", "/system/motd"): "new", ("leaf1", ETH + "/mtu"): 1500}
    # Nothing happened, and what would not be valid is said to be so.
    assert clean.transactions() == before
    assert got(clean, "/system/motd") == {("leaf1", "/system/motd"): "old"}
    wrong = dict(update=[(ETH + "/enabled", False)], extensions=[options(dry_run=True)])
    assert "jumbo" in fails(INVALID, lambda: set_(clean, **wrong))
    done = clean.command("set", "leaf1", "--update", "/system/motd=x", "--delete", ETH, "--dry-run")
    assert done.stdout.splitlines() == [f"- leaf1 {ETH}", '~ leaf1 /system/motd = "old" -> "x"'], done
    assert clean.transactions() == before


# rule: onos-110, onos-111, onos-112, options-999
def test_clients_of_onos_config(clean):
    motd = [("/system/motd", "x")]
    answer = set_(clean, update=motd, extensions=[registered(111, field(1, 1) + field(2, 1))])
    latest = clean.transactions()[0]
    assert (latest["mode"], latest["status"]) == ("atomic", "applied")
    told = fields(answered(answer, 110))
    assert told == {1: [latest["id"].encode()], 2: [latest["index"]]}
    set_(clean, update=[("/system/motd", "y")], extensions=[registered(111, b"")])
    assert clean.transactions()[0]["mode"] == "queued"
    version = lambda kind: registered(112, field(1, field(1, "leaf1") + field(2, field(1, kind) + field(2, "1.0"))))
    set_(clean, update=motd, extensions=[version("lab")])
    fails(grpc.StatusCode.FAILED_PRECONDITION, lambda: set_(clean, update=motd, extensions=[version("box")]))
    fails(INVALID, lambda: set_(clean, update=motd, extensions=[registered(111, b""), options(comment="x")]))
    fails(INVALID, lambda: set_(clean, update=motd, extensions=[registered(111, field(1, 7))]))
    fails(INVALID, lambda: set_(clean, update=motd, extensions=[options(unknown=1)]))


# rule: arbitration, arbitration-target, depth-elsewhere, history-elsewhere, extension-unknown
def test_extensions_in_their_places(clean):
    def master(low):
        claim = gnmi_ext_pb2.MasterArbitration(
            role=gnmi_ext_pb2.Role(id="test"), election_id=gnmi_ext_pb2.Uint128(high=0, low=low)
        )
        return gnmi_ext_pb2.Extension(master_arbitration=claim)

    denied = grpc.StatusCode.PERMISSION_DENIED
    # An empty Set claims the target it names, or all of them.
    set_(clean, target="", extensions=[master(5)])
    fails(denied, lambda: set_(clean, target="leaf2", extensions=[master(4)]))
    set_(clean, update=[("/system/motd", "x")], extensions=[master(7)])
    said = fails(denied, lambda: set_(clean, delete=["/system"], extensions=[master(6)]))
    assert "7" in said
    set_(clean, target="leaf2", update=[("/system/motd", "x")], extensions=[master(6)])
    set_(clean, target="leaf2", extensions=[master(8)])
    fails(denied, lambda: set_(clean, target="leaf2", delete=["/system"], extensions=[master(7)]))
    set_(clean, delete=["/system"], extensions=[master(7)])
    fails(MISSING, lambda: set_(clean, target="nobody", extensions=[master(9)]))
    nobody = gnmi_ext_pb2.Extension(master_arbitration=gnmi_ext_pb2.MasterArbitration())
    fails(INVALID, lambda: set_(clean, target="", extensions=[nobody]))
    fails(INVALID, lambda: set_(clean, target="", extensions=[depth(1)]))
    fails(INVALID, lambda: set_(clean, target="", extensions=[snapshot(1)]))
    with clean.stub() as stub:
        fails(INVALID, lambda: stub.Capabilities(gnmi_pb2.CapabilityRequest(extension=[depth(1)])))
        stub.Capabilities(gnmi_pb2.CapabilityRequest(extension=[registered(77, b"\xff")]))


# rule: capabilities
def test_capabilities_name_models_and_encodings(clean):
    with clean.stub() as stub:
        told = stub.Capabilities(gnmi_pb2.CapabilityRequest())
    assert told.gNMI_version == "0.10.0"
    assert {one.name for one in told.supported_models} == {"lab", "box"}
    assert [gnmi_pb2.Encoding.Name(one) for one in told.supported_encodings] == ["JSON", "JSON_IETF", "PROTO"]


# rule: client-gone
def test_a_client_that_goes_away_leaves_its_transaction_to_finish(clean):
    clean.sim("delay", clean.device("leaf1"), "500ms")
    try:
        with clean.stub() as stub:
            asked = gnmi_pb2.SetRequest(update=updates([("/system/motd", "left behind")], "leaf1"))
            call = stub.Set.future(asked)
            latest = lambda: clean.transactions()[0]
            until("it is decided", lambda: latest()["status"] == "committed")
            index = latest()["index"]
            call.cancel()
        until("it is done", lambda: clean.run("tx", "show", str(index))["status"] == "applied")
    finally:
        clean.sim("heal", clean.device("leaf1"))
    assert got(clean, "/system/motd") == {("leaf1", "/system/motd"): "left behind"}


# rule: error-exhausted, limit-message
def test_too_large_a_request(clean):
    with clean.stub() as stub:
        huge = gnmi_pb2.SetRequest(update=updates([("/system/motd", "x" * (17 << 20))], "leaf1"))
        said = fails(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: stub.Set(huge))
    assert "limits.message" in said


# rule: slow-device, mistake-stall
def test_one_slow_device_holds_up_no_other(clean):
    clean.sim("delay", clean.device("leaf2"), "8s")
    try:
        with clean.stub() as stub:
            slow = stub.Set.future(gnmi_pb2.SetRequest(update=updates([("/system/motd", "slow")], "leaf2")))
            for number in range(5):
                set_(clean, update=[("/system/motd", str(number))])
            assert not slow.done()
            slow.result()
    finally:
        clean.sim("heal", clean.device("leaf2"))


# rule: set-concurrent
def test_sets_at_once_are_all_done(clean):
    vlan = lambda n: set_(clean, update=[(f"/vlans/vlan[id={n + 1}]/name", f"v{n}")]).timestamp
    times = each(12, vlan)
    assert len(set(times)) == 12
    assert len(got(clean, "/vlans/vlan/name")) == 12


# rule: commit-begin, commit-confirm, commit-cancel, commit-duration, commit-active, commit-wrong, commit-dry-run
def test_a_commit_is_taken_back_unless_it_is_confirmed(clean):
    early = grpc.StatusCode.FAILED_PRECONDITION
    motd = lambda: got(clean, "/system/motd")["leaf1", "/system/motd"]
    end = lambda id_, action, **more: set_(clean, target="", extensions=[commit(id_, action, **more)])
    set_(clean, update=[("/system/motd", "before")])
    for action in ("confirm", "cancel"):
        fails(early, lambda: end("c0", action))
    with subscribed(clean, request("/system", extensions=[configuration_only()])) as subscriber:
        subscriber.until_sync()
        set_(clean, update=[("/system/motd", "first")], extensions=[commit("c1", "commit", 600)])
        assert leaves([subscriber.update()]) == {("leaf1", "/system/motd"): "first"}
        assert b"c1" in subscriber.next().extension[0].SerializeToString()
        # It is seen, and keeps others off its target and no other.
        assert motd() == "first"
        for more in ([], [commit("c2", "commit", 600)]):
            fails(early, lambda: set_(clean, update=[("/system/motd", "x")], extensions=more))
        set_(clean, target="leaf2", update=[("/system/motd", "elsewhere")])
        for action in ("confirm", "cancel"):
            fails(INVALID, lambda: end("c2", action))
        fails(INVALID, lambda: end("c1", "set_rollback_duration"))
        fails(INVALID, lambda: end("c1", "set_rollback_duration", seconds=0))
        fails(INVALID, lambda: set_(clean, update=[("/system/motd", "x")], extensions=[commit("c1", "confirm")]))
        fails(INVALID, lambda: end("", "confirm"))
        # A dry run says whether it would be taken, and ends nothing.
        tried = lambda id_, action, **more: set_(
            clean, target="", extensions=[commit(id_, action, **more), options(dry_run=True)]
        )
        for action in ("confirm", "cancel"):
            tried("c1", action)
            fails(INVALID, lambda: tried("c2", action))
        tried("c1", "set_rollback_duration", seconds=1)
        assert clean.transactions()[1]["id"] == "c1" and motd() == "first"
        fails(early, lambda: set_(clean, update=[("/system/motd", "x")]))
        end("c1", "confirm")
        assert motd() == "first"
        # The next is taken back, which is a change like any other.
        answer = set_(clean, update=[("/system/motd", "second")], extensions=[commit("c3", "commit")])
        # Ten minutes from its answer, unless it says otherwise.
        said = fails(early, lambda: set_(clean, update=[("/system/motd", "x")]))
        ends = datetime.datetime.fromisoformat(re.search(r"ends at (\S+Z)", said)[1]).timestamp()
        assert 600 <= round(ends - answer.timestamp / 1e9) < 660, said
        assert leaves([subscriber.update()]) == {("leaf1", "/system/motd"): "second"}
        subscriber.next()
        end("c3", "cancel")
        assert leaves([subscriber.update()]) == {("leaf1", "/system/motd"): "first"}
    assert motd() == "first"
    set_(clean, update=[("/system/motd", "third")], extensions=[commit("c4", "commit", 1)])
    until("it is taken back by itself", lambda: motd() == "first")
    # Another time takes the place of the one it was given.
    set_(clean, update=[("/system/motd", "fourth")], extensions=[commit("c5", "commit", 600)])
    end("c5", "set_rollback_duration", seconds=1)
    until("it is taken back by itself", lambda: motd() == "first")
