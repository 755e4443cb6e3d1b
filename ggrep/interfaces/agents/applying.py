"""Entries of several clients written, or taken out; one run at a time."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from ggrep.base.clock import SystemClock
from ggrep.base.deadline import Deadline
from ggrep.base.durable import make_directory
from ggrep.base.locks import Patience, alone
from ggrep.config.home import Home
from ggrep.interfaces.agents import plan
from ggrep.interfaces.agents.clients import Client, Target
from ggrep.interfaces.agents.listing import is_pasted
from ggrep.interfaces.agents.places import Places
from ggrep.interfaces.agents.plan import Edit, Planned
from ggrep.interfaces.agents.record import read_record
from ggrep.interfaces.agents.shells import EVERY
from ggrep.interfaces.agents.writing import Done, Run

_Act: TypeAlias = Callable[[Target, bytes | None, Edit | None], Planned]

_PATIENCE_MS: Final = 10_000.0


class Agents(Struct, frozen=True):
    """The clients of a user or project.

    Attributes:
        command: what clients start ggrep with.
        dry: write nothing.
    """

    home: Home
    places: Places
    command: str
    dry: bool = False

    def files(self) -> frozenset[Path]:
        """Return the files that hold an entry of ours, as clients name them.

        Raises:
            InvalidRequest: the record of them cannot be understood.
        """
        return frozenset(map(Path, read_record(self.home.agents)))

    def install(self, clients: Sequence[Client], *, refresh: bool = False) -> list[Done]:
        """Write our entries into the files of clients; a refused file stops no other."""

        def act(target: Target, old: bytes | None, mine: Edit | None) -> Planned:
            return plan.install(old, target.make(self.command), mine, refresh=refresh)

        return self._run(clients, act, is_wanted=True)

    def uninstall(self, clients: Sequence[Client]) -> list[Done]:
        """Take our entries out of the files of clients; a refused file stops no other."""

        def act(target: Target, old: bytes | None, mine: Edit | None) -> Planned:
            return plan.uninstall(old, target.make(self.command), mine)

        return self._run(clients, act, is_wanted=False)

    def uninstall_all(self) -> list[Done]:
        """Take our entries out of all files that hold one; return what became of those."""
        ours = self.files()
        done = self.uninstall(list(EVERY.values()))
        return [
            each
            for each in done
            if each.outcome not in {"absent", "kept"}
            # What nobody wrote into is no business of ours, however it looks.
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
        """Yield the files that the user has to edit, with the lines."""
        for target in client.pasted_at(self.places.scope):
            if is_pasted(target, self.places, self.command) != is_wanted:
                lines = target.make(self.command).spelled
                said = f"{'add' if is_wanted else 'remove'} these lines\n{lines}"
                yield Done(client.name, self.places.path_of(target), "manual", said)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if self.dry:
            yield
            return
        make_directory(self.home.locks)
        deadline = Deadline.after(SystemClock(), _PATIENCE_MS)
        with alone(self.home.agents_lock, Patience(deadline, time.sleep, "another is installing")):
            yield
