"""The status of a repository, from its daemon or from disk."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import Incompatible, LoadError
from ggrep.base.stable_json import DecodeError, Document, decode
from ggrep.model.status import Status
from ggrep.protocol.client.connect_or_start import Connector
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.client.link import Unreachable
from ggrep.protocol.wire import messages

if TYPE_CHECKING:
    from ggrep.search.engine.engine import Engine

REPLY_MS: Final = 2_000
"""Timeout for a daemon's status reply."""


def read_document(document: Mapping[str, object]) -> Status:
    """Return the status from its JSON document."""
    try:
        return decode(Status, document)
    except DecodeError as error:
        raise Incompatible(f"status: {error}") from error


def status_document(
    address: DaemonAddress,
    environ: Mapping[str, str],
    engine: "Callable[[], Engine]",
    notify: Callable[[str], None],
) -> Document:
    """Return the status of a repository from its daemon, or from disk if there is none.

    No daemon is started. If a running daemon does not reply, `notify` receives a message.
    """
    clock, document = SystemClock(), None
    try:
        link = Connector(address, clock, environ).running()
        if link is not None:
            with link:
                reply = link.ask(messages.Status(), Deadline.after(clock, REPLY_MS))
            document = reply.body.get("status")
    except (LoadError, Unreachable) as error:
        notify(f"{error}; the following comes from the files of the index")
    if isinstance(document, dict) and document:
        return document
    return disk_status(address, engine()).to_dict()


def disk_status(address: DaemonAddress, engine: "Engine") -> Status:
    """Return the status of a repository from disk."""
    from ggrep.index.maintenance.status import read_status

    return read_status(engine.settings, engine.inspect, engine.home, address.identity)
