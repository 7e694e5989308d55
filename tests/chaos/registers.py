"""The places of a device's configuration that clients write, each of which holds one text or nothing.

`motd` is only ever written, with values that are used once. The others are also deleted, replaced, queued and rolled back.
"""

import json
import re

from pygnmi.spec.v080 import gnmi_pb2

PORTS = ("eth1", "eth2", "eth3")
NAMES = ("motd", "hostname", *PORTS)
PORT = re.compile(r"/(?:lab:)?interfaces/interface\[name=(\w+)\]/description")


def path(name, target="", whole=False):
    """Where a register is; `whole`: the list entry it lives in."""
    elem = gnmi_pb2.PathElem
    if name in PORTS:
        steps = [elem(name="interfaces"), elem(name="interface", key={"name": name})]
        steps += [] if whole else [elem(name="description")]
    else:
        steps = [elem(name="system"), elem(name=name)]
    return gnmi_pb2.Path(elem=steps, target=target)


def text(name):
    """The same, as it is written."""
    return f"/interfaces/interface[name={name}]/description" if name in PORTS else f"/system/{name}"


def register(written):
    """The register at a path that was written down; none: something that no client writes."""
    if found := PORT.fullmatch(written):
        return found[1]
    name = written.removeprefix("/lab:").removeprefix("/").removeprefix("system/")
    return name if name in ("motd", "hostname") else None


def take_in(held, notification):
    """What a notification does to what is known of a target."""
    steps = lambda path: [(elem.name.split(":")[-1], dict(elem.key)) for elem in path.elem]
    before = steps(notification.prefix)
    for gone in notification.delete:
        begin = before + steps(gone)
        for name in [name for name in held if steps(path(name))[: len(begin)] == begin]:
            del held[name]
    for update in notification.update:
        changed = before + steps(update.path)
        held |= {name: json.loads(update.val.json_ietf_val) for name in NAMES if steps(path(name)) == changed}


def plain(tree):
    """A tree without the names of modules."""
    if isinstance(tree, dict):
        return {key.split(":")[-1]: plain(value) for key, value in tree.items()}
    return [plain(one) for one in tree] if isinstance(tree, list) else tree


def read_tree(updates):
    """All registers, from an answer to a Get of everything."""
    return of_trees(update.val.json_ietf_val or update.val.json_val or b"{}" for update in updates)


def of_trees(trees):
    """All registers, from JSON that begins at the root."""
    found = {}
    for tree in map(plain, map(json.loads, trees)):
        system = tree.get("system", {})
        found |= {name: system[name] for name in ("motd", "hostname") if name in system}
        for port in tree.get("interfaces", {}).get("interface", []):
            found[port["name"]] = port.get("description", "")
    return found
