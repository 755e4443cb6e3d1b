"""Checks what a client says of places: absolute paths, and what it found by a hint alone.

A plain search works out neither settings nor fingerprint: it says which root it means, under
which variables and with which build, and this daemon says whether it is the one for that. What
is not certain is refused, and the client works everything out.
"""

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final

from anyio import to_thread

from ggrep.base.errors import GgrepError, InvalidRequest
from ggrep.config.root import canonical_root
from ggrep.config.settings import unknown_variables
from ggrep.daemon.shared import Shared
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.index.store.active import read_active
from ggrep.protocol.wire.message_types import Claim

_NO_SETTINGS: Final = frozenset(
    {"GGREP_CLIENT_ID", "GGREP_CLIENT_KIND", "GGREP_HOME", "GGREP_LINKS", "GGREP_PAGER"}
)
"""Variables that change no setting; the home is the one whose locator led here."""

_MOST_SCOPES: Final = 1024


class StaleHint(GgrepError):
    """The hint may have led to the wrong daemon; the client must derive the address."""

    code = "stale_hint"


def check_process(shared: Shared, claim: Claim) -> None:
    """Raise unless a process has the build and the variables of a client.

    Raises:
        StaleHint: it has others.
    """
    if claim.build != shared.build:
        raise StaleHint("the client is of another build")
    if unknown_variables(dict(claim.environ)):
        raise StaleHint("a variable means nothing, which is for the client to say")
    if _of_settings(claim.environ) != _of_settings(shared.settings_environ.items()):
        raise StaleHint("the client's variables are not those of the daemon")


async def check_claim(daemon: StoreDaemon, claim: Claim, *scopes: str) -> None:
    """Raise unless this is certainly the daemon that the client means, for places of its root.

    Raises:
        StaleHint: it may not be.
    """
    check_process(daemon.shared, claim)
    if claim.root != str(daemon.identity.root):
        raise StaleHint("another root is meant")
    if daemon.config.profile.shapes_answers:
        # A plain search says nothing of what was typed and what was left to defaults.
        raise StaleHint("a profile shapes the answers here")
    if daemon.stale or not await to_thread.run_sync(daemon.config.is_current):
        raise StaleHint("the settings have changed")
    if not await to_thread.run_sync(_are_inside, daemon, scopes):
        raise StaleHint("the scope is a root of its own, or is gone")


def _of_settings(environ: Iterable[tuple[str, str]]) -> dict[str, str]:
    return {name: value for name, value in environ if name not in _NO_SETTINGS}


def _are_inside(daemon: StoreDaemon, scopes: Iterable[str]) -> bool:
    return all(_is_inside(daemon, scope) for scope in scopes)


def _is_inside(daemon: StoreDaemon, scope: str) -> bool:
    """Return whether a place below the root belongs to the root.

    Asking git takes milliseconds, so the answer is kept until another snapshot is active.
    """
    try:
        snapshot = read_active(daemon.identity.store) or ""
        if daemon.scopes.get(scope) == snapshot != "":
            return True
        root = daemon.identity.root
        if canonical_root(root / scope if scope else root) != root:
            return False
    except (GgrepError, OSError, ValueError):  # the last: a scope that no path can be
        return False
    if len(daemon.scopes) >= _MOST_SCOPES:
        daemon.scopes.clear()
    daemon.scopes[scope] = snapshot
    return True


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
