"""What a follower makes of what it is told."""

import json
import threading
import types

import pytest
import registers
from followers import Follower

from gnmi import place
from pygnmi.spec.v080 import gnmi_pb2

ALL = {"motd": "m", "hostname": "h", "eth1": "1", "eth2": "2"}


def notification(*deletes, prefix="", target="d1", **updates):
    update = lambda name, value: gnmi_pb2.Update(
        path=registers.path(name), val=gnmi_pb2.TypedValue(json_ietf_val=json.dumps(value).encode())
    )
    told = gnmi_pb2.Notification(prefix=place(prefix, target), delete=[place(path) for path in deletes])
    told.update.extend(update(name, value) for name, value in updates.items())
    return told


@pytest.mark.parametrize(
    "gone, prefix, left",
    [
        ("/lab:system/motd", "", "hostname eth1 eth2"),
        ("/system", "", "eth1 eth2"),
        ("/interfaces/interface[name=eth1]", "", "motd hostname eth2"),
        ("/interface[name=eth2]/description", "/interfaces", "motd hostname eth1"),
        ("/", "", ""),
        ("/vlans", "", "motd hostname eth1 eth2"),
    ],
)
def test_what_lies_below_a_delete_is_gone(gone, prefix, left):
    held = dict(ALL)
    registers.take_in(held, notification(gone, prefix=prefix))
    assert held == {name: ALL[name] for name in left.split()}


def test_what_comes_with_a_delete_stays():
    held = dict(ALL)
    registers.take_in(held, notification("/interfaces", eth3="3"))
    assert held == {"motd": "m", "hostname": "h", "eth3": "3"}


class Call(list):
    """A stream that was told all of this, and ends."""

    def cancel(self):
        pass


def test_each_message_is_a_state_once_all_was_told():
    kept = types.SimpleNamespace(tales=[], tale=lambda tale: kept.tales.append(tale))
    world = types.SimpleNamespace(names=["d1", "d2"], doors={"n1": 1})
    follower = Follower("f1", world, kept, 1, threading.Event())
    answer = lambda **content: gnmi_pb2.SubscribeResponse(**content)
    told = [notification(motd="a"), notification(eth1="b"), None, notification(motd="c"), notification(motd="e", target="e1")]
    call = Call(answer(update=one) if one else answer(sync_response=True) for one in told)
    follower.nodes = {"n1": types.SimpleNamespace(follow=lambda: call)}
    follower.act()
    [tale] = kept.tales
    assert [told[1:] for told in tale["told"]] == [["d1", {"motd": "a", "eth1": "b"}], ["d2", {}], ["d1", {"motd": "c", "eth1": "b"}]]
    assert follower.holds() == {"d1": {"motd": "c", "eth1": "b"}, "d2": {}}
    # It is not asked for another stream once it is stopped.
    follower.stop()
    follower.act()
    assert len(kept.tales) == 1
