"""The command line: what every command writes, held to files.

LOCKSTEP_WRITE=1 writes the files anew, to be looked at."""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time

import pytest

from lab import BINARY, PATIENCE, until
from terminal import Terminal

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
set leaf1 --update /sytem/motd=1
set leaf1 --update '/system={"mtod": "x"}'
get leaf1 /interface
set leaf1
set nowhere --update /system/motd=x
set leaf1 --update "/interfaces/interface[name=eth1]/access-vlan=77"
set leaf1 --update "/interfaces/interface[name=eth1]/access-vlan=77" --dry-run
get leaf1 /system
get leaf1 /system --side 1
get leaf1 /system --side device
get leaf1 /system --side outside
get nowhere
get '*' --side 1
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
rollback 1 --yes
rollback 99 --yes
rollback 2 --dry-run
rollback 2 --yes
restore 2 --target leaf1 --dry-run
restore 2 --target leaf1 --yes
set leaf1 --update /system/motd=maybe --confirm 600
tx show 7
confirm 7
confirm 7
confirm 1
confirm 3
confirm 5
confirm 99
cancel 7 --yes
cancel 3 --yes
cancel 5 --yes
rollback 5 --yes
set leaf1 --update /system/motd=perhaps --confirm 600
set leaf1 --update /system/motd=not
cancel 8 --yes
tx show 8
tx list --author lockstep
target pause leaf1
set leaf1 --update /system/motd=later
set leaf1 --update /system/motd=later --queued --async
tx show 10
tx list --status committed
cancel 10 --yes
cancel 10 --yes
tx list --limit 4
! target resume leaf1
set leaf1 --delete / --dry-run
set leaf1 --replace '/={}' --yes
set leaf1 --update "/interfaces/interface[name=eth1]/access-vlan=77" --output json
set leaf1 --update /system/motd=x --comment "one\tline"
set
set --update /system/motd=x
target sync leaf2 --yes
target adopt leaf2 --yes
target claim leaf2 --yes
target sync nowhere --yes
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
    text = re.sub(r"\bcli(-[0-9a-f]+){2}", "CLI-ID", text)
    text = re.sub(r"\b[0-9a-f]{64}\b", "DIGEST", text)
    text = re.sub(r"(epoch\D{1,10})\d+", r"\1EPOCH", text)
    text = re.sub(r"\d+ bytes|(?<=\"bytes\": )\d+", "BYTES", text)
    # Columns are as wide as what was in them.
    text = re.sub(r"(?<=\S) {2,}", "  ", text)
    # What was ordered is under way, or done already: a claim begins a term of its own.
    text = re.sub(r"(target \w+: )synchronis(ed|ing)", r"\1STATE", text)
    text = re.sub(r"(master  n1, term )\d+", r"\1TERM", text)
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
    piped = lambda change: subprocess.run(
        [BINARY, "--server", f"127.0.0.1:{lab.port}", "--insecure", "set"],
        input=change, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    done = piped(CHANGE)
    assert done.returncode == 0, done.stderr
    assert lab.get("leaf2", "/system/motd") == "hello"
    for empty in ("", "{}", "leaf1: {}\n"):
        done = piped(empty)
        assert done.returncode == 2 and "standard input asks for nothing" in done.stderr, done


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


def test_a_node_that_stands_still_is_none(lab):
    """It took the connection, and says nothing more."""
    lab.node.process.send_signal(signal.SIGSTOP)
    try:
        done = lab.command("target", "list")
    finally:
        lab.node.process.send_signal(signal.SIGCONT)
    assert done.returncode == 3 and "does not answer any more" in done.stderr, done
    assert "source:" not in done.stderr and "Error" not in done.stderr, "words, and no insides"


def test_a_transaction_says_which_target_holds_it_up(lab):
    """Not those that have it, and wait for the others."""
    lab.sim("hang", lab.device("leaf3"))
    change = {name: {"update": {"/system/motd": "x"}} for name in lab.names}
    file = lab.folder / "change.json"
    file.write_text(json.dumps(change))
    lab.run("set", "-f", str(file), "--async")
    waits = lambda: lab.run("tx", "show", "1")
    until("two have it on trial", lambda: waits()["stages"] == {"accepted": 2})
    assert waits()["waiting_for"] == "target leaf3: the device's answer"
    lab.command("cancel", "1", "--yes")
    shown = lab.command("tx", "list").stdout
    assert "it was cancelled; waits: target leaf" in shown, shown
    lab.sim("release", lab.device("leaf3"))


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
    # Of those that there are, of a kind; what happens comes after them.
    by_kind = lambda kind: subprocess.Popen([BINARY, *server, "tx", "watch", "--kind", kind, "-o", "json"], stdout=subprocess.PIPE, text=True)
    process = by_kind("rollback")
    try:
        lab.run("rollback", str(index))
        assert json.loads(process.stdout.readline())["kind"] == "rollback"
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
    for line in ("get leaf1 --side ", "diff leaf1 --from ", "diff leaf1 --to "):
        assert {"visible", "committed", "applied", "device", index} <= offered(f"lockstep {line}"), line
    assert "lab-1.0" in offered("lockstep target import file --model ")
    assert index not in offered("lockstep confirm ") and index not in offered("lockstep cancel ")
    open_ = str(lab.run("set", "leaf1", "--update", "/system/motd=y", "--confirm", "600")["index"])
    assert open_ in offered("lockstep confirm ") and open_ in offered("lockstep cancel ")
    # However many came after it.
    for number in range(31):
        lab.set("leaf2", update=[("/system/motd", str(number))])
    assert open_ in offered("lockstep confirm ") and open_ in offered("lockstep cancel ")
    lab.run("cancel", open_)
    lab.run("target", "pause", "leaf2")
    paused = offered("lockstep target resume ")
    assert "leaf2" in paused and "leaf1" not in paused
    assert {"report", "enforce", "adopt"} <= offered("lockstep target set leaf1 --drift ")
    assert {"ignore", "tags"} <= offered("lockstep target set leaf1 --unset ")
    # A node that is not there has no names, and holds nobody up.
    assert "leaf1" not in offered("lockstep --server 127.0.0.1:1 get ")
    for shell in ("zsh", "fish", "elvish", "powershell"):
        assert lab.command("completions", shell).returncode == 0
