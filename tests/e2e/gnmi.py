"""gNMI messages as a test wants them, for what pygnmi's client has no words for."""

import contextlib
import json
import queue
import threading

import grpc
import pytest
from pygnmi.spec.v080 import gnmi_ext_pb2, gnmi_pb2

from lab import PATIENCE, code, field, message

SECOND = 1_000_000_000


def place(text, target="", origin=""):
    """A path with keys: `/interfaces/interface[name=eth1/1]/mtu`."""
    elements, name, key, keys, depth = [], "", "", {}, 0
    for char in text + "/":
        if char == "[" and depth == 0:
            depth, key = 1, ""
        elif char == "]" and depth == 1:
            depth = 0
            left, right = key.split("=", 1)
            keys[left] = right
        elif depth == 1:
            key += char
        elif char == "/":
            if name:
                elements.append(gnmi_pb2.PathElem(name=name, key=keys))
            name, keys = "", {}
        else:
            name += char
    return gnmi_pb2.Path(elem=elements, target=target, origin=origin)


def text(path):
    """The same, back."""
    keys = lambda elem: "".join(f"[{key}={value}]" for key, value in sorted(elem.key.items()))
    return "".join(f"/{elem.name}{keys(elem)}" for elem in path.elem)


def value(typed):
    """The value of an update, whatever it is encoded as."""
    kind = typed.WhichOneof("value")
    if kind in ("json_ietf_val", "json_val"):
        return json.loads(getattr(typed, kind))
    if kind == "leaflist_val":
        return [value(each) for each in typed.leaflist_val.element]
    return getattr(typed, kind)


def whole(notification, path):
    """A path of a notification with its prefix."""
    return text(notification.prefix) + text(path)


def leaves(notifications):
    """What notifications say, by target and path; what is gone is None."""
    said = {}
    for one in notifications:
        for path in one.delete:
            said[one.prefix.target, whole(one, path)] = None
        for update in one.update:
            said[one.prefix.target, whole(one, update.path)] = value(update.val)
    return said


def depth(level):
    """The depth extension."""
    return gnmi_ext_pb2.Extension.FromString(field(5, field(1, level)))


def snapshot(time):
    """The history extension, for one time."""
    return gnmi_ext_pb2.Extension.FromString(field(3, field(1, time)))


def between(start, end):
    """The history extension, for a range."""
    return gnmi_ext_pb2.Extension.FromString(field(3, field(2, field(1, start) + field(2, end))))


def configuration_only():
    """The config-subscription extension."""
    return gnmi_ext_pb2.Extension.FromString(field(6, field(1, b"")))


def commit(id_, action, seconds=None):
    """The commit extension: commit, confirm, cancel or set_rollback_duration."""
    number = {"commit": 2, "confirm": 3, "cancel": 4, "set_rollback_duration": 5}[action]
    body = b"" if seconds is None else field(1, field(1, seconds))
    return gnmi_ext_pb2.Extension.FromString(field(4, field(1, id_) + field(number, body)))


def registered(number, content):
    """An extension by number."""
    return gnmi_ext_pb2.Extension(registered_ext=gnmi_ext_pb2.RegisteredExtension(id=number, msg=content))


def subscription(path="/", mode="ON_CHANGE", target="", origin="", **more):
    mode = gnmi_pb2.SubscriptionMode.Value(mode)
    return gnmi_pb2.Subscription(path=place(path, target, origin), mode=mode, **more)


def request(*subscriptions, mode="STREAM", target="leaf1", prefix="", encoding="JSON_IETF", extensions=(), **more):
    given = [one if isinstance(one, gnmi_pb2.Subscription) else subscription(one) for one in subscriptions]
    models = [gnmi_pb2.ModelData(name=name) for name in more.pop("models", ())]
    wanted = gnmi_pb2.SubscriptionList(
        prefix=place(prefix, target),
        subscription=given,
        mode=gnmi_pb2.SubscriptionList.Mode.Value(mode),
        encoding=gnmi_pb2.Encoding.Value(encoding),
        use_models=models,
        **more,
    )
    return gnmi_pb2.SubscribeRequest(subscribe=wanted, extension=extensions)


POLL = gnmi_pb2.SubscribeRequest(poll=gnmi_pb2.Poll())


class Subscriber:
    """A Subscribe call whose messages are sent when the test says so."""

    def __init__(self, stub, first):
        self.requests = queue.SimpleQueue()
        self.call = stub.Subscribe(iter(self.requests.get, None), timeout=PATIENCE)
        if first is not None:
            self.send(first)

    def send(self, message):
        self.requests.put(message)

    def close(self):
        """Ends the client's half."""
        self.requests.put(None)

    def next(self):
        return next(self.call)

    def update(self):
        """The next notification."""
        message = self.next()
        assert message.HasField("update"), message
        return message.update

    def until_sync(self):
        """The notifications up to the next sync."""
        found = []
        while True:
            message = self.next()
            if message.sync_response:
                return found
            found.append(message.update)

    def synced(self):
        return leaves(self.until_sync())

    def fails(self, wanted):
        """Reads to the end, which must be this error; gives its words."""
        with pytest.raises(grpc.RpcError) as caught:
            for _ in self.call:
                pass
        assert caught.value.code() == wanted, caught.value
        return caught.value.details()

    def ends(self):
        """Reads to the end, which must be a good one."""
        return list(self.call)


@contextlib.contextmanager
def subscribed(lab, first):
    with lab.stub() as stub:
        subscriber = Subscriber(stub, first)
        try:
            yield subscriber
        finally:
            subscriber.call.cancel()
            subscriber.close()


def once(lab, *subscriptions, **more):
    """What stands, by target and path."""
    with subscribed(lab, request(*subscriptions, mode="ONCE", **more)) as subscriber:
        return subscriber.synced()


def refused(lab, wanted, first):
    with subscribed(lab, first) as subscriber:
        return subscriber.fails(wanted)


def fails(wanted, call):
    """A call that must fail with this code; gives its words."""
    with pytest.raises(Exception) as caught:
        call()
    assert code(caught.value) == wanted, message(caught.value)
    return message(caught.value)


def each(count, work):
    """Does work so many times at once, and gives what came of each."""
    results = [None] * count

    def one(number):
        results[number] = work(number)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
