"""What a cluster needs here, and where it is."""

import socket
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Final, Literal
from urllib.parse import urlsplit

from ggrep.base.errors import InvalidRequest

Engine = Literal["local", "ray", "dask"]
EXTRA: Final = "pip install 'ggrep[cluster]'"
MODULES: Final[Mapping[Engine, str]] = {"ray": "ray", "dask": "distributed"}
"""What each engine is to Python."""
PORTS: Final = {"ray": 6379, "dask": 8786}
"""Where heads and schedulers listen unless told otherwise."""
VARIABLES: Final = {"ray": "RAY_ADDRESS", "dask": "DASK_SCHEDULER_ADDRESS"}
"""What each engine's own tools read the address from."""
_ANSWER_S: Final = 5.0


class NoCluster(InvalidRequest):
    """The engine is not installed, or no cluster answers."""


def is_installed(module: str) -> bool:
    """Tell whether a module of the extra is there; it is not loaded."""
    return find_spec(module) is not None


def require_extra(module: str) -> None:
    """Raise where a module of the extra is missing.

    Raises:
        NoCluster: with the line that installs it.
    """
    if not is_installed(module):
        raise NoCluster(f"{module} is not installed; to install it: {EXTRA}")


def require_answer(address: str, engine: Engine) -> None:
    """Raise unless somebody listens at an address; clients of their own try for minutes.

    Raises:
        NoCluster: nobody does, or it is no address.
    """
    host, port = host_and_port(address, engine)
    try:
        socket.create_connection((host, port), timeout=_ANSWER_S).close()
    except OSError as error:
        raise NoCluster(
            f"no {engine} cluster answers at {address}: {error.strerror or error};"
            " how to start one: ggrep doctor --cluster"
        ) from error


def host_and_port(address: str, engine: Engine) -> tuple[str, int]:
    """Return what an address names: `host`, `host:port` or `tcp://host:port`.

    Raises:
        NoCluster: it names neither.
    """
    try:
        parts = urlsplit(address if "://" in address else f"//{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host:
        raise NoCluster(f"{address!r} is not an address; write host:port")
    return host, port or PORTS[engine]
