"""The search for panics in logs finds those that a program in Rust leaves there."""

from panics import panics

QUIET = b"2026-11-16T08:00:00Z ERROR lockstep: a device panicked, by its own words\nINFO not at all\n"
OLD = b"thread 'main' panicked at crates/node/src/aside.rs:26:5:\nit is over\nnote: run with `RUST_BACKTRACE=1`\n"


def test_a_panic_is_found_with_its_place_and_words():
    assert not list(panics(QUIET))
    assert list(panics(QUIET + OLD + QUIET)) == ["crates/node/src/aside.rs:26:5: it is over"]
    assert len(list(panics(OLD + OLD))) == 2


def test_a_log_that_is_cut_off_or_no_text_is_no_trouble():
    assert list(panics(b"\xff panicked at a.rs:1:2:")) == ["a.rs:1:2:"]
