"""What docs/robustness.md says of bugs that were found: the test that finds each now is there, by the name that is given."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "robustness.md").read_text()
KEPT = (ROOT / "tests" / "simulation" / "seeds.txt").read_text()
NAME, SEED = re.compile(r"`([^`]+)`"), re.compile(r"\bseed (\d+)")
TEST = re.compile(r"\b(?:fn|def) (\w+)\(")
SCENARIOS = "crates/model/src/scenario/catalogue"


def rows():
    """What the table has in its last column."""
    table = PAGE.partition("## What was found\n")[2].partition("\n## ")[0]
    return [line.rstrip(" |").rpartition(" | ")[2] for line in table.splitlines() if line.startswith("| ")][1:]


def sources(*places, kinds=("rs", "py")):
    return [file.read_text() for place in places for kind in kinds for file in sorted((ROOT / place).rglob(f"*.{kind}"))]


def test_every_test_that_finds_a_bug_is_there():
    tests = {name for source in sources("crates", "tests") for name in TEST.findall(source)}
    scenarios = {name for source in sources(SCENARIOS) for name in re.findall(r'"([a-z-]+)"', source)}
    assert len(rows()) > 20
    for row in rows():
        places = {name for name in NAME.findall(row) if name.endswith("/")}
        names = {*NAME.findall(row)} - places
        assert names or SEED.search(row) or "simulation" in row, row
        assert names <= tests | scenarios, names - tests - scenarios
        assert all((ROOT / place).is_dir() for place in places), places
        assert all(re.search(rf"^{seed} ", KEPT, re.M) for seed in SEED.findall(row)), row
