"""Domain values in a daemon's replies."""

from typing import TypeVar

from ggrep.base.decode import DecodeError, decode
from ggrep.protocol.client.link import Unreachable
from ggrep.protocol.wire.replies import Reply

T = TypeVar("T")


def value_of(kind: type[T], reply: Reply, key: str) -> T:
    """Return a field of a reply as a value of the domain.

    Raises:
        Unreachable: it is none.
    """
    try:
        return decode(kind, reply.body.get(key), key)
    except DecodeError as error:
        raise Unreachable(f"invalid reply from the daemon: {error}") from error
