"""What commands do on a terminal: they fit it, ask before what devices will feel, and leave it as it was."""

import json
import re
import signal
import subprocess
import unicodedata

import pytest

from lab import BINARY, MODELS, PATIENCE, free_ports, until
from terminal import Terminal
from test_identity import WORDS, Guarded


def test_a_table_fits_the_terminal_and_colour_is_for_terminals(lab):
    lab.run("set", "leaf1", "--update", "/system/motd=x", "--comment", "a comment that is longer than the terminal is wide " * 3)
    for columns in (60, 80, 120):
        said, status = Terminal(lab, "tx", "list", columns=columns).end()
        assert status == 0
        bare = re.sub(r"\x1b\[\d*m", "", said)
        assert all(len(line) <= columns for line in bare.splitlines()), bare
        assert "\x1b[32mapplied\x1b[0m" in said
        # Where there is no room to say something of the comment, it is left out.
        assert ("COMMENT" in bare) == ("…" in bare) == (columns > 60), bare
    for columns in (60, 80):
        said, status = Terminal(lab, "target", "list", columns=columns).end()
        assert status == 0
        bare = re.sub(r"\x1b\[\d*m", "", said)
        assert all(len(line) <= columns for line in bare.splitlines()), bare
        assert "\x1b[32msynchronised\x1b[0m" in said and lab.device("leaf1") in said, said
    assert "\x1b" not in Terminal(lab, "tx", "list", NO_COLOR="1").end()[0]
    assert "\x1b" not in Terminal(lab, "tx", "list", "--color", "never").end()[0]
    piped = lab.command("tx", "list")
    assert "\x1b" not in piped.stdout and "…" not in piped.stdout
    assert "\x1b[32mapplied" in lab.command("tx", "list", "--color", "always").stdout


def test_lines_of_a_watch_fit_and_have_colour(lab):
    lab.run("set", "leaf1", "--update", "/system/motd=x", "--comment", "a comment that is longer than the terminal is wide " * 3)
    terminal = Terminal(lab, "tx", "watch", columns=60)
    terminal.until("…")
    terminal.process.terminate()
    said, _ = terminal.end()
    assert "\x1b[32mapplied\x1b[0m" in said
    assert all(len(line) <= 60 for line in re.sub(r"\x1b\[\d*m", "", said).splitlines()), said


def added(lab, name):
    """One more device, that no file names."""
    lab.kinds[name], [lab.ports[name]] = MODELS, free_ports(1)
    lab.start_device(name)
    lab.run("target", "add", name, "--address", lab.device(name), "--device-insecure")
    lab.wait_synchronised(name)


def test_what_devices_lose_by_it_is_asked_for(lab):
    lab.run("set", "leaf1", "--update", "/system/motd=x")
    file = lab.folder / "replace.yaml"
    file.write_text("targets: {'127.0.0.1:1': {name: x, insecure: true, model: lab-1.0, initial: replace}}")
    lab.sim("drift", lab.device("leaf1"), "/system/motd", '"theirs"')
    added(lab, "leaf4")
    lab.run("set", "leaf4", "--update", "/system/motd=x")
    lab.sim("drift", lab.device("leaf4"), "/system/motd", '"theirs"')
    until("it is seen", lambda: {lab.target(name)["state"] for name in ("leaf1", "leaf4")} == {"drifted"})
    for arguments, question in (
        (["target", "sync", "leaf1"], '~ /system/motd = "theirs" -> "x"'),
        (["target", "sync", "leaf1"], "bring leaf1 in line? It writes this change to the device [y/N]"),
        (["target", "adopt", "leaf1"], '~ /system/motd = "x" -> "theirs"'),
        (["target", "adopt", "leaf1"], "adopt what leaf1 has? It records this change as what is wanted of it [y/N]"),
        (["target", "claim", "leaf1"], "take leaf1 over from whoever it listens to now? It is drifted: /system/motd is"),
        (["target", "set", "leaf4", "--address", "127.0.0.1:1"], f"set leaf4 ({lab.device('leaf4')} -> 127.0.0.1:1)? Whatever answers there"),
        (["target", "set", "leaf4", "--drift", "enforce"], '~ /system/motd = "theirs" -> "x"'),
        (["target", "set", "leaf4", "--ignore", "/vlans"], "set leaf4? It writes this change to the device [y/N]"),
        (["target", "add", "x", "--address", "127.0.0.1:1", "--initial", "replace"], "add x? What its device has is gone then"),
        (["target", "import", str(file)], "add x? What its device has is gone then: initial: replace [y/N]"),
        (["set", "leaf1", "--delete", "/"], "- leaf1 /system"),
        (["set", "leaf1", "--delete", "/"], "delete everything on leaf1? [y/N]"),
        (["set", "leaf1", "--replace", "/={}"], "replace everything on leaf1? [y/N]"),
    ):
        terminal = Terminal(lab, *arguments)
        terminal.until(question)
        terminal.type("n\n")
        said, status = terminal.end()
        assert status == 1 and "not done, as you said" in said


def test_nobody_is_asked_about_what_cannot_be(lab):
    lab.run("set", "leaf1", "--update", "/system/motd=x")
    lab.run("set", "leaf1", "--update", "/system/motd=y")
    for command, why in (
        (["target", "sync", "nowhere"], "there is no target nowhere"),
        (["target", "adopt", "nowhere"], "there is no target nowhere"),
        (["target", "claim", "nowhere"], "there is no target nowhere"),
        (["restore", "99"], "there is no transaction 99"),
        (["rollback", "1"], "it would be refused"),
        (["set", "leaf1", "--delete", "/", "--update", "/nonsense=1"], "there is no `nonsense`"),
    ):
        said, status = Terminal(lab, *command).end()
        assert status == 1 and why in said and "[y/N]" not in said, (command, said)
    said, status = Terminal(lab, "target", "sync", "leaf1").end()
    assert status == 0 and "[y/N]" not in said, "nothing is written, so there is nothing to ask"
    said, status = Terminal(lab, "target", "set", "leaf1", "--address", "127.0.0.1:1").end()
    assert status == 1 and "it is of the configuration file" in said and "[y/N]" not in said, said
    added(lab, "leaf4")
    said, status = Terminal(lab, "target", "set", "leaf4", "--address", lab.device("leaf4"), "--drift", "enforce").end()
    assert status == 0 and "[y/N]" not in said, "it stays where it is, and as it is"
    said, status = Terminal(lab, "cancel", "1").end()
    assert status == 1 and "already has its outcome" in said and "[y/N]" not in said, said
    assert [one["kind"] for one in lab.transactions()] == ["rebind", "add", "change", "change"]


def test_what_a_device_gets_when_it_is_resumed_is_shown_and_asked_for(lab):
    # Nothing waits for it, so there is nothing to ask.
    lab.run("target", "pause", "leaf1")
    said, status = Terminal(lab, "target", "resume", "leaf1").end()
    assert status == 0 and "[y/N]" not in said, said
    lab.wait_synchronised("leaf1")
    lab.run("target", "pause", "leaf1")
    lab.run("set", "leaf1", "--update", "/system/motd=waits", "--queued", "--async")
    terminal = Terminal(lab, "target", "resume", "leaf1")
    terminal.until("resume leaf1? It writes this change to the device [y/N]")
    assert '+ /system/motd = "waits"' in terminal.said, terminal.said
    terminal.type("n\n")
    assert terminal.end()[1] == 1 and lab.target("leaf1")["state"] == "paused"
    terminal = Terminal(lab, "target", "resume", "leaf1")
    terminal.until("[y/N]")
    terminal.type("y\n")
    assert terminal.end()[1] == 0
    until("it is written", lambda: lab.on_device("leaf1", "/system/motd") == "waits")
    # What cannot be told is asked for, too.
    lab.run("target", "pause", "leaf1")
    lab.devices["leaf1"].kill()
    terminal = Terminal(lab, "target", "resume", "leaf1")
    terminal.until("What that writes to the device cannot be told")
    terminal.type("y\n")
    assert terminal.end()[1] == 0


def test_whoever_ends_a_set_that_waits_is_told_what_goes_on(lab):
    lab.sim("delay", lab.device("leaf1"), "8s", "--path", "/system/motd")
    terminal = Terminal(lab, "set", "leaf1", "--update", "/system/motd=slow", columns=200)
    until("it is in the log", lambda: [one for one in lab.transactions() if one["status"] == "committed"])
    terminal.process.send_signal(signal.SIGINT)
    said, status = terminal.end()
    assert status == 130, said
    assert "transaction 1 is committed and goes on: `lockstep tx watch 1` tells" in said and "`lockstep cancel 1` calls it off" in said
    until("it went on", lambda: lab.transactions()[0]["status"] == "applied")
    # The same where there is no terminal.
    server = ["--server", f"127.0.0.1:{lab.port}", "--insecure"]
    asked = [BINARY, *server, "set", "leaf1", "--update", "/system/motd=slower", "-o", "json"]
    process = subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until("it is decided", lambda: [one for one in lab.transactions() if (one["index"], one["status"]) == (2, "committed")])
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 143 and "transaction 2 is committed and goes on" in said, said


def test_wide_characters_keep_a_table_in_line(lab):
    for comment in ("東京の旗", "e\u0301te\u0301", "🚀 up", "plain"):
        lab.run("set", "leaf1", "--update", f"/system/motd={comment}", "--comment", comment)
    lab.sim("refuse", lab.device("leaf1"), "/system/hostname", "--message", "nein")
    lab.command("set", "leaf1", "--update", "/system/hostname=x", "--comment", "東京の旗" * 8)
    width = lambda text: sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
    for columns in (60, 100, 200):
        said, _ = Terminal(lab, "tx", "list", columns=columns).end()
        lines = re.sub(r"\x1b\[\d*m", "", said).splitlines()
        assert all(width(line) <= columns for line in lines), said
    first, *rows = lines
    at = first.index("WHY")
    why = next(row for row in rows if "refused it" in row)
    assert width(why[: why.index("target leaf1 refused")]) == at, said


def test_the_dangerous_is_asked_for_and_shows_what_it_would_do(lab):
    lab.run("set", "leaf1", "--update", "/system/motd=one")
    index = lab.run("set", "leaf1", "--update", "/system/motd=two")["index"]
    terminal = Terminal(lab, "rollback", str(index))
    terminal.until(f"roll back transaction {index} on leaf1? [y/N]")
    assert '~ leaf1 /system/motd = "two" -> "one"' in terminal.said
    terminal.type("n\n")
    said, status = terminal.end()
    assert status == 1 and "not done, as you said" in said
    for command in (["target", "claim", "leaf1"], ["target", "remove", "leaf1"], ["restore", "1"]):
        terminal = Terminal(lab, *command)
        terminal.until("[y/N]")
        terminal.type("\n")
        assert terminal.end()[1] == 1, command
    terminal = Terminal(lab, "restore", str(index), "--target", "leaf1")
    terminal.until("nothing would change")
    terminal.type("n\n")
    assert terminal.end()[1] == 1
    terminal = Terminal(lab, "rollback", str(index), "--yes")
    said, status = terminal.end()
    assert status == 0 and "[y/N]" not in said
    assert lab.get("leaf1", "/system/motd") == "one"


def test_progress_is_shown_while_a_transaction_spreads(lab):
    """One device takes its time, and another refuses."""
    lab.sim("delay", lab.device("leaf3"), "6s", "--path", "/system/motd")
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
    # Once, and not again for the target that it names.
    assert "target leaf2 refused it: FAILED_PRECONDITION: not today" in failed.stderr and failed.stderr.count("not today") == 1
    assert "`lockstep tx show 2` has it all" in failed.stderr


def test_colour_is_for_the_terminal_that_it_is_shown_on(lab, tmp_path):
    lab.run("set", "leaf1", "--update", "/system/motd=one")
    index = lab.run("set", "leaf1", "--update", "/system/motd=two")["index"]
    for color, has in (("auto", False), ("always", True)):
        file = tmp_path / color
        with open(file, "wb") as stderr:
            terminal = Terminal(lab, "rollback", str(index), "--color", color, stderr=stderr)
            until("it asks", lambda: "[y/N]" in file.read_text())
            terminal.type("n\n")
            terminal.end()
        said = file.read_text()
        assert '"two" -> "one"' in said and ("\x1b" in said) == has, said


def test_whoever_ends_what_is_done_with_a_target_is_told_what_goes_on(lab):
    added(lab, "leaf4")
    lab.sim("hang", lab.device("leaf4"))
    held = lab.run("set", "leaf4", "--update", "/system/motd=x", "--async")["index"]
    for number, arguments in enumerate((["set", "leaf4", "--timeout", "20s"], ["remove", "leaf4"])):
        index = held + 1 + number
        terminal = Terminal(lab, "target", *arguments, "--yes", columns=200)
        until("it is in the log", lambda: lab.transactions()[0]["index"] == index)
        terminal.process.send_signal(signal.SIGINT)
        said, status = terminal.end()
        assert status == 130 and f"transaction {index} is pending and goes on" in said, said
    for index in (held + 2, held + 1, held):
        lab.command("cancel", str(index), "--yes")
    lab.sim("release", lab.device("leaf4"))


def test_a_terminal_shows_again_what_is_typed(lab):
    for end in (lambda terminal: terminal.process.send_signal(signal.SIGINT), lambda terminal: terminal.type("secret\n")):
        terminal = Terminal(lab, "user", "hash")
        terminal.until("Password: ")
        until("it shows nothing", lambda: not terminal.echoes())
        end(terminal)
        terminal.process.wait(PATIENCE)
        assert terminal.echoes()
        said, status = terminal.end()
        assert status in (0, 130) and "secret" not in said, said


@pytest.fixture
def guarded(tmp_path):
    lab = Guarded(tmp_path)
    try:
        yield lab.start()
    finally:
        lab.stop()


def test_whoever_may_do_something_and_not_read_it_is_asked_all_the_same(guarded):
    """Olga operates both, and reads the first alone."""
    root = lambda *arguments: json.loads(guarded.command(*arguments, "-o", "json").stdout)
    index = root("set", "leaf2", "--update", "/system/hostname=x")["index"]
    window = root("set", "leaf2", "--update", "/system/hostname=y", "--confirm", "600")["index"]
    olga = {"LOCKSTEP_USERNAME": "olga", "LOCKSTEP_PASSWORD": WORDS["olga"]}
    for arguments, question in (
        (["cancel", str(window)], f"cancel transaction {window}? How it stands cannot be told"),
        (["target", "sync", "leaf2"], "bring leaf2 in line? What that writes to the device cannot be told"),
        (["target", "adopt", "leaf2"], "adopt what leaf2 has? What that records"),
        (["target", "resume", "leaf2"], "resume leaf2? What that writes to the device cannot be told"),
        (["target", "claim", "leaf2"], "How it stands is not for you to read [y/N]"),
        (["target", "remove", "leaf2"], "what waits for it is not for you to read. Remove the target? [y/N]"),
        (["target", "set", "leaf2", "--timeout", "20s"], "set leaf2? What that writes to the device is not for you to read [y/N]"),
    ):
        terminal = Terminal(guarded, *arguments, columns=200, **olga)
        terminal.until(question)
        terminal.until("[y/N]")
        terminal.type("n\n")
        said, status = terminal.end()
        assert status == 1 and "not done, as you said" in said, said
    # What they do about it is done.
    terminal = Terminal(guarded, "cancel", str(window), columns=200, **olga)
    terminal.until("[y/N]")
    terminal.type("y\n")
    assert terminal.end()[1] == 0
    until("it is taken back", lambda: root("tx", "show", str(window))["window"] == "reverted")
    terminal = Terminal(guarded, "rollback", str(index), "--rule", "path", columns=200, **olga)
    terminal.until(f"roll back transaction {index}? [y/N]")
    terminal.type("n\n")
    assert terminal.end()[1] == 1
