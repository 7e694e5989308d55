"""docs/performance.md, from what was measured."""

import statistics

import measures
import plot
from network import ROOT

PAGE = ROOT / "docs" / "performance.md"
PLOTS = ROOT / "docs" / "performance"
LOG = ROOT / "bench" / "log.md"


class Results:
    """What was measured, the rounds put together."""

    def __init__(self, kept):
        self.kept = kept["measures"]

    def points(self, name):
        """The points of a measure: what tells them apart, and a Figure for everything else."""
        apart, grouped = measures.NAMES[name], {}
        for point in self.kept.get(name, []):
            grouped.setdefault(tuple(point[key] for key in apart), []).append(point)
        for key, rounds in grouped.items():
            numbers = {
                field: Figure([one[field] for one in rounds if one.get(field) is not None])
                for field in rounds[0]
                if field not in apart and any(isinstance(one.get(field), (int, float)) for one in rounds)
            }
            yield Point(dict(zip(apart, key)), numbers)

    def point(self, name, **wanted):
        return next((one for one in self.points(name) if wanted.items() <= one.apart.items()), None)


class Point:
    def __init__(self, apart, figures):
        self.apart, self.figures = apart, figures

    def __getattr__(self, name):
        return self.apart[name] if name in self.apart else self.figures[name].median

    def shown(self, name, unit="", digits=3, scale=1):
        return Figure([one * scale for one in self.figures[name].all]).shown(unit, digits)

    def has(self, name):
        return name in self.figures


class Figure:
    """One figure of several rounds."""

    def __init__(self, all_):
        self.all, self.median = all_, statistics.median(all_)

    def shown(self, unit, digits):
        spread = "" if len(self.all) < 2 else f" ({number(min(self.all), digits)}–{number(max(self.all), digits)})"
        return f"{number(self.median, digits)}{unit}{spread}"


def number(figure, digits=3):
    if figure == 0:
        return "0"
    if abs(figure) >= 1000:
        return f"{figure:,.0f}"
    text = f"{figure:.{digits}g}"
    return text if "e" not in text else f"{figure:.0f}"


def ratio(figure):
    return f"{figure:.2f}"


def met(holds):
    return "met" if holds else "**not met**"


def rows(found):
    """The table of aims: what, figure, floor, ratio, aim, whether it is met."""
    valid = found.point("verdict", interfaces=10)
    verdict = valid.milliseconds if valid else 0
    for one in found.points("commits"):
        raw, rpc = one.per_second / one.raw_per_second, one.per_second / one.rpc_per_second
        aim = "–"
        if one.clients == 64:
            aim = "≥ 0.70 of raw commits or ≥ 0.50 of empty RPCs, whichever is less; " + met(raw >= 0.7 or rpc >= 0.5)
        yield [
            f"async commits a second, embedded, {one.clients} clients", one.shown("per_second"),
            f"raw group commits {one.shown('raw_per_second')}; empty RPCs {one.shown('rpc_per_second')}",
            f"{ratio(raw)} of raw, {ratio(rpc)} of RPCs", aim,
        ]  # fmt: skip
    if one := found.point("commits", clients=64):
        allowed = 3 * one.rpc_cpu_us + verdict * 1000
        yield [
            "CPU of the node for one of them, 64 clients", one.shown("cpu_us", " µs"),
            f"3 empty RPCs of {number(one.rpc_cpu_us)} µs and one validation of {number(verdict * 1000)} µs",
            ratio(one.cpu_us / allowed), "≤ 1; " + met(one.cpu_us <= allowed),
        ]  # fmt: skip
    for one in found.points("on_etcd"):
        what = f"async commits on etcd, {one.members} member{'s' if one.members > 1 else ''}, {one.clients} clients"
        if one.clients == 1:
            allowed = one.raw_p50 + one.rpc_p50 + verdict
            floor = f"raw put {number(one.raw_p50)}, RPC {number(one.rpc_p50)}, validation {number(verdict)} ms"
            yield [f"{what}, p50", one.shown("p50", " ms"), floor, ratio(one.p50 / allowed), "≤ 1.2; " + met(one.p50 <= 1.2 * allowed)]
        else:
            times = one.per_second / one.raw_per_second
            yield [what, one.shown("per_second"), f"raw compare-and-puts {one.shown('raw_per_second')}", ratio(times), "≥ 1; " + met(times >= 1)]
    if one := found.point("sync"):
        allowed = one.direct_p50 + 2 * one.write + one.rpc_p50 + verdict
        floor = f"direct Set {number(one.direct_p50)}, 2 durable writes of {number(one.write)}, RPC {number(one.rpc_p50)}, validation {number(verdict)} ms"
        figure = f"{one.shown('p50', ' ms')}; p99 {one.shown('p99', ' ms')}"
        yield ["sync Set to one device, p50", figure, floor, ratio(one.p50 / allowed), "≤ 1.2; " + met(one.p50 <= 1.2 * allowed)]
    yield from wide(found)
    yield from flat(found, "interfaces", "interfaces", "one leaf changed, {} interfaces", 2.0)
    yield from flat(found, "log", "entries", "one leaf changed, {:,} transactions in the log", 1.2)
    yield from at_the_limit(found)
    for one in found.points("get"):
        allowed = one.rpc_p50 + one.libyang
        same = one.bytes_p50 + one.libyang
        floor = f"empty RPC {number(one.rpc_p50)} and libyang printing it {number(one.libyang)} ms; an RPC of as many bytes {number(one.bytes_p50)} ms"
        yield [
            f"Get of {one.leaves:,} leaves, p50", one.shown("p50", " ms"), floor,
            f"{ratio(allowed / one.p50)} of empty RPC and libyang; {ratio(same / one.p50)} of such an RPC and libyang", "≥ 0.80; " + met(allowed / one.p50 >= 0.8),
        ]  # fmt: skip
    yield from subscribers(found)
    yield from connected(found)
    if one := found.point("start"):
        opened = f", {one.shown('opened_s', ' s')} of them for opening the file" if one.has("opened_s") else ""
        yield [
            f"start with {one.transactions:,} transactions and {one.leaves:,} leaves", f"{one.shown('loaded_s', ' s')}{opened}; a whole node that answers {one.shown('served_s', ' s')}",
            f"reading its {number(one.bytes / 1e6)} MB: {one.shown('read_s', ' s')}", ratio(one.loaded_s / one.read_s), "under 3 s; " + met(one.served_s < 3),
        ]  # fmt: skip


def wide(found):
    """Two rows for each: beside peers that dial each device first, as a command does, and beside those that are connected already, as
    the node is."""
    for one in found.points("wide"):
        what = f"one atomic Set to {one.targets:,} targets, p50, beside peers that"
        straight = {"straight, all at once": "direct", "pygnmi in turn": "pygnmi"}
        for state, name in (("dial each", "cold"), ("are connected", "warm")):
            peers = {peer: f"{field}_{name}" for peer, field in straight.items()}
            if name == "cold" and one.has("gnmic"):
                peers["gnmic"] = "gnmic"
            told = "; ".join(f"{peer} {one.shown(field, ' ms')}" for peer, field in peers.items())
            times = {peer: one.p50 / getattr(one, field) for peer, field in peers.items()}
            # "Straight" is a floor. Where there is no gnmic, it stands for it when it dials, for it does nothing but that.
            aimed = {"pygnmi in turn"} | ({"gnmic"} if one.has("gnmic") else {"straight, all at once"} if name == "cold" else set())
            aimed &= set(peers)
            ahead, behind = [peer for peer in times if times[peer] < 1], [peer for peer in times if times[peer] >= 1]
            said = "; ".join(f"{word} {' and '.join(all_)}" for word, all_ in (("ahead of", ahead), ("**behind**", behind)) if all_)
            yield [
                f"{what} {state}", one.shown("p50", " ms"), told, ", ".join(f"{ratio(figure)} of {peer}" for peer, figure in times.items()),
                f"ahead of {' and '.join(sorted(aimed))}: {met(not aimed & set(behind))} ({said})",
            ]  # fmt: skip


def at_the_limit(found):
    """A log that is as long as it may get, beside one that is not."""
    at, below = (found.point("retention", limit=limit) for limit in ("at", "below"))
    if not (at and below):
        return
    by_cpu, by_time = at.cpu_us / below.cpu_us, at.p50 / below.p50
    figure = lambda one: f"{one.shown('p50', ' ms')}, p99 {one.shown('p99', ' ms')}, CPU {one.shown('cpu_us', ' µs')}"
    forgotten = f"{number(at.forgotten)} entries forgotten meanwhile, each round"
    yield [
        f"one leaf changed, a log of {at.entries:,.0f} at its limit", f"{figure(at)}; {forgotten}", f"the same node below it: {figure(below)}",
        f"{ratio(by_time)} by time, {ratio(by_cpu)} by CPU", "≤ 1.2 times; " + met(by_cpu <= 1.2 and by_time <= 1.2),
    ]  # fmt: skip
    figure = lambda one: f"{one.shown('per_second')} a second, p99 {one.shown('many_p99', ' ms')}, CPU {one.shown('many_cpu_us', ' µs')}"
    yield [
        "the same with 64 clients", figure(at), f"below it: {figure(below)}",
        f"{ratio(at.per_second / below.per_second)} of its rate, {ratio(at.many_cpu_us / below.many_cpu_us)} by CPU", "–",
    ]  # fmt: skip


def flat(found, name, size, what, within):
    points = list(found.points(name))
    for one in points:
        first = points[0]
        by_cpu, by_time = one.cpu_us / first.cpu_us, one.p50 / first.p50
        figure = f"{one.shown('p50', ' ms')}, CPU {one.shown('cpu_us', ' µs')}"
        aim = "–" if one is first else f"≤ {within:g} times; " + met(by_cpu <= within and by_time <= within)
        yield [what.format(getattr(one, size)), figure, "itself at the smallest", f"{ratio(by_time)} by time, {ratio(by_cpu)} by CPU", aim]


def subscribers(found):
    alone = found.point("subscribe", subscribers=0, rate=measures.FEW)
    for one in found.points("subscribe"):
        if not one.subscribers or one.rate != measures.FEW:
            continue
        # What the commits themselves cost is the same with nobody listening.
        each = (one.cpu_s - alone.cpu_s) / max(1, one.messages) * 1e6
        aim = "≤ 2; " + met(each <= 2 * one.plain_cpu_us)
        if one.subscribers == 1:
            aim = "– (what the node does beside it varies by more than all of it)"
        figure = f"{number(each)} µs of CPU a message, {number(one.messages)} messages"
        yield [f"{one.subscribers:,} subscribers", figure, f"a plain stream: {one.shown('plain_cpu_us', ' µs')}", ratio(each / one.plain_cpu_us), aim]
    # The more changes a second, the more is known of what one takes.
    often = max((one.rate for one in found.points("subscribe")), default=measures.MANY)
    alone, one = (found.point("subscribe", subscribers=count, rate=often) for count in (0, 100))
    if alone and one:
        more = one.p50 / alone.p50
        what = f"commit beside 100 subscribers, {one.rate} a second, p50"
        yield [what, one.shown("p50", " ms"), f"beside none: {alone.shown('p50', ' ms')}", ratio(more), "≤ 1.10; " + met(more <= 1.1)]


def connected(found):
    points = list(found.points("targets"))
    for one in points[1:]:
        each = (one.memory - points[0].memory) / (one.targets - points[0].targets)
        figure = f"{number(each / 1000)} kB each, {one.shown('memory', ' MB', scale=1e-6)} in all; all there after {one.shown('start_s', ' s')}"
        yield [f"{one.targets:,} connected targets", figure, "–", "–", "≤ 100 kB each; " + met(each <= 100_000)]


def plots(found):
    """The pictures: a name, and what is in it."""
    commits = list(found.points("commits"))
    if commits:
        take = lambda name: [getattr(one, name) for one in commits]
        series = {"Lockstep": take("per_second"), "raw group commits": take("raw_per_second"), "empty RPCs": take("rpc_per_second")}
        yield "commits", plot.bars("Async one-leaf commits, embedded store", [f"{one.clients} clients" for one in commits], series, "a second")
    etcd = list(found.points("on_etcd"))
    if etcd:
        groups = [f"{one.members} member{'s' if one.members > 1 else ''}, {one.clients}" for one in etcd]
        series = {"Lockstep": [one.per_second for one in etcd], "raw compare-and-puts": [one.raw_per_second for one in etcd]}
        yield "etcd", plot.bars("Async one-leaf commits on etcd, by members and clients", groups, series, "a second")
    wide = list(found.points("wide"))
    if wide:
        take = lambda name: [getattr(one, name) for one in wide]
        series = {"Lockstep": take("p50"), "straight, dialling": take("direct_cold"), "straight, connected": take("direct_warm"), "pygnmi in turn": take("pygnmi_warm")}
        yield "wide", plot.bars("One atomic Set to many targets", [f"{one.targets} targets" for one in wide], series, "ms (less is better)", True)
    flats = [("interfaces", "interfaces"), ("log", "entries")]
    for name, size in flats:
        points = list(found.points(name))
        if points:
            series = {"time": [one.p50 / points[0].p50 for one in points], "CPU of the node": [one.cpu_us / points[0].cpu_us for one in points]}
            title = {"interfaces": "One leaf changed, by interfaces of the target", "log": "One leaf changed, by entries of the log"}[name]
            yield name, plot.bars(title, [f"{getattr(one, size):,}" for one in points], series, "times the smallest")


def table(titles, body):
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in body])


def details(found):
    """What is not in the table of aims."""
    applied = list(found.points("applied"))
    if applied:
        yield "### With devices that follow\n"
        yield "64 targets. Async: decided while devices are being told. Sync: answered when the device has it.\n"
        row = lambda one: [one.clients, one.shown("per_second"), one.shown("settled_s", " s"), one.shown("sync_per_second"), one.shown("sync_p50", " ms"), one.shown("sync_p99", " ms")]
        titles = ["clients", "async a second", "devices had it after", "sync a second", "p50", "p99"]
        yield table(titles, map(row, applied)) + "\n"
    if cluster := found.kept.get("cluster"):
        yield "### Many devices, two nodes\n"
        yield "One round: it takes minutes, and each figure stands beside its floor of the same minute.\n"
        yield table(["what", "figure", "beside it", "aim"], [[one["what"], one["figure"], one["beside"], one["aim"]] for one in cluster]) + "\n"
    rooms = list(found.points("rooms"))
    if rooms:
        yield "### Rooms by themselves\n"
        yield "One round, in one thread, as what they work on grows: the best of five tries, or one where it takes long; times in nanoseconds unless said\notherwise.\n"
        yield table(["what", "size", "figure", "ratio to the smallest"], [[one.what, f"{one.size:,}", number(one.figure, 4), ratio(one.ratio)] for one in rooms]) + "\n"


def write(kept):
    found, machine, plan = Results(kept), kept["machine"], kept["plan"]
    dirty = " with changes" if machine.get("dirty") else ""
    PLOTS.mkdir(exist_ok=True)
    pictures = []
    for name, svg in plots(found):
        (PLOTS / f"{name}.svg").write_text(svg)
        pictures.append(f"![{name}](performance/{name}.svg)")
    # Of the run that measured them: the last one may have measured something else.
    openconfig = kept.get("made", {}).get("interfaces", machine)["openconfig"]
    models = "OpenConfig's models" if openconfig else "the lab model (LOCKSTEP_OPENCONFIG names a folder of OpenConfig's)"
    parts = [
        "# Performance\n",
        "Written by `make bench` from what it measured; [bench/](../bench) has how. Every figure stands beside a floor or a peer of the same\n"
        "run, measured in turns with it, so that whatever else the machine does meets both. Figures are medians of "
        f"{plan['rounds']} round{'s' if plan['rounds'] > 1 else ''}, with the least\nand the most in brackets, unless it says otherwise. `lockstep bench` measures a node of yours the same way.\n",
        f"Machine: {machine['cores']} cores ({machine['cpu']}), clients, node, devices and etcd all on it; {machine['date']}, commit {machine['commit']}{dirty}, "
        f"load {machine['load']:.1f} at the start.{took(kept)}\nInterfaces are those of {models}.\n",
        others(kept),
        "## Against what is below, and beside\n",
        table(["measure", "Lockstep", "floor or peer", "ratio", "aim"], rows(found)) + "\n",
        gnmic(found),
        "\n".join(pictures) + "\n",
        "## Further figures\n",
        *details(found),
        LOG.read_text(),
    ]
    PAGE.write_text("\n".join(parts))


def took(kept):
    seconds = sum(made["seconds"] for made in kept.get("made", {}).values())
    return f" All of it took {seconds / 60:.0f} minutes." if seconds else ""


def others(kept):
    """What was measured at another time than the last run, or of other code."""
    of, last = {}, kept["machine"]
    for name, made in kept.get("made", {}).items():
        if (made["commit"], made["crates"], made["dirty"]) != (last["commit"], last.get("crates"), last.get("dirty")):
            dirty = ", with changes" if made["dirty"] else ""
            of.setdefault(f"{made['date']}, commit {made['commit']}{dirty}", []).append(name)
    told = [f"{', '.join(names)}: {when}." for when, names in of.items()]
    return "\n".join(["Measured earlier:", *told]) + "\n" if told else ""


def gnmic(found):
    if any(one.has("gnmic") for one in found.points("wide")):
        return ""
    return (
        "gnmic was not on the PATH, and its source could not be had through Go's module proxy; where it is there, it is measured as well. What it does, a Set\n"
        'to every device at once from one process that dials each first, is "straight, all at once", beside peers that dial each; that client does nothing else.\n'
    )
