"""Get, limited to some levels or to some modules."""

import json

import grpc
import pytest
from pygnmi.spec.v080 import gnmi_ext_pb2, gnmi_pb2

from lab import code, field, message, path


def depth(level):
    """The depth extension, which pygnmi has no word for."""
    return gnmi_ext_pb2.Extension.FromString(field(5, field(1, level)))


def get(lab, where, *extensions, models=(), kind="CONFIG"):
    request = gnmi_pb2.GetRequest(
        prefix=gnmi_pb2.Path(target="leaf1"),
        path=[path(where)],
        type=gnmi_pb2.GetRequest.DataType.Value(kind),
        encoding=gnmi_pb2.Encoding.Value("JSON_IETF"),
        use_models=[gnmi_pb2.ModelData(name=name) for name in models],
        extension=extensions,
    )
    with lab.stub() as stub:
        ((update,),) = [notification.update for notification in stub.Get(request).notification]
        return json.loads(update.val.json_ietf_val)


@pytest.fixture
def named(lab):
    lab.set("leaf1", update=[("/system", {"hostname": "leaf1", "motd": "hello"})])
    return lab


# rule: get-depth
def test_depth_says_how_many_levels(named):
    leaves = {"lab:hostname": "leaf1", "lab:motd": "hello"}
    assert get(named, "/system", depth(1)) == leaves
    assert get(named, "/system", depth(0)) == leaves
    assert get(named, "/", depth(2))["lab:system"] == {"hostname": "leaf1", "motd": "hello"}
    # At the first level below the root there are containers only.
    with pytest.raises(grpc.RpcError) as refused:
        get(named, "/", depth(1))
    assert code(refused.value) == grpc.StatusCode.NOT_FOUND


# rule: get-use-models
def test_use_models_says_whose_data(named):
    assert get(named, "/system", models=["lab"]) == {"lab:hostname": "leaf1", "lab:motd": "hello"}
    with pytest.raises(grpc.RpcError) as refused:
        get(named, "/system", models=["lap"])
    assert code(refused.value) == grpc.StatusCode.INVALID_ARGUMENT
    assert "has no module lap" in message(refused.value)
