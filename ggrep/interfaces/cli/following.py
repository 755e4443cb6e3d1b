"""Shows on a terminal how an index replaces the results of a scan."""

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from ggrep.base.errors import GgrepError
from ggrep.interfaces.cli.daemon_contact import is_indexed, watching
from ggrep.interfaces.cli.terminal import Terminal
from ggrep.service.daemon_choice import asking_of

if TYPE_CHECKING:
    from ggrep.protocol.client.daemon_address import DaemonAddress

_PATIENCE_MS: Final = 20_000
"""How long a first portion is waited for; it is read for some five seconds."""


def follow_index(address: "DaemonAddress", terminal: Terminal) -> None:
    """Show the first index's progress until it answers; an interrupt only ends the display.

    Requires: somebody watches the terminal.
    """
    label, there = address.identity.root.name, False
    with suppress(GgrepError, KeyboardInterrupt), watching(terminal, label) as watch:
        if watch is not None:
            asking = asking_of(address, terminal.environ, terminal.tell)
            there = asking.follow(lambda: is_indexed(address), watch, _PATIENCE_MS)
    if there:
        terminal.tell(f"the index of {label} answers from now on: the same command asks it")
    else:
        terminal.tell(f"{label} has no index yet; how far it is: ggrep status")
