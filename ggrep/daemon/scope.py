"""The scope of an answer, when a client names it by an absolute path."""

from pathlib import PurePosixPath

from ggrep.base.errors import InvalidRequest
from ggrep.daemon.store_daemon import StoreDaemon


def scope_of(daemon: StoreDaemon, path: str) -> str:
    """Return the path key of a directory or file below the root; empty for the root itself.

    Raises:
        InvalidRequest: the path is not below the root.
    """
    named, root = PurePosixPath(path), daemon.identity.root
    if ".." in named.parts or not named.is_relative_to(root):
        raise InvalidRequest(f"path: {path!r} is not below the root")
    scope = named.relative_to(root).as_posix()
    return "" if scope == "." else scope
