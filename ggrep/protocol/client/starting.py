"""Starts the daemon process, once for any number of clients."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from msgspec import Struct

from ggrep.base import durable, stable_json
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.commands import STARTING
from ggrep.base.errors import Cancelled, GgrepError
from ggrep.base.locks import take
from ggrep.config.settings import PROFILE_VARIABLE
from ggrep.config.settings_files import PROFILE
from ggrep.model.sanitise import sanitise_line
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.client.preload import Preload

START_S: Final = 30.0
"""Timeout of a start; an idle machine takes about half a second."""

_TURN: Final = "all.sock"
"""Socket name without a daemon; its claim serialises the claims of several daemons."""

_TURNS: Final = 50
_TURN_S: Final = 0.02
_PROBE_S: Final = 0.5
_LOOK_S: Final = 0.005


class NotStarted(GgrepError):
    """No daemon could be started; the message gives the reason."""


class StillStarting(NotStarted):
    """The daemon is still starting and will be ready for the next client."""

    def __init__(self, many: int) -> None:
        subject = "a daemon is" if many == 1 else f"daemons of {many} repositories are"
        super().__init__(f"{subject} still starting, for the next search")


class Died(NotStarted):
    """The daemon was killed while it started; another start may succeed."""


def start(
    address: DaemonAddress,
    environ: Mapping[str, str],
    timeout_s: float = START_S,
    *,
    wait: Callable[[float], None] = time.sleep,
    head: Preload | None = None,
) -> bool:
    """Start the daemon of a repository and wait until it listens.

    Returns False at once when another client is starting it.

    Raises:
        StillStarting: the wait ended before the daemon listened.
        Died: the process was killed meanwhile; another start may succeed.
        NotStarted: it ended instead.
    """
    with _claimed(address.socket) as claim:
        if claim is not None:
            _run([address], environ, timeout_s, wait, [claim], head)
        return claim is not None


def start_all(
    addresses: Sequence[DaemonAddress],
    environ: Mapping[str, str],
    timeout_s: float = START_S,
    *,
    wait: Callable[[float], None] = time.sleep,
) -> tuple[DaemonAddress, ...]:
    """Start one host for the daemons of some repositories and wait until it listens.

    Return the addresses that the host was started for. Daemons that another client starts, or that
    listen already, are left out.

    Raises:
        StillStarting: the wait ended before the daemons listened.
        Died: the process was killed meanwhile; another start may succeed.
        NotStarted: it ended instead, or serves only some of them.

    Requires: one home, the same flags and the same profile to be served for all of them.
    """
    with ExitStack() as stack:
        claims = _claim(sorted(addresses, key=lambda address: address.socket), stack, wait)
        claimed = [address for address, _ in claims]
        if claimed:
            _run(claimed, environ, timeout_s, wait, [claim for _, claim in claims])
        return tuple(claimed)


def _claim(
    addresses: Sequence[DaemonAddress], stack: ExitStack, wait: Callable[[float], None]
) -> "list[tuple[DaemonAddress, _Claim]]":
    """Claim daemons that do not run, and return them; the claims end with `stack`.

    Clients claim in turn: two clients that want the same daemons would otherwise divide them and
    start two hosts. A client without a turn starts nothing.
    """
    if not addresses:
        return []
    for _ in range(_TURNS):
        with _claimed(addresses[0].home.daemon / _TURN) as turn:
            if turn is not None:
                claims = [stack.enter_context(_claimed(each.socket)) for each in addresses]
                # The previous client may have finished its start, so that the daemon listens now.
                return [
                    (address, claim)
                    for address, claim in zip(addresses, claims, strict=True)
                    if claim is not None and not _listens(address.socket)
                ]
        wait(_TURN_S)
    return []


class _Claim(Struct):
    """The right to start a daemon.

    Attributes:
        passed_on: the starting process holds the lock too, and continues without this one.
    """

    descriptor: int
    passed_on: bool = False


@contextmanager
def _claimed(place: Path) -> Iterator[_Claim | None]:
    """Keep others from starting a daemon for the length of the block.

    Yields None if another process does so already.
    """
    lock = place.with_suffix(".starting")
    try:
        durable.make_directory(lock.parent)
        held = take(lock)
    except OSError as error:
        raise NotStarted(f"no daemon can be started: {error.strerror}") from error
    if held is None:
        yield None
        return
    claim = _Claim(held.descriptor)
    try:
        yield claim
    finally:
        if claim.passed_on:
            os.close(held.descriptor)  # the starting process keeps the lock
        else:
            lock.unlink(missing_ok=True)
            held.release()


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(_PROBE_S)
        try:
            probe.connect(str(path))
        except OSError:
            return False
        return True


def _arguments(addresses: Sequence[DaemonAddress]) -> list[str]:
    line = list[str]()
    for address in addresses:
        line += ["--path", str(address.identity.root)]
    for name, value in sorted(addresses[0].flags.items()):
        if name == PROFILE:
            continue  # passed as a variable: with the flag the daemon would write no locator
        line += [f"--{name.replace('_', '-')}", str(value)]
    return line


def _environ_of(address: DaemonAddress, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables for the start of a daemon."""
    others = {name: value for name, value in environ.items() if name != PROFILE_VARIABLE}
    profile = {PROFILE_VARIABLE: address.served_profile} if address.served_profile else {}
    return {**others, **profile, "GGREP_HOME": str(address.home.base)}


def _run(
    addresses: Sequence[DaemonAddress],
    environ: Mapping[str, str],
    timeout_s: float,
    wait: Callable[[float], None],
    claims: Sequence[_Claim],
    head: Preload | None = None,
) -> None:
    """Run the command that puts itself into the background, and wait for it.

    It holds the claims too and is independent of this process: after Ctrl-C or a deadline it
    continues, and no other client starts one meanwhile.
    """
    patience = Deadline.after(SystemClock(), 1000.0 * min(timeout_s, START_S))
    with TemporaryFile() as output:
        descriptors = [output.fileno(), *(claim.descriptor for claim in claims)]
        process = _begun(head, addresses, descriptors) or _launched(addresses, environ, descriptors)
        try:
            while process.poll() is None:
                if patience.remaining_ms() <= 0.0:
                    raise StillStarting(len(addresses))
                wait(_LOOK_S)
        except Cancelled as error:
            raise StillStarting(len(addresses)) from error
        finally:
            if process.returncode is None:
                for claim in claims:
                    claim.passed_on = True
                threading.Thread(target=process.wait, daemon=True).start()  # it reaps the process
        output.seek(0)
        lines = output.read().decode(errors="replace").strip().splitlines()
    if process.returncode:
        why = lines[-1].removeprefix("error: ") if lines else f"status {process.returncode}"
        killed = process.returncode < 0 or process.returncode == Cancelled.exit_status
        raise (Died if killed else NotStarted)(f"the daemon did not start: {sanitise_line(why)}")


def _begun(
    head: Preload | None, addresses: Sequence[DaemonAddress], descriptors: Sequence[int]
) -> Preload | None:
    """Send the preloaded process its job, and return it; None if it is missing or has ended."""
    if head is None:
        return None
    job = {
        "arguments": _arguments(addresses),
        "profile": addresses[0].served_profile,
        "home": str(addresses[0].home.base),
    }
    try:
        head.tell(stable_json.dumps(job), descriptors)
    except OSError:
        return None
    return head


def _launched(
    addresses: Sequence[DaemonAddress], environ: Mapping[str, str], descriptors: Sequence[int]
) -> subprocess.Popen[bytes]:
    """Run the command with these descriptors; errors go to the first."""
    try:
        return subprocess.Popen(  # noqa: S603 - our own program and arguments
            [sys.executable, "-m", "ggrep", *STARTING, *_arguments(addresses)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=descriptors[0],
            env=_environ_of(addresses[0], environ),
            cwd="/",
            pass_fds=descriptors[1:],
            start_new_session=True,
        )
    except OSError as error:
        raise NotStarted(f"no daemon could be started: {error}") from error
