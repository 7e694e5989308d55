"""Any sequence of Sets, then Get, equals a model of it."""

import os
import random
import re

import grpc
import pytest
from pygnmi.spec.v080 import gnmi_pb2

from gnmi import leaves, once, place
from test_rules import typed

ROUNDS = int(os.environ.get("LOCKSTEP_MODEL", "150"))


class Model:
    """What gNMI says that stands, as paths of leaves; in terms of the lab's models."""

    def __init__(self):
        self.leaves = {}

    def delete(self, path):
        if "[id=*]" in path:
            pattern = re.compile(re.escape(path).replace(r"\[id=\*\]", r"\[id=\d+\]") + "$")
            self.leaves = {at: value for at, value in self.leaves.items() if not pattern.match(at)}
            return
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
        return kind, dice.choice([path, eth, vlan_, "/vlans/vlan", "/vlans/vlan[id=*]/name", "/system/hostname"]), None
    return kind, path, content


# No such VLAN is ever there, and no such path; neither may leave a trace, on whichever target.
WRONG = [("/interfaces/interface[name=x]/access-vlan", 4000), ("/system/hostname", "no name"), ("/nowhere", 1)]


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


def send(stub, asked, models, given):
    """Sends a Set, and does the same to the models; nothing, if it is wrong."""
    is_wrong = any((path, content) in WRONG for _, _, path, content in given)
    if is_wrong:
        with pytest.raises(grpc.RpcError) as caught:
            stub.Set(asked)
        assert caught.value.code() in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND), caught.value
        return
    stub.Set(asked)
    for kind in ("delete", "replace", "update"):
        for target, _, path, content in (one for one in given if one[1] == kind):
            models[target].delete(path) if kind == "delete" else getattr(models[target], kind)(path, content)


def request(given):
    """A Set of (target, kind, path, content)."""
    asked = gnmi_pb2.SetRequest()
    for target, kind, path, content in given:
        where = wire(path)
        where.target = target
        if kind == "delete":
            asked.delete.append(where)
        else:
            getattr(asked, kind).add(path=where, val=typed(content))
    return asked


# rule: set-model
def test_any_sequence_of_sets_then_get_equals_the_model(clean):
    seed = int(os.environ.get("LOCKSTEP_SEED", "7"))
    dice, models, wrong = random.Random(seed), {name: Model() for name in ("leaf1", "leaf2")}, 0
    with clean.stub() as stub:
        for number in range(ROUNDS):
            given = [(dice.choice(list(models)), *operation(dice)) for _ in range(dice.randint(1, 5))]
            if dice.random() < 0.15:
                given.insert(dice.randrange(len(given)), (dice.choice(list(models)), "update", *dice.choice(WRONG)))
                wrong += 1
            send(stub, request(given), models, given)
            for name, model in models.items() if number % 5 == 4 or number == ROUNDS - 1 else ():
                proto = gnmi_pb2.GetRequest(prefix=place("", name), type=1, encoding=2)
                stands = leaves(stub.Get(proto).notification) if model.leaves else {}
                assert {path: value for (_, path), value in stands.items()} == model.shown(), (seed, number, given)
    print(f"seed {seed}: {ROUNDS} Sets on two targets, {wrong} of them wrong")
    # The devices hold it, too, and a subscriber is told the same.
    for name, model in models.items():
        device = clean.on_device(name, "/") or {}
        assert device.get("lab:system", {}).get("motd") == model.leaves.get("/system/motd")
        assert {path: value for (_, path), value in once(clean, "/", target=name).items()} == model.shown()
