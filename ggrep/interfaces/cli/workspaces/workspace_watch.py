"""`ggrep workspace watch`: keeps a workspace's daemons running and its manifest current."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Final

from ggrep.base.clock import SystemClock
from ggrep.config.settings import home_from
from ggrep.federation.daemon_upkeep import Change, RealSurroundings, ReloadingFile, Watch
from ggrep.federation.workspace import Workspace
from ggrep.interfaces.cli.parsing.flags import EncoderFlag, Flag, PlainFlag
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.interfaces.cli.text_tables import plural
from ggrep.interfaces.cli.workspaces.workspace_file import (
    FileArgument,
    FileOption,
    chosen_file,
    load,
)
from ggrep.interfaces.cli.workspaces.workspace_json import alias_of, event_json
from ggrep.model.sanitise import sanitise_line

if TYPE_CHECKING:
    pass


_PAUSE_S: Final = 2.0


def watch(
    file: FileArgument = None,
    named: FileOption = None,
    once: Annotated[bool, Flag("--once", "Check once and return, for scripts.")] = False,
    encoder: EncoderFlag = None,
    json: Annotated[bool, Flag("--json", "Print each change as one line of JSON.")] = False,
    plain: PlainFlag = False,
) -> int:
    """Keep the daemons of all enabled repositories running, until Ctrl-C."""
    terminal = open_terminal(plain=plain)
    followed = ReloadingFile(chosen_file(file, named), load)
    clock, flags = SystemClock(), {} if encoder is None else {"encoder": encoder}
    around = RealSurroundings(
        followed.workspace, home_from(terminal.environ), terminal.environ, clock, flags=flags
    )
    eye, out = Watch(around, clock), _Out(terminal, json=json)
    with _until_told() as told:
        while True:
            changed = followed.look()
            if changed is not None:
                out.tell(changed, followed.workspace)
            around.workspace = followed.workspace
            changes = eye.look()
            for change in changes:
                out.tell(change, around.workspace)
            if once or told.wait(_PAUSE_S):
                break
    wanted = sum(repo.enabled for repo in around.workspace.repos)
    if not json:
        terminal.tell(f"{len(eye.served)} of {plural(wanted, 'enabled repo')} served")
    return int(once and len(eye.served) < wanted)


class _Out:
    """Writes changes as lines for people, or as documents for programs."""

    def __init__(self, terminal: Terminal, *, json: bool) -> None:
        self._terminal = terminal
        self._json = json

    def tell(self, change: Change, workspace: Workspace) -> None:
        """Write one change."""
        if self._json:
            self._terminal.write_json(event_json(change, workspace), pretty=False)
            return
        name = alias_of(change, workspace) or change.repo_id
        prefix = f"{self._terminal.style.paint('repo', sanitise_line(name))}: " if name else ""
        self._terminal.write(f"{prefix}{sanitise_line(change.message)}\n")


@contextmanager
def _until_told() -> Iterator[threading.Event]:
    """Yield an event that is set on an interrupt or termination."""
    told = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        told.set()

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
