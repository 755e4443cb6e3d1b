"""Decides whether a daemon or this process answers; `Connector.reach` starts a daemon."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ggrep.base.clock import SystemClock

if TYPE_CHECKING:
    from ggrep.base.clock import Deadline
    from ggrep.protocol.client.daemon_address import DaemonAddress
    from ggrep.protocol.client.daemon_client import DaemonClient
    from ggrep.protocol.client.preload import Preload


def uses_daemon(address: "DaemonAddress", environ: Mapping[str, str], *, offline: bool) -> bool:
    """Return whether a daemon should answer a query."""
    return (
        not offline
        and not environ.get("GGREP_OFFLINE")
        and (address.settings.start_daemon or address.socket.exists())
    )


def daemon_client_of(
    address: "DaemonAddress",
    environ: Mapping[str, str],
    notify: Callable[[str], None],
    *,
    began_ms: float | None = None,
    until: "Deadline | None" = None,
    head: "Preload | None" = None,
) -> "DaemonClient":
    """Return a client of the daemon; the client starts the daemon if it does not run.

    Args:
        address: address of the daemon.
        environ: environment of the caller.
        notify: called with a message for the user if they have to wait.
        began_ms: when the user's wait began; None for the time of the query.
        until: common deadline of all queries; None if each query only has its own timeout.
        head: a preloaded process that can become the daemon; None for none.
    """
    from ggrep.protocol.client.connect_or_start import Connector
    from ggrep.protocol.client.daemon_client import DaemonClient

    clock = SystemClock()
    starts = address.settings.start_daemon
    connector = Connector(address, clock, environ, starts=starts, notify=notify, head=head)
    return DaemonClient(address, connector, clock, began_ms=began_ms, until=until)
