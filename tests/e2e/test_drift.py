"""Devices that are changed behind our back, and devices that listen to anyone."""

import json

from lab import until


def state(lab, name="leaf1"):
    return lab.target(name)["state"]


def configure(lab, **leaf1):
    """Gives leaf1 some more options."""
    lab.write_config()
    config = json.loads((lab.folder / "lockstep.yaml").read_text())
    config["targets"]["leaf1"].update(leaf1)
    (lab.folder / "lockstep.yaml").write_text(json.dumps(config))
    assert lab.node.stop() == 0
    lab.start_node()
    lab.wait_synchronised("leaf1")


def test_a_device_that_is_changed_behind_our_back_is_shown_as_drifted(lab):
    lab.set("leaf1", update=[("/system", {"hostname": "leaf1", "motd": "agreed"})])
    assert state(lab) == "synchronised"
    lab.sim("drift", lab.device("leaf1"), "/system/motd", "changed by hand")
    until("it is drifted", lambda: state(lab) == "drifted")
    assert lab.target("leaf1")["reason"] == "/system/motd is `changed by hand`, applied is `agreed`"
    # Nothing is done about it, and nobody else is concerned.
    assert lab.on_device("leaf1", "/system/motd") == "changed by hand"
    assert state(lab, "leaf2") == "synchronised"
    lab.sim("drift", lab.device("leaf1"), "/system/motd", "agreed")
    until("it is as agreed again", lambda: state(lab) == "synchronised")


def test_our_own_changes_are_no_drift(lab):
    for number in range(10):
        lab.set("leaf1", update=[("/system", {"hostname": "leaf1", "motd": f"number {number}"})])
        assert state(lab) == "synchronised", lab.target("leaf1")
    lab.set("leaf1", delete=["/system"])
    assert state(lab) == "synchronised", lab.target("leaf1")


def test_what_agrees_with_a_later_change_is_no_drift_any_more(lab):
    lab.set("leaf1", update=[("/system/motd", "agreed")])
    lab.sim("drift", lab.device("leaf1"), "/system/motd", "ahead of time")
    until("it is drifted", lambda: state(lab) == "drifted")
    lab.set("leaf1", update=[("/system/motd", "ahead of time")])
    until("it is as agreed", lambda: state(lab) == "synchronised")


def test_drift_of_a_device_without_subscriptions_is_found_by_reading(lab):
    lab.sim("lack", lab.device("leaf1"), "subscribe")
    configure(lab, **{"drift-interval": "1s"})
    lab.set("leaf1", update=[("/system/motd", "agreed")])
    lab.sim("drift", lab.device("leaf1"), "/system/motd", "changed by hand")
    until("it is drifted", lambda: state(lab) == "drifted")


def test_what_somebody_else_changed_is_changed_back(lab):
    configure(lab, drift="enforce")
    lab.set("leaf1", update=[("/system/motd", "agreed")])
    lab.sim("drift", lab.device("leaf1"), "/system/motd", "changed by hand")
    until("it is as agreed again", lambda: lab.on_device("leaf1", "/system/motd") == "agreed")
    until("and known to be", lambda: state(lab) == "synchronised")


def test_what_somebody_else_changed_is_adopted(lab):
    configure(lab, drift="adopt")
    lab.set("leaf1", update=[("/system/motd", "agreed")])
    lab.sim("drift", lab.device("leaf1"), "/system/motd", "changed by hand")
    until("it is agreed", lambda: lab.get("leaf1", "/system/motd") == "changed by hand")
    entry = lab.transactions()[0]
    assert (entry["kind"], entry["status"], entry["author"]) == ("adopt", "applied", "lockstep")
    lab.run("rollback", str(entry["index"]), "--yes")
    assert lab.on_device("leaf1", "/system/motd") == "agreed"


def test_what_a_device_has_is_adopted_on_order(lab):
    lab.set("leaf1", update=[("/system/motd", "agreed")])
    lab.sim("drift", lab.device("leaf1"), "/system/motd", "changed by hand")
    until("it is drifted", lambda: state(lab) == "drifted")
    lab.run("target", "adopt", "leaf1")
    assert lab.get("leaf1", "/system/motd") == "changed by hand"
    until("it is in line", lambda: state(lab) == "synchronised")


def test_nobody_cares_about_paths_that_are_ignored(lab):
    configure(lab, ignore=["/system/motd"])
    lab.set("leaf1", update=[("/system", {"hostname": "leaf1", "motd": "agreed"})])
    lab.sim("drift", lab.device("leaf1"), "/system/motd", "changed by hand")
    lab.sim("drift", lab.device("leaf1"), "/system/hostname", "elsewhere")
    until("it is drifted", lambda: state(lab) == "drifted")
    assert lab.target("leaf1")["reason"] == "/system/hostname is `elsewhere`, applied is `leaf1`"


def test_a_path_to_be_ignored_has_to_be_one_of_the_models(lab):
    assert lab.node.stop() == 0
    config = json.loads((lab.folder / "lockstep.yaml").read_text())
    config["targets"]["leaf1"]["ignore"] = ["/system/mtod"]
    (lab.folder / "lockstep.yaml").write_text(json.dumps(config))
    lab.start_node(wait=False)
    until("it ends", lambda: not lab.node.is_running())
    assert "targets.leaf1.ignore: " in (lab.folder / "node.log").read_text()


# rule: south-probe
def test_who_turns_away_an_older_master_is_found_out(lab):
    assert lab.target("leaf1")["fencing"] == "device"
    for how, name in (("ignore", "leaf1"), ("lack", "leaf2")):
        lab.sim(how, lab.device(name), "arbitration")
        lab.sim("restart", lab.device(name), "--keep")
        until("it is found out", lambda: lab.target(name)["fencing"] == "store-only")


def test_a_device_that_listens_to_anyone_is_left_alone_until_the_old_master_is_out_of_the_way(lab):
    lab.sim("ignore", lab.device("leaf1"), "arbitration")
    configure(lab, timeout="6s")
    lab.set("leaf1", update=[("/system/motd", "before")])
    lab.node.kill()
    lab.start_node()

    def is_left_alone(leaf1):
        why = leaf1["reason"] or ""
        return leaf1["fencing"] == "store-only" and why.startswith("it turns no older master away, so it is left")

    # What the old one sent may still land.
    left = until("it is claimed, and left alone", lambda: (one := lab.target("leaf1")) and is_left_alone(one) and one)
    assert left["state"] == "synchronising"
    lab.wait_synchronised("leaf1")
    lab.set("leaf1", update=[("/system/motd", "after")])
    assert lab.on_device("leaf1", "/system/motd") == "after"
