"""The whole comparison in one go: `make bench`.

Figures go to bench/results/latest.json as they come, so that what was measured is kept if it is ended early; then
docs/performance.md is written from them. `--quick` takes minutes less and smaller sizes, and writes no page.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import platform
import subprocess
import time

import measures
import report
from network import MODULES, OPENCONFIG, ROOT

RESULTS = ROOT / "bench" / "results"


@dataclasses.dataclass
class Plan:
    """How much is measured."""

    quick: bool
    rounds: int
    seconds: float


def main():
    names = [measure.__name__ for measure in measures.ALL] + ["cluster"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round, shorter and smaller")
    parser.add_argument("--rounds", type=int, help="how often everything is measured")
    parser.add_argument("--only", nargs="+", choices=names, metavar="MEASURE", help=f"only these of {', '.join(names)}")
    parser.add_argument("--report", action="store_true", help="write the page from what was measured last")
    asked = parser.parse_args()
    if not asked.report:
        measure(asked, names)
    if not asked.quick:
        report.write(json.loads((RESULTS / "latest.json").read_text()))
        print("wrote docs/performance.md")


def measure(asked, names):
    for module in MODULES if OPENCONFIG else []:
        if not any(pathlib.Path(OPENCONFIG).rglob(f"{module}*.yang")):
            raise SystemExit(f"LOCKSTEP_OPENCONFIG: there is no {module} in {OPENCONFIG}; name the folder that has all of them")
    plan = Plan(asked.quick, asked.rounds or (1 if asked.quick else 3), 1.0 if asked.quick else 3.0)
    path = RESULTS / ("quick.json" if asked.quick else "latest.json")
    RESULTS.mkdir(exist_ok=True)
    # Where only some are measured, the others are kept from before.
    kept = json.loads(path.read_text()) if asked.only and path.exists() else {"measures": {}}
    results = {"made": {}, **kept, "machine": machine(), "plan": dataclasses.asdict(plan)}
    begun = time.monotonic()
    for one in [measure for measure in measures.ALL if measure.__name__ in (asked.only or names)]:
        name = one.__name__
        say(begun, name, one.__doc__.split("\n")[0])
        results["measures"][name], since = [], time.monotonic()
        for point in one(plan):
            results["measures"][name].append(point)
            say(begun, name, "  ".join(f"{key} {shown(figure)}" for key, figure in point.items()))
        keep(path, results, name, since)
    if "cluster" in (asked.only or names):
        import many

        say(begun, "cluster", "many devices, two nodes, three members of etcd")
        count, since = 50 if asked.quick else 1000, time.monotonic()
        results["measures"]["cluster"] = [dict(zip(("what", "figure", "beside", "aim"), row)) for row in many.rows(count)]
        keep(path, results, "cluster", since)
    results["machine"]["seconds"] = round(time.monotonic() - begun)
    path.write_text(json.dumps(results, indent=1))
    print(f"measured in {time.monotonic() - begun:.0f} s; kept in {path.relative_to(ROOT)}")


def keep(path, results, name, since):
    """Keeps what was measured, with what of and when: the next run may measure something else."""
    of = {key: results["machine"][key] for key in ("commit", "crates", "dirty", "openconfig")}
    results["made"][name] = {**of, "date": today(), "seconds": round(time.monotonic() - since)}
    path.write_text(json.dumps(results, indent=1))


def say(begun, name, text):
    print(f"{time.monotonic() - begun:6.0f} s  {name:10}  {text}", flush=True)


def shown(figure):
    return f"{figure:.4g}" if isinstance(figure, float) else str(figure)


def machine():
    """What it was measured on; how busy it was shows how much to think of the figures."""
    with open("/proc/cpuinfo") as cpuinfo:
        models = [line.split(":", 1)[1].strip() for line in cpuinfo if line.startswith("model name")]
    return {
        "cores": os.cpu_count(),
        "cpu": models[0] if models else platform.machine(),
        "load": os.getloadavg()[0],
        "commit": git("rev-parse", "--short=12", "HEAD"),
        # The same as long as no code is changed, whatever becomes of the commit.
        "crates": git("rev-parse", "--short=12", "HEAD:crates"),
        "dirty": bool(git("status", "--porcelain", "--", "crates", "Cargo.lock")),
        "date": today(),
        "openconfig": bool(OPENCONFIG),
    }


def git(*arguments):
    return subprocess.run(["git", *arguments], capture_output=True, text=True, cwd=ROOT, check=False).stdout.strip()


def today():
    return time.strftime("%Y-%m-%d", time.gmtime())


if __name__ == "__main__":
    main()
