"""Carries out a plan: begins each fault when it is due, ends it when its time is over, and in the end heals everything."""

import contextlib
import threading
import time
from collections import Counter

import device as sim
import disk
import registers
from world import CLIENTS, MEMBERS, NODES


# How soon a fault that met nobody is tried again.
AGAIN = 0.5


class Nemesis:
    """One thread for each lane of the plan, so that what takes long in one keeps no other waiting."""

    def __init__(self, world, plan, log):
        self.world, self.plan, self.log = world, plan, log
        self.counts, self.failed, self.lock = Counter(), Counter(), threading.Lock()
        # Nodes that are to be away for now. Any other that ends is started again, as whoever runs services would.
        self.away, self.over = set(), threading.Event()
        # Whom each of them met, from when until when, as it really went.
        self.told = []
        # What holds up calls of members that have a slow disk.
        self.brakes = {}
        lanes = sorted({fault["lane"] for fault in plan})
        self.threads = [threading.Thread(target=self.go_along, args=(lane,), name=lane, daemon=True) for lane in lanes]

    def run(self):
        """All of the plan."""
        self.begun = time.monotonic()
        threading.Thread(target=self.look_after_nodes, name="services", daemon=True).start()
        for thread in self.threads:
            thread.start()
        for thread in self.threads:
            thread.join()

    def look_after_nodes(self):
        """A node that finds no store when it starts ends. Whatever ends is noted."""
        while not self.over.wait(1):
            self.world.look()
            for name in NODES:
                with self.lock:
                    if name not in self.away and not self.world.nodes[name].is_running():
                        self.counts["node-ended"] += 1
                        self.world.nodes[name].start()

    def go_along(self, lane):
        for fault in self.plan:
            if fault["lane"] == lane:
                self.sleep_until(fault["at"])
                begun = time.monotonic()
                self.try_to(fault, "begin")
                self.sleep_until(fault["at"] + fault["last"])
                self.try_to(fault, "end")
                self.told.append({**fault, "from": begun, "until": time.monotonic(), **self.only(fault)})

    def only(self, fault):
        """The devices that a fault concerns, where it concerns nobody else."""
        if fault["lane"].startswith("devices"):
            return {"devices": [fault["device"]]}
        return {"devices": self.some(fault)} if fault["fault"].endswith(("-from-devices", "-to-devices")) else {}

    def sleep_until(self, at):
        time.sleep(max(0, self.begun + at - time.monotonic()))

    def try_to(self, fault, what):
        """A fault may meet somebody who is away. Then it is tried again for as long as it was to last; that it met nobody is no
        failure of the run, and is counted apart."""
        act = getattr(self, f"{what}_{fault['fault'].replace('-', '_')}", None)
        over = self.begun + fault["at"] + fault["last"] - AGAIN
        while said := self.fails(act, fault):
            if what == "end" or time.monotonic() > over or "there is no" in said:
                break
            time.sleep(AGAIN)
        if said:
            self.count(self.failed, fault)
        elif what == "begin":
            self.count(self.counts, fault)
        self.log(f"{what} {fault['fault']} {fault}{said}")

    def fails(self, act, fault):
        """Why it cannot be done; nothing: it is."""
        try:
            if act:
                act(fault)
        except Exception as error:
            return f" failed: {error!r}"
        return ""

    def count(self, counts, fault):
        with self.lock:
            counts[fault["fault"]] += 1

    # Members of etcd.

    def member(self, name):
        """One that is there to be met."""
        return there(name, self.world.members[name])

    def begin_member_kill(self, fault):
        self.member(fault["member"]).kill()

    def end_member_kill(self, fault):
        self.revive_member(fault["member"])

    def begin_majority_kill(self, fault):
        for member in [self.member(name) for name in MEMBERS if name != fault["member"]]:
            member.kill()

    def end_majority_kill(self, _):
        for name in MEMBERS:
            self.revive_member(name)

    def begin_member_pause(self, fault):
        self.member(fault["member"]).pause()

    def end_member_pause(self, fault):
        self.world.members[fault["member"]].go_on()

    def begin_slow_disk(self, fault):
        """What has to be on its disk takes longer; without the means for that, all of it stands still again and again."""
        member = self.member(fault["member"])
        if self.world.brake:
            self.brakes[fault["member"]] = disk.Brake(member.process.pid, 0.1 + 0.9 * fault["amount"])
        else:
            threading.Thread(target=pulses, args=(member, fault["last"]), daemon=True).start()

    def end_slow_disk(self, fault):
        if brake := self.brakes.pop(fault["member"], None):
            brake.let_go()
        self.world.members[fault["member"]].go_on()

    def begin_full_disk(self, fault):
        """The disk fills up, and the member has to open its log on it."""
        ballast = self.room()
        self.member(fault["member"]).kill()
        self.fill(ballast)
        self.revive_member(fault["member"])

    def begin_disk_fills(self, fault):
        """The disk fills up while the member runs on it, which ends it with the next write that needs room."""
        ballast = self.room()
        self.member(fault["member"])
        self.fill(ballast)

    def end_disk_fills(self, fault):
        self.end_full_disk(fault)

    def room(self):
        """The file that fills the disk."""
        ballast = self.world.ballast()
        if ballast is None:
            raise RuntimeError("there is no disk to fill")
        return ballast

    def fill(self, ballast):
        with contextlib.suppress(OSError), open(ballast, "wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 20))

    def end_full_disk(self, fault):
        if ballast := self.world.ballast():
            ballast.unlink(missing_ok=True)
        self.revive_member(fault["member"])

    def begin_no_space(self, _):
        self.alarm("ACTIVATE")

    def end_no_space(self, _):
        self.alarm("DEACTIVATE")

    def alarm(self, action):
        """What etcd does when its space is used up: it takes no more writes, on all members."""
        last = None
        for name in MEMBERS:
            try:
                member = self.world.ask_member(name, "maintenance/status")["header"]["member_id"]
                if action == "ACTIVATE":
                    return self.world.ask_member(name, "maintenance/alarm", action=action, memberID=member, alarm="NOSPACE")
                raised = self.world.ask_member(name, "maintenance/alarm", action="GET").get("alarms", [])
                for one in raised:
                    self.world.ask_member(name, "maintenance/alarm", action=action, memberID=one["memberID"], alarm="NOSPACE")
                return None
            except OSError as error:
                last = error
        raise last

    def revive_member(self, name):
        with self.lock:
            if not self.world.members[name].is_running():
                self.world.start_member(name)

    # Nodes.

    def begin_node_kill(self, fault):
        [node] = self.take_away(fault["node"])
        node.kill()

    def end_node_kill(self, fault):
        self.revive_node(fault["node"])

    def begin_all_nodes_kill(self, _):
        for node in self.take_away(*NODES):
            node.kill()

    def end_all_nodes_kill(self, _):
        for name in NODES:
            self.revive_node(name)

    def begin_node_stop(self, fault):
        [node] = self.take_away(fault["node"])
        node.stop(patience=10)

    def end_node_stop(self, fault):
        self.revive_node(fault["node"])

    def begin_node_pause(self, fault):
        there(fault["node"], self.world.nodes[fault["node"]]).pause()

    def end_node_pause(self, fault):
        self.world.nodes[fault["node"]].go_on()

    def begin_clock_jump(self, fault):
        if not self.world.clock:
            raise RuntimeError("there is no clock of a node's own here")
        self.world.set_clock(fault["node"], fault["jump"])

    def end_clock_jump(self, fault):
        self.world.set_clock(fault["node"], 0)

    def take_away(self, *names):
        """Nodes that are there, and from here on are not started again."""
        with self.lock:
            nodes = [there(name, self.world.nodes[name]) for name in names]
            self.away.update(names)
        return nodes

    def revive_node(self, name):
        with self.lock:
            self.away.discard(name)
            if not self.world.nodes[name].is_running():
                self.world.nodes[name].start()

    # Links.

    def links(self, fault):
        node, member, kind = fault["node"], fault["member"], fault["fault"]
        others = [name for name in MEMBERS if name != member]
        if "store" in kind:
            return [(node, name) for name in MEMBERS]
        if kind == "node-from-member":
            return [(node, member)]
        if kind == "members-parted":
            return [(member, others[0]), (others[0], member)]
        if "members" in kind:
            return [(member, name) for name in others] + [(name, member) for name in others]
        if "devices" in kind:
            return [(node, name) for name in self.some(fault)]
        return [(node, name) for name in [*MEMBERS, *self.world.names]]

    def some(self, fault):
        """All devices, or every second, or every third."""
        return self.world.names[:: 1 + int(fault["amount"] * 3)]

    def begin_node_from_store(self, fault):
        self.world.network.cut(self.links(fault))

    begin_node_from_member = begin_member_from_members = begin_node_from_devices = begin_node_from_store

    def begin_node_stalled_from_store(self, fault):
        self.world.network.stall(self.links(fault))

    begin_members_parted = begin_node_stalled_from_store

    def begin_node_stalled_from_devices(self, fault):
        """What was sent before may arrive long after it was given up. A device that honours no arbitration would do it then, and
        nobody could keep it from that; so those are cut off instead."""
        links = self.links(fault)
        self.world.network.stall([link for link in links if self.world.fences(link[1])])
        self.world.network.cut([link for link in links if not self.world.fences(link[1])])

    def begin_node_deaf_to_store(self, fault):
        """One way: what the node says arrives, and it hears nothing."""
        self.world.network.stall(self.links(fault), up=False)

    begin_node_deaf_to_devices = begin_node_deaf_to_store

    def begin_member_deaf_to_members(self, fault):
        member, links = fault["member"], self.links(fault)
        self.world.network.stall([link for link in links if link[0] == member], up=False)
        self.world.network.stall([link for link in links if link[1] == member], down=False)

    def begin_slow_links(self, fault):
        self.world.network.delay(self.links(fault), 5 + int(fault["amount"] * 195))

    def begin_clients_deaf(self, fault):
        """What clients ask of a node arrives, and they hear nothing of it."""
        self.world.network.stall([(CLIENTS, fault["node"])], up=False)

    def end_clients_deaf(self, fault):
        """Nor do they ever: the connections break."""
        self.world.network.cut([(CLIENTS, fault["node"])])
        self.world.network.heal([(CLIENTS, fault["node"])])

    def end_node_from_store(self, fault):
        self.world.network.heal(self.links(fault))

    end_node_stalled_from_store = end_node_from_member = end_node_deaf_to_store = end_node_from_store
    end_member_from_members = end_member_deaf_to_members = end_members_parted = end_node_from_store
    end_node_from_devices = end_node_stalled_from_devices = end_node_deaf_to_devices = end_node_from_store
    end_slow_links = end_node_from_store

    # Devices.

    def afflict(self, fault, *faults):
        self.world.devices[fault["device"]].set_faults(*faults)

    def end_device(self, fault):
        self.afflict(fault)

    end_refuse = end_refuse_after = end_delay = end_hang = end_rewrite = end_refuse_resync = end_device
    end_drop_before = end_drop_after = end_power_cut = end_busy = end_device

    def begin_restart_keep(self, fault):
        self.world.devices[fault["device"]].restart(keep=True)

    def begin_restart_lose(self, fault):
        self.world.devices[fault["device"]].restart(keep=False)

    def begin_refuse(self, fault):
        paths = [registers.text(fault["register"])] if fault["amount"] < 0.7 else []
        self.afflict(fault, sim.refuse(fault["code"], "not today", paths=paths))

    def begin_refuse_after(self, fault):
        self.afflict(fault, sim.refuse(fault["code"], "done and denied", after=True, times=2))

    def begin_delay(self, fault):
        # One that honours no arbitration does late what nobody can call off; that is its owner's affair.
        most = 4000 if self.world.fences(fault["device"]) else 1000
        self.afflict(fault, sim.delay(100 + int(fault["amount"] * most), on=["any"]))

    def begin_hang(self, fault):
        if not self.world.fences(fault["device"]):
            return self.afflict(fault, sim.delay(1000))
        return self.afflict(fault, sim.hang(500 + int(fault["amount"] * 6000), times=2))

    def begin_rewrite(self, fault):
        self.afflict(fault, sim.rewrite("upper", paths=[registers.text(fault["register"])]))

    def begin_drift(self, fault):
        # What is read in `motd` was written by a client, also where such a change is to stay.
        place = registers.text("motd" if fault["amount"] < 0.5 and not self.world.adopts(fault["device"]) else "hostname")
        self.world.devices[fault["device"]].drift(place, f"drift{fault['number']}")

    def begin_refuse_resync(self, fault):
        self.afflict(fault, sim.refuse(fault["code"], "not as I am now"))
        self.world.devices[fault["device"]].restart(keep=False)

    def begin_drop_before(self, fault):
        self.afflict(fault, sim.drop(after=False, times=2))

    def begin_drop_after(self, fault):
        self.afflict(fault, sim.drop(after=True, times=2))

    def begin_power_cut(self, fault):
        self.afflict(fault, sim.power_cut(after=fault["amount"] < 0.5, keep=fault["code"] == CODES_KEEP, times=1))

    def begin_busy(self, fault):
        self.afflict(fault, sim.refuse("RESOURCE_EXHAUSTED", "busy"))

    # Afterwards.

    def heal(self):
        """Everything is as it was; whatever cannot be healed at once is tried again."""
        world = self.world
        for brake in self.brakes.values():
            brake.let_go()
        parties = [*NODES, *MEMBERS]
        world.network.heal([(CLIENTS, node) for node in NODES])
        world.network.heal([(one, other) for one in parties for other in [*MEMBERS, *world.names]])
        if ballast := world.ballast():
            ballast.unlink(missing_ok=True)
        for name in MEMBERS:
            world.members[name].go_on()
            self.revive_member(name)
        for name in NODES:
            world.set_clock(name, 0)
            world.nodes[name].go_on()
            self.revive_node(name)
        for device in world.devices.values():
            device.set_faults()

    def stop(self):
        """From here on nobody is started again."""
        self.over.set()
        with self.lock:
            self.away.update(NODES)


def pulses(member, seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        member.pause()
        time.sleep(0.3)
        member.go_on()
        time.sleep(0.1)


def there(name, program):
    """A program that runs. What is done to one that does not meets nobody."""
    if not program.is_running():
        raise RuntimeError(f"{name} does not run")
    return program


# A power cut leaves the configuration where the plan's code is this one: about one in four does.
CODES_KEEP = "ABORTED"
