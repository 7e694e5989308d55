"""What a node counts: Prometheus can read it, it moves when things happen, and it says nothing to strangers that it should
not."""

import re
import subprocess

import pytest
from pygnmi.spec.v080 import gnmi_pb2

from identity import SECRETS, hashed
from lab import ROOT, Lab, code, until
from prometheus import Metrics, check, promtool
from test_http import ask

ALERTS = ROOT / "packaging" / "alerts.yaml"


def metrics(lab):
    return Metrics(lab.http)


def grows(lab, before, name, by=1, behind="", /, **labels):
    """Waits until a metric has grown: a text may be half a second old."""
    wanted = before.value(name, behind, **labels) + by
    until(f"{name} {labels} is {wanted}", lambda: metrics(lab).value(name, behind, **labels) >= wanted)


def test_prometheus_can_read_all_of_it(one_lab):
    one_lab.set("leaf1", update=[("/system/motd", "counted")])
    now = metrics(one_lab)
    assert now.read_as == "text/plain; version=0.0.4; charset=utf-8"
    check(now.text)
    assert len(now.all) > 50
    for name, one in now.all.items():
        assert name.startswith(("lockstep_", "process_")), name
        assert one["help"].endswith("."), name
    # A few thousand lines at the most, whatever the network: no label has names of targets, users or addresses.
    assert now.text.count("\n") < 2000
    for target in one_lab.names:
        assert target not in now.text


def test_sets_are_counted_by_what_became_of_them(one_lab):
    before = metrics(one_lab)
    one_lab.set("leaf1", update=[("/system/motd", "one more")])
    with pytest.raises(Exception) as refused:
        one_lab.set("leaf1", update=[("/system/nothing", "x")])
    assert code(refused.value).name == "NOT_FOUND"
    grows(one_lab, before, "lockstep_rpcs_total", method="Set", code="OK")
    grows(one_lab, before, "lockstep_rpcs_total", method="Set", code="NOT_FOUND")
    grows(one_lab, before, "lockstep_rpc_duration_seconds", 2, "_count", method="Set")
    grows(one_lab, before, "lockstep_transactions_total", kind="change", status="applied")
    grows(one_lab, before, "lockstep_transaction_duration_seconds", 1, "_count", status="applied")
    grows(one_lab, before, "lockstep_proposals_total", status="applied")
    grows(one_lab, before, "lockstep_store_writes_total", 2, result="done")
    grows(one_lab, before, "lockstep_store_write_duration_seconds", 2, "_count")
    grows(one_lab, before, "lockstep_store_batch_size", 2, "_count")
    grows(one_lab, before, "lockstep_device_requests_total", request="set", answer="accepted")
    grows(one_lab, before, "lockstep_device_request_duration_seconds", 1, "_count", request="set")
    grows(one_lab, before, "lockstep_validations_total", verdict="valid")
    grows(one_lab, before, "lockstep_log_head_index")
    now = metrics(one_lab)
    assert now.value("lockstep_rpcs_total", method="Set") <= before.value("lockstep_rpcs_total", method="Set") + 2


def test_how_the_network_stands_is_counted(one_lab):
    now = metrics(one_lab)
    targets = len(one_lab.names)
    assert now.value("lockstep_targets", state="synchronised") == targets
    assert now.value("lockstep_targets") == now.value("lockstep_targets_connected") == now.value("lockstep_masterships") == targets
    assert now.value("lockstep_targets_unserved") == 0
    assert now.value("lockstep_device_connections") == targets
    assert now.value("lockstep_nodes") == now.value("lockstep_session_held") == now.value("lockstep_node_starts_total") == 1
    assert now.value("lockstep_transactions_open") == now.value("lockstep_transactions_oldest_open_seconds") == 0
    assert now.value("lockstep_store_size_bytes") == (one_lab.folder / "data" / "store.redb").stat().st_size
    assert now.value("lockstep_session_lease_expiry_timestamp_seconds") > now.value("lockstep_store_last_contact_timestamp_seconds") > 1e9
    assert now.value("process_open_fds") > 10 and now.value("process_resident_memory_bytes") > 1e6
    [(_, version, one)] = now.all["lockstep_build_info"]["samples"]
    assert one == 1 and re.fullmatch(r"\d+\.\d+\.\d+", version["version"])


def test_what_goes_wrong_is_counted(lab):
    before = metrics(lab)
    lab.sim("refuse", lab.device("leaf2"), "/system/motd")
    change = '{leaf1: {update: {/system/motd: x}}, leaf2: {update: {/system/motd: x}}}'
    (lab.folder / "change.yaml").write_text(change)
    assert lab.command("set", "-f", str(lab.folder / "change.yaml")).returncode == 4
    grows(lab, before, "lockstep_transactions_total", kind="change", status="reverted")
    grows(lab, before, "lockstep_proposals_total", status="refused")
    grows(lab, before, "lockstep_proposals_total", status="undone")
    # Where devices can, a change of several is tried on all of them first.
    grows(lab, before, "lockstep_device_requests_total", request="trial", answer="refused")
    # Refused, it is read again.
    grows(lab, before, "lockstep_target_synchronisations_total", result="synchronised")
    lab.devices["leaf3"].kill()
    grows(lab, before, "lockstep_device_connects_total", result="failed")
    until("leaf3 is pending", lambda: metrics(lab).value("lockstep_targets", state="pending") == 1)
    lab.start_device("leaf3")
    lab.wait_synchronised()
    grows(lab, before, "lockstep_device_connects_total", result="connected")
    grows(lab, before, "lockstep_mastership_terms_total")
    lab.sim("drift", lab.device("leaf1"), "/system/motd", "behind")
    grows(lab, before, "lockstep_drifts_total")
    until("leaf1 drifted", lambda: metrics(lab).value("lockstep_targets", state="drifted") == 1)


def test_subscribers_and_requests_are_counted(one_lab):
    before = metrics(one_lab)
    with one_lab.stub() as stub:
        asked = gnmi_pb2.SubscribeRequest(subscribe=gnmi_pb2.SubscriptionList(prefix=gnmi_pb2.Path(target="leaf1")))
        asked.subscribe.subscription.add().path.elem.add(name="system")
        told = stub.Subscribe(iter([asked]))
        next(told)
        until("it is counted", lambda: metrics(one_lab).value("lockstep_subscriptions") == 1)
        told.cancel()
    until("it has gone", lambda: metrics(one_lab).value("lockstep_subscriptions") == 0)
    assert metrics(one_lab).value("lockstep_subscribers_waiting_bytes") == 0
    assert ask(one_lab, "/nowhere")[0] == 404
    grows(one_lab, before, "lockstep_http_requests_total", code="404")


def test_strangers_learn_no_secret(tmp_path):
    lab = Lab(tmp_path, devices=1)
    lab.write_config(users={"alice": hashed("for nobody but alice")})
    lab.start_device("leaf1")
    lab.start_node(wait=False)
    try:
        # Open without a login, and what is refused elsewhere is counted by why, not by whom.
        until("it answers", lambda: metrics(lab))
        until("nobody is let in", lambda: "UNAUTHENTICATED" in lab.command("target", "list").stderr)
        until("it is counted", lambda: metrics(lab).value("lockstep_calls_refused_total", reason="nobody") > 0)
        said = metrics(lab).text
        assert "alice" not in said and "127.0.0.1" not in said
        assert not [what for what, secret in SECRETS.items() if secret in said]
    finally:
        lab.stop()


def test_alerts_name_what_there_is(one_lab):
    known = metrics(one_lab).all
    text = ALERTS.read_text()
    named = set(re.findall(r"\b(?:lockstep|process)_[a-z_]+", text))
    base = lambda name: re.sub(r"_(bucket|sum|count)$", "", name)
    assert named and {base(name) if base(name) in known else name for name in named} <= set(known)
    done = subprocess.run([promtool(), "check", "rules", ALERTS], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    tests = ALERTS.with_name("alerts_test.yaml")
    done = subprocess.run([promtool(), "test", "rules", tests], capture_output=True, text=True, cwd=ALERTS.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    alerts = re.findall(r"- alert: (\w+)", text)
    assert len(alerts) >= 10 and len(set(alerts)) == len(alerts)
    # Each says what it is about, what it means, and what to do.
    for wanted in ("summary", "description", "action"):
        assert len(re.findall(rf"^ +{wanted}: ", text, re.M)) == len(alerts), wanted
    # And each is seen to fire.
    assert set(re.findall(r"alertname: (\w+)", tests.read_text())) == set(alerts)
