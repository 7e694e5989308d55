"""What is served over HTTP. The page itself is looked at in web/tests."""

import json
import urllib.error
import urllib.request

import pytest


def ask(lab, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{lab.http}{path}", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_http(lab):
    assert ask(lab, "/healthz") == (200, "ok\n")
    assert ask(lab, "/readyz") == (200, "ready\n")
    for path in ("/", "/targets/leaf1", "/transactions/7", "/docs/http"):
        status, said = ask(lab, path)
        assert status == 200 and "<title>Lockstep</title>" in said, path
    for path in ("/nowhere", "/apis", "/api", "/api/v1/nothing"):
        status, said = ask(lab, path)
        assert status == 404 and "/api/v1/openapi.json" in said, path
    wrong = urllib.request.Request(f"http://127.0.0.1:{lab.http}/api/v1/nodes", method="DELETE")
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(wrong, timeout=10)
    assert error.value.code == 405 and error.value.headers["allow"] == "GET,HEAD"
    assert json.loads(error.value.read())["error"]["code"] == "UNIMPLEMENTED"
