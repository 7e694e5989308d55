"""Followers: each has one node after the other tell it of every change, and writes down how each target stood after each message."""

import threading
import time

import grpc

import registers
from clients import UNCLEAR, Client

FOLLOWERS = 2


class Follower(Client):
    """Goes to another node when a stream ends. What was told before everything was is of no time in particular, so only what it
    comes to counts."""

    every = 0.5

    def __init__(self, *given):
        super().__init__(*given)
        self.tale, self.call, self.lock = None, None, threading.Lock()

    def act(self):
        node = self.random.choice(list(self.nodes))
        self.tale = {"node": node, "begin": time.monotonic(), "told": []}
        with self.lock:
            if self.over.is_set():
                return
            self.call = self.nodes[node].follow()
        try:
            self.listen()
        except grpc.RpcError as error:
            if error.code().name not in UNCLEAR:
                raise
        finally:
            self.history.tale(self.tale)

    def listen(self):
        held, synced = {target: {} for target in self.world.names}, False
        for message in self.call:
            now, target = time.monotonic(), message.update.prefix.target
            if message.sync_response:
                synced = True
                self.tale["told"] += [[now, target, dict(values)] for target, values in held.items()]
            elif target in held and message.HasField("update"):
                registers.take_in(held[target], message.update)
                if synced:
                    self.tale["told"].append([now, target, dict(held[target])])

    def holds(self):
        """How each target stands by now, as far as it was told."""
        told = list(self.tale["told"]) if self.tale else []
        return {target: values for _, target, values in told}

    def stop(self):
        with self.lock:
            self.over.set()
            if self.call:
                self.call.cancel()


def start(world, history, seed):
    """They go on until they are stopped, so that they are told of the end as well."""
    make = lambda number: Follower(f"f{number}", world, history, seed, threading.Event())
    followers = [make(number) for number in range(1, FOLLOWERS + 1)]
    for follower in followers:
        follower.start()
    return followers
