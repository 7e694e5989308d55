"""A store that an earlier version wrote is served as it stands, and one that a later version wrote is left alone."""

import base64
import json
import lzma
import pathlib
import re
import shutil

import pytest

from lab import ROOT, Lab, until
from test_etcd import ask, etcd
from test_store import fails, works

# Written by an early version, as a folder and as a dump: two changes of one target and one of two, one that was rejected, one
# that was rolled back, and one that waits for a device.
EARLIEST = pathlib.Path(__file__).with_name("stores") / "level-1"


# What this version brings a store up to.
FORMAT = ROOT / "crates" / "store" / "src" / "records" / "format.rs"
LEVEL = int(re.search(r"LEVEL: u32 = (\d+);", FORMAT.read_text())[1])


def level(store):
    return json.loads(works("store", "check", store, "--output", "json").stdout)["level"]


@pytest.fixture
def unstarted(tmp_path):
    lab = Lab(tmp_path)
    yield lab
    lab.stop()


@pytest.fixture(params=["folder", "etcd"])
def earlier(request, tmp_path):
    """Where that store is now."""
    if request.param == "folder":
        (tmp_path / "data").mkdir()
        with lzma.open(EARLIEST / "store.redb.xz") as packed, open(tmp_path / "data" / "store.redb", "wb") as file:
            shutil.copyfileobj(packed, file)
        yield tmp_path / "data"
    else:
        with etcd(tmp_path) as (port, _):
            until("etcd answers", lambda: ask(port, "maintenance/status"))
            url = f"etcd://127.0.0.1:{port}/earlier"
            works("store", "import", url, "-f", EARLIEST / "dump.jsonl")
            yield url


def test_a_store_of_an_earlier_version_is_served(earlier, unstarted, tmp_path):
    lab = unstarted
    before = level(earlier)
    lab.write_config(store=str(earlier))
    lab.start()
    # What waited for its device gets there.
    until("all is done", lambda: all(t["finished"] for t in lab.transactions()))
    statuses = [t["status"] for t in sorted(lab.transactions(), key=lambda t: t["index"])]
    assert statuses == ["applied", "applied", "applied", "applied", "rejected", "applied", "applied"]
    assert lab.run("tx", "show", "3")["rolled_back_by"] == 4
    assert lab.get("leaf1", "/system") == lab.on_device("leaf1", "/system") == {"lab:hostname": "leaf1"}
    assert lab.on_device("leaf1", "/interfaces/interface[name=eth1]/description") == "up ü"
    assert lab.on_device("leaf2", "/system") == {"lab:hostname": "waits", "lab:motd": "both"}
    # Its history counts as if it had been written now.
    assert lab.run("rollback", "6")["status"] == "applied"
    assert lab.on_device("leaf1", "/system/motd") == "both"
    assert lab.run("restore", "1", "--target", "leaf1")["status"] == "applied"
    assert lab.on_device("leaf1", "/system/motd") == "hello"
    assert lab.node.stop() == 0
    # It was brought up to what this version writes.
    dump = tmp_path / "new.jsonl"
    works("store", "export", earlier, "-f", dump)
    works("store", "import", tmp_path / "new", "-f", dump)
    assert before == 1 < LEVEL == level(earlier) == level(tmp_path / "new")
    lab.start_node()
    assert len(lab.transactions()) == 9


def test_a_store_of_a_later_version_is_left_alone(unstarted, tmp_path):
    lab = unstarted
    with etcd(tmp_path) as (port, _):
        until("etcd answers", lambda: ask(port, "maintenance/status"))
        url = f"etcd://127.0.0.1:{port}/later"
        works("store", "import", url, "-f", EARLIEST / "dump.jsonl")
        text = lambda bytes_: base64.b64encode(bytes_).decode()
        ask(port, "kv/put", key=text(b"/later/data/meta/format"), value=text(b"\x0199"))
        everything = lambda: ask(port, "kv/range", key=text(b"/later/data/"), range_end=text(b"/later/data0"))["kvs"]
        before = everything()
        lab.write_config(store=url)
        for command in (["serve", "--config", lab.folder / "lockstep.yaml"], ["store", "check", url], ["store", "export", url]):
            said = fails(*command)
            assert "format level 99" in said and "later version" in said, said
        assert everything() == before


def test_a_dump_of_a_later_version_is_refused(tmp_path):
    first, rest = (EARLIEST / "dump.jsonl").read_text().split("\n", 1)
    later = tmp_path / "later.jsonl"
    later.write_text(json.dumps({**json.loads(first), "level": 99}) + "\n" + rest)
    said = fails("store", "import", tmp_path / "new", "-f", later)
    assert "format level 99" in said and "later version" in said, said
    assert not (tmp_path / "new").exists() or not list((tmp_path / "new").iterdir())
