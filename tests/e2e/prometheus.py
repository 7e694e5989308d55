"""What a node counts, as Prometheus reads it: its own tool says whether it may be read, and what is in it."""

import pathlib
import re
import shutil
import subprocess
import urllib.request

from lab import PATIENCE, ROOT

SAMPLE = re.compile(r'^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')


def promtool():
    """Prometheus' own tool, as Debian has it."""
    found = shutil.which("promtool") or shutil.which(ROOT / ".tools" / "bin" / "promtool")
    assert found, "there is no promtool; `scripts/setup e2e` fetches it"
    return pathlib.Path(found)


def scrape(port):
    """The text, and how it says that it is to be read."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE) as answer:
        return answer.read().decode(), answer.headers["content-type"]


def parse(text):
    """Every metric with its help, its kind, and its samples: labels and value of each."""
    metrics, name = {}, None
    for line in text.splitlines():
        if line.startswith("# HELP "):
            _, _, name, help_ = line.split(" ", 3)
            metrics[name] = {"help": help_, "samples": []}
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            metrics[name]["kind"] = kind
        else:
            sample, labels, value = SAMPLE.match(line).groups()
            assert sample.startswith(name), line
            labels = dict(LABEL.findall(labels or ""))
            metrics[name]["samples"].append((sample[len(name) :], labels, float(value)))
    return metrics


class Metrics:
    """What a node counts now."""

    def __init__(self, port):
        self.text, self.read_as = scrape(port)
        self.all = parse(self.text)

    def value(self, name, behind="", /, **labels):
        """The sum of the samples whose labels say this."""
        said = lambda all_: all(all_.get(label) == value for label, value in labels.items())
        samples = self.all[name]["samples"]
        return sum(value for end, all_, value in samples if end == behind and said(all_))


def check(text):
    """Has Prometheus read it, and say what is not as it should be."""
    done = subprocess.run([promtool(), "check", "metrics"], input=text, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0 and not done.stderr, done.stderr + done.stdout
