"""Starts a daemon process, once for any number of clients."""

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
"""Socket name that no daemon uses; its claim serialises the claims of several daemons."""

_TURNS: Final = 50
_TURN_S: Final = 0.02
_PROBE_S: Final = 0.5
_LOOK_S: Final = 0.005


class NotStarted(GgrepError):
    """No daemon could be started; the message contains the reason."""


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

    Returns False at once if another client is starting it.

    Raises:
        StillStarting: the wait ended before the daemon listened.
        Died: the process was killed during the start; another start may succeed.
        NotStarted: the process ended.
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
    """Start a host for the daemons of several repositories and wait until it listens.

    Return the addresses that the host was started for. Daemons that another client starts, and
    daemons that already listen, are omitted.

    Raises:
        StillStarting: the wait ended before the daemons listened.
        Died: the process was killed during the start; another start may succeed.
        NotStarted: the process ended, or serves only some of the repositories.

    Requires: all addresses have the same home, flags and served profile.
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
    """Claim daemons that do not run; return them with their claims, which end with `stack`.

    Only one client claims at a time: two clients could otherwise each claim a part of the same
    daemons and start two hosts. A client that does not get its turn starts no daemon.
    """
    if not addresses:
        return []
    for _ in range(_TURNS):
        with _claimed(addresses[0].home.daemon / _TURN) as turn:
            if turn is not None:
                claims = [stack.enter_context(_claimed(each.socket)) for each in addresses]
                # The daemon may listen now, because the previous client may have finished its
                # start.
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
        passed_on: whether the start command also holds the lock, and continues after this process
            ends.
    """

    descriptor: int
    passed_on: bool = False


@contextmanager
def _claimed(place: Path) -> Iterator[_Claim | None]:
    """Prevent other processes from starting a daemon during the block.

    Yields None if another process has already claimed the start.
    """
    lock = place.with_suffix(".starting")
    try:
        durable.make_directory(lock.parent)
        own_lock = take(lock)
    except OSError as error:
        raise NotStarted(f"no daemon can be started: {error.strerror}") from error
    if own_lock is None:
        yield None
        return
    claim = _Claim(own_lock.descriptor)
    try:
        yield claim
    finally:
        if claim.passed_on:
            os.close(own_lock.descriptor)  # the starting process keeps the lock
        else:
            try:
                lock.unlink(missing_ok=True)
            finally:
                own_lock.release()


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
            continue  # passed as a variable: with this flag the daemon would write no locator
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
    """Run the start command, and wait until it has put itself into the background.

    The command also holds the claims and is independent of this process: it continues after Ctrl-C
    or a deadline, and no other client starts the daemons in the meantime.
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
                threading.Thread(target=process.wait, daemon=True).start()  # reaps the process
        output.seek(0)
        lines = output.read().decode(errors="replace").strip().splitlines()
    if process.returncode:
        why = lines[-1].removeprefix("error: ") if lines else f"status {process.returncode}"
        killed = process.returncode < 0 or process.returncode == Cancelled.exit_status
        raise (Died if killed else NotStarted)(
            f"the daemon could not be started: {sanitise_line(why)}"
        )


def _begun(
    head: Preload | None, addresses: Sequence[DaemonAddress], descriptors: Sequence[int]
) -> Preload | None:
    """Send the job to the preloaded process and return it; None if it is missing or has ended."""
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
    """Run the command with `descriptors`; errors are written to the first descriptor."""
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
