"""A store's lease as another process would hold it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ggrep.base import stable_json
from ggrep.base.checksummed import seal
from ggrep.base.clock import Clock, Deadline
from ggrep.base.lease import Lease, acquire
from ggrep.base.locks import Patience
from ggrep.config import store_files

OTHER_WRITER = stable_json.dumps(
    seal(
        {
            "schema_version": 2,
            "owner_id": "other",
            "pid": 1,
            "lease_epoch": 99,
            "last_heartbeat_at": "2030-01-01T00:00:00Z",
        }
    )
)
"""The record of a writer that took over."""


@contextmanager
def held_lease(
    store: Path,
    clock: Clock,
    *,
    owner: str = "other",
    wait: Callable[[float], None] = lambda _: None,
) -> Iterator[Lease]:
    """Hold the lease of a store for the length of the block."""
    patience = Patience(Deadline.after(clock, 0), wait)
    with acquire(
        store_files.lease_files(store),
        owner_id=owner,
        clock=clock,
        patience=patience,
        ttl_ms=60_000,
    ) as lease:
        yield lease
