"""Drives a device, or a node in front of one, with cisco-gnmi, and says what it heard. Run by an interpreter of its own: that package needs a
protobuf that is too old for the other tests here."""

import json
import queue
import sys

import grpc
from cisco_gnmi import Client
from cisco_gnmi.proto import gnmi_pb2

TEXT = "said by cisco-gnmi"


def leaf(text):
    return gnmi_pb2.TypedValue(json_ietf_val=json.dumps(text).encode())


def heard(messages):
    """The values up to the first sync."""
    values = []
    for message in messages:
        if message.sync_response:
            return values
        values += [json.loads(update.val.json_ietf_val) for update in message.update.update]
    raise AssertionError("no sync")


def main(address, target=""):
    with grpc.insecure_channel(address) as channel:
        client = Client(channel)
        path = client.parse_xpath_to_gnmi_path("/system/motd")
        # A node has many targets. This client has no word for that but in the path itself.
        path.target = target
        models = [model.name for model in client.capabilities().supported_models]
        client.set(updates=[gnmi_pb2.Update(path=path, val=leaf("first"))])
        client.set(replaces=[gnmi_pb2.Update(path=path, val=leaf(TEXT))])
        got = client.get(paths=[path], data_type="CONFIG", encoding="JSON_IETF")
        got = [json.loads(one.update[0].val.json_ietf_val) for one in got.notification]
        wanted = dict(subscription=[gnmi_pb2.Subscription(path=path, mode="ON_CHANGE")], encoding="JSON_IETF")
        once = heard(client.subscribe(iter([gnmi_pb2.SubscriptionList(mode="ONCE", **wanted)])))
        polls = queue.SimpleQueue()
        polls.put(gnmi_pb2.SubscriptionList(mode="POLL", **wanted))
        poll = client.subscribe(iter(polls.get, None))
        polled = heard(poll)
        polls.put(gnmi_pb2.Poll())
        polled += heard(poll)
        polls.put(None)
        stream = client.subscribe(iter([gnmi_pb2.SubscriptionList(mode="STREAM", **wanted)]))
        streamed = heard(stream)
        client.set(updates=[gnmi_pb2.Update(path=path, val=leaf("changed"))])
        changed = [json.loads(update.val.json_ietf_val) for update in next(stream).update.update]
        client.set(deletes=[path])
        deleted = len(next(stream).update.delete)
        stream.cancel()
    said = dict(models=models, got=got, once=once, polled=polled, streamed=streamed, changed=changed, deleted=deleted)
    print(json.dumps(said))


main(*sys.argv[1:])
