"""Set and Get through a node, on one target and on several."""

import grpc
import pytest
from pygnmi.spec.v080 import gnmi_pb2

from lab import MODELS, code, message, options, path, update, until

ETH = "/interfaces/interface[name=eth1/1]"


def fails(code_, call):
    with pytest.raises(Exception) as caught:
        call()
    assert code(caught.value) == code_, message(caught.value)
    return message(caught.value)


def test_a_value_is_set_read_and_deleted(lab):
    answer = lab.set("leaf1", update=[("/system", {"hostname": "leaf1", "motd": "hello"})])
    assert [result["op"] for result in answer["response"]] == ["UPDATE"]
    assert lab.get("leaf1", "/system/motd") == "hello"
    assert lab.on_device("leaf1", "/system") == {"lab:hostname": "leaf1", "lab:motd": "hello"}
    lab.set("leaf1", delete=["/system/motd"])
    assert lab.on_device("leaf1", "/system") == {"lab:hostname": "leaf1"}
    fails(grpc.StatusCode.NOT_FOUND, lambda: lab.get("leaf1", "/system/motd"))


# rule: get-defaults, value-relative
def test_an_answer_is_relative_to_its_path_and_knows_defaults(lab):
    lab.set("leaf1", update=[(ETH, {"name": "eth1/1", "mtu": 9000})])
    assert lab.get("leaf1", ETH + "/mtu") == 9000
    assert lab.get("leaf1", ETH + "/enabled") is True
    whole = lab.get("leaf1", ETH)
    assert whole["lab:mtu"] == 9000 and whole["lab:enabled"] is True
    assert lab.get("leaf1", ETH, encoding="json")["mtu"] == 9000


# rule: get-unavailable, get-state
def test_state_comes_from_the_device(lab):
    lab.set("leaf1", update=[("/system/motd", "x")])
    # What pygnmi asks for unless told otherwise: all there is. The simulated device has no state to add.
    assert lab.get("leaf1", "/system", datatype="all") == {"lab:motd": "x"}
    fails(grpc.StatusCode.NOT_FOUND, lambda: lab.get("leaf1", "/system", datatype="state"))
    fails(grpc.StatusCode.NOT_FOUND, lambda: lab.get("leaf1", "/system/uptime", datatype="operational"))
    lab.devices["leaf1"].kill()
    until("leaf1 is gone", lambda: not lab.target("leaf1")["connected"])
    said = fails(grpc.StatusCode.UNAVAILABLE, lambda: lab.get("leaf1", "/system", datatype="all"))
    assert "CONFIG" in said
    assert lab.get("leaf1", "/system", datatype="config") == {"lab:motd": "x"}
    # No state can be there, so no device is needed.
    assert lab.get("leaf1", "/system/motd", datatype="all") == "x"


# rule: target-path
def test_one_set_reaches_several_targets(lab):
    with lab.stub() as stub:
        asked = gnmi_pb2.SetRequest(
            update=[update("/system/motd", f"on {name}", name) for name in lab.names],
        )
        answer = stub.Set(asked)
    assert [result.path.target for result in answer.response] == lab.names
    for name in lab.names:
        assert lab.on_device(name, "/system/motd") == f"on {name}"
    (transaction,) = lab.transactions()
    assert transaction["status"] == "applied"
    assert {name: one["status"] for name, one in transaction["targets"].items()} == dict.fromkeys(lab.names, "applied")


# rule: set-all-or-nothing, error-device, mistake-half-done
def test_a_refusal_undoes_it_everywhere(lab):
    lab.set("leaf1", update=[("/system/motd", "before")])
    lab.sim("refuse", lab.device("leaf3"), "/system/motd", "--message", "no banners here")
    with lab.stub() as stub:
        asked = gnmi_pb2.SetRequest(update=[update("/system/motd", "after", name) for name in lab.names])
        said = fails(grpc.StatusCode.ABORTED, lambda: stub.Set(asked))
    assert "leaf3" in said and "FAILED_PRECONDITION" in said and "no banners here" in said
    assert lab.get("leaf1", "/system/motd") == "before"
    assert lab.on_device("leaf1", "/system/motd") == "before"
    assert lab.on_device("leaf2", "/system") is None
    assert lab.on_device("leaf3", "/system") is None
    latest = lab.transactions()[0]
    assert latest["status"] == "reverted"
    assert latest["error"]["code"] == "ABORTED"
    there = latest["targets"]["leaf3"]
    assert (there["status"], there["error"]["code"]) == ("refused", "FAILED_PRECONDITION")
    assert there["error"]["message"] == "no banners here"
    # Nothing is left behind: what is refused there may be set elsewhere.
    lab.set("leaf2", update=[("/system/motd", "later")])


def test_a_queued_one_is_withdrawn_where_it_is_refused(lab):
    lab.sim("refuse", lab.device("leaf2"), "/system/motd")
    with lab.stub() as stub:
        asked = gnmi_pb2.SetRequest(
            update=[update("/system/motd", "x", name) for name in ("leaf1", "leaf2")],
            extension=[options(queued=True)],
        )
        fails(grpc.StatusCode.ABORTED, lambda: stub.Set(asked))
    assert lab.on_device("leaf1", "/system/motd") == "x"
    assert lab.on_device("leaf2", "/system") is None
    latest = lab.transactions()[0]
    assert latest["status"] == "partial"
    assert {name: one["status"] for name, one in latest["targets"].items()} == {"leaf1": "applied", "leaf2": "refused"}
    assert latest["targets"]["leaf2"]["error"]["code"], "and it says why"


# rule: set-replace, mistake-replace
def test_replace_takes_away_what_it_leaves_out(lab):
    lab.set("leaf1", update=[("/system", {"hostname": "a", "motd": "b"})])
    lab.set("leaf1", replace=[("/system", {"hostname": "c"})])
    assert lab.on_device("leaf1", "/system") == {"lab:hostname": "c"}


# rule: set-order, set-recreate, mistake-delete-wins
def test_a_delete_comes_before_an_update_of_the_same_path(lab):
    lab.set("leaf1", update=[(ETH, {"name": "eth1/1", "mtu": 9000, "description": "old"})])
    lab.set("leaf1", delete=[ETH], update=[(ETH, {"name": "eth1/1", "description": "new"})])
    assert lab.on_device("leaf1", ETH + "/description") == "new"
    assert lab.get("leaf1", ETH + "/mtu") == 1500


# rule: target-all
def test_every_target_at_once(lab):
    for name in ("leaf1", "leaf2"):
        lab.set(name, update=[("/system/hostname", name)])
    with lab.client() as client:
        answer = client.get(target="*", path=["/system/hostname"], datatype="config", encoding="json_ietf")
    assert sorted(n["update"][0]["val"] for n in answer["notification"]) == ["leaf1", "leaf2"]


# rule: error-id
def test_the_same_id_is_done_once(lab):
    with lab.stub() as stub:
        ask = lambda motd: stub.Set(
            gnmi_pb2.SetRequest(
                prefix=gnmi_pb2.Path(target="leaf1"),
                update=[update("/system/motd", motd)],
                extension=[options(id="change-1", comment="once")],
            )
        )
        ask("one")
        ask("one")
        fails(grpc.StatusCode.ALREADY_EXISTS, lambda: ask("two"))
    (transaction,) = lab.transactions()
    assert (transaction["id"], transaction["comment"]) == ("change-1", "once")


# rule: error-yang, error-not-found, get-not-found, get-invalid
def test_errors_have_the_code_that_fits(lab):
    set_ = lambda **operations: lambda: lab.set("leaf1", **operations)
    invalid = grpc.StatusCode.INVALID_ARGUMENT
    missing = grpc.StatusCode.NOT_FOUND
    # The path, or the value.
    assert "nowhere" in fails(missing, set_(update=[("/system/nowhere", 1)]))
    fails(missing, set_(delete=["/nowhere"]))
    fails(invalid, set_(update=[(ETH + "/mtu", "much")]))
    fails(invalid, set_(update=[("/interfaces/interface/mtu", 9000)]))
    fails(invalid, set_(update=[(ETH, {"name": "eth2", "mtu": 9000})]))
    fails(invalid, set_(update=[("/system/uptime", 1)]))
    # A rule of the models, with its own words.
    said = fails(invalid, set_(update=[(ETH, {"name": "eth1/1", "mtu": 9000, "enabled": False})]))
    assert "A jumbo MTU needs an interface that is enabled." in said and "leaf1" in said
    fails(invalid, set_(update=[(ETH, {"name": "eth1/1", "access-vlan": 7})]))
    # The target.
    fails(missing, lambda: lab.set("leaf9", update=[("/system/motd", "x")]))
    fails(invalid, lambda: lab.set(None, update=[("/system/motd", "x")]))
    # Get.
    fails(invalid, lambda: lab.get("leaf1", "/nowhere"))
    fails(missing, lambda: lab.get("leaf1", "/vlans"))
    fails(missing, lambda: lab.get("leaf9", "/system"))
    unimplemented = grpc.StatusCode.UNIMPLEMENTED
    with lab.stub() as stub:
        ascii_ = gnmi_pb2.GetRequest(prefix=gnmi_pb2.Path(target="leaf1"), path=[path("/system")], type=1, encoding=3)
        fails(unimplemented, lambda: stub.Get(ascii_))
        both = gnmi_pb2.SetRequest(
            prefix=gnmi_pb2.Path(target="leaf1"), update=[update("/system/motd", "x", "leaf2")]
        )
        fails(invalid, lambda: stub.Set(both))
        origin = gnmi_pb2.SetRequest(
            prefix=gnmi_pb2.Path(target="leaf1", origin="cli"), update=[update("/system/motd", "x")]
        )
        fails(invalid, lambda: stub.Set(origin))
        odd = gnmi_pb2.SetRequest(extension=[options(unknown=1)])
        fails(invalid, lambda: stub.Set(odd))
    # What was refused left nothing, neither in the log nor on the device; what broke a rule is in the log.
    assert [t["status"] for t in lab.transactions()] == ["rejected", "rejected"]
    assert lab.on_device("leaf1", "/") in (None, {})


# rule: set-empty
def test_an_empty_set_is_fine(lab):
    with lab.stub() as stub:
        assert stub.Set(gnmi_pb2.SetRequest()).timestamp > 0
    assert lab.transactions() == []


# rule: error-unavailable
def test_a_target_that_is_away(lab):
    lab.devices["leaf2"].kill()
    until("leaf2 is gone", lambda: not lab.target("leaf2")["connected"])
    assert lab.target("leaf2")["reason"]
    said = fails(grpc.StatusCode.UNAVAILABLE, lambda: lab.set("leaf2", update=[("/system/motd", "x")]))
    assert "queued" in said
    assert lab.transactions() == []
    # A queued one waits for it.
    with lab.stub() as stub:
        stub.Set(
            gnmi_pb2.SetRequest(
                update=[update("/system/motd", "x", "leaf1"), update("/system/motd", "x", "leaf2")],
                extension=[options(queued=True, async_=True)],
            )
        )
    waiting = until("leaf1 has it", lambda: lab.on_device("leaf1", "/system/motd") and lab.transactions()[0])
    assert waiting["status"] == "committed"
    there = waiting["targets"]["leaf2"]
    assert (there["status"], there["error"]) == ("pending", None)
    why = f"a connection to the device: {lab.device('leaf2')}: "
    waits = lambda: lab.transactions()[0]["targets"]["leaf2"]["waiting_for"].startswith(why)
    until("it says what it waits for, and why", waits)
    lab.start_device("leaf2")
    until("leaf2 has it", lambda: lab.on_device("leaf2", "/system/motd") == "x")
    until("it is applied", lambda: lab.transactions()[0]["status"] == "applied")


# rule: error-deadline, mistake-stuck
def test_a_device_that_does_not_come_back_in_time(lab):
    lab.devices["leaf2"].kill()
    with lab.stub() as stub:
        asked = gnmi_pb2.SetRequest(
            update=[update("/system/motd", "x", "leaf1"), update("/system/motd", "x", "leaf2")],
            extension=[options(async_=True, seconds=2)],
        )
        stub.Set(asked)
    until("it is reverted", lambda: lab.transactions()[0]["status"] == "reverted")
    assert lab.on_device("leaf1", "/system") is None
    assert lab.transactions()[0]["error"]["code"] == "DEADLINE_EXCEEDED"
    # Whoever waits for it is told so.
    lab.sim("delay", lab.device("leaf3"), "5s")
    with lab.stub() as stub:
        asked = gnmi_pb2.SetRequest(update=[update("/system/motd", "x", "leaf3")], extension=[options(seconds=1)])
        fails(grpc.StatusCode.DEADLINE_EXCEEDED, lambda: stub.Set(asked))
    assert lab.transactions()[0]["error"]["code"] == "DEADLINE_EXCEEDED"


def test_capabilities(lab):
    with lab.client() as client:
        found = client.capabilities()
    assert found["gnmi_version"] == "0.10.0"
    assert {"name": "lab", "organization": "Lockstep", "version": "2026-11-15"} in found["supported_models"]
    assert {"json", "json_ietf"} <= set(found["supported_encodings"])


# rule: capabilities
def test_capabilities_are_those_of_every_model_set(lab):
    lab.node.stop()
    other = lab.folder / "other"
    other.mkdir()
    text = 'module other { namespace "urn:other"; prefix o; revision 2026-01-01; leaf x { type string; } }'
    (other / "other.yang").write_text(text)
    lab.write_config(models={"lab-1.0": str(MODELS), "other-1.0": str(other)})
    lab.start_node()
    with lab.client() as client:
        names = {model["name"] for model in client.capabilities()["supported_models"]}
    assert {"lab", "other"} <= names


def test_names_of_modules_are_accepted(lab):
    lab.set("leaf1", update=[("lab:system/motd", "x")])
    assert lab.get("leaf1", "lab:system/motd") == "x"
    with lab.stub() as stub:
        request = gnmi_pb2.GetRequest(prefix=gnmi_pb2.Path(target="leaf1"), path=[path("/system/motd")], type=1)
        assert stub.Get(request).notification[0].prefix.target == "leaf1"
