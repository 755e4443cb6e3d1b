"""The configuration of a team server, from a file in JSON with comments."""

import os
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct

from ggrep.base.clock import Clock
from ggrep.base.errors import InvalidRequest
from ggrep.config.home import Home
from ggrep.config.remotes import Remote, checked
from ggrep.config.settings import Settings, load_settings
from ggrep.server.access import read_file

if TYPE_CHECKING:
    from ggrep.server.audit import AuditLog
    from ggrep.server.team import Team
    from ggrep.server.tokens import Tokens

EXTRA: Final = "pip install 'ggrep[cluster]'"
_MOST_CACHE: Final = 88
"""Maximum length of the path of `cache` in bytes: the path of a socket has at most 107."""
MOST_NODES: Final = 256


class RemotePart(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """The remote that contains the pushed snapshots; fields as in `Remote`."""

    url: str
    endpoint: str = ""
    region: str = ""
    plain_http: bool = False


class LoginPart(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """The identity provider whose tokens are accepted; fields as in `Tokens`."""

    issuer: str
    audience: str
    jwks: str = ""
    user_claim: str = "email"
    groups_claim: str = "groups"


class ServerFile(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """The configuration of a server. Paths are relative to the file.

    Attributes:
        access: file of the access rules.
        cache: directory in which nodes store snapshots, on each machine of a cluster.
        hosts: accepted host names in the header `Host`.
        nodes: number of nodes.
        ray: address of the Ray cluster that runs the nodes; empty for processes of this machine.
        sweep_seconds: time between two reads of the remote's refs.
        operators: users who may see state and metrics, and request a read of the refs.
        audit: file of the audit log; empty for none.
        audit_queries: whether the audit log contains the texts of queries.
    """

    remote: RemotePart
    login: LoginPart
    access: str
    cache: str
    name: str = "team"
    host: str = "127.0.0.1"
    port: int = 7347
    hosts: tuple[str, ...] = ()
    nodes: int = 3
    ray: str = ""
    sweep_seconds: float = 15.0
    operators: tuple[str, ...] = ()
    audit: str = ""
    audit_queries: bool = False


class NodeHandle(Protocol):
    """A node that the coordinator started."""

    def send(self, data: bytes, timeout_s: float) -> bytes:
        """Return the reply to a message; see `NodeLink.send`."""
        ...

    def keep(self) -> None:
        """Restart the node if it has ended."""
        ...

    def close(self) -> None:
        """End the node."""
        ...


def require_extra(server: ServerFile) -> None:
    """Raise InvalidRequest if a library that the server needs is not installed."""
    for name in ("jwt", "ray") if server.ray else ("jwt",):
        if find_spec(name) is None:
            raise InvalidRequest(f"{name} is not installed; to install it: {EXTRA}")


def read_server_file(file: Path) -> ServerFile:
    """Return the configuration in a file, with absolute paths.

    Raises:
        InvalidRequest: the file cannot be read, or a value is out of bounds.
    """
    server = read_file(ServerFile, file)
    folder = Path(os.path.abspath(file)).parent  # noqa: PTH100 - keeps links
    most = f"cache: the path is longer than {_MOST_CACHE} bytes, too long for the sockets in it"
    bounds = (
        (len(os.fsencode(folder / server.cache)) <= _MOST_CACHE, most),
        (1 <= server.nodes <= MOST_NODES, f"nodes: must be 1 to {MOST_NODES}"),
        (server.sweep_seconds >= 1, "sweepSeconds: must be at least 1"),
        (0 <= server.port <= 65535, "port: must be 0 to 65535"),
        (server.name.isidentifier(), "name: must consist of letters, digits and _"),
    )
    for fits, message in bounds:
        if not fits:
            raise InvalidRequest(f"{file}: {message}")
    values = {name: getattr(server, name) for name in server.__struct_fields__}
    values |= {name: str(folder / getattr(server, name)) for name in ("access", "cache", "audit")}
    values["audit"] = server.audit and values["audit"]
    return ServerFile(**values)


def settings_of(
    server: ServerFile, home: Home, environ: Mapping[str, str] = MappingProxyType({})
) -> Settings:
    """Return the settings under which the server's repositories were indexed."""
    return load_settings(home, Path(server.cache), environ=environ).settings


def start_nodes(server: ServerFile, settings: Settings, clock: Clock) -> dict[str, NodeHandle]:
    """Start a server's nodes as processes of this machine or as Ray actors; return them by name."""
    from ggrep.server.node_process import NodePlan, ProcessNode

    names = [f"node-{number}" for number in range(server.nodes)]
    remote = remote_of(server)
    plans = [NodePlan(str(Path(server.cache) / name), remote, settings) for name in names]
    handles: Sequence[NodeHandle]
    if server.ray:
        from ggrep.server.ray_node import start_actors

        handles = start_actors(server.ray, plans)
    else:
        handles = [ProcessNode(plan, clock) for plan in plans]
    return dict(zip(names, handles, strict=True))


def team_of(
    server: ServerFile,
    nodes: Mapping[str, NodeHandle],
    settings: Settings,
    clock: Clock,
    wait: Callable[[float], None],
) -> "Team":
    """Return the coordinator of a server.

    Raises:
        RemoteError: the remote cannot be opened.
    """
    from ggrep.index.remote.objects import open_objects
    from ggrep.server.epoch import Refs
    from ggrep.server.nodes import Nodes
    from ggrep.server.team import Team

    refs = Refs(open_objects(remote_of(server), wait), fingerprint_of(server, settings))
    return Team(server.name, Nodes(nodes), refs, Path(server.access), settings, clock)


def fingerprint_of(server: ServerFile, settings: Settings) -> str:
    """Return the fingerprint of settings; the server ignores snapshots with other fingerprints."""
    from ggrep.index.repo_identity import identify

    root, home = Path(server.cache), Home(Path(server.cache))
    return identify(root, home, settings).config_fingerprint


def audit_of(server: ServerFile, clock: Clock) -> "AuditLog | None":
    """Return the audit log; None if none is configured.

    Raises:
        InvalidRequest: the file cannot be written.
    """
    if not server.audit:
        return None
    from ggrep.server.audit import AuditLog

    return AuditLog(Path(server.audit), clock, queries=server.audit_queries)


def tokens_of(server: ServerFile, clock: Clock) -> "Tokens":
    """Return the verifier of bearer tokens."""
    from ggrep.server.tokens import Tokens

    login = server.login
    return Tokens(
        login.issuer,
        login.audience,
        clock,
        jwks=login.jwks,
        user_claim=login.user_claim,
        groups_claim=login.groups_claim,
    )


def remote_of(server: ServerFile) -> Remote:
    """Return the remote that contains the pushed snapshots."""
    part = server.remote
    return checked(
        Remote(
            server.name.lower(), part.url, part.endpoint, part.region, plain_http=part.plain_http
        )
    )
