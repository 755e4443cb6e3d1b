"""Domain values in a daemon's replies."""

from typing import TypeVar

from ggrep.base.errors import InvalidRequest
from ggrep.protocol.client.link import Unreachable
from ggrep.protocol.wire.codec import from_json
from ggrep.protocol.wire.replies import Reply

T = TypeVar("T")


def value_of(kind: type[T], reply: Reply, key: str) -> T:
    """Return a field of a reply as a value of the domain.

    Raises:
        Unreachable: it is none.
    """
    try:
        return from_json(kind, reply.body.get(key), key)
    except InvalidRequest as error:
        raise Unreachable(f"invalid reply from the daemon: {error}") from error
