"""Holds the evidence of an earlier run against the guarantees once more: `again.py FOLDER`, the folder that the run named."""

import json
import pathlib
import sys

from check import Evidence, check

if __name__ == "__main__":
    evidence = Evidence(**json.loads((pathlib.Path(sys.argv[1]) / "evidence.json").read_text()))
    violations, _ = check(evidence)
    for name, text in violations:
        print(f"{name}: {text}")
    sys.exit(bool(violations))
