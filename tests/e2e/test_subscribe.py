"""Subscribe through a node: every mode, target and wildcard rule, encoding and extension."""

import grpc
import pytest
from pygnmi.spec.v080 import gnmi_ext_pb2, gnmi_pb2, gnmi_pb2_grpc

from gnmi import (
    POLL,
    SECOND,
    Subscriber,
    between,
    configuration_only,
    depth,
    fails,
    leaves,
    once,
    refused,
    request,
    snapshot,
    subscribed,
    subscription,
    whole,
)
from lab import Lab, fields, options, path, until, update

INVALID = grpc.StatusCode.INVALID_ARGUMENT
ETH = "/interfaces/interface[name=eth1/1]"


def hostname(lab, name="leaf1"):
    lab.set(name, update=[("/system", {"hostname": name, "motd": "hello"})])


# rule: subscribe-once, subscribe-sync, subscribe-leaf, get-defaults
def test_once_tells_what_stands_and_ends(clean):
    clean.set("leaf1", update=[(ETH, {"name": "eth1/1", "mtu": 9000})])
    with subscribed(clean, request("/interfaces", mode="ONCE")) as subscriber:
        found = subscriber.until_sync()
        assert subscriber.ends() == []
    assert leaves(found) == {
        ("leaf1", ETH + "/name"): "eth1/1",
        ("leaf1", ETH + "/mtu"): 9000,
        ("leaf1", ETH + "/enabled"): True,
    }
    assert all(one.timestamp > 0 for one in found)


# rule: subscribe-first, subscribe-second, subscribe-poll-only
def test_the_first_message_is_the_list_and_the_only_one(clean):
    assert "SubscriptionList" in refused(clean, INVALID, POLL)
    refused(clean, INVALID, gnmi_pb2.SubscribeRequest())
    with clean.stub() as stub:
        silent = Subscriber(stub, None)
        silent.close()
        silent.fails(INVALID)
    for mode in ("STREAM", "POLL"):
        first = request("/system", mode=mode, extensions=[configuration_only()])
        with subscribed(clean, first) as subscriber:
            subscriber.until_sync()
            subscriber.send(first)
            assert "another Subscribe call" in subscriber.fails(INVALID)
    with subscribed(clean, request("/vlans")) as subscriber:
        subscriber.until_sync()
        subscriber.send(POLL)
        assert "only a POLL" in subscriber.fails(INVALID)
    refused(clean, INVALID, request())
    refused(clean, INVALID, gnmi_pb2.SubscribeRequest(subscribe=gnmi_pb2.SubscriptionList(mode=7)))


# rule: subscribe-poll, subscribe-sync, subscribe-updates-only
def test_poll_passes_when_it_is_asked(clean):
    with subscribed(clean, request("/vlans", mode="POLL")) as subscriber:
        assert subscriber.synced() == {}
        clean.set("leaf1", update=[("/vlans/vlan[id=7]", {"id": 7, "name": "seven"})])
        seven = {("leaf1", "/vlans/vlan[id=7]/id"): 7, ("leaf1", "/vlans/vlan[id=7]/name"): "seven"}
        for _ in range(2):
            subscriber.send(POLL)
            assert subscriber.synced() == seven
        subscriber.close()
        assert subscriber.ends() == []
    with subscribed(clean, request("/vlans", mode="POLL", updates_only=True)) as subscriber:
        assert subscriber.synced() == {}
        subscriber.send(POLL)
        assert subscriber.synced() == {}
        clean.set("leaf1", update=[("/vlans/vlan[id=7]/name", "sept")])
        subscriber.send(POLL)
        assert subscriber.synced() == {("leaf1", "/vlans/vlan[id=7]/name"): "sept"}


# rule: subscribe-on-change, subscribe-transaction, subscribe-leaf, set-timestamp
def test_a_change_is_told_at_its_transaction(clean):
    with subscribed(clean, request("/vlans", "/interfaces")) as subscriber:
        assert subscriber.synced() == {}
        answer = clean.set(
            "leaf1",
            update=[("/vlans/vlan[id=7]", {"id": 7}), (ETH, {"name": "eth1/1", "access-vlan": 7})],
        )
        told = subscriber.update()
        assert leaves([told]) == {
            ("leaf1", "/vlans/vlan[id=7]/id"): 7,
            ("leaf1", ETH + "/name"): "eth1/1",
            ("leaf1", ETH + "/access-vlan"): 7,
            ("leaf1", ETH + "/enabled"): True,
            ("leaf1", ETH + "/mtu"): 1500,
        }
        assert told.timestamp == answer["timestamp"]
        clean.set("leaf1", update=[(ETH + "/mtu", 9000)])
        assert leaves([subscriber.update()]) == {("leaf1", ETH + "/mtu"): 9000}
        # Back at its default: an update, not a delete.
        clean.set("leaf1", delete=[ETH + "/mtu"])
        assert leaves([subscriber.update()]) == {("leaf1", ETH + "/mtu"): 1500}
        # What is set to what it is already is no news; the next change is.
        clean.set("leaf1", update=[(ETH + "/mtu", 1500)])
        clean.set("leaf1", delete=[ETH, "/vlans/vlan[id=7]"])
        gone = subscriber.update()
        assert sorted(whole(gone, one) for one in gone.delete) == [ETH, "/vlans/vlan[id=7]"]
        assert not gone.update


# rule: subscribe-default-back
def test_a_default_under_a_condition_comes_and_goes(clean):
    with subscribed(clean, request("/mode", target="box1", extensions=[configuration_only()])) as subscriber:
        assert subscriber.synced() == {}
        for kind, limit in (("limited", 7), ("free", None), ("limited", 7)):
            clean.set("box1", update=[("/mode/kind", kind)])
            told = {("box1", "/mode/kind"): kind, ("box1", "/mode/limit"): limit}
            assert leaves([subscriber.update()]) == told
            assert subscriber.next().extension
        clean.set("box1", update=[("/mode/fine", {})])
        told = leaves([subscriber.update()])
        assert told == {("box1", "/mode/fine"): {}, ("box1", "/mode/fine/step"): 1}


# rule: isolation-subscribe, set-all-or-nothing
def test_nothing_is_told_of_what_is_taken_back(clean):
    clean.sim("refuse", clean.device("leaf2"), "/system/motd")
    try:
        with subscribed(clean, request("/system", target="*", extensions=[configuration_only()])) as subscriber:
            subscriber.until_sync()
            with clean.stub() as stub:
                both = [update("/system/motd", "x", name) for name in ("leaf1", "leaf2")]
                fails(grpc.StatusCode.ABORTED, lambda: stub.Set(gnmi_pb2.SetRequest(update=both)))
                wrong = [update("/system/motd", "x", "leaf1"), update("/system/hostname", "no name", "leaf2")]
                fails(INVALID, lambda: stub.Set(gnmi_pb2.SetRequest(update=wrong)))
            clean.set("leaf1", update=[("/system/motd", "later")])
            assert leaves([subscriber.update()]) == {("leaf1", "/system/motd"): "later"}
    finally:
        clean.sim("heal", clean.device("leaf2"))


# rule: subscribe-transaction, target-path, config-subscription
def test_a_transaction_on_two_targets_is_one_notification_for_each(clean):
    with subscribed(clean, request("/system", target="*", extensions=[configuration_only()])) as subscriber:
        subscriber.until_sync()
        with clean.stub() as stub:
            both = [update("/system/motd", "both", "leaf1"), update("/system/motd", "both", "leaf2")]
            answer = stub.Set(gnmi_pb2.SetRequest(update=both))
        told = [subscriber.update(), subscriber.update()]
        assert leaves(told) == {("leaf1", "/system/motd"): "both", ("leaf2", "/system/motd"): "both"}
        assert {one.timestamp for one in told} == {answer.timestamp}
        done = subscriber.next()
        assert not done.HasField("update")
        (extension,) = done.extension
        done = fields(fields(fields(extension.SerializeToString())[6][0])[2][0])
        index = clean.transactions()[0]["index"]
        assert done == {2: [str(index).encode()], 3: [1]}


# rule: subscribe-updates-only
def test_updates_only_leaves_out_what_stands(clean):
    hostname(clean)
    with subscribed(clean, request("/interfaces", "/vlans", updates_only=True)) as subscriber:
        assert subscriber.until_sync() == []
        clean.set("leaf1", update=[("/vlans/vlan[id=1]", {"id": 1})])
        assert leaves([subscriber.update()]) == {("leaf1", "/vlans/vlan[id=1]/id"): 1}
    assert once(clean, "/vlans", updates_only=True) == {}


# rule: subscribe-sample, subscribe-suppress, subscribe-heartbeat
def test_samples_come_from_time_to_time(clean):
    hostname(clean)
    config = dict(extensions=[configuration_only()])
    stands = {("leaf1", "/system/hostname"): "leaf1", ("leaf1", "/system/motd"): "hello"}
    often = subscription("/system", "SAMPLE", sample_interval=SECOND // 10)
    with subscribed(clean, request(often, **config)) as subscriber:
        assert subscriber.synced() == stands
        times = []
        for _ in range(3):
            told = subscriber.update()
            assert leaves([told]) == stands
            times.append(told.timestamp)
        assert times == sorted(set(times))
    quiet = subscription("/system", "SAMPLE", sample_interval=SECOND // 10, suppress_redundant=True)
    with subscribed(clean, request(quiet, **config)) as subscriber:
        subscriber.until_sync()
        clean.set("leaf1", update=[("/system/motd", "new")], delete=["/system/hostname"])
        told = {("leaf1", "/system/motd"): "new", ("leaf1", "/system/hostname"): None}
        assert leaves([subscriber.update()]) == told
    beating = subscription(
        "/system", "SAMPLE", sample_interval=SECOND // 10, suppress_redundant=True, heartbeat_interval=SECOND // 5
    )
    for one in (beating, subscription("/system", heartbeat_interval=SECOND // 10)):
        with subscribed(clean, request(one, **config)) as subscriber:
            subscriber.until_sync()
            for _ in range(2):
                assert leaves([subscriber.update()]) == {("leaf1", "/system/motd"): "new"}
    # As often as possible.
    with subscribed(clean, request(subscription("/system", "SAMPLE"), **config)) as subscriber:
        subscriber.until_sync()
        assert leaves([subscriber.update()]) == {("leaf1", "/system/motd"): "new"}


# rule: subscribe-interval, subscribe-target-defined
def test_intervals_that_are_not_supported(clean):
    wrong = [
        subscription("/system", "TARGET_DEFINED", sample_interval=SECOND),
        subscription("/system", "SAMPLE", sample_interval=1),
        subscription("/system", "ON_CHANGE", heartbeat_interval=1),
        gnmi_pb2.Subscription(path=path("/system"), mode=9),
    ]
    for one in wrong:
        refused(clean, INVALID, request(one))


# rule: subscribe-target-defined
def test_target_defined_tells_configuration_on_change(clean):
    with subscribed(clean, request(subscription("/vlans", "TARGET_DEFINED"))) as subscriber:
        subscriber.until_sync()
        clean.set("leaf1", update=[("/vlans/vlan[id=3]", {"id": 3})])
        assert leaves([subscriber.update()]) == {("leaf1", "/vlans/vlan[id=3]/id"): 3}


# rule: subscribe-open, subscribe-unknown-path
def test_a_path_without_data_keeps_a_stream_open(clean):
    with subscribed(clean, request(ETH + "/description")) as subscriber:
        assert subscriber.until_sync() == []
        # Its client need say no more.
        subscriber.close()
        clean.set("leaf1", update=[(ETH, {"name": "eth1/1", "description": "here"})])
        assert leaves([subscriber.update()]) == {("leaf1", ETH + "/description"): "here"}
    refused(clean, INVALID, request("/nowhere"))
    refused(clean, INVALID, request("/nowhere", target="*"))
    # Part of a name is no prefix of it.
    refused(clean, INVALID, request("/sys"))


# rule: wildcard-path, wildcard-key, get-element-boundary
def test_wildcards_stand_for_what_is_there(clean):
    clean.set("leaf1", update=[(f"/vlans/vlan[id={n}]", {"id": n, "name": f"v{n}"}) for n in (1, 2)])
    names = {("leaf1", f"/vlans/vlan[id={n}]/name"): f"v{n}" for n in (1, 2)}
    for pattern in ("/vlans/vlan/name", "/vlans/vlan[id=*]/name", "/vlans/*/name", "/.../name"):
        found = once(clean, pattern)
        assert {path: value for path, value in found.items() if "vlan" in path[1]} == names, pattern
    with subscribed(clean, request("/vlans/vlan[id=*]/name")) as subscriber:
        assert subscriber.synced() == names
        clean.set("leaf1", delete=["/vlans/vlan[id=2]"])
        gone = subscriber.update()
        assert [whole(gone, one) for one in gone.delete] == ["/vlans/vlan[id=2]/name"]


# rule: target-all, target-echo, prefix-path, target-disagree, target-none, mistake-no-target
def test_every_target_and_where_a_target_stands(clean):
    for name in ("leaf1", "leaf2"):
        hostname(clean, name)
    motd = {(name, "/system/motd"): "hello" for name in ("leaf1", "leaf2")}
    assert once(clean, "/system/motd", target="*") == motd
    with subscribed(clean, request("motd", mode="ONCE", prefix="/system")) as subscriber:
        (told,) = subscriber.until_sync()
        assert (told.prefix.target, whole(told, told.update[0].path)) == ("leaf1", "/system/motd")
        assert [elem.name for elem in told.prefix.elem] == ["system"]
    one_each = [subscription("/system/motd", target=name) for name in ("leaf1", "leaf2")]
    assert once(clean, *one_each, target="") == motd
    refused(clean, INVALID, request(subscription("/system", target="leaf2")))
    assert "no target" in refused(clean, INVALID, request("/system", target=""))
    refused(clean, grpc.StatusCode.NOT_FOUND, request("/system", target="nobody"))


# rule: origin-subscribe
def test_an_origin_is_ours_or_refused(clean):
    hostname(clean)
    motd = {("leaf1", "/system/motd"): "hello"}
    assert once(clean, subscription("/system/motd", origin="lab")) == motd
    refused(clean, INVALID, request(subscription("/system/motd", origin="elsewhere")))


# rule: encoding-json, encoding-json-ietf, encoding-proto, encoding-unknown
def test_each_encoding(clean):
    settings = {"name": "b", "speed": "2.25", "bytes": "12345678901234567890", "tag": [1, 2]}
    clean.set("box1", update=[("/box/config", settings)])
    expected = {
        "JSON_IETF": {"speed": "2.25", "bytes": "12345678901234567890", "tag": [1, 2]},
        "JSON": {"speed": 2.25, "bytes": 12345678901234567890, "tag": [1, 2]},
        "PROTO": {"speed": 2.25, "bytes": 12345678901234567890, "tag": [1, 2]},
    }
    for encoding, values in expected.items():
        found = once(clean, "/box/config", target="box1", encoding=encoding)
        told = {"box/config/" + name: value for name, value in {"name": "b", **values}.items()}
        assert found == {("box1", "/" + path): value for path, value in told.items()}, encoding
    for encoding in ("BYTES", "ASCII"):
        refused(clean, grpc.StatusCode.UNIMPLEMENTED, request("/box", target="box1", encoding=encoding))


# rule: subscribe-state, encoding-proto
def test_state_comes_from_the_device(clean):
    clean.set("box1", update=[("/box/config/name", "b")])
    state = {("box1", "/box/state/name"): "b", ("box1", "/box/state/speed"): "1.50"}
    found = once(clean, "/box/state", target="box1")
    assert found[("box1", "/box/state/name")] == "b"
    for pace in ("ON_CHANGE", "TARGET_DEFINED"):
        with subscribed(clean, request(subscription("/box", pace), target="box1")) as subscriber:
            assert set(state) <= set(subscriber.synced())
            clean.set("box1", update=[("/box/config/name", pace)])
            told = leaves([subscriber.update(), subscriber.update()])
            assert told == {("box1", "/box/config/name"): pace, ("box1", "/box/state/name"): pace}
    sampled = subscription("/box/state", "SAMPLE", sample_interval=SECOND // 10)
    with subscribed(clean, request(sampled, target="box1", encoding="PROTO")) as subscriber:
        subscriber.until_sync()
        told = leaves([subscriber.update()])
        assert told[("box1", "/box/state/name")] == "TARGET_DEFINED"
        assert told[("box1", "/box/state/speed")] == 1.5


# rule: subscribe-state-cap
def test_a_device_is_asked_for_so_many_streams(clean):
    with clean.stub() as stub:
        many = [Subscriber(stub, request("/box/state", target="box1")) for _ in range(4)]
        for one in many:
            one.until_sync()
        said = refused(clean, grpc.StatusCode.RESOURCE_EXHAUSTED, request("/box/state", target="box1"))
        assert "4 streams" in said
        for one in many:
            one.call.cancel()
            one.close()
    # Who goes away makes room.
    until("there is room", lambda: once_streamed(clean))


def once_streamed(lab):
    with subscribed(lab, request("/box/state", target="box1")) as subscriber:
        subscriber.until_sync()
        return True


# rule: config-subscription
def test_configuration_alone_needs_no_device(clean):
    clean.set("box1", update=[("/box/config/name", "b")])
    found = once(clean, "/box", target="box1", extensions=[configuration_only()])
    assert {path for _, path in found} == {"/box/config/name", "/box/config/speed"}
    wrong = gnmi_ext_pb2.Extension.FromString(b"\x32\x02\x12\x00")
    refused(clean, INVALID, request("/box", target="box1", extensions=[wrong]))


# rule: depth-subscribe
def test_depth_says_how_many_levels(clean):
    clean.set("leaf1", update=[("/vlans/vlan[id=1]", {"id": 1, "name": "one"}), ("/system/motd", "x")])
    assert once(clean, "/", extensions=[depth(1), configuration_only()]) == {}
    found = once(clean, "/", extensions=[depth(2), configuration_only()])
    assert found == {("leaf1", "/system/motd"): "x"}
    assert len(once(clean, "/vlans/vlan", extensions=[depth(1)])) == 2
    assert len(once(clean, "/vlans", extensions=[depth(0)])) == 2
    with subscribed(clean, request("/vlans", extensions=[depth(1)])) as subscriber:
        subscriber.until_sync()
        clean.set("leaf1", update=[("/vlans/vlan[id=2]", {"id": 2})])
    with subscribed(clean, request("/vlans/vlan", extensions=[depth(1)])) as subscriber:
        subscriber.until_sync()
        clean.set("leaf1", delete=["/vlans/vlan[id=2]"])
        gone = subscriber.update()
        assert [whole(gone, one) for one in gone.delete] == ["/vlans/vlan[id=2]"]


# rule: use-models
def test_use_models_says_whose_leaves(clean):
    hostname(clean)
    assert len(once(clean, "/system", models=["lab"], extensions=[configuration_only()])) == 2
    assert "no module box" in refused(clean, INVALID, request("/system", models=["box"]))


# rule: history-snapshot, history-range, history-elsewhere
def test_history_tells_how_it_stood(clean):
    times = []
    for motd in ("one", "two", "three"):
        times.append(clean.set("leaf1", update=[("/system/motd", motd)])["timestamp"])
    clean.run("rollback", str(clean.transactions()[0]["index"]), "--yes")
    now = {("leaf1", "/system/motd"): "two"}
    assert once(clean, "/system/motd") == now
    for time, motd in zip(times, ("one", "two", "three")):
        assert once(clean, "/system", extensions=[snapshot(time)]) == {("leaf1", "/system/motd"): motd}
    assert once(clean, "/system", extensions=[snapshot(times[0] - 1)]) == {}
    refused(clean, INVALID, request("/system", extensions=[snapshot(times[0])]))
    refused(clean, INVALID, request("/system", mode="ONCE", extensions=[snapshot(2**62)]))
    refused(clean, INVALID, request("/system", mode="POLL", extensions=[between(1, 2)]))
    refused(clean, grpc.StatusCode.UNIMPLEMENTED, request("/system", extensions=[between(1, 2)]))
    empty = gnmi_ext_pb2.Extension.FromString(b"\x1a\x00")
    refused(clean, INVALID, request("/system", mode="ONCE", extensions=[empty]))


# rule: extension-unknown
def test_an_extension_that_nobody_knows_is_passed_over(clean):
    hostname(clean)
    strange = gnmi_ext_pb2.Extension(registered_ext=gnmi_ext_pb2.RegisteredExtension(id=77, msg=b"\xff\xff"))
    assert len(once(clean, "/system", extensions=[strange, configuration_only()])) == 2


# rule: subscribe-many, mistake-displaced
def test_subscribers_do_not_displace_each_other(clean):
    with clean.stub() as stub:
        many = [Subscriber(stub, request("/vlans")) for _ in range(20)]
        for one in many:
            one.until_sync()
        clean.set("leaf1", update=[("/vlans/vlan[id=5]", {"id": 5})])
        for one in many:
            assert leaves([one.update()]) == {("leaf1", "/vlans/vlan[id=5]/id"): 5}
            one.call.cancel()
            one.close()


@pytest.fixture
def small(tmp_path):
    """A node that serves little at once."""
    lab = Lab(tmp_path, devices=1, boxes=1)
    lab.write_config(limits={"subscriptions": 2, "behind": 5, "message": "1MiB", "pending": 1})
    try:
        yield lab.start()
    finally:
        lab.stop()


# rule: limit-subscriptions, limit-pending, subscribe-slow, subscribe-dead, stop-subscribe, mistake-dead
def test_limits_of_a_node(small):
    first = request("/system", extensions=[configuration_only()])
    # One that does not read is cut off, and told so, while another goes on.
    large = "x" * 60_000
    idle = grpc.insecure_channel(f"127.0.0.1:{small.port}", options=[("grpc.http2.bdp_probe", 0)])
    with idle, subscribed(small, first) as quick:
        slow = Subscriber(gnmi_pb2_grpc.gNMIStub(idle), first)
        slow.until_sync()
        quick.until_sync()
        said = refused(small, grpc.StatusCode.RESOURCE_EXHAUSTED, first)
        assert "limits.subscriptions" in said
        for number in range(30):
            small.set("leaf1", update=[("/system/motd", f"{number} {large}")])
            assert leaves([quick.update()])[("leaf1", "/system/motd")].startswith(f"{number} ")
            assert quick.next().extension
        assert "limits.behind" in slow.fails(grpc.StatusCode.RESOURCE_EXHAUSTED)
        slow.close()
    # A device that goes away takes its state along, and brings it back.
    small.set("box1", update=[("/box/config/name", "b")])
    with subscribed(small, request("/box/state", target="box1")) as subscriber:
        assert ("box1", "/box/state/name") in subscriber.synced()
        small.devices["box1"].kill()
        gone = subscriber.update()
        assert "/box/state/name" in [whole(gone, one) for one in gone.delete]
        refused(small, grpc.StatusCode.UNAVAILABLE, request("/box/state", target="box1"))
        assert once(small, "/box", target="box1", extensions=[configuration_only()])
        small.start_device("box1")
        assert leaves([subscriber.update()])[("box1", "/box/state/speed")] == "1.5"
    # So many transactions may be open, and no more.
    small.devices["leaf1"].kill()
    until("leaf1 is gone", lambda: not small.target("leaf1")["connected"])
    with small.stub() as stub:
        later = gnmi_pb2.SetRequest(update=[update("/system/motd", "x", "leaf1")], extension=[options(queued=True, async_=True)])
        stub.Set(later)
        fails(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: stub.Set(later))
    # And a node that stops says so.
    with subscribed(small, first) as subscriber:
        subscriber.until_sync()
        small.node.process.terminate()
        assert "stopping" in subscriber.fails(grpc.StatusCode.UNAVAILABLE)
