"""The command line: what every command writes, held to files; and what it does on a terminal.

LOCKSTEP_WRITE=1 writes the files anew, to be looked at."""

import json
import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import threading
import time

import pytest

from lab import BINARY, MODELS, PATIENCE, until

GOLDEN = pathlib.Path(__file__).with_name("golden")

CHANGE = """\
leaf1: {update: {/system/motd: hello, "/vlans/vlan[id=7]/name": seven}}
leaf2: {update: {/system/motd: hello}}
"""

# In this order: each finds what those before it left. What a line with `!` writes depends on how fast devices are.
SCRIPT = """
target list
target show leaf1
target list --state failed
node list
model list
tx list
set -f change.yaml --dry-run
set -f change.yaml --dry-run --output json
set -f change.yaml --comment "a banner"
set leaf1 --update /system/motd=again --output json
set leaf1 --update /nonsense=1
set leaf1
set nowhere --update /system/motd=x
set leaf1 --update "/interfaces/interface[name=eth1]/access-vlan=77"
set leaf1 --update "/interfaces/interface[name=eth1]/access-vlan=77" --dry-run
get leaf1 /system
get leaf1 /system --side 1
get leaf1 /system --side device
get leaf1 /system --side outside
get nowhere
diff leaf1
diff leaf1 --from 1
diff leaf1 --from 1 --output json
diff leaf1 leaf2
diff leaf1 leaf2 --path /system
tx list
tx list --kind change --comment BANNER
tx list --status reverted
tx list --limit 1 --output json
tx show 1
tx show 1 --diff
tx show 1 --diff --output json
tx show 3
tx show 99
tx watch 1
tx watch 99
rollback 1 --dry-run
rollback 1
rollback 2 --dry-run
rollback 2 --yes
restore 2 --target leaf1 --dry-run
restore 2 --target leaf1 --yes
set leaf1 --update /system/motd=maybe --confirm 600
tx show 7
confirm 7
confirm 7
cancel 7
set leaf1 --update /system/motd=perhaps --confirm 600
set leaf1 --update /system/motd=not
cancel 8
target pause leaf1
set leaf1 --update /system/motd=later
set leaf1 --update /system/motd=later --queued --async
tx show 10
tx list --status committed
cancel 10
tx list --limit 4
! target resume leaf1
set leaf1 --update "/interfaces/interface[name=eth1]/access-vlan=77" --output json
set leaf1 --update /system/motd=x --comment "one\tline"
set
set --update /system/motd=x
target sync leaf2 --yes
target adopt leaf2 --yes
target claim leaf2 --yes
target sync nowhere
target adopt nowhere --yes
target claim nowhere --yes
target import gnmic.yaml --dry-run
target import gnmic.yaml --model lab-1.0 --yes
! target show leaf9
target remove leaf9 --yes
target import nowhere.yaml
! store export --file backup.jsonl
store import ./copy --file backup.jsonl
store check ./copy
store check ./copy --output json
store import ./copy --file backup.jsonl
store export --file backup.jsonl
store check nowhere
completions klingon
target set leaf1 --model lab-2.0
target add leaf1 --address 127.0.0.1:1
target remove nowhere
--server 127.0.0.1:1 target list
tx lst
"""


def plain(lab, text):
    """Without what is different each time."""
    for name, port in lab.ports.items():
        text = text.replace(f"127.0.0.1:{port}", f"ADDRESS-OF-{name}")
    text = text.replace(f"127.0.0.1:{lab.port}", "NODE")
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME", text)
    text = re.sub(r"\bn1(-[0-9a-z]+)+", "SESSION", text)
    text = re.sub(r"\b[0-9a-f]{64}\b", "DIGEST", text)
    text = re.sub(r"(epoch\D{1,10})\d+", r"\1EPOCH", text)
    text = re.sub(r"\d+ bytes|(?<=\"bytes\": )\d+", "BYTES", text)
    # What was ordered is under way, or done already.
    text = re.sub(r"(target \w+: )synchronis(ed|ing)", r"\1STATE", text)
    # Columns are as wide as what was in them.
    text = re.sub(r"(?<=\S) {2,}", "  ", text)
    return re.sub(r"^([a-z]+  \d+)  \d+$", r"\1  BYTES", text, flags=re.M)


def test_what_every_command_writes(lab, tmp_path):
    (lab.folder / "change.yaml").write_text(CHANGE)
    (lab.folder / "gnmic.yaml").write_text("targets: {'127.0.0.1:1': {name: leaf9, insecure: true}}")
    server = ["--server", f"127.0.0.1:{lab.port}", "--insecure"]
    written = ""
    for line in SCRIPT.strip().splitlines():
        quiet, line = line.startswith("! "), line.removeprefix("! ")
        words = shlex.split(line)
        at = [] if words[0] == "--server" else server
        done = subprocess.run(
            [BINARY, *at, *words], capture_output=True, text=True, timeout=PATIENCE, cwd=lab.folder, stdin=subprocess.DEVNULL
        )
        if not quiet:
            written += f"$ lockstep {line}\n{done.stdout}{done.stderr}"
            written += f"[{done.returncode}]\n\n" if done.returncode else "\n"
        if line.startswith("target resume"):
            lab.wait_synchronised("leaf1")
    held(plain(lab, written), "commands.txt")


def held(written, name):
    file = GOLDEN / name
    if "LOCKSTEP_WRITE" in os.environ:
        file.write_text(written)
    assert written == file.read_text(), f"{name} is not what is written now; LOCKSTEP_WRITE=1 writes it anew"


def test_a_change_file_may_be_piped_in(lab):
    done = subprocess.run(
        [BINARY, "--server", f"127.0.0.1:{lab.port}", "--insecure", "set"],
        input=CHANGE, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert lab.get("leaf2", "/system/motd") == "hello"


def test_what_is_in_clear_is_for_its_owner_alone(lab):
    assert lab.command("store", "export", "--file", lab.folder / "whole").returncode == 0
    mode = lambda file: (lab.folder / file).stat().st_mode & 0o777
    assert [mode(file) for file in ("whole", "data", "data/store.redb")] == [0o600, 0o700, 0o600]


def test_what_devices_say_moves_no_terminal(lab):
    lab.sim("refuse", lab.device("leaf1"), "/system/motd", "--message", "no \x1b[2J\x9b31m\x07way")
    for output in ("table", "json"):
        done = lab.command("set", "leaf1", "--update", "/system/motd=x", "--output", output)
        assert done.returncode == 4 and "way" in done.stderr
        assert not set("\x1b\x9b\x07") & set(done.stdout + done.stderr), done
    outcome = json.loads(done.stdout)
    assert (outcome["status"], outcome["targets"]["leaf1"]["status"]) == ("reverted", "refused")
    for arguments in (["tx", "list"], ["tx", "show", "1"], ["tx", "show", "1", "--output", "json"], ["tx", "watch", "1"]):
        assert not set("\x1b\x9b\x07") & set(lab.command(*arguments).stdout), arguments


def test_a_password_is_not_imported_where_others_hear_it(tmp_path):
    (tmp_path / "gnmic.yaml").write_text("targets: {'10.0.0.9:1': {name: leaf9, username: admin, password: plain}}")
    remote = ["--server", "192.0.2.1:9339", "--insecure", "target", "import", tmp_path / "gnmic.yaml"]
    done = subprocess.run([BINARY, *remote], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 1 and "is not this machine" in done.stderr, done


def commands(arguments=()):
    """Every command there is, as its words."""
    done = subprocess.run([BINARY, *arguments, "--help"], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    yield list(arguments), done.stdout
    listed = re.search(r"^Commands:\n((?:  .*\n|\n)*)", done.stdout, re.M)
    for name in re.findall(r"^  ([a-z]+)", listed[1], re.M) if listed else []:
        if name != "help":
            yield from commands([*arguments, name])


def test_help():
    """Every command says what it is for, and those that take something have an example."""
    every = list(commands())
    names = [" ".join(arguments) for arguments, _ in every]
    for name in "get set diff rollback restore confirm cancel completions serve demo".split():
        assert name in names, name
    for group, wanted in (
        ("tx", "list show watch"),
        ("target", "list show add set remove import sync adopt claim pause resume"),
        ("node", "list"),
        ("store", "check export import"),
    ):
        assert {f"{group} {one}" for one in wanted.split()} <= set(names), group
    lacking = [
        " ".join(arguments)
        for arguments, said in every
        if arguments and "Arguments:" in said and "Examples:" not in said and arguments[0] not in ("sim", "user", "store")
    ]
    assert not lacking, lacking


class Terminal:
    """A command on a terminal."""

    def __init__(self, lab, *arguments, columns=80, lines=24, **env):
        self.master, slave = pty.openpty()
        import fcntl
        import struct
        import termios

        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
        server = ["--server", f"127.0.0.1:{lab.port}", "--insecure"]
        self.process = subprocess.Popen(
            [BINARY, *server, *arguments], stdin=slave, stdout=slave, stderr=slave, env={**environment, "TERM": "xterm", **env}
        )
        os.close(slave)
        self.said = ""

    def until(self, words):
        deadline = time.monotonic() + PATIENCE
        while words not in self.said:
            ready, _, _ = select.select([self.master], [], [], 0.1)
            try:
                self.said += os.read(self.master, 65536).decode() if ready else ""
            except OSError:
                break
            assert time.monotonic() < deadline, self.said
        assert words in self.said, self.said

    def type(self, words):
        os.write(self.master, words.encode())

    def end(self):
        """All that was written, and how it ended."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            ready, _, _ = select.select([self.master], [], [], 0.1)
            try:
                said = os.read(self.master, 65536).decode() if ready else None
            except OSError:
                break
            if said is None and self.process.poll() is not None:
                break
            self.said += said or ""
        os.close(self.master)
        return self.said, self.process.wait(PATIENCE)


def test_a_table_fits_the_terminal_and_colour_is_for_terminals(lab):
    lab.run("set", "leaf1", "--update", "/system/motd=x", "--comment", "a comment that is longer than the terminal is wide " * 3)
    for columns in (60, 80, 120):
        said, status = Terminal(lab, "tx", "list", columns=columns).end()
        assert status == 0
        bare = re.sub(r"\x1b\[\d*m", "", said)
        assert all(len(line) <= columns for line in bare.splitlines()), bare
        assert "\x1b[32mapplied\x1b[0m" in said and "…" in said
    for columns in (60, 80):
        said, status = Terminal(lab, "target", "list", columns=columns).end()
        assert status == 0
        bare = re.sub(r"\x1b\[\d*m", "", said)
        assert all(len(line) <= columns for line in bare.splitlines()), bare
        assert "\x1b[32msyn" in said, said
    assert "\x1b" not in Terminal(lab, "tx", "list", NO_COLOR="1").end()[0]
    assert "\x1b" not in Terminal(lab, "tx", "list", "--color", "never").end()[0]
    piped = lab.command("tx", "list")
    assert "\x1b" not in piped.stdout and "…" not in piped.stdout
    assert "\x1b[32mapplied" in lab.command("tx", "list", "--color", "always").stdout


def test_a_node_that_stands_still_is_none(lab):
    """It took the connection, and says nothing more."""
    lab.node.process.send_signal(signal.SIGSTOP)
    try:
        done = lab.command("target", "list")
    finally:
        lab.node.process.send_signal(signal.SIGCONT)
    assert done.returncode == 3 and "does not answer any more" in done.stderr, done


def test_lines_of_a_watch_fit_and_have_colour(lab):
    lab.run("set", "leaf1", "--update", "/system/motd=x", "--comment", "a comment that is longer than the terminal is wide " * 3)
    terminal = Terminal(lab, "tx", "watch", columns=60)
    terminal.until("…")
    terminal.process.terminate()
    said, _ = terminal.end()
    assert "\x1b[32mapplied\x1b[0m" in said
    assert all(len(line) <= 60 for line in re.sub(r"\x1b\[\d*m", "", said).splitlines()), said


def test_what_devices_lose_by_it_is_asked_for(lab):
    for arguments, question in (
        (["target", "sync", "leaf1"], "bring leaf1 in line? What it has otherwise is gone then [y/N]"),
        (["target", "add", "x", "--address", "127.0.0.1:1", "--initial", "replace"], "add x? What its device has is gone then"),
    ):
        terminal = Terminal(lab, *arguments)
        terminal.until(question)
        terminal.type("n\n")
        said, status = terminal.end()
        assert status == 1 and "not done, as you said" in said


def test_the_dangerous_is_asked_for_and_shows_what_it_would_do(lab):
    lab.run("set", "leaf1", "--update", "/system/motd=one")
    index = lab.run("set", "leaf1", "--update", "/system/motd=two")["index"]
    terminal = Terminal(lab, "rollback", str(index))
    terminal.until(f"roll back transaction {index} on leaf1? [y/N]")
    assert '~ leaf1 /system/motd = "two" -> "one"' in terminal.said
    terminal.type("n\n")
    said, status = terminal.end()
    assert status == 1 and "not done, as you said" in said
    for command in (["target", "adopt", "leaf1"], ["target", "claim", "leaf1"], ["target", "remove", "leaf1"], ["restore", "1"]):
        terminal = Terminal(lab, *command)
        terminal.until("[y/N]")
        terminal.type("\n")
        assert terminal.end()[1] == 1, command
    terminal = Terminal(lab, "rollback", str(index), "--yes")
    said, status = terminal.end()
    assert status == 0 and "[y/N]" not in said
    assert lab.get("leaf1", "/system/motd") == "one"


def test_progress_is_shown_while_a_transaction_spreads(lab):
    """One device takes its time, and another refuses."""
    lab.sim("delay", lab.device("leaf3"), "3s", "--path", "/system/motd")
    terminal = Terminal(lab, "set", "-f", "-", columns=200)
    change = {name: {"update": {"/system/motd": "slow"}} for name in lab.names}
    terminal.type(json.dumps(change) + "\n\x04")
    terminal.until("[################--------] 2/3 2 accepted, 1 pending")
    said, status = terminal.end()
    assert status == 0 and said.rstrip().endswith("applied: 3 operations on leaf1,leaf2,leaf3"), said
    lab.sim("heal", lab.device("leaf3"))
    lab.sim("refuse", lab.device("leaf2"), "/system/motd", "--message", "not today")
    failed = subprocess.run(
        [BINARY, "--server", f"127.0.0.1:{lab.port}", "--insecure", "set", "-f", "-"],
        input=json.dumps({name: {"update": {"/system/motd": "no"}} for name in lab.names}),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert failed.returncode == 4, failed
    assert "leaf2: refused: FAILED_PRECONDITION: not today" in failed.stderr
    assert "`lockstep tx show 2` has it all" in failed.stderr


def test_transactions_are_watched(lab):
    server = ["--server", f"127.0.0.1:{lab.port}", "--insecure"]
    process = subprocess.Popen([BINARY, *server, "tx", "watch", "--output", "json"], stdout=subprocess.PIPE, text=True)
    try:
        # Nothing says that it has begun; so there is something to see again and again until it has.
        seen = []
        threading.Thread(target=lambda: seen.extend(map(json.loads, process.stdout)), daemon=True).start()
        until("something is seen", lambda: lab.run("set", "leaf1", "--update", f"/system/motd={time.time()}") and seen)
        index = lab.run("set", "leaf1", "--update", "/system/motd=watched", "--comment", "look")["index"]
        until("it is seen", lambda: any(one["index"] == index and one["status"] == "applied" for one in seen))
        assert {one["comment"] for one in seen if one["index"] == index} == {"look"}
    finally:
        process.kill()
        process.wait()
    # One that waits, until it is over; as a bar on a terminal.
    lab.run("target", "pause", "leaf1")
    index = lab.run("set", "leaf1", "--update", "/system/motd=waits", "--queued", "--async")["index"]
    terminal = Terminal(lab, "tx", "watch", str(index), columns=160)
    terminal.until(f"transaction {index} committed [------------------------] 0/1 1 pending")
    lab.run("target", "resume", "leaf1")
    said, status = terminal.end()
    assert status == 0 and "applied" in said
    lab.run("target", "pause", "leaf1")
    index = lab.run("set", "leaf1", "--update", "/system/motd=no", "--queued", "--async")["index"]
    lab.run("cancel", str(index))
    done = lab.command("tx", "watch", str(index))
    assert done.returncode == 4 and "cancelled" in done.stderr, done


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_completions_have_live_names(lab):
    script = lab.command("completions", "bash").stdout
    assert script

    def offered(line):
        words = line.split(" ")
        shell = f"""
PATH={shlex.quote(str(BINARY.parent))}:$PATH
{script}
COMP_WORDS=({" ".join(shlex.quote(word) for word in words)})
COMP_CWORD={len(words) - 1}
COMP_TYPE=9
_clap_complete_lockstep lockstep {shlex.quote(words[-1])} ""
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
        env = {**os.environ, "LOCKSTEP_SERVER": f"127.0.0.1:{lab.port}", "LOCKSTEP_INSECURE": "true"}
        done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=PATIENCE, env=env)
        return {name.strip() for name in done.stdout.split("\n")}

    assert {"leaf1", "leaf2", "leaf3"} <= offered("lockstep get ")
    assert offered("lockstep target show leaf2") >= {"leaf2"} and "leaf1" not in offered("lockstep target show leaf2")
    assert "lab-1.0" in offered("lockstep target set leaf1 --model ")
    index = str(lab.run("set", "leaf1", "--update", "/system/motd=x")["index"])
    assert index in offered("lockstep rollback ") and index in offered("lockstep tx show ")
    assert {"list", "show", "watch"} <= offered("lockstep tx ")
    # A node that is not there has no names, and holds nobody up.
    assert "leaf1" not in offered("lockstep --server 127.0.0.1:1 get ")
    for shell in ("zsh", "fish", "elvish", "powershell"):
        assert lab.command("completions", shell).returncode == 0
