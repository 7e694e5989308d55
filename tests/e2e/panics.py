"""What a program that panics leaves in its log."""

import re

# In Rust, and in the line that follows, what it said.
RUST = re.compile(rb"panicked at (.*)\n?(.*)")


def panics(content):
    """The places of all panics in a log, and what was said there."""
    for place, said in RUST.findall(content):
        yield f"{place.decode(errors='replace')} {said.decode(errors='replace')}".strip()
