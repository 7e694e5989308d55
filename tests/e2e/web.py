"""HTTP as curl speaks it, and the part of JSON Schema that the node's OpenAPI document uses."""

import http.client
import json
import re
import urllib.parse

PATIENCE = 30


class Web:
    """The API of a node. Every operation that is asked for is noted, and every answer held to the document."""

    def __init__(self, port, headers=None):
        self.port = port
        self.headers = headers or {}
        self.asked = set()
        self.document = None
        status, self.document = self.ask("GET", "/api/v1/openapi.json")
        assert status == 200, self.document

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def open(self, method, at, body=None, headers=None, /, **query):
        pairs = [(name, one) for name, given in query.items() for one in (given if isinstance(given, list) else [given])]
        at = at + ("?" + urllib.parse.urlencode(pairs) if pairs else "")
        sent = dict(self.headers)
        if body is not None and not isinstance(body, bytes):
            body, sent["content-type"] = json.dumps(body).encode(), "application/json"
        sent.update(headers or {})
        connection = self.connection()
        connection.request(method, at, body=body, headers=sent)
        return connection, connection.getresponse()

    def ask(self, method, at, body=None, headers=None, /, **query):
        """The status, and the answer: from JSON, if that is what it is."""
        connection, answer = self.open(method, at, body, headers, **query)
        text = answer.read()
        connection.close()
        if answer.headers.get("content-type") != "application/json":
            return answer.status, text
        value = json.loads(text)
        if self.document is not None and at.startswith("/api/v1"):
            self.check(method, at, answer.status, value)
        return answer.status, value

    def get(self, at, /, **query):
        return self.must("GET", at, **query)

    def post(self, at, body=None, /, **query):
        return self.must("POST", at, body, **query)

    def must(self, method, at, body=None, headers=None, /, **query):
        status, value = self.ask(method, at, body, headers, **query)
        assert status == 200, (status, value)
        return value

    def events(self, at, /, **query):
        """Events as they come, each with its name and what it has."""
        connection, answer = self.open("GET", at, **query)
        assert answer.status == 200, answer.read()
        assert answer.headers["content-type"] == "text/event-stream"
        operation = self.operation("GET", at)
        schema = operation["responses"]["200"]["content"]["text/event-stream"]["schema"]
        name, data = None, []
        try:
            for line in answer:
                line = line.decode().rstrip("\n")
                if line.startswith("event: "):
                    name = line[7:]
                elif line.startswith("data: "):
                    data.append(line[6:])
                elif not line and data:
                    value = json.loads("\n".join(data))
                    self.fits({"event": name, "data": value}, schema, at)
                    yield name, value
                    name, data = None, []
        finally:
            connection.close()

    # The document.

    def operation(self, method, path):
        for known, operations in self.document["paths"].items():
            pattern = re.sub(r"\{[a-z]+\}", "[^/]+", known)
            if re.fullmatch(pattern, path) and method.lower() in operations:
                found = operations[method.lower()]
                # One with fewer gaps is meant, if there are several.
                if "{" not in known or not any(path == other for other in self.document["paths"]):
                    self.asked.add(found["operationId"])
                    return found
        return None

    def check(self, method, path, status, value):
        operation = self.operation(method, path)
        if operation is None:
            assert status in (404, 405), (method, path, status)
            return
        answer = operation["responses"].get(str(status), operation["responses"]["default"])
        self.fits(value, answer["content"]["application/json"]["schema"], path)

    def fits(self, value, schema, at):
        wrong = list(self.wrong(value, schema, at))
        assert not wrong, wrong

    def wrong(self, value, schema, at):
        if "$ref" in schema:
            schema = self.document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        if "oneOf" in schema:
            if not any(not list(self.wrong(value, option, at)) for option in schema["oneOf"]):
                yield f"{at}: {value!r} fits nothing of {schema['oneOf']}"
            return
        if "enum" in schema and value not in schema["enum"]:
            yield f"{at}: {value!r} is not of {schema['enum']}"
        if "const" in schema and value != schema["const"]:
            yield f"{at}: {value!r} is not {schema['const']}"
        kinds = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict, "null": type(None)}
        kind = kinds.get(schema.get("type"))
        if kind and (not isinstance(value, kind) or kind is int and isinstance(value, bool)):
            yield f"{at}: {value!r} is no {schema['type']}"
            return
        if isinstance(value, list):
            for one in value:
                yield from self.wrong(one, schema.get("items", {}), at)
        if isinstance(value, dict):
            known, more = schema.get("properties", {}), schema.get("additionalProperties", "properties" not in schema)
            yield from (f"{at}: there is no {name}" for name in schema.get("required", []) if name not in value)
            for name, one in value.items():
                if name in known:
                    yield from self.wrong(one, known[name], f"{at}.{name}")
                elif more is False:
                    yield f"{at}.{name} is not in the document"
                elif isinstance(more, dict):
                    yield from self.wrong(one, more, f"{at}.{name}")
