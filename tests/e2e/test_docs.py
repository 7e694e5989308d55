"""Every command that the documentation shows is run as it is written there: taken from the page, in its order, by one
shell for the page. page.py says how a page tells what is to be run.

Only addresses are others here, since no port is always free. What was started in the background is waited for, as a reader would."""

import json
import os
import pathlib
import re
import signal
import subprocess

import pytest

from lab import BINARY, PATIENCE, ROOT, free_ports, free_ports_in_a_row, is_free, until
from page import blocks, forgotten

PRELUDE = pathlib.Path(__file__).with_name("page.sh")
BINARIES = [ROOT / ".tools/venv/bin", BINARY.parent, ROOT / "target/explore", ROOT / "target/debug"]
PAGES = sorted(
    page.relative_to(ROOT)
    for page in [*ROOT.glob("*.md"), *(ROOT / "packaging").glob("*.md"), *(ROOT / "spec").glob("*.md"), *(ROOT / "web").glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    if page.name != "CHANGELOG.md"
)
# A command that is not waited for.
BACKGROUND = re.compile(r"&$|& +#", re.M)
PLACE = re.compile(r"(?:(?<=127\.0\.0\.1:)|(?<=localhost:)|(?<=\"127\.0\.0\.1\", ))\d+\b")
# Devices of one process have ports that follow one another.
DEVICES = range(57400, 57420)
# An address that is kept for documentation is that of a device here: 192.0.2.1 of the first, 192.0.2.2 of the next.
ELSEWHERE = re.compile(r"192\.0\.2\.(\d+):57400")


class Places:
    """The ports that a page names, and those that stand for them here."""

    def __init__(self, source):
        others = {9339, 9340, *map(int, PLACE.findall(source))} - set(DEVICES)
        self.here = dict(zip(sorted(others), free_ports(len(others))))
        first = free_ports_in_a_row(len(DEVICES))
        self.here |= {port: first + port - DEVICES.start for port in DEVICES}

    def put(self, text):
        text = ELSEWHERE.sub(lambda device: f"127.0.0.1:{DEVICES.start + int(device[1]) - 1}", text)
        return PLACE.sub(lambda port: str(self.here[int(port[0])]), text)

    def back(self, text):
        there = {here: port for port, here in self.here.items()}
        return re.sub(r"(?<=:)\d+\b", lambda port: str(there.get(int(port[0]), port[0])), text)


class Shell:
    """One shell for a page; it lives until the page ends."""

    def __init__(self, folder, page):
        self.folder, self.page, self.number = folder, page, 0
        source = (ROOT / page).read_text()
        self.places = Places(source)
        (folder / "models").symlink_to(ROOT / "models")
        env = {
            **os.environ,
            "ROOT": str(ROOT),
            "PATH": ":".join(map(str, [*BINARIES, os.environ["PATH"]])),
            "PYTHONPATH": str(pathlib.Path(__file__).parent),
            # What is asked where nothing is said, at its place here. That a node is asked without TLS, a page has to say.
            "LOCKSTEP_SERVER": f"127.0.0.1:{self.places.here[9339]}",
            "COLUMNS": "120",
        }
        env.pop("LOCKSTEP_INSECURE", None)
        self.process = subprocess.Popen(
            ["bash", "--norc"], stdin=subprocess.PIPE, cwd=folder, env=env, start_new_session=True, text=True
        )
        self.env, self.server, self.said = env, folder / ".server", None
        self.tell(self.places.put(PRELUDE.read_text()))

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def begin(self, block, ending):
        """Has the shell read a block, and say in a file how it ended."""
        self.number += 1
        name = f".block{self.number}"
        script, out, status = (self.folder / f"{name}.{kind}" for kind in ("sh", "out", "status"))
        script.write_text(self.places.put(block.text))
        self.tell(ending.format(script=script, out=out, status=status, part=f"{status}.part", server=self.server))
        return out, status

    def where(self, block, out):
        said = out.read_text() if out.exists() else ""
        logs = [f"--- {log.name}\n{log.read_text()}" for log in sorted(self.folder.glob("*.log"))]
        return f"{self.page}:{block.line}\n{block.text}\n{said}\n" + "\n".join(logs)

    def run(self, block):
        """Runs a block to its end, and gives back what it printed. It ends at the first command that fails."""
        wanted = block.marks.get("status", "0")
        strict = "set -e; trap 'echo $? > {part}; mv {part} {status}' EXIT" if wanted == "0" else ":"
        ending = strict + "; . {script} < /dev/null > {out} 2>&1; echo $? > {part}; set +e; trap - EXIT; echo \"$LOCKSTEP_SERVER\" > {server}; mv {part} {status}"
        out, status = self.begin(block, ending)
        try:
            # A tour, or three loads after each other, in one block.
            until("the block ends", status.exists, 3 * PATIENCE)
        except AssertionError:
            raise AssertionError("it does not end: " + self.where(block, out)) from None
        ended = status.read_text().strip()
        assert ended == wanted, f"it ends with {ended} and not {wanted}: {self.where(block, out)}"
        self.settle(block)
        # What goes on by itself says what it says a little later.
        self.said = (lambda: self.places.back(out.read_text())) if BACKGROUND.search(block.text) else None
        return self.places.back(out.read_text())

    def prints(self, shown, printed):
        """The first line that is shown and was not printed."""
        missing = as_printed(shown, printed)
        if missing is None or not self.said:
            return missing
        until(f"{missing!r} is printed", lambda: as_printed(shown, self.said()) is None)

    def run_until(self, block):
        """Runs what goes on by itself until it says what it should, then ends it."""
        ending = "set -m; ( . {script} ) < /dev/null > {out} 2>&1 & echo $! > {part}; set +m; mv {part} {status}"
        out, status = self.begin(block, ending)
        until("it has begun", status.exists)
        try:
            until("it is said", lambda: block.marks["until"] in self.places.back(out.read_text()))
        except AssertionError:
            raise AssertionError(self.where(block, out)) from None
        finally:
            os.killpg(int(status.read_text()), signal.SIGKILL)
        self.said = None
        return self.places.back(out.read_text())

    def settle(self, block):
        """Waits for what was started: whoever listens, and targets that are being brought in line."""
        if BACKGROUND.search(block.text):
            for port in map(int, PLACE.findall(block.text)):
                port = self.places.here[port]
                until(f"somebody listens on {port}: {block.text}", lambda: not is_free(port))
            if "lockstep serve" in block.text:
                until("the node answers", lambda: self.targets() is not None)
        if not is_free(int(self.server.read_text().rpartition(":")[2])):
            try:
                until("the targets are in line", lambda: all(self.stands(target, block) for target in self.targets()))
            except AssertionError as error:
                raise AssertionError(f"{error}\n{self.where(block, self.folder / '.none')}") from None

    def ask(self, *arguments):
        env = {**self.env, "LOCKSTEP_INSECURE": "true", "LOCKSTEP_SERVER": self.server.read_text().strip()}
        return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=PATIENCE, env=env)

    def targets(self):
        """The targets of the node; of one that wants to know who asks: none that could be waited for."""
        done = self.ask("target", "list", "--output", "json")
        if done.returncode and "UNAUTHENTICATED" in done.stderr:
            return []
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def stands(self, target, block):
        if not target["address"].startswith("127.0.0.1:") or target["state"] in ("drifted", "paused", "failed"):
            return True
        if target["state"] != "synchronised":
            return False
        # A restart is noticed a moment after it has happened.
        restarted = "sim restart" in block.text
        return not restarted or self.ask("diff", target["name"]).stdout.strip() == "there is no difference"

    def end(self):
        self.process.stdin.close()
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


def as_printed(shown, printed):
    """The first line of what is shown that was not printed, in this order; … is anything, and so is the space between words."""
    lines = iter(printed.splitlines())
    for line in filter(str.strip, shown.splitlines()):
        parts = [r"\s+".join(map(re.escape, part.split())) for part in line.split("…")]
        pattern = re.compile(r"\s*" + r"\s*.*?\s*".join(parts) + r"\s*$")
        if not any(pattern.match(found) for found in lines):
            return line
    return None


@pytest.mark.parametrize("page", [page for page in PAGES if any(b.is_run for b in blocks((ROOT / page).read_text()))], ids=str)
def test_what_is_shown_works(page, tmp_path):
    shell = Shell(tmp_path, page)
    printed = None
    try:
        for block in blocks((ROOT / page).read_text()):
            if block.name and block.language != "sh":
                (tmp_path / block.name).write_text(shell.places.put(block.text))
            elif block.is_run:
                printed = shell.run_until(block) if "until" in block.marks else shell.run(block)
            elif block.language == "text" and printed is not None:
                missing = shell.prints(block.text, printed)
                assert missing is None, f"{page}:{block.line}: not printed: {missing!r}\nin:\n{printed}"
    finally:
        shell.end()


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_nothing_that_is_shown_is_left_out(page):
    lost = forgotten((ROOT / page).read_text())
    assert not lost, f"{page}: commands outside of ```sh; page.py says what to do about them: {lost}"


class Reference:
    """The commands that there are, each with its flags, from the page that is made of them."""

    def __init__(self):
        self.flags, name = {}, ""
        for line in (ROOT / "docs/reference/cli.md").read_text().splitlines():
            if line.startswith("## "):
                name = line[3:]
            if row := re.match(r"\| `(-[^`]*)`", line):
                self.flags.setdefault(name, set()).update(re.findall(r"(?<!\S)--?[a-z][a-z-]*", row[1]))
            elif line.startswith("## "):
                self.flags.setdefault(name, set())
        self.flags["help"] = set()

    def wrong(self, command):
        """What of a command there is not."""
        words = command.split()[1:]
        name = words[0]
        if name not in self.flags:
            return name
        has_parts = any(known.startswith(f"{name} ") for known in self.flags)
        if has_parts and len(words) > 1 and re.fullmatch(r"[a-z]+", words[1]):
            name = f"{name} {words[1]}"
            if name not in self.flags:
                return name
        known = self.flags[name] | self.flags[words[0]] | self.flags["Everywhere"]
        flags = (re.match(r"\[?(--?[a-z][a-z-]*)", word) for word in words)
        return next((flag[1] for flag in flags if flag and flag[1] not in known), None)


def told_of(source):
    """The commands that a page tells of without running them."""
    yield from re.findall(r"`(lockstep [a-z][^`]*)`", source)
    for block in blocks(source):
        if block.language == "sh" and not block.is_run:
            yield from re.findall(r"^(?:sudo )?(lockstep [a-z][^|>#\n]*)", block.text, re.M)


def test_a_command_that_there_is_not_would_be_found():
    reference = Reference()
    there = ["lockstep tx list --status reverted", "lockstep set leaf1 --update x", "lockstep sim refuse a --tls-ca b", "lockstep help set", "lockstep cancel N"]
    assert [reference.wrong(command) for command in there] == [None] * len(there)
    gone = {"lockstep undo 7": "undo", "lockstep tx lists": "tx lists", "lockstep tx list --stats x": "--stats", "lockstep serve --update": "--update"}
    assert {command: reference.wrong(command) for command in gone} == gone


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_commands_that_are_told_of_are_there(page):
    reference = Reference()
    lost = [command for command in told_of((ROOT / page).read_text()) if reference.wrong(command)]
    assert not lost, f"{page}: {lost}"


def test_what_an_alert_says_is_to_be_done_can_be_done():
    reference = Reference()
    actions = re.findall(r"^ +action: (.*)$", (ROOT / "packaging/alerts.yaml").read_text(), re.M)
    commands = [command for action in actions for command in re.findall(r"(?<![-\w])lockstep [a-z][^;,.)]*", action)]
    assert len(commands) > 10
    lost = [command for command in commands if reference.wrong(command)]
    assert not lost, lost


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_somewhere(page):
    source = (ROOT / page).read_text()
    lost = []
    for link in re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"", source):
        link = "".join(link)
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        there = (ROOT / page).parent / file if file else ROOT / page
        if not there.exists():
            lost.append(link)
        elif anchor and there.suffix == ".md" and anchor not in anchors(there.read_text()):
            lost.append(link)
    assert not lost, f"{page}: {lost}"


def anchors(source):
    """What headings are called in links."""
    titles = re.findall(r"^#+ (.*)$", source, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
