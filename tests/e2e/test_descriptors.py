"""Our .proto files are written by us, so they are held against those of others: every name, number, type and
label that they have, ours must have, and what ours have beyond is listed here."""

import shutil
import subprocess

import grpc
import pytest
from google.protobuf import descriptor_pb2
from pygnmi.spec.v080 import gnmi_ext_pb2, gnmi_pb2

from lab import Lab, field, fields

FILES = ("gnmi", "gnmi_ext")
# Of gNMI 0.10, which pygnmi's 0.8 does not have.
NEWER = {
    "gnmi.SetRequest.union_replace",
    "gnmi.UpdateResult.Operation.UNION_REPLACE",
    "gnmi_ext.Commit",
    "gnmi_ext.CommitCancel",
    "gnmi_ext.CommitConfirm",
    "gnmi_ext.CommitRequest",
    "gnmi_ext.CommitSetRollbackDuration",
    "gnmi_ext.ConfigSubscription",
    "gnmi_ext.ConfigSubscriptionStart",
    "gnmi_ext.ConfigSubscriptionSyncDone",
    "gnmi_ext.Depth",
    "gnmi_ext.Extension.commit",
    "gnmi_ext.Extension.config_subscription",
    "gnmi_ext.Extension.depth",
}
# Of gNMI 0.8, which later versions no longer have.
OLDER = {
    "gnmi.Alias",
    "gnmi.AliasList",
    "gnmi.Notification.alias",
    "gnmi.SubscribeRequest.aliases",
    "gnmi.SubscriptionList.use_aliases",
}


def described(files):
    """Everything that the files define, by name, each with what must not differ."""
    found = {}
    for file in files:
        for message in file.message_type:
            describe_message(found, f"{file.package}.{message.name}", message)
        for enum in file.enum_type:
            describe_enum(found, f"{file.package}.{enum.name}", enum)
        for service in file.service:
            for method in service.method:
                streams = (method.client_streaming, method.server_streaming)
                name = f"{file.package}.{service.name}/{method.name}"
                found[name] = ("method", method.input_type, method.output_type, *streams)
    return found


def describe_message(found, name, message):
    found[name] = ("message",)
    for one in message.field:
        oneof = message.oneof_decl[one.oneof_index].name if one.HasField("oneof_index") else None
        found[f"{name}.{one.name}"] = ("field", one.number, one.type, one.label, one.type_name, oneof)
    for nested in message.nested_type:
        describe_message(found, f"{name}.{nested.name}", nested)
    for enum in message.enum_type:
        describe_enum(found, f"{name}.{enum.name}", enum)


def describe_enum(found, name, enum):
    found[name] = ("enum",)
    for value in enum.value:
        found[f"{name}.{value.name}"] = ("value", value.number)


def is_part_of(name, listed):
    """Whether a name is listed, or something is that it is a part of."""
    return name in listed or any(name.startswith(f"{one}.") for one in listed)


def reflected(channel, symbols):
    """The files of a server that define these, by server reflection."""
    same = lambda content: content
    service = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
    asked = [field(4, symbol) for symbol in symbols]
    files = {}
    for answer in channel.stream_stream(service, same, same)(iter(asked)):
        for content in fields(fields(answer)[4][0])[1]:
            file = descriptor_pb2.FileDescriptorProto.FromString(content)
            files[file.name] = file
    return [file for file in files.values() if file.package in FILES]


@pytest.fixture
def ours(tmp_path):
    """What a node says that it speaks."""
    lab = Lab(tmp_path, devices=1)
    try:
        lab.start_node()
        with grpc.insecure_channel(f"127.0.0.1:{lab.port}") as channel:
            yield described(reflected(channel, ["gnmi.gNMI", "gnmi_ext.Extension"]))
    finally:
        lab.stop()


def test_gnmi_is_that_of_pygnmi(ours):
    files = []
    for module in (gnmi_pb2, gnmi_ext_pb2):
        file = descriptor_pb2.FileDescriptorProto()
        module.DESCRIPTOR.CopyToProto(file)
        files.append(file)
    theirs = described(files)
    assert len(theirs) > 150, "all of gNMI was looked at"
    assert {name: ours.get(name) for name in theirs} == theirs
    more = {name for name in ours if name not in theirs}
    assert {name for name in more if not is_part_of(name, NEWER)} == set()
    assert NEWER <= more, "what is listed as newer and is not"


# The gNMI repository's own server, which is of a later version than pygnmi.


@pytest.fixture
def reference(tmp_path):
    binary = shutil.which("fake_server")
    if not binary:
        pytest.skip("no fake_server of the gNMI repository on the path; `make interop` builds it with Go")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    name = ["-subj", "/CN=device", "-addext", "subjectAltName=DNS:device"]
    subprocess.run([*made, "-keyout", key, "-out", certificate, *name], check=True, capture_output=True)
    config = tmp_path / "config"
    config.write_text('target: "device"\n')
    options = ["-config", config, "-text", "-port", "0", "-logtostderr", "-allow_no_client_auth"]
    secret = ["-server_crt", certificate, "-server_key", key]
    process = subprocess.Popen([binary, *options, *secret], stderr=subprocess.PIPE, text=True)
    try:
        where = next(line.rsplit(":", 1)[1].strip() for line in process.stderr if "Starting RPC server" in line)
        trusted = grpc.ssl_channel_credentials(certificate.read_bytes())
        named = [("grpc.ssl_target_name_override", "device")]
        with grpc.secure_channel(f"127.0.0.1:{where}", trusted, named) as channel:
            yield described(reflected(channel, ["gnmi.gNMI", "gnmi_ext.Extension"]))
    finally:
        process.kill()
        process.wait()


def test_gnmi_is_that_of_its_repository(ours, reference):
    assert len(reference) > 170, "all of gNMI was looked at"
    assert {name: ours.get(name) for name in reference} == reference
    more = {name for name in ours if name not in reference}
    assert {name for name in more if not is_part_of(name, OLDER)} == set()
