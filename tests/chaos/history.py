"""What was asked and what was answered, with times that only measure how long things took. One line of JSON each, so that
a run that is cut off leaves what it has."""

import itertools
import json
import threading
import time


class History:
    """Written by many, read when all is over."""

    def __init__(self, path):
        self.file, self.lock, self.numbers = open(path, "w"), threading.Lock(), itertools.count(1)
        self.operations, self.sightings, self.glimpses, self.tales = [], [], [], []
        # What turns such a time into a time of day, which is what devices write down.
        self.wall = time.time() - time.monotonic()
        self.write("wall", self.wall)

    def write(self, kind, content):
        with self.lock:
            self.file.write(json.dumps({kind: content}) + "\n")
            self.file.flush()

    def operation(self, operation):
        """An operation with all its attempts, when its client is done with it."""
        operation["number"] = next(self.numbers)
        self.operations.append(operation)
        self.write("operation", operation)

    def tale(self, tale):
        """What a subscriber was told on one stream, when that has ended."""
        self.tales.append(tale)
        self.write("tale", tale)

    def glimpse(self, glimpse):
        """Which transactions had no outcome yet at a node."""
        self.glimpses.append(glimpse)
        self.write("glimpse", glimpse)

    def sighting(self, sighting):
        """What a node showed of its targets."""
        self.sightings.append(sighting)
        self.write("sighting", sighting)
