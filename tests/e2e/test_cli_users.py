"""The command line where a node wants to know who asks: what each user, token and certificate is told, held to a file.

LOCKSTEP_WRITE=1 writes the file anew, to be looked at."""

import os
import re
import shlex
import subprocess

import pytest

from identity import SECRETS
from lab import BINARY, PATIENCE, until
from test_cli import held, plain
from test_identity import WORDS, Guarded

# Who asks, and what. What stands before a command is what says who: flags, and variables of the environment.
SCRIPT = """
nobody: target list
nobody: --username alice target list
wrong: target list
alice: target list
alice: --username olga target list
flags: target list
token: tx list
both: tx show 1
both: --username alice tx show 1
lost: tx list
alice: get leaf1 /system
root: set leaf1 --update "/system={\\"hostname\\": \\"leaf1\\", \\"motd\\": \\"banner-for-few\\"}"
alice: get leaf1 /system
root: get leaf1 /system
alice: tx show 1 --diff
root: tx show 1 --diff
root: set leaf1 --update /system/motd=banner-for-fewer
alice: diff leaf1 --from 1
root: diff leaf1 --from 1
alice: set leaf1 --update "/interfaces/interface[name=eth1]/description=mine" --comment "by alice"
alice: set leaf1 --update /system/motd=x
alice: set leaf2 --update /system/hostname=x --dry-run
alice: rollback 3 --yes
alice: cancel 3 --yes
alice: target pause leaf1
alice: store export --file everything
olga: set leaf1 --update /system/hostname=x
olga: target pause leaf1
olga: get leaf2 /system
root: set leaf1 --update /system/hostname=later --queued --async
root: target show leaf1
root: set leaf2 --update "/interfaces/interface[name=eth2]/description=maybe" --confirm 600
alice: confirm 5
olga: cancel 5 --yes
alice: set leaf2 --update "/interfaces/interface[name=eth3]/description=maybe" --confirm 600
alice: confirm 7
root: set leaf2 --update "/interfaces/interface[name=eth4]/description=maybe" --confirm 1
root: confirm 8
root: tx show 8
root: tx list
root: tx list --author alice
root: tx list --author lockstep
root: tx show 6
"""


# Of a path that is secret: those who may not read that are never told it.
BANNER = "banner-for-few"
# What happens by itself, or after the answer: the commands after which that is waited for, and what it becomes.
AFTERWARDS = {"cancel 5 --yes": "6", "eth4": "9"}


@pytest.fixture
def lab(tmp_path):
    lab = Guarded(tmp_path)
    try:
        yield lab.start()
    finally:
        lab.stop()


def who(lab):
    """How each of them says who they are: variables, and flags."""
    (lab.folder / "password").write_text(WORDS["alice"] + "\n")
    (lab.folder / "token").write_text(lab.signers["EdDSA"].token(iss="EdDSA", sub="tess", groups=["ports"]))
    user = lambda name: ({"LOCKSTEP_USERNAME": name, "LOCKSTEP_PASSWORD": WORDS[name]}, [])
    return {
        "nobody": ({}, []),
        "wrong": ({"LOCKSTEP_USERNAME": "alice", "LOCKSTEP_PASSWORD": SECRETS["guess"]}, []),
        "flags": ({}, ["--username", "alice", "--password-file", "password"]),
        "token": ({}, ["--token-file", "token"]),
        # A flag counts before a variable.
        "both": ({"LOCKSTEP_USERNAME": "nina"}, ["--token-file", "token"]),
        "lost": ({}, ["--password-file", "password"]),
        **{name: user(name) for name in WORDS},
    }


def test_what_everybody_is_told(lab):
    known, written = who(lab), ""
    for line in SCRIPT.strip().splitlines():
        name, line = line.split(": ", 1)
        variables, flags = known[name]
        server = ["--server", f"127.0.0.1:{lab.port}", "--insecure"]
        done = subprocess.run(
            [BINARY, *server, *flags, *shlex.split(line)],
            capture_output=True, text=True, timeout=PATIENCE, cwd=lab.folder, stdin=subprocess.DEVNULL,
            env={**{key: text for key, text in os.environ.items() if not key.startswith("LOCKSTEP_")}, **variables},
        )  # fmt: skip
        shown = " ".join([*(f"{key}=…" if "PASSWORD" in key else f"{key}={text}" for key, text in variables.items()), "lockstep", *flags, line])
        written += f"$ {shown}\n{done.stdout}{done.stderr}" + (f"[{done.returncode}]\n\n" if done.returncode else "\n")
        assert name == "root" or BANNER not in done.stdout + done.stderr, (name, line)
        for rollback in [index for words, index in AFTERWARDS.items() if words in line]:
            until("it is taken out", lambda: lab.run("tx", "show", rollback)["status"] == "applied")
    assert BANNER not in (lab.folder / "node.log").read_text()
    assert not any(word in written for word in [*WORDS.values(), SECRETS["guess"]])
    held(re.sub(r"(?<=waits: ).*", "WAIT", plain(lab, written)), "users.txt")
