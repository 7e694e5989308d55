"""Targets that are given other models than the ones their configuration was decided with."""

import json

import pytest
from pygnmi.spec.v080 import gnmi_pb2

from lab import MODELS, PATIENCE, Lab, Process, options, until, update

MODULE = """module toy {
  namespace "urn:toy"; prefix t;
  container c { leaf x { type string; %s } leaf z { type string; } }
}"""


class Toys(Lab):
    """Devices of a model of our own."""

    def __init__(self, folder, mandatory=False):
        self.models = folder / "models"
        self.models.mkdir()
        self.give_models(mandatory)
        super().__init__(folder, devices=1)

    def give_models(self, mandatory):
        (self.models / "toy.yang").write_text(MODULE % ("mandatory true;" if mandatory else ""))

    def write_config(self, **extra):
        super().write_config(models={"toy": str(self.models)}, **extra)
        config = json.loads((self.folder / "lockstep.yaml").read_text())
        config["targets"]["leaf1"]["model"] = "toy"
        (self.folder / "lockstep.yaml").write_text(json.dumps(config))

    def start_device(self, name):
        listen = f"127.0.0.1:{self.ports[name]}"
        self.devices[name] = Process(self.folder / f"{name}.log", "sim", "--models", self.models, "--listen", listen)


@pytest.fixture
def toys(tmp_path):
    toys = Toys(tmp_path)
    yield toys
    toys.stop()


def queue(lab, where, content):
    """A change that waits for its device."""
    request = gnmi_pb2.SetRequest(update=[update(where, content, "leaf1")], extension=[options(queued=True, async_=True)])
    with lab.stub() as stub:
        stub.Set(request, timeout=PATIENCE)


def test_models_that_demand_something_of_a_new_target(tmp_path):
    toys = Toys(tmp_path, mandatory=True)
    try:
        toys.start()
        toys.set("leaf1", update=[("/c", {"x": "there", "z": "too"})])
        assert toys.on_device("leaf1", "/c") == {"toy:x": "there", "toy:z": "too"}
    finally:
        toys.stop()


def test_models_are_not_taken_that_a_refusal_could_leave_broken(toys):
    toys.start()
    toys.set("leaf1", update=[("/c/z", "first")])
    toys.devices["leaf1"].kill()
    until("it is gone", lambda: not toys.target("leaf1")["connected"])
    queue(toys, "/c/x", "waits")
    assert toys.node.stop() == 0
    # With what waits all is well; without it, should the device refuse it, it would not be.
    toys.give_models(mandatory=True)
    toys.start_node(wait=False)
    until("it says why", lambda: "cannot be bound to model set toy" in (toys.folder / "node.log").read_text())
    toys.node.kill()
    toys.give_models(mandatory=False)
    toys.start_device("leaf1")
    toys.start_node()
    until("it arrived", lambda: toys.on_device("leaf1", "/c") == {"toy:x": "waits", "toy:z": "first"})
    assert toys.node.stop() == 0
    toys.give_models(mandatory=True)
    toys.start_node()
    toys.wait_synchronised("leaf1")


def test_a_broken_model_set_takes_no_other_down(tmp_path):
    lab = Lab(tmp_path, devices=2)
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "odd.yang").write_text("module odd {\n  namespace 'urn:odd'; prefix o;\n  leaf x { type nothing; }\n}\n")
    both = {"lab-1.0": str(MODELS), "odd": str(broken)}
    lab.write_config(models=both)
    config = json.loads((tmp_path / "lockstep.yaml").read_text())
    config["targets"]["leaf2"]["model"] = "odd"
    (tmp_path / "lockstep.yaml").write_text(json.dumps(config))
    try:
        lab.start_device("leaf1")
        lab.start_device("leaf2")
        lab.start_node()
        lab.wait_synchronised("leaf1")
        lab.set("leaf1", update=[("/system/motd", "hello")])
        assert lab.on_device("leaf1", "/system/motd") == "hello"
        log = (tmp_path / "node.log").read_text()
        assert "model set odd" in log and "odd.yang" in log and "line 3" in log, log
        refused = lab.command("set", "leaf2", "--update", "/system/motd=hello")
        assert refused.returncode != 0 and "leaf2" in refused.stderr, refused
        # Mended, its targets are there with the next start.
        assert lab.node.stop() == 0
        config["targets"]["leaf2"]["model"] = "lab-1.0"
        (tmp_path / "lockstep.yaml").write_text(json.dumps(config))
        lab.start_node()
        lab.wait_synchronised()
    finally:
        lab.stop()
