"""A store checked, taken out of where it is, and put somewhere else."""

import contextlib
import json
import os
import signal
import subprocess

import grpc
import pytest
from pygnmi.spec.v080 import gnmi_pb2

from lab import BINARY, PATIENCE, code, free_ports, until, update
from test_etcd import etcd


def lockstep(*arguments, **extra):
    return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=PATIENCE, **extra)


def works(*arguments, **extra):
    done = lockstep(*arguments, **extra)
    assert done.returncode == 0, done.stderr
    return done


def fails(*arguments, **extra):
    """What a command says that does not work."""
    done = lockstep(*arguments, **extra)
    assert done.returncode != 0, done.stdout
    assert "panicked" not in done.stderr, done.stderr
    return done.stderr


def fill(lab):
    """Changes of one target and of several, one that is rejected, one that is taken back."""
    lab.set("leaf1", update=[("/system", {"hostname": "leaf1", "motd": "hello"})])
    with lab.stub() as stub:
        both = [update("/system/motd", "both", name) for name in ("leaf1", "leaf2")]
        stub.Set(gnmi_pb2.SetRequest(update=both))
    lab.set("leaf3", update=[("/vlans/vlan[id=7]", {"id": 7, "name": "seven"})])
    lab.run("rollback", "3")


def told(lab):
    """What a user sees of a node: its transactions and what is wanted of each device."""
    configurations = {name: wanted(lab, name, "/system") for name in lab.names}
    assert configurations["leaf1"]["lab:hostname"] == "leaf1" and configurations["leaf2"], configurations
    assert wanted(lab, "leaf3", "/vlans") is None, "it was taken back"
    return lab.run("tx", "list"), configurations


def wanted(lab, name, path):
    try:
        return lab.get(name, path)
    except Exception as error:
        assert code(error) == grpc.StatusCode.NOT_FOUND, error
        return None


def epoch(lab, name="leaf1"):
    """The upper half of the last election id that a device has met."""
    journal = lab.sim("journal", lab.device(name), "--output", "json").splitlines()
    masters = [json.loads(entry)["master"] for entry in journal]
    return [master["high"] for master in masters if master][-1]


def restart_on(lab, store):
    lab.write_config(store=str(store))
    lab.start_node()
    lab.wait_synchronised()


@pytest.fixture
def filled(lab):
    """A lab with something in its store."""
    fill(lab)
    return lab


@pytest.fixture
def dump(filled):
    """The dump of a node that was stopped."""
    assert filled.node.stop() == 0
    dump = filled.folder / "dump.jsonl"
    works("store", "export", filled.folder / "data", "-f", dump)
    return dump


def test_a_good_store_is_well(filled):
    assert filled.node.stop() == 0
    data = filled.folder / "data"
    assert "all is well" in works("store", "check", data).stdout
    checked = json.loads(works("store", "check", data, "--output", "json").stdout)
    assert checked["problems"] == [] and checked["kinds"]["transaction"]["keys"] == 4
    # To look at it changes nothing.
    filled.start_node()
    assert len(filled.transactions()) == 4


def test_a_store_in_use_says_by_whom(filled):
    data = filled.folder / "data"
    for command in ("check", "export"):
        said = fails("store", command, data)
        assert f"in use by process {filled.node.process.pid}" in said, said
    assert filled.node.is_running()


def test_a_damaged_store_names_the_file(filled):
    assert filled.node.stop() == 0
    file = filled.folder / "data" / "store.redb"
    # Wherever it stands: some of these places are no longer read.
    file.write_bytes(file.read_bytes().replace(b"proposal/0000", b"proposal/0001"))
    for command in (["check"], ["export"]):
        said = fails("store", *command, filled.folder / "data")
        assert f"{file} is damaged" in said and "backup" in said, said
    # A node says the same, and does not begin with what is left.
    said = fails("serve", "--config", filled.folder / "lockstep.yaml")
    assert "data/store.redb is damaged" in said, said
    assert "no store in" in fails("store", "check", filled.folder / "elsewhere")
    assert not (filled.folder / "elsewhere").exists()


def test_a_store_moves_to_another_folder(filled):
    before, first = told(filled), epoch(filled)
    assert filled.node.stop() == 0
    dump = filled.folder / "dump.jsonl"
    works("store", "export", filled.folder / "data", "-f", dump)
    # What is there is not written over without a word.
    assert "exists" in fails("store", "export", filled.folder / "data", "-f", dump)
    works("store", "import", filled.folder / "moved", "-f", dump)
    assert "all is well" in works("store", "check", filled.folder / "moved").stdout
    restart_on(filled, filled.folder / "moved")
    assert told(filled) == before
    assert epoch(filled) > first
    # It goes on from there, and whoever stayed behind is turned away by the devices.
    filled.set("leaf1", update=[("/system/motd", "moved")])
    assert filled.on_device("leaf1", "/system/motd") == "moved"
    assert [t["index"] for t in filled.transactions()] != before[0]


def test_a_running_node_is_exported(filled):
    before = told(filled)
    dump = filled.folder / "dump.jsonl"
    done = filled.command("store", "export", "-f", str(dump))
    assert done.returncode == 0, done.stderr
    # It goes on meanwhile, and what came after is not in the dump.
    filled.set("leaf2", update=[("/system/motd", "later")])
    assert filled.node.stop() == 0
    works("store", "import", filled.folder / "moved", "-f", dump)
    for device in filled.devices.values():
        device.kill()
    for name in filled.names:
        filled.start_device(name)
    restart_on(filled, filled.folder / "moved")
    assert told(filled) == before
    # The device, which was told more, or has lost it all, is brought back to what the store says.
    assert filled.on_device("leaf2", "/system/motd") == "both"


def test_a_store_moves_to_etcd_and_back(filled, tmp_path):
    before, epochs = told(filled), [epoch(filled)]
    assert filled.node.stop() == 0
    works("store", "export", filled.folder / "data", "-f", tmp_path / "there.jsonl")
    with etcd(tmp_path) as (port, _):
        url = f"etcd://127.0.0.1:{port}/moved"
        until("etcd answers", lambda: lockstep("store", "check", url).stderr.count("the store is empty"))
        works("store", "import", url, "-f", tmp_path / "there.jsonl")
        assert "all is well" in works("store", "check", url).stdout
        restart_on(filled, url)
        assert told(filled) == before
        epochs.append(epoch(filled))
        filled.set("leaf1", update=[("/system/motd", "on etcd")])
        before = told(filled)
        assert filled.node.stop() == 0
        said = fails("store", "import", url, "-f", tmp_path / "there.jsonl")
        assert "not empty" in said and "prefix" in said, said
        works("store", "export", url, "-f", tmp_path / "back.jsonl")
    # By way of a pipe.
    with open(tmp_path / "back.jsonl") as back:
        works("store", "import", tmp_path / "home", stdin=back)
    restart_on(filled, tmp_path / "home")
    assert told(filled) == before
    epochs.append(epoch(filled))
    assert sorted(set(epochs)) == epochs, epochs
    filled.set("leaf1", update=[("/system/motd", "at home")])
    assert filled.on_device("leaf1", "/system/motd") == "at home"


def body(dump):
    """A dump but for its first line, which has the epoch and the revision, and the digest of it in the last."""
    return dump.read_text().splitlines()[1:-1]


def test_a_dump_says_the_same_on_the_other_side(filled, tmp_path):
    """With a window that is open, a change that waits, and targets with credentials of either kind."""
    assert filled.node.stop() == 0
    (tmp_path / "key").write_text("k" * 44)
    (tmp_path / "password").write_text("swordfish")
    config = {"secret-key-file": str(tmp_path / "key"), "target-variables": ["SPARE_*"]}
    filled.write_config(**config)
    filled.start_node()
    filled.wait_synchronised()
    [nobody] = free_ports(1)
    spare = ["--address", f"127.0.0.1:{nobody}", "--model", "lab-1.0", "--device-insecure", "--device-username", "admin"]
    filled.run("target", "add", "spare1", *spare, "--device-password-env", "SPARE_PASSWORD")
    filled.run("target", "add", "spare2", *spare, "--device-password-file", str(tmp_path / "password"))
    filled.run("set", "spare2", "--update", "/system/motd=waits", "--queued", "--async")
    window = filled.run("set", "leaf2", "--update", "/system/motd=maybe", "--confirm", "600")["index"]
    filled.run("target", "pause", "leaf3")
    before = filled.run("tx", "list")
    assert filled.node.stop() == 0
    there, here, again = (tmp_path / f"{name}.jsonl" for name in ("there", "here", "again"))
    works("store", "export", filled.folder / "data", "-f", there)
    assert "swordfish" not in there.read_text() and "SPARE_PASSWORD" in there.read_text()
    with etcd(tmp_path) as (port, _):
        url = f"etcd://127.0.0.1:{port}/moved"
        until("etcd answers", lambda: lockstep("store", "check", url).stderr.count("the store is empty"))
        works("store", "import", url, "-f", there)
        works("store", "export", url, "-f", here)
        works("store", "import", tmp_path / "home", "-f", here)
        works("store", "export", tmp_path / "home", "-f", again)
        assert body(there) == body(here) == body(again)
        filled.write_config(store=url, **config)
        filled.start_node()
        filled.wait_synchronised("leaf1", "leaf2")
        assert filled.run("tx", "list") == before
        assert filled.target("leaf3")["state"] == "paused"
        assert "SPARE_PASSWORD" in filled.target("spare1")["reason"], "it is not set here"
        assert "password" not in filled.target("spare2")["reason"], "it can be read here"
        assert filled.run("confirm", str(window))["window"] == "confirmed"
        assert filled.node.stop() == 0


def test_a_store_with_something_in_it_is_left_alone(filled, dump):
    data = filled.folder / "data"
    said = fails("store", "import", data, "-f", dump)
    assert f"{data} is not empty" in said, said
    filled.start_node()
    assert len(filled.transactions()) == 4


def test_a_broken_dump_imports_nothing(dump, tmp_path):
    lines = dump.read_text().splitlines(keepends=True)
    last = len(lines)
    changed = [line.replace("seven", "eight") for line in lines]
    assert changed != lines
    for wrong, words in [
        (lines[: last // 2], f"ends after line {last // 2} "),
        (lines[:-1], f"ends after line {last - 1} "),
        ([*lines[:3], "{nonsense\n", *lines[4:]], "line 4 "),
        ([*lines[:3], lines[3][: len(lines[3]) // 2] + "\n", *lines[4:]], "line 4 "),
        (changed, "not as it was written"),
        ([*lines[:5], *lines[6:]], "not as it was written"),
        ([*lines, lines[3]], f"line {last + 1} "),
        (["hello\n"], "no dump"),
        ([], "no dump"),
    ]:
        file = tmp_path / "broken.jsonl"
        file.write_text("".join(wrong))
        said = fails("store", "import", tmp_path / "new", "-f", file)
        assert words in said, (words, said)
        assert not (tmp_path / "new").exists() or not os.listdir(tmp_path / "new"), said
        # From a pipe it cannot be looked at first; what was begun is removed.
        with open(file) as pipe:
            said = fails("store", "import", tmp_path / "new", stdin=pipe)
        assert words in said, (words, said)
        assert not os.listdir(tmp_path / "new"), said
    works("store", "import", tmp_path / "new", "-f", dump)


@contextlib.contextmanager
def under_way(*arguments, **pipes):
    process = subprocess.Popen([BINARY, *arguments], stderr=subprocess.PIPE, text=True, **pipes)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def interrupted(process, by=signal.SIGINT):
    """Ends it as Ctrl-C does; what it says. Its input stays open, and its output unread."""
    process.send_signal(by)
    process.wait(PATIENCE)
    said = process.stderr.read()
    assert process.returncode == 128 + by, said
    return said


def half(dump):
    lines = dump.read_text().splitlines(keepends=True)
    return "".join(lines[: len(lines) // 2])


def test_an_import_that_is_interrupted_leaves_nothing(dump, tmp_path):
    to = tmp_path / "new"
    with under_way("store", "import", to, stdin=subprocess.PIPE) as process:
        process.stdin.write(half(dump))
        process.stdin.flush()
        until("it has begun", lambda: (to / "store.redb").exists())
        assert f"in use by process {process.pid}" in fails("store", "check", to)
        assert "interrupted; nothing was imported" in interrupted(process)
    assert not os.listdir(to)
    works("store", "import", to, "-f", dump)


def test_an_import_that_is_killed_is_never_taken_for_a_store(filled, dump, tmp_path):
    lines = dump.read_text().splitlines(keepends=True)
    id_ = next(json.loads(line) for line in lines if json.loads(line)["kind"] == "id")
    # More than is written at once, so that some of it is there when the kill comes.
    many = [json.dumps({**id_, "key": f"id/{number:0>200}"}) + "\n" for number in range(40_000)]
    to = tmp_path / "new"
    with under_way("store", "import", to, stdin=subprocess.PIPE) as process:
        process.stdin.write(lines[0] + "".join(many))
        process.stdin.flush()
        until("some of it is there", lambda: (to / "store.redb").stat().st_size > 4 << 20)
        process.kill()
        process.wait()
    for command in (["check", to], ["export", to]):
        assert "did not come to its end" in fails("store", *command)
    filled.write_config(store=str(to))
    assert "did not come to its end" in fails("serve", "--config", filled.folder / "lockstep.yaml")
    assert "is not empty" in fails("store", "import", to, "-f", dump)


def test_an_import_into_etcd_that_is_interrupted_says_so(filled, dump, tmp_path):
    with etcd(tmp_path) as (port, _):
        url = f"etcd://127.0.0.1:{port}/half"
        until("etcd answers", lambda: lockstep("store", "check", url).stderr.count("the store is empty"))
        with under_way("store", "import", url, stdin=subprocess.PIPE) as process:
            process.stdin.write(half(dump))
            process.stdin.flush()
            until("it has begun", lambda: "import" in lockstep("store", "check", url).stderr)
            assert "part of an import" in interrupted(process, by=signal.SIGTERM)
        # Nobody takes it for a store.
        assert "did not come to its end" in fails("store", "check", url)
        assert "did not come to its end" in fails("store", "export", url)
        filled.write_config(store=url)
        assert "did not come to its end" in fails("serve", "--config", filled.folder / "lockstep.yaml")
        assert "not empty" in fails("store", "import", url, "-f", dump)


def test_an_export_that_is_interrupted_leaves_no_file(filled, tmp_path):
    large = ["x" * 200 + str(number) for number in range(2_000)]
    entries = [{"id": number + 1, "name": name} for number, name in enumerate(large[:2_000])]
    filled.set("leaf1", update=[("/vlans", {"vlan": entries})])
    assert filled.node.stop() == 0
    data = filled.folder / "data"
    # Nobody reads, so it cannot come to its end.
    with under_way("store", "export", data, stdout=subprocess.PIPE) as process:
        until("it is under way", lambda: process.stdout.buffer.peek(1))
        assert "interrupted" in interrupted(process)
    pipe = tmp_path / "pipe"
    os.mkfifo(f"{pipe}.part")
    with under_way("store", "export", data, "-f", pipe) as process:
        with open(f"{pipe}.part", "rb") as reader:
            until("it is under way", lambda: reader.peek(1))
            assert "interrupted" in interrupted(process)
    assert not pipe.exists() and not os.path.exists(f"{pipe}.part")
