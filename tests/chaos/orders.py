"""Operators: they pause targets and go on with them, have them looked at again and claimed, let go of what the store keeps of the
past, and add, bind anew and remove targets of their own, the guests, while everything runs."""

import time

from clients import PATIENCE, Client
from world import REACHED, wait

ORDERS = {"pause": 5, "sync": 2, "compact": 2, "remove": 4, "rebind": 3, "adopt": 3, "claim": 2, "guest-restart": 2}
OPERATORS = 2


class Operator(Client):
    """Each has guests of its own, so that none is added twice for want of a word."""

    every = 0.7

    def act(self):
        kind = self.random.choices(list(ORDERS), ORDERS.values())[0]
        getattr(self, kind.replace("-", "_"))()

    def guest_of_mine(self):
        first = int(self.name[1:]) - 1
        return self.random.choice(self.world.guests[first::OPERATORS])

    def order(self, kind, call, **more):
        """Asks until a node has answered, or for a while."""
        operation = {"kind": kind, "client": self.name, "mode": "atomic", "async": False, "writes": {}, "attempts": [], **more}
        for _ in range(4):
            told = self.attempt(operation, lambda node: call(node, operation))
            if told["code"] not in ("UNAVAILABLE", "DEADLINE_EXCEEDED") or self.over.wait(0.5):
                break
        self.history.operation(operation)

    def log(self, kind, call, guest):
        """An order that is an entry of the log, with an id of its own."""
        self.count += 1
        self.order(kind, call, on=guest, id=f"{self.name}-{self.count}")

    def operate(self, target, order):
        self.order(order, lambda node, _: node.operate(target, order, PATIENCE), on=target)

    def pause(self):
        """And goes on after a while."""
        target = self.target()
        self.operate(target, "pause")
        self.over.wait(self.random.uniform(0.3, 3))
        self.operate(target, "resume")

    def sync(self):
        self.operate(self.target(), "sync")

    def claim(self):
        """Takes a target over from whoever else may have made its device listen to them."""
        self.operate(self.target(), "claim")

    def compact(self):
        self.order("compact", lambda node, _: node.compact(PATIENCE))

    def remove(self):
        """A guest goes and comes back. What its device has is then made to be as nothing was ever asked of it."""
        guest = self.guest_of_mine()
        self.log("remove", lambda node, operation: node.remove_target(guest, operation, PATIENCE), guest)
        self.over.wait(self.random.uniform(0, 1))
        self.add(guest)

    def add(self, guest):
        options = {"address": self.world.address(guest), "model": self.model(), **REACHED}
        self.log("add", lambda node, operation: node.add_target(guest, operation, options, PATIENCE), guest)

    def rebind(self):
        guest, model = self.guest_of_mine(), self.model()
        self.log("rebind", lambda node, operation: node.set_target(guest, operation, {"model": model}, PATIENCE), guest)

    def model(self):
        return self.random.choice(["lab-1.0", "lab-2.0"])

    def adopt(self):
        """What somebody else made of a guest is to stay."""
        guest = self.guest_of_mine()
        self.count += 1
        self.world.devices[guest].drift("/system/hostname", f"kept-{self.name}-{self.count}")
        self.operate(guest, "adopt")

    def guest_restart(self):
        self.world.devices[self.guest_of_mine()].restart(keep=self.random.random() < 0.5)
        done = {"node": "", "code": "OK", "invoke": time.monotonic(), "return": time.monotonic()}
        self.history.operation({"kind": "guest-restart", "writes": {}, "attempts": [done]})


def welcome(world, node, history, word, patience):
    """Adds the guests that are not there."""
    for guest in world.guests:
        operation = {"kind": "add", "client": word, "id": f"{word}-{guest}", "mode": "atomic", "async": False, "writes": {}}
        told = {"node": node.name, "invoke": time.monotonic(), "code": "OK", "outcome": None}
        options = {"address": world.address(guest), "model": "lab-1.0", **REACHED}

        def there(guest=guest, operation=operation, told=told, options=options):
            if guest not in node.targets(5):
                told["outcome"] = node.add_target(guest, operation, options, PATIENCE)
            return True

        wait(f"{guest} is there", there, patience)
        if told["outcome"]:
            history.operation({**operation, "attempts": [{**told, "return": time.monotonic()}]})


def start(world, history, seed, over):
    operators = [Operator(f"o{number}", world, history, seed, over) for number in range(1, OPERATORS + 1)]
    for operator in operators:
        operator.start()
    return operators
