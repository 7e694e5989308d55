"""What logs are searched for when a run is over; and what a summary says it is of."""

from lab import BINARY, DEVICE_PASSWORD
from run import built, what_no_log_has

PANIC = "\nthread 'tokio-runtime-worker' (7) panicked at crates/node/src/aside.rs:26:5:\nfour\nnote: run with more\n"


def test_logs_in_which_nothing_is_wrong(tmp_path):
    (tmp_path / "n1").mkdir()
    (tmp_path / "n1" / "node.log").write_text("--- start 1\nINFO ready\n")
    # A plan and a history are none, and devices know their password.
    (tmp_path / "history.jsonl").write_text(PANIC)
    (tmp_path / "devices1.log").write_text(DEVICE_PASSWORD)
    assert not list(what_no_log_has(tmp_path))


def test_a_panic_is_found_in_any_log(tmp_path):
    (tmp_path / "n1").mkdir()
    for log in ("n1/node.log", "devices3.log", "m2.log", "network.log"):
        (tmp_path / log).write_text("--- start 1\n" + PANIC)
        assert list(what_no_log_has(tmp_path)) == [("Panics", f"{log}: crates/node/src/aside.rs:26:5: four")]
        (tmp_path / log).unlink()


def test_the_password_of_devices_is_found_in_that_of_a_node(tmp_path):
    (tmp_path / "n1").mkdir()
    (tmp_path / "n1" / "node.log").write_text(f"INFO {DEVICE_PASSWORD}\n")
    assert [name for name, _ in what_no_log_has(tmp_path)] == ["Secrets"]


def test_what_was_built_is_said():
    assert built().startswith("commit ") and built().endswith(f", {BINARY.resolve().parent.name} build")
