"""Opens two stores at once: one read as it is, one written."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ggrep.base.clock import Clock
from ggrep.base.deadline import Deadline
from ggrep.base.lease import Lease, acquire
from ggrep.base.locks import Patience, shared
from ggrep.config.layout import names
from ggrep.index.store.view import newest_epoch

_QUEUE_MS = 60_000
"""How long to queue behind a writer of either store."""


@dataclass(frozen=True, slots=True)
class StorePair:
    """Two stores of one home, and how to wait for them.

    Attributes:
        source: is read.
        target: is written; it need not exist.
        ttl_ms: how long a silent writer keeps a store.
    """

    source: Path
    target: Path
    clock: Clock
    wait: Callable[[float], None]
    ttl_ms: int

    @contextmanager
    def held(self) -> Iterator[Lease]:
        """Hold both leases; yield the target's.

        In the order of the names: two clones in opposite directions must not wait for each other.
        """
        leases: dict[Path, Lease] = {}
        with ExitStack() as stack:
            for store in sorted((self.source, self.target), key=lambda path: path.name):
                leases[store] = stack.enter_context(self._lease(store))
            patience = self.patience(_QUEUE_MS, "the store is being removed")
            stack.enter_context(shared(names.readers_lock(self.source), patience))
            yield leases[self.target]

    @contextmanager
    def _lease(self, store: Path) -> Iterator[Lease]:
        with acquire(
            names.lease_files(store),
            owner_id=f"clone by process {os.getpid()}",
            clock=self.clock,
            patience=self.patience(_QUEUE_MS, f"a writer holds {store.name}"),
            ttl_ms=self.ttl_ms,
            last_epoch=lambda: newest_epoch(store),
        ) as lease:
            yield lease

    def patience(self, milliseconds: int, message: str) -> Patience:
        """Return patience for so long, from now on."""
        return Patience(Deadline.after(self.clock, milliseconds), self.wait, message)
