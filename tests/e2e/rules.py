"""The table of rules and the tests that hold them: docs/gnmi-rules.md. With --write it is written, otherwise compared."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs" / "gnmi-rules.md"
TAG = re.compile(r"^\s*(?:#|//) rule: (.+)$")
TEST = re.compile(r"^\s*(?:def|(?:async )?fn) (\w+)")
HEAD = """# gNMI: every rule and its tests

Made by `make gnmi-rules` from `tests/e2e/rules.txt` and the `rule:` tags of the tests; a test holds it to that.
[gnmi.md](gnmi.md) says how gNMI is served.
"""


def rules():
    """Sections in their order: (title, [(id, sentence)])."""
    sections = []
    for line in pathlib.Path(__file__).with_name("rules.txt").read_text().splitlines():
        if line.startswith("## "):
            sections.append((line[3:], []))
        elif line and not line.startswith("#"):
            name, _, sentence = line.partition(" | ")
            sections[-1][1].append((name, sentence))
    return sections


def tests():
    """The tests of each rule: id to (file, test)."""
    found = {}
    files = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "crates").rglob("*.rs")]
    for file in sorted(files):
        waiting = []
        for line in file.read_text().splitlines():
            if tag := TAG.match(line):
                waiting += [name.strip() for name in tag[1].split(",")]
            elif waiting and (test := TEST.match(line)):
                for name in waiting:
                    found.setdefault(name, []).append((file.relative_to(ROOT), test[1]))
                waiting = []
    return found


def table():
    found, lines = tests(), [HEAD]
    for title, members in rules():
        lines += [f"## {title}\n", "| rule | | tests |", "|---|---|---|"]
        for name, sentence in members:
            named = [f"[{test}](../{file})" for file, test in found.get(name, [])]
            lines.append(f"| {name} | {sentence} | {', '.join(named)} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def main():
    if "--write" in sys.argv:
        TABLE.write_text(table())
    elif TABLE.read_text() != table():
        sys.exit("docs/gnmi-rules.md does not fit; run `make gnmi-rules`")


if __name__ == "__main__":
    main()
