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
import followers  # noqa: E402
import orders  # noqa: E402
import plan  # noqa: E402
import summary  # noqa: E402
from check import check  # noqa: E402
from ending import Ending  # noqa: E402
from history import History  # noqa: E402
from lab import BINARY, DEVICE_PASSWORD  # noqa: E402
from nemesis import Nemesis  # noqa: E402
from panics import panics  # noqa: E402
from wire import Node  # noqa: E402
from world import NODES, World, wait  # noqa: E402

PATIENCE = 60
CHECKER = HERE.parents[1] / "target" / "explore" / "lockstep-model"
SHOWN = 12


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
        self.clients, self.followers, self.over, self.rested = [], [], threading.Event(), None

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
        self.followers = followers.start(self.world, self.history, self.seed)
        self.clients = clients.start(self.world, self.history, self.seed, self.over)
        self.clients += orders.start(self.world, self.history, self.seed, self.over)
        self.nemesis.run()
        self.nemesis.heal()
        self.over.set()
        for client in self.clients:
            client.join(PATIENCE)
        self.fail_as_they_did()
        self.say("healed")
        healed = time.monotonic()
        ending = Ending(self.world, self.nemesis, self.history, self.say)
        ending.settle()
        self.rested = time.monotonic() - healed
        self.say(f"at rest, after {self.rested:.0f} s")
        evidence = ending.gather(self.followers)
        self.fail_as_they_did()
        (self.folder / "evidence.json").write_text(json.dumps(dataclasses.asdict(evidence)))
        # Later ids may be those of claims, which have the time they were ordered at in place of the epoch.
        firsts = (next((entry["epoch"] for entry in journal if entry["epoch"]), None) for journal in evidence.journals.values())
        stores = {epoch for epoch in firsts if epoch is not None}
        if len(stores) > 1:
            # Ports are free when they are chosen; nodes of others on this machine may know them from before.
            raise RuntimeError(f"nodes of more than one store talked to these devices, epochs {sorted(stores)}: it proves nothing")
        return evidence

    def fail_as_they_did(self):
        """What a client cannot make sense of ends the run."""
        failures = [client.failure for client in [*self.clients, *self.followers] if client.failure]
        if failures:
            raise failures[0]


def against_the_model(trace):
    """What the checker finds in the steps that nodes wrote down, and what it says of them."""
    done = subprocess.run([CHECKER, "check-trace", trace], capture_output=True, text=True, check=False)
    said = done.stdout.partition("good: ")[2].partition("\n")[0]
    if done.returncode:
        return [("Trace", done.stderr.strip())], said
    return [("Coverage", what) for what in summary.hollow(said, len(NODES))], said


def what_no_log_has(folder):
    """Whatever happened: no node wrote down what it shows to devices, and nobody panicked, not even where that was caught."""
    for log in sorted(folder.rglob("*.log")):
        content = log.read_bytes()
        if log.name == "node.log" and DEVICE_PASSWORD.encode() in content:
            yield "Secrets", f"the password of devices is in {log}"
        yield from (("Panics", f"{log.relative_to(folder)}: {place}") for place in panics(content))


def built():
    """What was built of the sources, from which of them, as far as that can be told."""
    asked = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, cwd=HERE, check=False)
    commit = asked.stdout.strip() if asked.returncode == 0 else "of sources without their history"
    return f"commit {commit}, {BINARY.resolve().parent.name} build"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duration", type=int, default=120, help="seconds of faults")
    parser.add_argument("--seed", type=int, default=None, help="the number that the plan follows from; without it: any")
    parser.add_argument("--keep", action="store_true", help="keep the folder of a run that went well, too: summary.md has its tables")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else random.randrange(1 << 31)
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"chaos-{seed}-"))
    run = Run(seed, given.duration, folder)
    violations, failed = [], None
    try:
        evidence = run.go()
        violations, looked = check(evidence)
        run.nemesis.stop()
        run.world.stop()
        more, steps = against_the_model(folder / "trace.jsonl")
        violations += [*more, *what_no_log_has(folder)]
        told = evidence, looked, run.nemesis.counts, run.nemesis.failed, run.world.skipped
        steps = f"against the model: {steps or 'not as it allows'}"
        run.say(summary.tell(*told) + f"\n  {steps}")
        never = summary.missing(evidence, run.nemesis.counts, run.world.skipped, given.duration)
        violations += [("Coverage", f"{what} never happened") for what in never]
        violations += [("Coverage", f"{what}: there was nothing to look at") for what in summary.idle(looked, given.duration)]
        about = f"`make chaos DURATION={given.duration} SEED={seed}`, {built()}: {len(violations) or 'no'} violations"
        page = f"#### Seed {seed}\n\n{about}; at rest {run.rested:.0f} s after all was healed; {steps}.\n\n{summary.markdown(*told)}"
        (folder / "summary.md").write_text(page)
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
    print(f"chaos: ok, seed {seed}, {built()}")


if __name__ == "__main__":
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    main()
