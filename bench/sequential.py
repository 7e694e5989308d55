"""The script that many networks are configured with: one device after the other, with pygnmi."""

import json
import sys
import time

from pygnmi.client import gNMIclient

PATH = "/interfaces/interface[name=bench0]/description"


def connected(port):
    client = gNMIclient(target=("127.0.0.1", port), insecure=True)
    client.connect()
    return client


def main():
    first, count = int(sys.argv[1]), int(sys.argv[2])
    ports = range(first, first + count)
    update = lambda text: [(PATH, json.dumps(text))]
    begun = time.monotonic()
    clients = []
    for port in ports:
        clients.append(connected(port))
        clients[-1].set(update=update("cold"), encoding="json_ietf")
    cold = time.monotonic() - begun
    begun = time.monotonic()
    for client in clients:
        client.set(update=update("warm"), encoding="json_ietf")
    warm = time.monotonic() - begun
    for client in clients:
        client.close()
    print(json.dumps({"cold_milliseconds": cold * 1000, "warm_milliseconds": warm * 1000}))


if __name__ == "__main__":
    main()
