"""What a page of the documentation shows: its blocks of code, in their order, and what its source says of them.

A block is fenced and names its language:

    ```sh            is run, by one shell for the whole page, as it is written
    ```text          right behind it: each of its lines is among what was printed, in this order; … stands for anything.
                     What tells a story with commands in it prints them as "$ command"
    ```python x.py   is written to a file of that name; so is anything else with a name behind its language

A line above a block tells readers, too, that it is not run, and why:

    *Not run by the tests: it takes root.*

Comments in the source, which readers do not see, say what cannot be seen from a block:

    <!-- run: … -->       commands as well, for what a page takes as given
    <!-- status: 4 -->    the block below ends with this status, and not with 0
    <!-- until: … -->     the block below goes on by itself; it is ended once it has printed this
"""

import dataclasses
import re

MARKS = ("run", "status", "until")
NOT_RUN = re.compile(r"^\*Not run by the tests: (.+)\*$")
FENCE = re.compile(r"^```(\S*) ?(\S*)$")
MARK = re.compile(rf"^<!-- ({'|'.join(MARKS)}):(.*?)-->$", re.M | re.S)
# What looks like a command; where it is not in a block that is run, somebody forgot to say so.
COMMAND = re.compile(
    r"^\s*(?:\$ )?(?:[A-Z_]+=\S+ )*(?:sudo )?"
    r"(?:lockstep(?:-\w+)?|curl|make|cargo|export|pygnmicli|gnmic|etcd|etcdctl|docker|podman|kubectl|systemctl|apt(?:-get)?|dpkg|openssl|python3?|node|spec/run)"
    r"(?: [^:=|]|$)"
)


@dataclasses.dataclass
class Block:
    line: int
    language: str
    name: str
    text: str
    marks: dict

    @property
    def is_run(self):
        return self.language == "sh" and "not run" not in self.marks


def blocks(source):
    """The blocks of a page; what a comment runs is one, too."""
    found, marks, open_at = [], {}, None
    lines = source.splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("<!--"):
            end = next(place for place in range(at, len(lines)) if "-->" in lines[place])
            comment = "\n".join(lines[at : end + 1]).strip()
            at = end + 1
            mark = MARK.match(comment)
            if mark is None:
                continue
            if mark[1] == "run":
                found.append(Block(at, "sh", "", mark[2].strip("\n") + "\n", {}))
            else:
                marks[mark[1]] = mark[2].strip()
            continue
        if NOT_RUN.match(line):
            marks["not run"] = NOT_RUN.match(line)[1]
        fence = FENCE.match(line)
        if fence is None:
            at += 1
            continue
        end = next(place for place in range(at + 1, len(lines)) if lines[place].startswith("```"))
        text = "".join(f"{inside}\n" for inside in lines[at + 1 : end])
        found.append(Block(at + 1, fence[1], fence[2], text, marks))
        marks, at = {}, end + 1
    assert not marks, f"nothing below it that it could be about: {marks}"
    return found


def forgotten(source):
    """Lines that look like commands and are in code that is neither run nor said not to be."""
    fenced, lost = False, []
    spoken_for = set()
    any_run = False
    for block in blocks(source):
        any_run |= block.is_run
        if block.language == "text" and any_run:
            # A command that has to be printed with its prompt is part of a story that is run.
            told = (at for at, line in enumerate(block.text.splitlines(), block.line + 1) if line.lstrip().startswith("$ "))
            spoken_for |= set(told)
        if block.language == "sh" or "not run" in block.marks or block.name:
            spoken_for |= set(range(block.line, block.line + block.text.count("\n") + 1))
    for number, line in enumerate(source.splitlines(), 1):
        fenced ^= line.startswith("```")
        code = fenced or line.startswith("    ")
        if code and number not in spoken_for and COMMAND.match(line):
            lost.append((number, line.strip()))
    return lost
