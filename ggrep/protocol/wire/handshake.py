"""The handshake of a connection: the requested store, the daemon's identity, the protocol."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import Incompatible, InvalidRequest
from ggrep.base.stable_json import Json, plain
from ggrep.model.field_meta import WireBounds
from ggrep.protocol.wire.frames import NEEDED_SCHEMAS
from ggrep.protocol.wire.reading import misfit, read

ClientKind: TypeAlias = Literal["interactive", "batch"]

_Name: TypeAlias = Annotated[str, WireBounds(128, form="shown")]
_Identity: TypeAlias = Annotated[str, WireBounds(128, 1, form="shown")]
_MOST_ENTRIES: Final = 32
_MOST_VERSION: Final = 2**31 - 1
_Versions: TypeAlias = Annotated[
    tuple[int, ...], WireBounds(_MOST_ENTRIES, 1, each=(0, _MOST_VERSION))
]


class Hello(Struct, frozen=True):
    """A client's first message.

    Attributes:
        protocol_versions: supported versions, at least one.
        client_id: identity for fair queueing; empty for an anonymous client.
    """

    protocol_versions: _Versions
    store_id: _Identity
    config_fingerprint: _Identity
    client_id: _Name = ""
    client_kind: ClientKind = "interactive"
    client_capabilities: Annotated[
        tuple[str, ...], WireBounds(_MOST_ENTRIES, each=(1, 64), form="shown")
    ] = ()
    build: _Name = ""


class _OnlyVersion(Struct, frozen=True):
    """The protocol of a client that sends a single version."""

    protocol_version: Annotated[int, WireBounds(_MOST_VERSION)]


class Welcome(Struct, frozen=True):
    """A daemon's reply to a hello.

    Attributes:
        protocol_version: protocol version of the rest of the connection.
        supported_schema_versions: versions of the documents in answers, by name.
        pid: id of the host process; 0 when unknown.
        stale: whether the daemon's settings differ from those of the repository.
    """

    protocol_version: Annotated[int, WireBounds(_MOST_VERSION)]
    protocol_versions: _Versions
    binary_version: _Name
    supported_schema_versions: Annotated[Mapping[str, _Versions], WireBounds(_MOST_ENTRIES)]
    store_id: _Identity
    config_fingerprint: _Identity
    pid: Annotated[int, WireBounds(_MOST_VERSION)] = 0
    started_at: Annotated[str, WireBounds(64, form="shown")] = ""
    stale: bool = False
    build: _Name = ""


def parse_hello(body: Mapping[str, object]) -> Hello:
    """Return the hello in a connection's first object, which may name a single protocol version.

    Raises:
        InvalidRequest: the object is no handshake, or a field is malformed.
    """
    name = body.get("message", "hello")
    if name != "hello":
        raise misfit("message", name, "hello, because the first message must be a handshake")
    if "store_id" not in body:
        raise InvalidRequest("store_id: missing; the first message must be a handshake")
    if "protocol_version" in body:
        if "protocol_versions" in body:
            raise InvalidRequest("protocol_version: cannot go together with protocol_versions")
        only = read(_OnlyVersion, body).protocol_version
        body = {**body, "protocol_versions": [only]}
    return read(Hello, body)


def hello_json(hello: Hello) -> dict[str, Json]:
    """Return the object that `parse_hello` reads: schema `handshake_request`."""
    return {"message": "hello", **plain(hello)}


def answer_hello(hello: Hello, offer: Welcome) -> Welcome:
    """Return `offer` with the protocol of this connection: the highest common version.

    Raises:
        InvalidRequest: the client requests another store or configuration.
        Incompatible: there is no common protocol.
    """
    _check_same("store_id", hello.store_id, offer.store_id)
    _check_same("config_fingerprint", hello.config_fingerprint, offer.config_fingerprint)
    common = set(hello.protocol_versions) & set(offer.protocol_versions)
    if not common:
        raise Incompatible(
            f"protocol_versions: the client supports {_listed(hello.protocol_versions)},"
            f" the daemon supports {_listed(offer.protocol_versions)}"
        )
    return replace(offer, protocol_version=max(common))


def welcome_json(welcome: Welcome) -> dict[str, Json]:
    """Return the object that `parse_welcome` reads: schema `handshake_response`."""
    return cast(dict[str, Json], plain(welcome))


def parse_welcome(body: Mapping[str, object]) -> Welcome:
    """Return a daemon's welcome; optional fields may be missing."""
    return read(Welcome, body)


def check_welcome(welcome: Welcome, hello: Hello) -> None:
    """Raise unless the daemon serves the requested store with a common protocol.

    Raises:
        InvalidRequest: the daemon serves another store or configuration.
        Incompatible: the daemon did not choose the highest common protocol, or does not support the
            document versions that this build reads.
    """
    _check_same("store_id", welcome.store_id, hello.store_id)
    _check_same("config_fingerprint", welcome.config_fingerprint, hello.config_fingerprint)
    common = set(hello.protocol_versions) & set(welcome.protocol_versions)
    if not common or welcome.protocol_version != max(common):
        raise Incompatible(
            f"protocol_version: the daemon chose {welcome.protocol_version} of"
            f" {_listed(welcome.protocol_versions)}, the client supports"
            f" {_listed(hello.protocol_versions)}"
        )
    for name, version in NEEDED_SCHEMAS.items():
        if version not in welcome.supported_schema_versions.get(name, ()):
            raise Incompatible(
                "supported_schema_versions: the daemon does not support version "
                f"{version} of {name}"
            )


def _check_same(name: str, actual: str, expected: str) -> None:
    if actual != expected:
        raise InvalidRequest(f"{name} mismatch: found {actual!r}, expected {expected!r}")


def _listed(versions: tuple[int, ...]) -> str:
    return ", ".join(str(version) for version in sorted(set(versions)))
