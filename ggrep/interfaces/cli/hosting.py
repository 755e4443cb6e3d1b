"""Runs the daemon process; without typer, to save time in a search that starts it."""

import os
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ggrep.base import stable_json
from ggrep.base.build import build_id
from ggrep.base.commands import LATER
from ggrep.base.errors import GgrepError
from ggrep.config.identity.root import canonical_root
from ggrep.config.settings import PROFILE_VARIABLE, compute_in_one_thread, environment, home_from
from ggrep.interfaces.cli.background import Ready, in_background
from ggrep.model.sanitise import sanitise_line

if TYPE_CHECKING:
    from ggrep.daemon.host import Outcome

REFUSED = "not serving"
_PIECE_BYTES = 65_536
_MOST_DESCRIPTORS = 8
_VALUES = frozenset({"--path", "--encoder"})


def start(arguments: Sequence[str]) -> int | None:
    """Start a daemon for a client, as `ggrep serve --background --yes` does.

    Args:
        arguments: what follows that.

    Returns:
        The exit status; None where the arguments are of another kind, and nothing was done.
    """
    if len(arguments) == 2 and arguments[0] == LATER:
        # What takes long, while the client works out what it wants; it may want nothing.
        import ggrep.daemon.host  # noqa: F401 - to have it loaded

        later = _told(int(arguments[1]))
        return 0 if later is None else start(later)
    flags, values = arguments[::2], arguments[1::2]
    if not flags or len(flags) > len(values) or not _VALUES.issuperset(flags):
        return None
    given = list(zip(flags, values, strict=True))
    try:
        roots = [canonical_root(Path(value)) for flag, value in given if flag == "--path"]
        encoder = [value for flag, value in given if flag == "--encoder"]
        flags_given = {"encoder": encoder[-1] if encoder else None}
        told = host_behind(roots, flags_given, environment(), awaited=True)
    except GgrepError as error:
        sys.stderr.write(f"error: {sanitise_line(str(error))}\n")
        return error.exit_status
    sys.stderr.write(told)
    return status_of(told)


def host(
    roots: Sequence[Path],
    flags: Mapping[str, object],
    environ: Mapping[str, str],
    told: "Callable[[Sequence[Outcome]], None]",
    *,
    awaited: bool = False,
) -> str:
    """Serve until stopped; return the reason of the end. See `ggrep.daemon.host.serve`."""
    compute_in_one_thread()
    from ggrep.daemon.host import serve as run
    from ggrep.index.store.lean_import import leave_out_remote_client

    leave_out_remote_client()
    return run(
        roots,
        home_from(environ),
        environ=environ,
        flags={name: value for name, value in flags.items() if value is not None},
        build=build_id(),
        told=told,
        awaited=awaited,
    )


def host_behind(
    roots: Sequence[Path],
    flags: Mapping[str, object],
    environ: Mapping[str, str],
    *,
    awaited: bool = False,
) -> str:
    """Serve in the background; once ready, return a line for each root that is not served.

    Raises:
        GgrepError: nothing is.

    Requires: this process has one thread.
    """
    return in_background(lambda ready: _host_or_leave(roots, flags, environ, ready, awaited))


def status_of(told: str) -> int:
    """Return the exit status of a command with this outcome."""
    return int(any(line.startswith(REFUSED) for line in told.splitlines()))


def line_of(outcome: "Outcome") -> str:
    """Return the outcome of a root as a line."""
    from ggrep.daemon.host import AlreadyServed

    match outcome.error:
        case None:
            return f"serving {outcome.root}"
        case AlreadyServed():
            return f"{outcome.root}: {outcome.error}"
        case error:
            return f"{REFUSED} {outcome.root}: {error}"


def _told(channel: int) -> list[str] | None:
    """Return the arguments that a client sends; None if it needs no daemon.

    What else it sends is taken over: where to complain, the locks that are its to hold, and what
    it does not share with us of its environment. See `ggrep.protocol.client.headstart`.
    """
    with socket.socket(fileno=channel) as ours:
        data, descriptors, _, _ = socket.recv_fds(ours, _PIECE_BYTES, _MOST_DESCRIPTORS)
        while piece := ours.recv(_PIECE_BYTES):
            data += piece
    if not data or not descriptors:
        return None
    os.dup2(descriptors[0], 2)
    job = stable_json.loads(data)
    own = os.environ  # noqa: TID251 - it is ours to set: this process begins here
    own["GGREP_HOME"] = job["home"]
    own.pop(PROFILE_VARIABLE, None)
    if job["profile"]:
        own[PROFILE_VARIABLE] = job["profile"]
    return [str(argument) for argument in job["arguments"]]


def _host_or_leave(
    roots: Sequence[Path],
    flags: Mapping[str, object],
    environ: Mapping[str, str],
    ready: Ready,
    awaited: bool,
) -> None:
    """Serve, unless another process was faster: then its daemon serves."""
    from ggrep.daemon.host import AlreadyServed

    def tell(outcomes: "Sequence[Outcome]") -> None:
        lines = (line_of(outcome) for outcome in outcomes if outcome.error is not None)
        ready("".join(sanitise_line(line) + "\n" for line in lines))

    try:
        host(roots, flags, environ, tell, awaited=awaited)
    except AlreadyServed:
        ready("")
