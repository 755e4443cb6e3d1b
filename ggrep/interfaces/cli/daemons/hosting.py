"""Runs the daemon process, optionally in the background, without loading typer."""

import os
import resource
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ggrep.base import stable_json
from ggrep.base.build import build_id
from ggrep.base.commands import LATER
from ggrep.base.errors import Cancelled, GgrepError
from ggrep.base.linux import share_one_heap
from ggrep.base.processes import without_collecting
from ggrep.config.root import canonical_root
from ggrep.config.settings import PROFILE_VARIABLE, compute_in_one_thread, environment, home_from
from ggrep.model.sanitise import sanitise_line

if TYPE_CHECKING:
    from ggrep.daemon.host import ServeResult
    from ggrep.daemon.plan import PlannedLine, ServedRoot
    from ggrep.protocol.wire.messages import Line


Ready = Callable[[str], None]
"""Reports that the work is ready, with a message."""

Environ = Mapping[str, str]

REFUSED = "not serving"
_PIECE_BYTES = 65_536
_MOST_DESCRIPTORS = 8
_VALUES = frozenset({"--path", "--encoder"})


def start(arguments: Sequence[str]) -> int | None:
    """Start a daemon for a client, like `ggrep serve --background --yes` with these arguments.

    Returns the exit status. If `arguments` contain other options than `--path` and `--encoder`,
    does nothing and returns None.
    """
    if len(arguments) == 2 and arguments[0] == LATER:
        # Imports slow modules while the client decides whether it needs a daemon.
        compute_in_one_thread()
        with without_collecting():
            from ggrep.daemon.host import preload

            preload()
        later = _received_arguments(int(arguments[1]))
        return 0 if later is None else start(later)
    flags, values = arguments[::2], arguments[1::2]
    if not flags or len(flags) > len(values) or not _VALUES.issuperset(flags):
        return None
    given = list(zip(flags, values, strict=True))
    try:
        roots = [canonical_root(Path(value)) for flag, value in given if flag == "--path"]
        encoder = dict(given).get("--encoder")
        message = _served(roots, encoder, environment())
    except GgrepError as error:
        sys.stderr.write(f"error: {sanitise_line(str(error))}\n")
        return error.exit_status
    sys.stderr.write(message)
    return status_of(message)


def _served(roots: Sequence[Path], encoder: str | None, environ: Environ) -> str:
    """Let running daemons serve roots, or else a new one; return a line for each refused root."""
    from ggrep.base.clock import SystemClock
    from ggrep.protocol.client.daemon_control import adopted, turn

    home, clock = home_from(environ), SystemClock()
    with turn(home, clock):
        remaining = adopted(home, roots, encoder or "", environ, build_id(), clock)
        flags = {"encoder": encoder}
        return host_behind(remaining, flags, environ, awaited=True) if remaining else ""


def host(
    roots: Sequence[Path],
    flags: Mapping[str, object],
    environ: Mapping[str, str],
    notify: "Callable[[Sequence[ServeResult]], None]",
    *,
    awaited: bool = False,
) -> str:
    """Serve roots until stopped; return why it stopped. See `ggrep.daemon.host.serve`."""
    compute_in_one_thread()
    share_one_heap()
    from ggrep.daemon.host import serve as run
    from ggrep.index.store.lean_import import leave_out_remote_client

    leave_out_remote_client()

    def read_line(line: "Line", served: "ServedRoot") -> "PlannedLine | None":
        # Imported late: the first import loads the commands.
        from ggrep.interfaces.cli.queries.command_line import read_line as read

        return read(line, served)

    return run(
        roots,
        home_from(environ),
        environ=environ,
        flags={name: value for name, value in flags.items() if value is not None},
        build=build_id(),
        notify=notify,
        awaited=awaited,
        reads=read_line,
    )


def host_behind(
    roots: Sequence[Path],
    flags: Mapping[str, object],
    environ: Mapping[str, str],
    *,
    awaited: bool = False,
) -> str:
    """Start a daemon in the background; once it is ready, return a line for each refused root.

    Requires: this process has a single thread.
    """
    return in_background(lambda ready: _host_or_leave(roots, flags, environ, ready, awaited))


def status_of(outcome: str) -> int:
    """Return the exit status for the outcome of a root."""
    return int(any(line.startswith(REFUSED) for line in outcome.splitlines()))


def line_of(outcome: "ServeResult") -> str:
    """Return the outcome of a root as a line of text."""
    from ggrep.daemon.endpoint_files import AlreadyServed

    match outcome.error:
        case None:
            return f"serving {outcome.root}"
        case AlreadyServed():
            return f"{outcome.root}: {outcome.error}"
        case error:
            return f"{REFUSED} {outcome.root}: {error}"


def _received_arguments(channel: int) -> list[str] | None:
    """Receive and return the arguments that a client sends; None if the client sends none.

    This process also receives the client's standard error, locks and changed variables.
    See `ggrep.protocol.client.preload`.
    """
    with socket.socket(fileno=channel) as ours:
        data, descriptors, _, _ = socket.recv_fds(ours, _PIECE_BYTES, _MOST_DESCRIPTORS)
        while piece := ours.recv(_PIECE_BYTES):
            data += piece
    if not data or not descriptors:
        return None
    os.dup2(descriptors[0], 2)
    job = stable_json.loads(data)
    environ = os.environ  # noqa: TID251 - this process begins here
    environ["GGREP_HOME"] = job["home"]
    environ.pop(PROFILE_VARIABLE, None)
    if job["profile"]:
        environ[PROFILE_VARIABLE] = job["profile"]
    return [str(argument) for argument in job["arguments"]]


def _host_or_leave(
    roots: Sequence[Path],
    flags: Mapping[str, object],
    environ: Mapping[str, str],
    ready: Ready,
    awaited: bool,
) -> None:
    """Serve roots; report success if another process already serves them."""
    from ggrep.daemon.endpoint_files import AlreadyServed

    def tell(outcomes: "Sequence[ServeResult]") -> None:
        lines = (line_of(outcome) for outcome in outcomes if outcome.error is not None)
        ready("".join(sanitise_line(line) + "\n" for line in lines))

    try:
        host(roots, flags, environ, tell, awaited=awaited)
    except AlreadyServed:
        ready("")


_READY = b"ready"


def in_background(work: Callable[[Ready], object]) -> str:
    """Run `work` in a new process and session; return the message that `work` sends when ready.

    The process ends with `work`. Requires: the calling process has a single thread.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _detach(work, write)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read, "rb") as answer:
        message = answer.read()
    if not message:
        raise Cancelled("the daemon ended before it was ready")
    if not message.startswith(_READY):
        raise GgrepError(message.decode(errors="replace"))
    return message.removeprefix(_READY).decode(errors="replace")


def _detach(work: Callable[[Ready], object], write: int) -> None:
    """Run `work` in a grandchild of the caller, which the caller need not reap."""
    status = 1
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.chdir("/")
        _without_streams(write)
        work(lambda lines: _say(write, _READY + lines.encode(errors="replace")))
        status = 0
    except GgrepError as error:
        _say(write, str(error).encode())
    except BaseException as error:  # noqa: BLE001 - the process ends and reports it
        _say(write, f"a bug in ggrep: {type(error).__name__}: {error}".encode())
    finally:
        os._exit(status)


def _without_streams(kept: int) -> None:
    """Close all inherited descriptors, such as locks and pipes, except `kept`."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.closerange(3, kept)
    os.closerange(kept + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def _say(write: int, text: bytes) -> None:
    """Send a message to the waiting process and close the pipe; later calls do nothing."""
    with suppress(OSError):
        os.write(write, text)
        os.close(write)
