"""Installs and removes ggrep's entries in clients' files, and lists the state of each file."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.durable import make_directory
from ggrep.base.locks import Patience, alone
from ggrep.config.home import Home
from ggrep.interfaces.agents import plan
from ggrep.interfaces.agents.clients import Client, ConfigFile
from ggrep.interfaces.agents.config_files import ConfigFiles
from ggrep.interfaces.agents.json_edit import document_of
from ggrep.interfaces.agents.plan import Edit, Planned
from ggrep.interfaces.agents.shells import EVERY
from ggrep.interfaces.agents.text_edit import JsonEntry, Piece, Refused, TomlTable
from ggrep.interfaces.agents.writing import Done, Run, bytes_of, read_record
from ggrep.model.machine import Presence


class FileState(Struct, frozen=True):
    """Whether a configuration file contains ggrep's entry.

    Attributes:
        reason: why ggrep cannot edit the file; empty if it can.
    """

    path: Path
    presence: Presence
    reason: str = ""


def states_of(client: Client, places: ConfigFiles, command: str) -> list[FileState]:
    """Return the state of each file of a client."""
    pasted = [
        FileState(
            places.path_of(target), "installed" if is_pasted(target, places, command) else "absent"
        )
        for target in client.pasted_at(places.scope)
    ]
    return pasted + [_state(target, places, command) for target in client.targets(places.scope)]


def is_pasted(target: ConfigFile, places: ConfigFiles, command: str) -> bool:
    """Return whether a file that only the user edits contains the first line of ggrep's entry."""
    entry = target.make(command).spelled.splitlines()[1].strip()
    with suppress(OSError):
        lines = (bytes_of(places.path_of(target)) or b"").decode(errors="replace").splitlines()
        return any(line.strip() == entry for line in lines)
    return False


def _state(target: ConfigFile, places: ConfigFiles, command: str) -> FileState:
    path, piece = places.path_of(target), target.make(command)
    try:
        planned = plan.install(bytes_of(places.real(path)), piece)
    except Refused as error:
        return FileState(path, "refused", str(error))
    except OSError as error:
        return FileState(path, "refused", error.strerror or str(error))
    match planned.state:
        case "unchanged":
            return FileState(path, "installed")
        case "differs":
            return FileState(path, "differs")
        case _:
            return FileState(path, "absent")


def snippet_of(piece: Piece) -> str:
    """Return the content of a new file with only this entry."""
    match piece:
        case JsonEntry():
            return document_of(piece)
        case TomlTable():
            return piece.block
        case _:
            return piece.spelled


_Act: TypeAlias = Callable[[ConfigFile, bytes | None, Edit | None], Planned]

_PATIENCE_MS: Final = 10_000.0


class Agents(Struct, frozen=True):
    """The clients of a user or project.

    Attributes:
        command: command with which clients start ggrep.
        dry: only report changes.
    """

    home: Home
    places: ConfigFiles
    command: str
    dry: bool = False

    def files(self) -> frozenset[Path]:
        """Return the paths of the recorded files that contain an entry of ggrep.

        Raises:
            InvalidRequest: the record is not valid.
        """
        return frozenset(map(Path, read_record(self.home.agents)))

    def install(self, clients: Sequence[Client], *, refresh: bool = False) -> list[Done]:
        """Write ggrep's entries into the clients' files; if a file is refused, continue."""

        def act(target: ConfigFile, old: bytes | None, mine: Edit | None) -> Planned:
            return plan.install(old, target.make(self.command), mine, refresh=refresh)

        return self._run(clients, act, is_wanted=True)

    def uninstall(self, clients: Sequence[Client]) -> list[Done]:
        """Remove ggrep's entries from the clients' files; if a file is refused, continue."""

        def act(target: ConfigFile, old: bytes | None, mine: Edit | None) -> Planned:
            return plan.uninstall(old, target.make(self.command), mine)

        return self._run(clients, act, is_wanted=False)

    def uninstall_all(self) -> list[Done]:
        """Remove ggrep's entries from all files; return the outcomes of files that had an entry."""
        ours = self.files()
        done = self.uninstall(list(EVERY.values()))
        return [
            each
            for each in done
            if each.outcome not in {"absent", "kept"}
            # A refused file is reported only if ggrep has written into it.
            and (each.outcome != "refused" or each.path in ours)
        ]

    def _run(self, clients: Sequence[Client], act: _Act, *, is_wanted: bool) -> list[Done]:
        with self._turn():
            record = read_record(self.home.agents)
            run = Run(self.home, self.places, self.dry, record, is_wanted)
            return [
                done
                for client in clients
                for done in (
                    *self._by_hand(client, is_wanted=is_wanted),
                    *(
                        run.done(client, target, partial(act, target))
                        for target in client.targets(self.places.scope)
                    ),
                )
            ]

    def _by_hand(self, client: Client, *, is_wanted: bool) -> Iterator[Done]:
        """Yield the files that only the user can edit, with the lines to add or remove."""
        for target in client.pasted_at(self.places.scope):
            if is_pasted(target, self.places, self.command) != is_wanted:
                lines = target.make(self.command).spelled
                message = f"{'add' if is_wanted else 'remove'} these lines\n{lines}"
                yield Done(client.name, self.places.path_of(target), "manual", message)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if self.dry:
            yield
            return
        make_directory(self.home.locks)
        deadline = Deadline.after(SystemClock(), _PATIENCE_MS)
        with alone(
            self.home.agents_lock,
            Patience(deadline, time.sleep, "another process is installing ggrep's entries"),
        ):
            yield
