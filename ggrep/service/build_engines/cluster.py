"""Requirements of a Ray cluster on this machine, and its address."""

import socket
from importlib.util import find_spec
from typing import Final, Literal
from urllib.parse import urlsplit

from ggrep.base.errors import InvalidRequest

Engine = Literal["local", "ray"]
EXTRA: Final = "pip install 'ggrep[cluster]'"
RAY_ADDRESS: Final = "RAY_ADDRESS"
"""The variable from which Ray's own tools read the address of the head."""
_PORT: Final = 6379
"""Heads listen here by default."""
_ANSWER_S: Final = 5.0


class NoCluster(InvalidRequest):
    """The engine is not installed, or no cluster answers."""


def is_installed() -> bool:
    """Return whether Ray is installed; it is not loaded."""
    return find_spec("ray") is not None


def require_extra() -> None:
    """Raise where Ray is not installed."""
    if not is_installed():
        raise NoCluster(f"ray is not installed; to install it: {EXTRA}")


def require_answer(address: str) -> None:
    """Raise unless a head listens at an address; Ray itself tries for minutes."""
    host, port = host_and_port(address)
    try:
        socket.create_connection((host, port), timeout=_ANSWER_S).close()
    except OSError as error:
        raise NoCluster(
            f"no ray cluster answers at {address}: {error.strerror or error};"
            " how to start one: ggrep doctor --cluster"
        ) from error


def host_and_port(address: str) -> tuple[str, int]:
    """Return what an address names: `host`, `host:port` or `tcp://host:port`."""
    try:
        parts = urlsplit(address if "://" in address else f"//{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host:
        raise NoCluster(f"invalid address {address!r}; write host:port")
    return host, port or _PORT
