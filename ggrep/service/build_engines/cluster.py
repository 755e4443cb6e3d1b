"""The address of a Ray cluster, and checks before connecting to it."""

import socket
from importlib.util import find_spec
from typing import Final, Literal
from urllib.parse import urlsplit

from ggrep.base.errors import InvalidRequest

Engine = Literal["local", "ray"]
EXTRA: Final = "pip install 'ggrep[cluster]'"
RAY_ADDRESS: Final = "RAY_ADDRESS"
"""The variable from which Ray's tools read the address of the head node."""
_PORT: Final = 6379
"""Default port of head nodes."""
_ANSWER_S: Final = 5.0


class NoCluster(InvalidRequest):
    """Ray is not installed, or no cluster answers."""


def is_installed() -> bool:
    """Return whether Ray is installed, without loading it."""
    return find_spec("ray") is not None


def require_extra() -> None:
    """Raise if Ray is not installed."""
    if not is_installed():
        raise NoCluster(f"ray is not installed; to install it: {EXTRA}")


def require_answer(address: str) -> None:
    """Raise unless a head node listens at an address; Ray itself would retry for minutes."""
    host, port = host_and_port(address)
    try:
        socket.create_connection((host, port), timeout=_ANSWER_S).close()
    except OSError as error:
        raise NoCluster(
            f"no ray cluster answers at {address}: {error.strerror or error};"
            " how to start one: ggrep doctor --cluster"
        ) from error


def host_and_port(address: str) -> tuple[str, int]:
    """Return the host and port of an address: `host`, `host:port` or `tcp://host:port`."""
    try:
        parts = urlsplit(address if "://" in address else f"//{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host:
        raise NoCluster(f"invalid address {address!r}; write host:port")
    return host, port or _PORT
