"""The first messages of a client and of a daemon."""

from collections.abc import Sequence
from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from ggrep.model.constraints import Held, held_to

_Number: TypeAlias = Annotated[int, Held(least=0, most=2147483647)]
_Versions: TypeAlias = Annotated[Sequence[_Number], Held(least=1, most=32)]
_Id: TypeAlias = Annotated[str, Held(least=1, most=128)]
_Text: TypeAlias = Annotated[str, Held(most=128)]


@held_to(oneOf=[{"required": ["protocol_versions"]}, {"required": ["protocol_version"]}])
class HelloJson(TypedDict):
    """The first message of a client. A daemon ignores unknown keys."""

    message: NotRequired[Literal["hello"]]
    """Name of the message; may be left out."""
    protocol_versions: NotRequired[_Versions]
    """Protocol versions of the client."""
    protocol_version: NotRequired[_Number]
    """The single protocol version of the client, instead of the list."""
    store_id: _Id
    """Id of the requested store."""
    config_fingerprint: _Id
    """Identity of the settings that shape the index (SHA-256, hex)."""
    client_id: NotRequired[_Text]
    """Client name for fair queueing of requests; empty for none."""
    client_kind: NotRequired[Literal["interactive", "batch"]]
    """Priority of requests that set none."""
    client_capabilities: NotRequired[
        Annotated[Sequence[Annotated[str, Held(least=1, most=64)]], Held(most=32)]
    ]
    """Features of answers that the client can read."""
    build: NotRequired[_Text]
    """The client's build; may be empty."""


class SchemaVersionsJson(TypedDict):
    """Versions of each document."""

    query_success: _Versions
    """Versions of `query_success`."""
    query_error: _Versions
    """Versions of `query_error`."""
    status: _Versions
    """Versions of `status`."""
    health: _Versions
    """Versions of `health`."""
    slate_success: NotRequired[_Versions]
    """Versions of `slate_success`."""
    symbol_success: NotRequired[_Versions]
    """Versions of `symbol_success`."""
    references_success: NotRequired[_Versions]
    """Versions of `references_success`."""
    expand_success: NotRequired[_Versions]
    """Versions of `expand_success`."""
    outline_success: NotRequired[_Versions]
    """Versions of `outline_success`."""
    tour_success: NotRequired[_Versions]
    """Versions of `tour_success`."""


class WelcomeJson(TypedDict):
    """The reply of a daemon that serves the requested store.

    A client ignores unknown keys.
    """

    protocol_version: _Number
    """Protocol version of this connection: the highest common version."""
    protocol_versions: _Versions
    """Protocol versions of the daemon."""
    binary_version: _Text
    """Version of the daemon, for people."""
    supported_schema_versions: SchemaVersionsJson
    """Versions of the documents in answers."""
    store_id: _Id
    """Id of the served store."""
    config_fingerprint: _Id
    """Identity of the settings that shape the index (SHA-256, hex)."""
    pid: NotRequired[_Number]
    """Process id of the daemon; 0 when it does not report it."""
    started_at: NotRequired[
        Annotated[str, Held(pattern=r"^$|^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$")]
    ]
    """Time when the daemon started, UTC; empty when it does not report it."""
    stale: NotRequired[bool]
    """Whether the daemon's settings differ from those of the repository."""
    build: NotRequired[_Text]
    """The daemon's build; may be empty."""
