"""Chaos: three nodes, three members of etcd and fifty devices, each a real process or in one, with everything going wrong.

    make chaos DURATION=120 SEED=7

Clients write, read and roll back while a plan of faults is carried out that follows from the seed. Then all is healed, and
has to come to rest; and then what clients were told, the log, nodes and devices are held against the guarantees. The
folder of a run that fails is kept and named; a run with the same seed and length has the same plan.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "e2e"), str(HERE)]

import clients  # noqa: E402
import orders  # noqa: E402
import plan  # noqa: E402
import summary  # noqa: E402
from check import check  # noqa: E402
from ending import Ending  # noqa: E402
from history import History  # noqa: E402
from lab import DEVICE_PASSWORD  # noqa: E402
from nemesis import Nemesis  # noqa: E402
from wire import Node  # noqa: E402
from world import World, wait  # noqa: E402

PATIENCE = 60
CHECKER = HERE.parents[1] / "target" / "explore" / "lockstep-model"
SHOWN = 12
# The seed of sources that came without their history.
WITHOUT_GIT = 11


class Run:
    """One run, in a folder of its own."""

    def __init__(self, seed, duration, folder):
        self.seed, self.duration, self.folder = seed, duration, folder
        self.begun = time.monotonic()
        self.file = open(folder / "run.log", "w", buffering=1)
        self.world = World(folder)
        self.plan = plan.make(seed, duration, self.world.names)
        (folder / "plan.json").write_text("\n".join(json.dumps(fault) for fault in self.plan) + "\n")
        self.history = History(folder / "history.jsonl")
        self.nemesis = Nemesis(self.world, self.plan, self.log)
        self.clients, self.over = [], threading.Event()

    def log(self, text):
        self.file.write(f"{time.strftime('%H:%M:%S')} {time.monotonic() - self.begun:8.2f} {text}\n")

    def say(self, text):
        self.log(text)
        print(f"chaos: {text}", flush=True)

    def go(self):
        """Everything up to the evidence."""
        self.world.start()
        targets = lambda: self.world.run("n1", "target", "list")
        wait("all targets are synchronised", lambda: all(t["state"] == "synchronised" for t in targets()), PATIENCE)
        self.say(f"{len(self.world.names)} devices, {len(self.plan)} faults, {self.duration} s, seed {self.seed}")
        orders.welcome(self.world, Node("n1", self.world.listens["n1"]), self.history, "begin", PATIENCE)
        self.clients = clients.start(self.world, self.history, self.seed, self.over)
        self.clients += orders.start(self.world, self.history, self.seed, self.over)
        self.nemesis.run()
        self.nemesis.heal()
        self.over.set()
        for client in self.clients:
            client.join(PATIENCE)
        failures = [client.failure for client in self.clients if client.failure]
        if failures:
            raise failures[0]
        self.say("healed")
        healed = time.monotonic()
        ending = Ending(self.world, self.nemesis, self.history, self.say)
        ending.settle()
        self.say(f"at rest, after {time.monotonic() - healed:.0f} s")
        evidence = ending.gather()
        (self.folder / "evidence.json").write_text(json.dumps(dataclasses.asdict(evidence)))
        # Later ids may be those of claims, which have the time they were ordered at in place of the epoch.
        firsts = (next((entry["epoch"] for entry in journal if entry["epoch"]), None) for journal in evidence.journals.values())
        stores = {epoch for epoch in firsts if epoch is not None}
        if len(stores) > 1:
            # Ports are free when they are chosen; nodes of others on this machine may know them from before.
            raise RuntimeError(f"nodes of more than one store talked to these devices, epochs {sorted(stores)}: it proves nothing")
        return evidence


def against_the_model(trace):
    """What the checker finds in the steps that nodes wrote down, and what it says of them."""
    done = subprocess.run([CHECKER, "check-trace", trace], capture_output=True, text=True, check=False)
    violations = [("Trace", done.stderr.strip())] if done.returncode else []
    return violations, done.stdout.partition("good: ")[2].partition("\n")[0]


def secrets_in_logs(folder):
    """Whatever happened, no node wrote down what it shows to devices."""
    logs = [log for log in folder.glob("*/node.log") if DEVICE_PASSWORD in log.read_text(errors="replace")]
    return [("Secrets", f"the password of devices is in {log}") for log in logs]


def seed_of(text):
    """The seed that is named. Each commit has one of its own, so that time and again other plans are tried."""
    if text != "commit":
        return int(text)
    asked = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, cwd=HERE, check=False)
    return int(asked.stdout[:7], 16) if asked.returncode == 0 else WITHOUT_GIT


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duration", type=int, default=120, help="seconds of faults")
    parser.add_argument("--seed", type=seed_of, default=None, help="a number; or `commit`: another for each commit")
    parser.add_argument("--keep", action="store_true", help="keep the folder of a run that went well, too")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else random.randrange(1 << 31)
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"chaos-{seed}-"))
    run = Run(seed, given.duration, folder)
    violations, failed = [], None
    try:
        evidence = run.go()
        violations, looked = check(evidence)
        run.world.stop()
        more, steps = against_the_model(folder / "trace.jsonl")
        violations += more + secrets_in_logs(folder)
        told = evidence, looked, run.nemesis.counts, run.nemesis.failed, run.world.skipped
        run.say(summary.tell(*told) + f"\n  against the model: {steps or 'not as it allows'}")
        never = summary.missing(evidence, run.nemesis.counts, run.world.skipped, given.duration)
        violations += [("Coverage", f"{what} never happened") for what in never]
        violations += [("Coverage", f"{what}: there was nothing to look at") for what, count in looked.items() if not count]
    except Exception as error:
        failed = error
        raise
    finally:
        run.nemesis.stop()
        run.world.stop()
        for name, text in violations:
            run.log(f"VIOLATION {name}: {text}")
        for name, text in violations[:SHOWN]:
            print(f"chaos: VIOLATION {name}: {text}")
        if violations or failed:
            print(f"chaos: {len(violations)} violations; seed {seed}, everything is in {folder}")
            print(f"chaos: again: make chaos SEED={seed} DURATION={given.duration}")
        elif not given.keep:
            shutil.rmtree(folder, ignore_errors=True)
    if violations:
        sys.exit(1)
    print(f"chaos: ok, seed {seed}")


if __name__ == "__main__":
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    main()
