"""Connects to a daemon's socket from an event loop, within a request's deadline."""

import math
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
from anyio.abc import SocketStream, UNIXSocketStream

from ggrep.base.deadline import Deadline
from ggrep.base.errors import BudgetExceeded, DeadlineExceeded
from ggrep.protocol.client.link import AGAIN_S, CONNECT_MS, Silent, Unreachable


@contextmanager
def before(deadline: Deadline, told: str) -> Iterator[None]:
    """Cancel the block at the deadline.

    Raises:
        DeadlineExceeded: it was ended; the message is `told`.
    """
    left_ms = deadline.remaining_ms()
    with anyio.move_on_after(None if math.isinf(left_ms) else left_ms / 1000.0) as scope:
        yield
    if scope.cancelled_caught:
        raise DeadlineExceeded(told)


async def dial(path: Path) -> SocketStream:
    """Return a fresh connection.

    Raises:
        Unreachable: no process listens there.
        Silent: a process listens and does not accept.
        BudgetExceeded: this process has as many files open as it may.
    """
    try:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    except OSError as error:
        # Not `Unreachable`: a daemon would be started for it.
        raise BudgetExceeded(f"connection failed: {error.strerror}") from error
    try:
        connection.settimeout(0.0)
        with anyio.fail_after(CONNECT_MS / 1000.0):
            while not _accepted(connection, path):  # noqa: ASYNC110 - no event tells of it
                await anyio.sleep(AGAIN_S)
        return await UNIXSocketStream.from_socket(connection)
    except TimeoutError as error:
        connection.close()
        raise Silent("the daemon does not accept connections") from error
    except (OSError, ValueError) as error:
        connection.close()
        raise Unreachable(f"no daemon answers: {getattr(error, 'strerror', error)}") from error
    except BaseException:
        connection.close()
        raise


def _accepted(connection: socket.socket, path: Path) -> bool:
    """Return whether the daemon accepts a connection now, which a local socket tells at once.

    Raises:
        OSError: nobody listens there.
    """
    try:
        connection.connect(str(path))
    except BlockingIOError:
        return False
    return True
