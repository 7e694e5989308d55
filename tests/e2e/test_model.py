"""Any sequence of Sets, then Get, equals a model of it."""

import os
import random

from pygnmi.spec.v080 import gnmi_pb2

from gnmi import leaves, once, place
from test_rules import typed

ROUNDS = int(os.environ.get("LOCKSTEP_MODEL", "60"))


class Model:
    """What gNMI says that stands, as paths of leaves; in terms of the lab's models."""

    def __init__(self):
        self.leaves = {}

    def delete(self, path):
        below = lambda at: at == path or at.startswith(path + "/") or at.startswith(path + "[")
        self.leaves = {at: value for at, value in self.leaves.items() if not below(at)}

    def update(self, path, content):
        """Merges; keys come with their entries."""
        if not isinstance(content, dict):
            self.leaves[path] = content
            entry = path.rpartition("/")[0]
            if entry.endswith("]"):
                self.entry(entry)
            return
        if path.endswith("]"):
            self.entry(path)
        for name, below in content.items():
            if isinstance(below, list):
                key = "id" if name == "vlan" else "name"
                for entry in below:
                    self.update(f"{path}/{name}[{key}={entry[key]}]", entry)
            else:
                self.update(f"{path}/{name}", below)

    def entry(self, path):
        key, _, value = path[path.rindex("[") + 1 : -1].partition("=")
        self.leaves[f"{path}/{key}"] = int(value) if key == "id" else value

    def replace(self, path, content):
        self.delete(path)
        self.update(path, content)

    def shown(self):
        """With the defaults in use."""
        shown = dict(self.leaves)
        for at in self.leaves:
            if at.startswith("/interfaces/interface[") and at.endswith("]/name"):
                entry = at.removesuffix("/name")
                shown.setdefault(entry + "/enabled", True)
                shown.setdefault(entry + "/mtu", 1500)
        return shown


def interface(dice):
    name = dice.choice(["eth1/1", "eth1/10", "a]b", "x"])
    entry = {"name": name}
    if dice.random() < 0.6:
        entry["mtu"] = dice.choice([1000, 1500, 1200])
    if dice.random() < 0.5:
        entry["description"] = dice.choice(["one", "two", ""])
    return name, entry


def vlan(dice):
    number = dice.randint(1, 4)
    return number, {"id": number} | ({"name": dice.choice(["red", "blue"])} if dice.random() < 0.7 else {})


def operation(dice):
    """One that is valid wherever it comes: (kind, path, content)."""
    name, entry = interface(dice)
    number, one = vlan(dice)
    eth, vlan_ = f"/interfaces/interface[name={name}]", f"/vlans/vlan[id={number}]"
    contents = [
        ("/system/motd", dice.choice(["hello", "", "ü"])),
        ("/system", {"hostname": dice.choice(["a", "b"])} | ({"motd": "m"} if dice.random() < 0.5 else {})),
        (eth, entry),
        (eth + "/description", "set"),
        ("/interfaces", {"interface": [entry]}),
        (vlan_, one),
        (vlan_ + "/name", "green"),
        ("/vlans", {"vlan": [one]}),
    ]
    kind = dice.choice(["delete", "replace", "update", "update"])
    path, content = dice.choice(contents)
    if kind == "delete":
        return kind, dice.choice([path, eth, vlan_, "/vlans/vlan", "/system/hostname"]), None
    return kind, path, content


def wire(path):
    """A key may hold a bracket, so it is found from its end."""
    head, bracket, rest = path.partition("[")
    if not bracket:
        return place(path)
    key, _, tail = rest.rpartition("]")
    left, _, right = key.partition("=")
    made = place(head)
    made.elem[-1].key[left] = right
    made.elem.extend(place(tail).elem)
    return made


# rule: set-model
def test_any_sequence_of_sets_then_get_equals_the_model(clean):
    seed = int(os.environ.get("LOCKSTEP_SEED", "7"))
    dice, model = random.Random(seed), Model()
    with clean.stub() as stub:
        for number in range(ROUNDS):
            given = [operation(dice) for _ in range(dice.randint(1, 4))]
            asked = gnmi_pb2.SetRequest(prefix=place("", "leaf1"))
            for kind in ("delete", "replace", "update"):
                for _, path, content in (one for one in given if one[0] == kind):
                    if kind == "delete":
                        asked.delete.append(wire(path))
                        model.delete(path)
                    else:
                        getattr(asked, kind).add(path=wire(path), val=typed(content))
                        getattr(model, kind)(path, content)
            stub.Set(asked)
            if number % 5 == 4 or number == ROUNDS - 1:
                proto = gnmi_pb2.GetRequest(prefix=place("", "leaf1"), type=1, encoding=2)
                stands = leaves(stub.Get(proto).notification) if model.leaves else {}
                hint = (seed, number, given)
                assert {path: value for (_, path), value in stands.items()} == model.shown(), hint
    # The device holds it, too, and a subscriber is told the same.
    device = clean.on_device("leaf1", "/") or {}
    motd = device.get("lab:system", {}).get("motd")
    assert motd == model.leaves.get("/system/motd")
    told = {path: value for (_, path), value in once(clean, "/").items()}
    assert told == model.shown()
