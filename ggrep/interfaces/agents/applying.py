"""Plans made true: files read, written in one step and remembered."""

import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import unified_diff
from functools import partial
from pathlib import Path
from typing import Final, Literal, TypeAlias

from ggrep.base.clock import SystemClock
from ggrep.base.deadline import Deadline
from ggrep.base.durable import make_directory, replace_file, sync_directory
from ggrep.base.locks import Patience, alone
from ggrep.config.home import Home
from ggrep.interfaces.agents import plan
from ggrep.interfaces.agents.clients import Client, Target
from ggrep.interfaces.agents.pieces import Refused
from ggrep.interfaces.agents.places import Places
from ggrep.interfaces.agents.plan import Planned
from ggrep.interfaces.agents.record import Written, read_record, write_record

Outcome: TypeAlias = Literal[
    "written", "unchanged", "differs", "removed", "absent", "changed", "kept", "refused"
]
"""That of a plan; `kept`: another client needs it; `refused`: the file was not touched."""

_PATIENCE_MS: Final = 10_000.0
_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class Done:
    """What became of one file.

    Attributes:
        said: why it was refused or left.
        diff: a unified diff of what was, or would be, changed.
    """

    client: str
    path: Path
    outcome: Outcome
    said: str = ""
    diff: str = ""


@dataclass(frozen=True, slots=True)
class Agents:
    """The clients of a user or project.

    Attributes:
        command: what clients start ggrep with.
        dry: write nothing.
    """

    home: Home
    places: Places
    command: str
    dry: bool = False

    def install(self, clients: Sequence[Client], *, refresh: bool = False) -> list[Done]:
        """Write our entries into the files of clients; a refused file stops no other."""

        def act(target: Target, old: bytes | None, mine: Written | None) -> Planned:
            known = None if mine is None else mine.edit
            return plan.install(old, target.make(self.command), known, refresh=refresh)

        with self._turn():
            return [done for each in clients for done in self._each(each, act, is_wanted=True)]

    def uninstall(self, clients: Sequence[Client]) -> list[Done]:
        """Take our entries out of the files of clients; a refused file stops no other."""

        def act(target: Target, old: bytes | None, mine: Written | None) -> Planned:
            known = None if mine is None else mine.edit
            return plan.uninstall(old, target.make(self.command), known)

        with self._turn():
            return [done for each in clients for done in self._each(each, act, is_wanted=False)]

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if self.dry:
            yield
            return
        make_directory(self.home.locks)
        deadline = Deadline.after(SystemClock(), _PATIENCE_MS)
        with alone(self.home.agents_lock, Patience(deadline, time.sleep, "another is installing")):
            yield

    def _each(
        self,
        client: Client,
        act: Callable[[Target, bytes | None, Written | None], Planned],
        *,
        is_wanted: bool,
    ) -> Iterator[Done]:
        for target in client.targets(self.places.scope):
            path = self.places.path_of(target)
            try:
                yield self._one(client, path, partial(act, target), is_wanted)
            except Refused as error:
                yield Done(client.name, path, "refused", str(error))
            except OSError as error:
                yield Done(client.name, path, "refused", error.strerror or str(error))

    def _one(
        self,
        client: Client,
        path: Path,
        act: Callable[[bytes | None, Written | None], Planned],
        is_wanted: bool,  # noqa: FBT001 - one of ours calls
    ) -> Done:
        record = read_record(self.home.agents)
        mine = record.get(str(path))
        if not is_wanted and mine is not None and set(mine.clients) - {client.name}:
            left = tuple(name for name in mine.clients if name != client.name)
            if not self.dry:
                write_record(self.home.agents, record | {str(path): replace(mine, clients=left)})
            return Done(client.name, path, "kept", f"still used by {', '.join(left)}")
        real = self.places.real(path)
        for _ in range(_TRIES):
            old = bytes_of(real)
            planned = act(old, mine)
            if not self.dry:
                written = _written(planned, mine, client, real, is_wanted=is_wanted)
                if written is not None:
                    record[str(path)] = written
                else:
                    record.pop(str(path), None)
                # Before the file: after a crash between them the file has nothing of ours, and
                # what is remembered of it does no harm.
                write_record(self.home.agents, record)
                if planned.data != old and bytes_of(real) != old:
                    continue
                self._write(real, old, planned, mine)
            said = _said(planned)
            return Done(client.name, path, planned.state, said, _diff(path, old, planned.data))
        raise Refused("it is being written by another program")

    def _write(self, real: Path, old: bytes | None, planned: Planned, mine: Written | None) -> None:
        if planned.data == old:
            return
        if planned.data is None:
            real.unlink()
            sync_directory(real.parent)
            _remove_directories(() if mine is None else mine.directories)
            return
        private = self.places.scope == "user"
        make_directory(real.parent, mode=0o700 if private else 0o755)
        usual = 0o600 if private else 0o644
        mode = usual if old is None else stat.S_IMODE(real.stat().st_mode)
        replace_file(real, planned.data, mode=mode)


def bytes_of(real: Path) -> bytes | None:
    """Return what a file holds; None where there is none."""
    try:
        return real.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _written(
    planned: Planned, mine: Written | None, client: Client, real: Path, *, is_wanted: bool
) -> Written | None:
    """Return what is to be remembered of a file; None for nothing."""
    if planned.edit is None:
        return None
    clients = () if mine is None else mine.clients
    made = () if mine is None else mine.directories
    if planned.state == "written" and planned.edit.created and mine is None:
        made = tuple(str(each) for each in reversed(real.parents) if not each.exists())
    if is_wanted and client.name not in clients:
        clients = (*clients, client.name)
    return Written(planned.edit, clients, made)


def _remove_directories(directories: Sequence[str]) -> None:
    for directory in reversed(directories):
        try:
            Path(directory).rmdir()
        except OSError:
            return  # somebody put something there


def _said(planned: Planned) -> str:
    match planned.state:
        case "differs":
            return "an entry of this name says something else; it was left"
        case "changed":
            return "our entry was changed since; it was left"
        case _:
            return ""


def _diff(path: Path, old: bytes | None, new: bytes | None) -> str:
    if old == new:
        return ""
    before, after = (
        (data or b"").decode(errors="replace").splitlines(keepends=True) for data in (old, new)
    )
    source, target = (str(path) if data is not None else "/dev/null" for data in (old, new))
    lines = unified_diff(before, after, source, target)
    return "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end\n" for line in lines
    )
