"""After the faults: everything is given time to come to rest, and then what there is to know of the run is gathered."""

import random
import time

from check import Evidence
from orders import welcome
from wire import Node
from world import wait

# How long everything may take to come to rest once nothing is wrong any more.
REST = 90
# How long subscribers may take to be told of it.
NEWS = 20
SAID = 500
# Of each target, after so many entries of the log somebody is asked how it stood.
INDEXES = 10


class Ending:
    """Waits, probes and gathers. What does not come to rest in time is evidence as well."""

    def __init__(self, world, nemesis, history, say):
        self.world, self.nemesis, self.history, self.say = world, nemesis, history, say
        self.nodes = {name: Node(name, port) for name, port in world.listens.items()}
        self.stuck = {}

    def settle(self):
        deadline = time.monotonic() + REST
        left = lambda: max(1, deadline - time.monotonic())
        for name in self.nodes:
            wait(f"{name} answers", lambda name=name: self.nodes[name].targets(5), left())
        wait("etcd takes writes", lambda: self.nemesis.alarm("DEACTIVATE") is None, left())
        welcome(self.world, self.nodes["n1"], self.history, "end", left())
        try:
            wait("all targets are synchronised", self.synchronised, left())
        except TimeoutError:
            self.stuck = {t["name"]: f"{t['state']}: {t['reason']}" for t in self.list() if t["state"] != "synchronised"}
        self.wait_for_outcomes(left)
        self.probe(left)
        self.wait_for_outcomes(left)

    def wait_for_outcomes(self, left):
        try:
            wait("every transaction has an outcome", self.finished, left())
        except TimeoutError as error:
            self.say(str(error))

    def list(self):
        return self.world.run("n1", "target", "list")

    def synchronised(self):
        """All are; what drifted and is only to be reported, or was changed back too often, an operator has looked at again."""
        targets = self.list()
        for target in targets:
            if target["state"] == "paused":
                self.world.run("n1", "target", "resume", target["name"])
            if target["state"] == "drifted" or "target sync" in (target["reason"] or ""):
                self.world.run("n1", "target", "sync", target["name"])
        return all(target["state"] == "synchronised" for target in targets)

    def finished(self):
        return all(one["finished"] and one["window"] != "open" for one in self.transactions())

    def transactions(self):
        return self.world.run("n1", "tx", "list", "--limit", "100000", patience=60)

    def probe(self, left):
        """Each target takes a change again, whoever is asked, and what was written is read."""
        for at, target in enumerate([*self.world.names, *self.world.guests]):
            name = list(self.nodes)[at % len(self.nodes)]
            id_ = f"probe-{target}"
            operation = {"kind": "probe", "client": "probe", "id": id_, "mode": "atomic", "async": False, "attempts": []}
            operation["writes"] = {target: {"motd": f"v{id_}"}}
            told = {"node": name, "invoke": time.monotonic(), "code": "OK", "outcome": None}
            try:
                told["outcome"] = self.nodes[name].set(operation, min(20, left()))
            except Exception as error:
                told |= {"code": getattr(error, "code", lambda: error)().name, "message": error.details()}
                self.stuck.setdefault(target, f"takes no change: {told['message']}")
            told["return"] = time.monotonic()
            operation["attempts"].append(told)
            self.history.operation(operation)

    def news(self, followers, held):
        """What each follower knows, by when it knows what stands, or should."""
        held, found = {target: held[target] for target in self.world.names}, {}
        for follower in followers:
            up_to_date = lambda follower=follower: (known := follower.holds()) == held and known
            try:
                found[follower.name] = wait(f"{follower.name} is told", up_to_date, NEWS)
            except TimeoutError as error:
                self.say(str(error)[:SAID])
                found[follower.name] = follower.holds()
            follower.stop()
            follower.join(NEWS)
        return found

    def earlier(self, head):
        """How each target stood after some entries of the log, each as another node tells it."""
        found, names = [], list(self.nodes)
        for target in self.world.names:
            for index in sorted(random.Random(target).sample(range(1, head + 1), min(INDEXES, head))):
                node = names[len(found) % len(names)]
                found.append([node, target, index, self.nodes[node].at(target, index, 10)])
        return found

    def gather(self, followers):
        targets = [*self.world.names, *self.world.guests]
        held = {name: node.get(targets, 30) for name, node in self.nodes.items()}
        followed = self.news(followers, held["n1"])
        transactions = sorted(self.transactions(), key=lambda one: one["index"])
        adopted = [one["index"] for one in transactions if one["kind"] == "adopt"]
        return Evidence(
            targets=targets,
            guests=self.world.guests,
            adopted={index: self.nodes["n1"].changes(index, 10) for index in adopted},
            operations=self.history.operations,
            transactions=transactions,
            nodes=held,
            devices={name: device.holds() for name, device in self.world.devices.items()},
            journals={name: device.journal() for name, device in self.world.devices.items()},
            sightings=self.history.sightings,
            stuck=self.stuck,
            wall=self.history.wall,
            glimpses=self.history.glimpses,
            faults=self.nemesis.told,
            starts={name: program.starts for name, program in self.world.programs().items()},
            ends=self.world.ends(),
            tales=self.history.tales,
            followed=followed,
            history=self.earlier(transactions[-1]["index"]),
            listed={one["name"]: [one["committed"], one["applied"], one["fencing"]] for one in self.list()},
            unfenced=[name for name in targets if not self.world.fences(name)],
        )
