"""The simulated device, driven by cisco-gnmi."""

import json
import os
import pathlib
import subprocess

import pytest

from lab import MODELS, PATIENCE, ROOT, Process, until

PYTHON = pathlib.Path(os.environ.get("LOCKSTEP_CISCO", ROOT / ".tools" / "cisco")) / "bin" / "python"


@pytest.mark.skipif(not PYTHON.exists(), reason="cisco-gnmi is not installed; `make interop` does")
def test_every_call_of_cisco_gnmi(tmp_path):
    log = tmp_path / "device.log"
    device = Process(log, "sim", "--models", MODELS, "--listen", "127.0.0.1:0")
    try:
        line = until("it listens", lambda: log.read_text().splitlines())[0]
        script = pathlib.Path(__file__).with_name("cisco.py")
        done = subprocess.run([PYTHON, script, line.split()[-1]], capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        assert "lab" in said.pop("models")
        text = ["said by cisco-gnmi"]
        assert said == {"got": text, "once": text, "polled": text * 2, "streamed": text, "changed": ["changed"], "deleted": 1}
    finally:
        device.kill()
