"""Every command that the documentation shows is run as it is written there: taken from the page, in its order.

Only addresses are others here, since no port is always free."""

import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess

import pytest

from identity import SECRETS, Signer, hashed
from lab import BINARY, MODELS, PATIENCE, ROOT, Lab, until

SHOWN = re.compile(r"^(?: {4})?((?:[A-Z_]+=\S+ )*(?:lockstep|curl|export) .*)$")
CHANGE = """\
leaf1: {update: {/system/motd: hello, "/vlans/vlan[id=7]/name": seven}}
leaf2: {update: {/system/motd: hello}}
"""


def shown(page):
    """The commands of a page: in code, indented or fenced."""
    fenced, found = False, []
    for line in (ROOT / page).read_text().splitlines():
        fenced ^= line.startswith("```")
        if fenced or line.startswith("    "):
            found += SHOWN.findall(line)
    return found


class Shell:
    """Runs what a page shows, where a node and devices are."""

    def __init__(self, lab, **env):
        self.lab = lab
        self.places = {"127.0.0.1:9339": f"127.0.0.1:{lab.port}", "127.0.0.1:9340": f"127.0.0.1:{lab.http}"}
        self.env = {
            **os.environ,
            "PATH": f"{BINARY.parent}:{os.environ['PATH']}",
            "LOCKSTEP_SERVER": f"127.0.0.1:{lab.port}",
            "LOCKSTEP_INSECURE": "true",
            **env,
        }
        (lab.folder / "change.yaml").write_text(CHANGE)
        models = lab.folder / "models"
        if not models.exists():
            models.symlink_to(MODELS.parent)

    def here(self, command):
        for there, place in self.places.items():
            command = command.replace(there, place)
        return command

    def run(self, command, given=""):
        command = self.here(command)
        done = subprocess.run(
            ["bash", "-c", command], input=given, capture_output=True, text=True, timeout=PATIENCE, cwd=self.lab.folder, env=self.env
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout

    def until(self, command, words):
        """Runs what goes on by itself, until it says this."""
        process = subprocess.Popen(
            ["bash", "-c", f"exec {self.here(command)}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.lab.folder,
            env=self.env,
        )
        said = b""
        try:
            while words.encode() not in said:
                ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
                part = os.read(process.stdout.fileno(), 65536) if ready else b""
                assert part, (command, said)
                said += part
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()


@pytest.fixture
def pair(tmp_path):
    """Two devices and a node; what else a page needs, it adds."""
    lab = Lab(tmp_path, devices=2)
    try:
        yield lab
    finally:
        lab.stop()


def test_cli(pair):
    shell = Shell(pair.start())
    commands = shown("docs/cli.md")
    assert len(commands) > 30
    for command in commands:
        shell.run(command)
        if "target resume" in command or "target sync" in command:
            pair.wait_synchronised()


def test_http(pair):
    if shutil.which("curl") is None:
        pytest.skip("there is no curl")
    shell = Shell(pair.start())
    for command in shown("docs/http.md"):
        if " -N " in command:
            shell.until(command, "event: synced")
        else:
            said = json.loads(shell.run(command))
            assert not (isinstance(said, dict) and set(said) == {"error", "transaction"}), (command, said)


def test_models(pair):
    shell = Shell(pair.start())
    for command in shown("docs/models.md"):
        shell.run(command)


def test_targets(pair):
    """Of leaf3 there is nothing but its address, so it is added and changed without being met."""
    os.environ["LOCKSTEP_TARGET_PASSWORD"] = SECRETS["password"]
    models = {"lab-1.0": str(MODELS), "lab-2.0": str(MODELS)}
    pair.write_config(models=models)
    (pair.folder / "gnmic.yaml").write_text("targets: {leaf8: {address: '10.0.0.8:57400', insecure: true}}")
    shell = Shell(pair.start())
    for command in shown("docs/targets.md"):
        shell.run(command)
    assert pair.target("leaf8")["model"] == "lab-1.0"


def test_store(pair):
    shell = Shell(pair.start())
    data, backup = pair.folder / "data", pair.folder / "backup.jsonl"
    check, running, folder, into = shown("docs/store.md")
    shell.run(running)
    assert backup.stat().st_size > 0
    backup.unlink()
    pair.node.stop()
    shell.run(check)
    shell.run(folder)
    shutil.move(data, pair.folder / "before")
    shell.run(into)
    shell.run(check)


def test_security(pair):
    words = SECRETS["password"]
    signer = Signer("EdDSA")
    (pair.folder / "key.pem").write_bytes(signer.public())
    tokens = [{"issuer": "sso", "audience": "lockstep", "key": "key.pem"}]
    pair.write_config(users={"alice": hashed(words)}, tokens=tokens)
    (pair.folder / "pw").write_text(words)
    for name in pair.names:
        pair.start_device(name)
    pair.start_node(wait=False)
    shell = Shell(pair)
    hash_, password, file, token, certificate = shown("docs/security.md")
    assert shell.run(hash_, given=words).startswith("$argon2id$")
    password = password.replace("…", words)
    until("the node answers", lambda: shell.run(password))
    shell.run(f"LOCKSTEP_PASSWORD={words} lockstep --username alice set leaf1 --update '/interfaces/interface[name=eth1]/mtu=1500' --queued")
    shell.run(file)
    shell.run(token.replace("…", signer.token()))
    # With certificates, the node speaks TLS: tests/e2e/test_tls.py has that. Here it is understood.
    assert "cannot read ca.pem" in subprocess.run(
        ["bash", "-c", certificate],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**shell.env, "LOCKSTEP_INSECURE": "false"},
        cwd=pair.folder,
    ).stderr


def test_simulator(pair):
    pair.start_device("leaf1")
    shell = Shell(pair)
    shell.places |= {"127.0.0.1:57400": pair.device("leaf1")}
    until("the device answers", lambda: shell.run(f"lockstep sim faults {pair.device('leaf1')}") is not None)
    faults = re.search(r"```yaml\n(.*?)```", (ROOT / "docs/simulator.md").read_text(), re.S)
    assert faults, "the page has a file of faults"
    (pair.folder / "faults.yaml").write_text(faults[1])
    for command in shown("docs/simulator.md"):
        if command.startswith("lockstep sim --models"):
            listen = pair.device("leaf2")
            shell.until(command.replace(" --count 2", "") + f" --listen {listen}", "device on")
        else:
            shell.run(command)


def test_nothing_is_left_out():
    """Every page with commands is run by one of the tests above; a node's own commands are run by all of them."""
    run = {"docs/cli.md", "docs/http.md", "docs/models.md", "docs/targets.md", "docs/store.md", "docs/security.md", "docs/simulator.md"}
    # Run by the tests of `serve --trace`, and of the chaos.
    elsewhere = {"docs/traces.md"}
    pages = {str(page.relative_to(ROOT)) for page in pathlib.Path(ROOT / "docs").glob("*.md")}
    assert {page for page in pages if shown(page)} - elsewhere <= run
