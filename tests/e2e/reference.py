"""The reference: docs/reference, made from the code. With --write it is written, otherwise compared.

    configuration   the keys of the file, from the structs that it is read into
    cli             commands and flags, from their help
    http            the routes, from the OpenAPI document that a node serves
    grpc            the admin service, from its .proto file
    metrics         what is counted, from where each metric is defined
    errors          what may be refused, from where the words are written

What explains stands in the other pages; here is what there is."""

import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

from lab import BINARY, ROOT, Lab, until

PAGES = ROOT / "docs" / "reference"
MADE = "Made from the code by `make reference`; a test holds it to that."


def source(path):
    return (ROOT / path).read_text()


def cell(text):
    """A text as a cell of a table takes it."""
    return " ".join(text.split()).replace("|", "\\|")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return [*lines, *("| " + " | ".join(map(cell, row)) + " |" for row in rows), ""]


# The configuration file.

FILE = "crates/lockstep/src/config/file.rs"
STRUCT = re.compile(r"pub\(super\) struct (\w+) \{\n(.*?)\n\}", re.S)
KEY = re.compile(r"((?:    ///.*\n)+)(?:    #\[.*\]\n)*    pub\(super\) (\w+): (.+),\n?")
SECTIONS = {
    "File": ("The file", None),
    "Tls": ("tls", "tls"),
    "StoreTls": ("store-tls", "store-tls"),
    "Models": ("A model set", "models.NAME"),
    "Target": ("A target", "targets.NAME"),
    "User": ("A user", "users.NAME"),
    "Token": ("An issuer of tokens", "tokens[]"),
    "Role": ("A role", "roles.NAME"),
    "Audit": ("audit", "audit"),
    "Retention": ("retention", "retention"),
    "Limits": ("limits", "limits"),
}
KINDS = {
    "String": "text", "PathBuf": "file", "bool": "true or false", "u64": "number", "u32": "number", "usize": "number",
    "Vec<String>": "texts", "Addresses": "text or texts", "Size": "number, or text with a unit",
}  # fmt: skip


def kind(type_):
    type_ = re.sub(r"^Option<(.+)>$", r"\1", type_)
    if members := re.match(r"BTreeMap<String, (\w+)>", type_):
        return f"map of {SECTIONS[members[1]][0].split(' ', 1)[1]}s"
    if type_ == "Vec<Token>":
        return "list of issuers"
    return KINDS.get(type_, "map")


def keys():
    """Every struct with its keys: (name, kind, what, default, example)."""
    found = {}
    for name, body in STRUCT.findall(source(FILE)):
        if name not in SECTIONS:
            continue
        fields = []
        for docs, field, type_ in KEY.findall(body + "\n"):
            docs = re.sub(r"^    /// ?", "", docs, flags=re.M)
            what, rest = docs.split("\n\n")
            default = re.search(r"Default: (.*)\.$", rest, re.M)[1]
            example = re.search(r"Example: `(.*)`$", rest, re.M)[1]
            fields.append((field.replace("_", "-"), kind(type_), what, default, example))
        assert len(fields) == len(re.findall(r"^    pub\(super\) \w+:", body, re.M)), f"{name}: a key without words"
        found[name] = fields
    assert set(found) == set(SECTIONS), "a struct without a section"
    return found


def configuration():
    lines = [
        "# The configuration file\n",
        f"{MADE} `lockstep serve --config FILE` reads it; it is YAML.",
        "A key that is not known is an error that names the nearest one. A value that is `$NAME` or `${NAME}` as a whole comes from the",
        "environment; unset is an error, and `$$` stands for a dollar. Paths are relative to the file. Times are written as `10s`, `5m`, `2h`,",
        "sizes as `16MiB`. [targets.md](../targets.md), [models.md](../models.md), [store.md](../store.md) and [security.md](../security.md) explain.\n",
    ]
    for name, fields in keys().items():
        title, at = SECTIONS[name]
        lines.append(f"## {title}\n")
        if at and at != title:
            lines.append(f"Under `{at}`.\n")
        rows = [(f"`{key}`", kind_, what, default, f"`{key}: {example}`") for key, kind_, what, default, example in fields]
        lines += table(("key", "type", "what it does", "default", "example"), rows)
    return "\n".join(lines)


# The command line.


def help_of(words):
    done = subprocess.run(
        [BINARY, *words, "--help"], capture_output=True, text=True, env={"COLUMNS": "100", "PATH": ""}, check=True
    )
    # Whatever the program is called here.
    return done.stdout.replace(f"Usage: {BINARY.name} ", "Usage: lockstep ").replace(f"       {BINARY.name} ", "       lockstep ")


def commands(words=()):
    """Every command below these words, with its help."""
    text = help_of(words)
    yield words, text
    if part := re.search(r"^Commands:\n((?:  .*\n)+)", text, re.M):
        for name in re.findall(r"^  (\S+)", part[1], re.M):
            if name != "help":
                yield from commands((*words, name))


FLAG = re.compile(r"^ {2,6}(-.*?|<.*?>\S*|\[.*?\]\S*)(?:  +(.*))?$")


def flags(text):
    """The arguments and options of a help: (how it is written, what it says)."""
    found, inside = [], False
    for line in text.splitlines():
        if line in ("Options:", "Arguments:"):
            inside = True
        elif inside and line and not line.startswith(" "):
            inside = False
        elif inside:
            flag = FLAG.match(line)
            if flag and len(line) - len(line.lstrip()) <= 6:
                found.append([flag[1], flag[2] or ""])
            elif found:
                found[-1][1] += " " + line.strip()
    return [(how, " ".join(what.split()).replace(" Possible values: - ", ", one of: ").replace(" - ", "; ")) for how, what in found]


def cli():
    lines = [
        "# The command line: every command\n",
        f"{MADE} [cli.md](../cli.md) explains, with examples; `lockstep help COMMAND` says the same.\n",
    ]
    everything = list(commands())
    everywhere = flags(everything[0][1])
    lines += ["## Everywhere\n", *table(("flag", ""), [(f"`{how}`", what) for how, what in everywhere])]
    known = {how for how, _ in everywhere}
    for words, text in everything[1:]:
        about, usage = text.split("\n", 1)[0], re.search(r"^Usage: (.*(?:\n {7}.*)*)", text, re.M)[1]
        lines += [f"## {' '.join(words)}\n", f"{about}.\n", *(f"`{one.strip()}`\n" for one in usage.splitlines())]
        own = [(f"`{how}`", what) for how, what in flags(text) if how not in known and not how.startswith("-h,")]
        lines += table(("", ""), own) if own else []
    return "\n".join(lines)


# HTTP.


def form(schema):
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    if schema.get("type") == "array":
        return f"list of {form(schema['items'])}"
    if any(some := schema.get(word, []) for word in ("oneOf", "anyOf", "allOf")):
        return " or ".join(form(one) for one in some)
    kind_ = schema.get("type", "anything")
    return " or ".join(kind_) if isinstance(kind_, list) else kind_


def answer(operation):
    content = operation["responses"]["200"].get("content", {})
    for type_, told in content.items():
        return {"text/event-stream": "events", "text/plain": "text"}.get(type_) or (form(told.get("schema", {})) if "json" in type_ else "a file")
    return ""


def http(document):
    lines = [
        "# HTTP: every route\n",
        f"{MADE} The same, for programs, is at `/api/v1/openapi.json` of every node. [http.md](../http.md) explains.\n",
    ]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method == "parameters":
                continue
            open_ = " Open to everybody." if operation.get("security") == [] else ""
            lines += [f"## {method.upper()} {path}\n", f"{operation['summary']}. Gives {answer(operation) or 'nothing'}.{open_}\n"]
            if body := operation.get("requestBody"):
                [schema, *_] = [told.get("schema", {}) for told in body["content"].values()]
                lines.append(f"The body is {form(schema)}.\n")
            rows = [
                (f"`{one['name']}`", one["in"], form(one["schema"]), one.get("description", ""))
                for one in operation.get("parameters", [])
            ]
            lines += table(("parameter", "in", "type", ""), rows) if rows else []
    lines.append("# What is sent and given\n")
    for name, schema in sorted(document["components"]["schemas"].items()):
        lines.append(f"## {name}\n")
        if schema.get("description"):
            lines.append(schema["description"] + "\n")
        rows = [(f"`{key}`", form(one), one.get("description", "")) for key, one in schema.get("properties", {}).items()]
        lines += table(("member", "type", ""), rows) if rows else [f"{form(schema)}\n"]
    return "\n".join(lines)


# The admin service.

PROTOS = ["crates/gnmi/proto/lockstep/v1/admin.proto", "crates/gnmi/proto/lockstep/v1/set.proto"]


def blocks(text):
    """Services and messages at the top: (kind, name, comment, lines)."""
    comment, open_ = [], None
    for line in text.splitlines():
        bare = line.strip()
        if open_ is None:
            if bare.startswith("//"):
                comment.append(bare[2:].strip())
            elif head := re.match(r"(service|message) (\w+) \{(\})?", bare):
                open_ = (head[1], head[2], " ".join(comment), [])
                comment = []
                if head[3]:
                    yield open_
                    open_ = None
            elif bare:
                comment = []
            elif comment:
                comment = []
        elif line == "}":
            yield open_
            open_ = None
        else:
            open_[3].append(bare)


def members(lines):
    """What is in one, with the comment above each."""
    comment = []
    for line in lines:
        if line.startswith("//"):
            comment.append(line[2:].strip())
        elif line:
            yield line, " ".join(comment)
            comment = []


RPC = re.compile(r"rpc (\w+)\((stream )?(\w+)\) returns \((stream )?(\w+)\)")
FIELD = re.compile(r"((?:repeated |optional )?(?:map<[^>]+>|[\w.]+)) (\w+) = (\d+)")


def grpc():
    lines = [
        "# gRPC: the admin service\n",
        f"{MADE} `lockstep.v1.Admin` is served beside gNMI, with server reflection. Words such as a status are texts: a client shows",
        "those it does not know as they are. [gnmi.md](../gnmi.md) explains how gNMI is served, and what `SetOptions` do.\n",
    ]
    for path in PROTOS:
        for kind_, name, about, body in blocks(source(path)):
            lines.append(f"## {kind_} {name}\n")
            if about:
                lines.append(about + "\n")
            if kind_ == "service":
                rows = []
                for line, comment in members(body):
                    if rpc := RPC.match(line):
                        stream = lambda word: "stream of " if word else ""
                        rows.append((f"`{rpc[1]}`", f"{stream(rpc[2])}{rpc[3]}", f"{stream(rpc[4])}{rpc[5]}", comment))
                lines += table(("RPC", "takes", "gives", ""), rows)
                continue
            rows = [(f[3], f"`{f[2]}`", f[1], comment) for line, comment in members(body) if (f := FIELD.match(line))]
            lines += table(("", "field", "type", ""), rows) if rows else ["Nothing.\n"]
    return "\n".join(lines)


# Metrics.

ROOMS = {
    "crates/northbound/src/metrics.rs": "Clients",
    "crates/node/src/metrics.rs": "The node, transactions and targets",
    "crates/southbound/src/metrics.rs": "Devices",
    "crates/store/src/metrics.rs": "The store",
    "crates/metrics/src/process.rs": "The process",
}
STATIC = re.compile(r'static \w+: Family<(\w+), \w+> =\s*Family::\w+\(\s*"([a-z_]+)",\s*"((?:[^"\\]|\\.)*)",\s*&\[(.*?)\],?\s*\)', re.S)
LABEL = re.compile(r'const (\w+): Label =\s*Label \{\s*name: "(\w+)",\s*values: (\w+|&\[.*?\])', re.S)
LIST = re.compile(r"const (\w+): &\[&str\] =\s*(&\[.*?\]);", re.S)
CELLS = {"Counter": "counter", "Reading": "counter", "Level": "gauge", "Gauge": "gauge", "Histogram": "histogram"}


def defined():
    """Every metric by room: (name, kind, labels with their values, what it says)."""
    found = {}
    for path, room in ROOMS.items():
        text = source(path).split("#[cfg(test)]")[0]
        lists = dict(LIST.findall(text))
        labels = {const: (name, re.findall(r'"([^"]*)"', lists.get(values, values))) for const, name, values in LABEL.findall(text)}
        rows = []
        for cell_, name, help_, named in STATIC.findall(text):
            own = [labels[one.strip()] for one in named.split(",") if one.strip() in labels]
            own += [(inline, []) for inline in re.findall(r'Label \{ name: "(\w+)"', named)]
            rows.append((name, CELLS[cell_], own, help_))
        assert len(rows) == len(re.findall(r"\bstatic \w+: Family<", text)), path
        found[room] = rows
    return found


# With more values than this, a label has a list of its own.
MANY = 8


def anchor(title):
    """What a heading is called in links."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def metrics():
    lines = [
        "# Metrics\n",
        f"{MADE} `GET /metrics` of every node has them in the text format of Prometheus; it needs no login, and no label ever has the",
        "name of a target, a user or an address. A histogram `x` is `x_bucket`, `x_sum` and `x_count`. What is looked at when somebody",
        "scrapes takes one pass over the targets, and is kept for half a second. [operations.md](../operations.md) explains, with alerts.\n",
    ]
    long = {}

    def say(label):
        name, values = label
        if len(values) <= MANY:
            return f"`{name}`" + (f": {', '.join(values)}" if values else "")
        title = next((title for title, known in long.items() if known == (name, values)), None)
        if title is None:
            title = f"{name}: {values[0]} to {values[-1]}"
            long[title] = (name, values)
        return f"`{name}`: {values[0]}, {values[1]}, … ([all](#{anchor(title)}))"

    for room, rows in defined().items():
        lines.append(f"## {room}\n")
        lines += table(
            ("metric", "type", "what it says", "labels"),
            [(f"`{name}`", kind_, help_, "; ".join(map(say, labels))) for name, kind_, labels, help_ in rows],
        )
    lines.append("## Labels with many values\n")
    for title, (_, values) in long.items():
        lines.append(f"### {title}\n\n{', '.join(f'`{value}`' for value in values)}\n")
    return "\n".join(lines)


# Errors.

VARIANT = re.compile(r'((?:    ///[^\n]*\n)+)    #\[error\(\s*"((?:[^"\\]|\\.)*)"(.*?)\)\]\n    (\w+)', re.S)
ARM = re.compile(r"(.*?)=> Code::(\w+),", re.S)
ENUMS = [
    ("Before anything is written", "crates/protocol/src/request.rs", "Refusal", "A request is turned down, and nothing has changed. The code of gRPC is the one of the row; HTTP says the same by its own (see [http.md](../http.md))."),
    ("A node that stops", "crates/node/src/error.rs", "Busy", "UNAVAILABLE, with the outcome so far and the id to ask again with where it is in the log."),
    ("A node that does not start", "crates/node/src/error.rs", "StartError", "In the log of `lockstep serve`."),
    ("The configuration file", "crates/lockstep/src/config/error.rs", "Problem", "`lockstep serve` ends with it; with the file, and where in it."),
    ("Calls that are not let in", "crates/northbound/src/guard/refusal.rs", "Refused", "As the log says it. The client is told less: UNAUTHENTICATED, RESOURCE_EXHAUSTED, UNAVAILABLE (the audit) or PERMISSION_DENIED (another site)."),
    ("Connecting to a device", "crates/southbound/src/driver.rs", "ConnectError", "The `reason` of a target that is `pending`."),
    ("The store", "crates/store/src/error.rs", "Error", "In the log, and from `lockstep store`."),
    ("Listening", "crates/northbound/src/serve.rs", "Error", "`lockstep serve` ends with it."),
]  # fmt: skip


def words(text):
    """A message as it is written: continued lines joined, `…` for what is put in; by its name where there is nothing else."""
    text = re.sub(r"\\\n\s*", "", text).replace('\\"', '"')
    message = re.sub(r"\{[^}]*\}", "…", text)
    return message if re.search(r"\w", message) else re.sub(r"\{(\w*)[^}]*\}", r"<\1>", text)


# What a message comes to that has no words and no names of its own.
SAID = {
    "Wrong": "; ".join(re.findall(r'Refused::Wrong\("([^"]+)"\)', source("crates/northbound/src/guard.rs"))),
    "Value": "<at>: <message>",
    "Everywhere": "<address>: <reason>; <address>: <reason>",
}


def variants(path, name):
    body = re.search(rf"enum {name} \{{\n(.*?)\n\}}", source(path), re.S)[1]
    found = [
        (re.sub(r"\s*/// ?", " ", docs).strip(), SAID.get(variant, words(message)), variant)
        for docs, message, _, variant in VARIANT.findall(body + "\n")
    ]
    assert len(found) == body.count("#[error("), f"{path}: a part of {name} without a word of when"
    return found


def code(message):
    """As code, also where there is some in it."""
    return f"`` {message} ``" if "`" in message else f"`{message}`"


def told(title, head, rows):
    """A table of errors in which everything is said, and nothing twice."""
    for row in rows:
        assert all(re.search(r"\w", said) for said in row), f"{title}: nothing is said by {row}"
    assert len(set(rows)) == len(rows), f"{title}: {[row for row in rows if rows.count(row) > 1]}"
    return table(head, rows)


REASON = re.compile(r'Reason::(\w+)[^=]*?=>\s*\{?\s*\(\s*Code::(\w+),\s*(?:format!\(\s*)?"((?:[^"\\]|\\.)*)"', re.S)


def reasons():
    """What a transaction may end with: the code of gRPC, and the words."""
    text = re.search(r"pub\(crate\) fn reason\(.*?\n\}", source("crates/northbound/src/text.rs"), re.S)[0]
    # What is put in before the words are said.
    text = re.sub(r"let rules = .*?;", "", text)
    return [(grpc_name(code), words(message), variant) for variant, code, message in REASON.findall(text)]


def grpc_name(code):
    """A code as gRPC writes it."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", code).upper()


def codes():
    """The code of gRPC for each refusal."""
    found = {}
    arms = re.search(r"let code = match refusal \{(.*?)\n    \};", source("crates/northbound/src/refusal.rs"), re.S)[1]
    for arms, code in ARM.findall(arms):
        found |= {variant: grpc_name(code) for variant in re.findall(r"Refusal::(\w+)", arms)}
    return found


def reason_docs():
    """Why a transaction may end so, from where the reasons are defined."""
    body = re.search(r"pub enum Reason \{\n(.*?)\n\}", source("crates/protocol/src/record/failure.rs"), re.S)[1]
    return [(docs, variant) for docs, variant in re.findall(r"^    /// (.*)\n    (\w+)", body, re.M)]


def errors():
    lines = [
        "# Errors\n",
        f"{MADE} What is refused says what happened, where, and mostly what to do. `…` and `<name>` stand for what is put in.",
        "After Submit the answer is the outcome of the transaction: the code says how it ended, and the details (`lockstep.v1.Outcome`) what each",
        "target said; see [gnmi.md](../gnmi.md). Exit statuses of commands are in [cli.md](../cli.md).\n",
    ]
    known = codes()
    for title, path, name, about in ENUMS:
        found = variants(path, name)
        lines += [f"## {title}\n", about + "\n"]
        if name == "Refusal":
            assert {variant for *_, variant in found} == set(known), set(known) ^ {variant for *_, variant in found}
            lines += told(title, ("code", "message", "when"), [(known[variant], code(message), docs) for docs, message, variant in found])
            lines += ["## After it is in the log\n", "A transaction that did not come to what was asked: its words follow `transaction N STATUS: `.\n"]
            ended = [("INVALID_ARGUMENT", "target …: …: …", "Invalid"), *reasons()]
            kinds = {variant: docs for docs, variant in reason_docs()}
            assert {variant for *_, variant in ended} == set(kinds), set(kinds) ^ {variant for *_, variant in ended}
            lines += told("Reason", ("code", "message", "when"), [(grpc, code(message), kinds[variant]) for grpc, message, variant in ended])
        else:
            lines += told(title, ("message", "when"), [(code(message), docs) for docs, message, _ in found])
    return "\n".join(lines)


# All of it.


@contextlib.contextmanager
def node():
    """A node without devices, which has everything to say all the same."""
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(pathlib.Path(folder), devices=0)
        lab.start_node()
        try:
            yield lab
        finally:
            lab.stop()


def document(lab):
    with urllib.request.urlopen(f"http://127.0.0.1:{lab.http}/api/v1/openapi.json") as told:
        return json.load(told)


def pages(served):
    made = {"configuration": configuration, "cli": cli, "http": lambda: http(served), "grpc": grpc, "metrics": metrics, "errors": errors}
    return {PAGES / f"{name}.md": page().rstrip() + "\n" for name, page in made.items()}


def stale(served):
    """The pages that do not say what the code says."""
    made = pages(served)
    there = {*PAGES.glob("*.md")} - {PAGES / "README.md"}
    differs = [page for page, text in made.items() if not page.exists() or page.read_text() != text]
    return [str(page.relative_to(ROOT)) for page in [*differs, *(there - set(made))]]


def main():
    with node() as lab:
        served = document(lab)
    if "--write" in sys.argv:
        PAGES.mkdir(parents=True, exist_ok=True)
        for page, text in pages(served).items():
            page.write_text(text)
    elif found := stale(served):
        sys.exit(f"{', '.join(found)}: not what the code says; run `make reference`")


if __name__ == "__main__":
    main()
