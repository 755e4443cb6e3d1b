"""A host of daemons that runs in the test's own thread, with somebody who plays beside it."""

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

import pytest

from ggrep.base.clock import Deadline
from ggrep.base.errors import GgrepError
from ggrep.config.home import Home
from ggrep.daemon.host import ServeResult, serve
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange
from ggrep.protocol.client.link import Link
from ggrep.protocol.wire.messages import Message, Ping, Shutdown
from ggrep.protocol.wire.replies import Reply
from tests.fakes.hosts import BUILD, CLOCK, FLAGS, InProcessSyncs

_PATIENCE_S = 600.0


class Hosted:
    """What somebody who plays beside a host sees of it.

    Attributes:
        outcomes: what the host told of each root.
    """

    def __init__(self, home: Path, outcomes: Sequence[ServeResult]) -> None:
        self.home = home
        self.outcomes = outcomes

    def address(self, root: Path) -> DaemonAddress:
        """Return where the daemon of a root is met."""
        return arrange(root, Home(self.home), environ={}, flags=FLAGS, build=BUILD)

    def ask(self, root: Path, message: Message) -> Reply:
        """Return the answer of a root's daemon."""
        address = self.address(root)
        with Link.connect(address.socket, address.hello, CLOCK) as link:
            return link.ask(message, Deadline.after(CLOCK, 600_000))

    def serves(self, root: Path) -> bool:
        """Return whether a root's daemon answers."""
        with suppress(GgrepError):
            return self.ask(root, Ping()).name == "ping"
        return False


def hosted(
    monkeypatch: pytest.MonkeyPatch,
    roots: Sequence[Path],
    home: Path,
    act: Callable[[Hosted], None],
    environ: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Serve roots while `act` plays in another thread; return why serving ended.

    What still serves when `act` is over is shut down. Syncs are done in this process.
    """
    syncs = InProcessSyncs()
    monkeypatch.setattr("ggrep.daemon.host.SyncProcess", lambda: syncs)
    interval = sys.getswitchinterval()
    reported, seen, failures = threading.Event(), list[ServeResult](), list[BaseException]()

    def play() -> None:
        reported.wait(_PATIENCE_S)
        result = Hosted(home, tuple(seen))
        try:
            act(result)
        except BaseException as error:  # noqa: BLE001 - raised by who waits for us
            failures.append(error)
        for outcome in seen:
            with suppress(GgrepError):
                result.ask(outcome.root, Shutdown("the test is over"))

    def tell(outcomes: Sequence[ServeResult]) -> None:
        seen.extend(outcomes)
        reported.set()

    player = threading.Thread(target=play)
    player.start()
    try:
        return serve(roots, Home(home), environ=environ, flags=FLAGS, build=BUILD, notify=tell)
    finally:
        reported.set()
        player.join(_PATIENCE_S)
        syncs.join()
        sys.setswitchinterval(interval)
        if failures:
            raise failures[0]
