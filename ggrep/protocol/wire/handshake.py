"""The handshake of a connection: the wanted store, the daemon's identity, the protocol."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import Incompatible, InvalidRequest
from ggrep.base.stable_json import Json, plain
from ggrep.protocol.wire.frames import NEEDED_SCHEMAS
from ggrep.protocol.wire.reading import Fields, bounded, misfit

ClientKind: TypeAlias = Literal["interactive", "batch"]

_KINDS: Final = ("interactive", "batch")
_MOST_NAME: Final = 128
_MOST_ENTRIES: Final = 32
_MOST_WORD: Final = 64
_MOST_VERSION: Final = 2**31 - 1


class Hello(Struct, frozen=True):
    """A client's first message.

    Attributes:
        protocol_versions: those it speaks, one at least.
        client_id: whom fairness counts the requests for; empty for nobody in particular.
        client_kind: how urgent its requests are unless they say otherwise.
        build: of the client.
    """

    protocol_versions: tuple[int, ...]
    store_id: str
    config_fingerprint: str
    client_id: str = ""
    client_kind: ClientKind = "interactive"
    client_capabilities: tuple[str, ...] = ()
    build: str = ""


class Welcome(Struct, frozen=True):
    """A daemon's reply.

    Attributes:
        protocol_version: the one this connection speaks from here on.
        supported_schema_versions: versions of the documents it answers with, by name.
        pid: of the host process; 0 when it does not say.
        started_at: UTC, as `2026-01-01T12:00:00Z`; empty when it does not say.
        stale: its settings are no longer those of the repository.
    """

    protocol_version: int
    protocol_versions: tuple[int, ...]
    binary_version: str
    supported_schema_versions: Mapping[str, tuple[int, ...]]
    store_id: str
    config_fingerprint: str
    pid: int = 0
    started_at: str = ""
    stale: bool = False
    build: str = ""


def parse_hello(body: Mapping[str, object]) -> Hello:
    """Return a connection's first object.

    Raises:
        InvalidRequest: it is no handshake, or a field is malformed.
    """
    said = body.get("message", "hello")
    if said != "hello":
        raise misfit("message", said, "hello: the handshake comes first")
    if "store_id" not in body:
        raise InvalidRequest("store_id: missing: the handshake comes first")
    fields = Fields(body)
    return Hello(
        protocol_versions=_offered(fields),
        store_id=fields.printable("store_id", _MOST_NAME, least=1),
        config_fingerprint=fields.printable("config_fingerprint", _MOST_NAME, least=1),
        client_id=fields.printable("client_id", _MOST_NAME, default=""),
        client_kind=cast(ClientKind, fields.choice("client_kind", _KINDS, default="interactive")),
        client_capabilities=_words(fields, "client_capabilities"),
        build=fields.printable("build", _MOST_NAME, default=""),
    )


def hello_json(hello: Hello) -> dict[str, Json]:
    """Return the object that `parse_hello` reads: schema `handshake_request`."""
    return {"message": "hello", **plain(hello)}


def answer_hello(hello: Hello, offer: Welcome) -> Welcome:
    """Return `offer` with this connection's protocol: the highest that both sides speak.

    Raises:
        InvalidRequest: another store is meant, or the same under other settings.
        Incompatible: there is no common protocol.
    """
    _check_same("store_id", hello.store_id, offer.store_id)
    _check_same("config_fingerprint", hello.config_fingerprint, offer.config_fingerprint)
    common = set(hello.protocol_versions) & set(offer.protocol_versions)
    if not common:
        raise Incompatible(
            f"protocol_versions: the client speaks {_listed(hello.protocol_versions)},"
            f" this daemon {_listed(offer.protocol_versions)}"
        )
    return replace(offer, protocol_version=max(common))


def welcome_json(welcome: Welcome) -> dict[str, Json]:
    """Return the object that `parse_welcome` reads: schema `handshake_response`."""
    return cast(dict[str, Json], plain(welcome))


def parse_welcome(body: Mapping[str, object]) -> Welcome:
    """Return a daemon's reply; fields beyond the contract may be missing.

    Raises:
        InvalidRequest: a field is malformed or missing.
    """
    fields = Fields(body)
    return Welcome(
        protocol_version=fields.whole("protocol_version", 0, _MOST_VERSION),
        protocol_versions=_versions(fields, "protocol_versions"),
        binary_version=fields.printable("binary_version", _MOST_NAME),
        supported_schema_versions=_schemas(fields),
        store_id=fields.printable("store_id", _MOST_NAME, least=1),
        config_fingerprint=fields.printable("config_fingerprint", _MOST_NAME, least=1),
        pid=fields.whole("pid", 0, _MOST_VERSION, default=0),
        started_at=fields.printable("started_at", _MOST_WORD, default=""),
        stale=fields.flag("stale", default=False),
        build=fields.printable("build", _MOST_NAME, default=""),
    )


def check_welcome(welcome: Welcome, hello: Hello) -> None:
    """Raise unless the daemon is the wanted one and speaks a common protocol.

    Raises:
        InvalidRequest: it serves another store, or the same under other settings.
        Incompatible: it chose a protocol other than the highest common one, or cannot answer in
            the documents this build reads.
    """
    _check_same("store_id", welcome.store_id, hello.store_id)
    _check_same("config_fingerprint", welcome.config_fingerprint, hello.config_fingerprint)
    common = set(hello.protocol_versions) & set(welcome.protocol_versions)
    if not common or welcome.protocol_version != max(common):
        raise Incompatible(
            f"protocol_version: the daemon chose {welcome.protocol_version} of"
            f" {_listed(welcome.protocol_versions)}, this client speaks"
            f" {_listed(hello.protocol_versions)}"
        )
    for name, version in NEEDED_SCHEMAS.items():
        if version not in welcome.supported_schema_versions.get(name, ()):
            raise Incompatible(f"supported_schema_versions: {name} without version {version}")


def _check_same(name: str, found: str, expected: str) -> None:
    if found != expected:
        raise InvalidRequest(f"{name} mismatch: found {found!r}, expected {expected!r}")


def _offered(fields: Fields) -> tuple[int, ...]:
    """Return the client's protocols; one alone may stand without its list."""
    single = "protocol_version" in fields.body
    if single and "protocol_versions" in fields.body:
        raise InvalidRequest("protocol_version: cannot go together with protocol_versions")
    if single:
        return (fields.whole("protocol_version", 0, _MOST_VERSION),)
    return _versions(fields, "protocol_versions")


def _versions(fields: Fields, key: str) -> tuple[int, ...]:
    found = fields.array(key, _MOST_ENTRIES)
    if not found:
        raise InvalidRequest(f"{fields.name(key)}: names no version")
    return tuple(bounded(item, 0, _MOST_VERSION, fields.name(key)) for item in found)


def _words(fields: Fields, key: str) -> tuple[str, ...]:
    words = []
    for item in fields.array(key, _MOST_ENTRIES) or ():
        if not isinstance(item, str) or not item.isprintable() or not 0 < len(item) <= _MOST_WORD:
            raise misfit(key, item, f"words of 1 to {_MOST_WORD} printable characters")
        words.append(item)
    return tuple(words)


def _schemas(fields: Fields) -> Mapping[str, tuple[int, ...]]:
    key = "supported_schema_versions"
    found = fields.mapping(key, _MOST_ENTRIES)
    if found is None:
        raise InvalidRequest(f"{key}: missing")
    inner = Fields(found, key)
    return {name: _versions(inner, name) for name in sorted(found)}


def _listed(versions: tuple[int, ...]) -> str:
    return ", ".join(str(version) for version in sorted(set(versions)))
