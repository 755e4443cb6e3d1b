"""Writers over one store: each edits its own file, syncs, compacts and collects at random.

Arguments: root, home, log, how many rounds, how many writers. Each is a process of its own,
forked before anything of LanceDB is loaded; whatever but Busy escapes ends it with an error.
They append to one log in the words of `tests.crash.log`.
"""

import hashlib
import os
import random
import sys
import traceback
from contextlib import suppress
from pathlib import Path

from ggrep.base import durable
from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy
from ggrep.base.ids import PathKey
from ggrep.base.lease import read_record
from ggrep.config import store_files
from ggrep.index.maintenance.collection import collect_garbage
from ggrep.index.maintenance.compaction import compact
from ggrep.index.store.active import read_active
from ggrep.index.store.lean_import import leave_out_remote_client
from ggrep.index.store.manifest import read_manifest
from ggrep.index.sync import syncer
from ggrep.index.sync.sync_report import SyncProgress
from ggrep.search.engine.engine import Engine
from tests.crash.log import Grant, Log, Release, Swap
from tests.fakes.repos import InProcessPool, open_engine

UPKEEP = 0.3
"""How often a round ends with a compaction or a collection."""


def open_writer(root: Path, home: Path) -> Engine:
    """Return an engine that folds now and then and retains next to nothing."""
    return open_engine(
        root,
        home,
        encoder="none",
        max_segments=6,
        retain_snapshots_min=1,
        retain_snapshots_min_age_secs=0,
        query_timeout_ms=1,
        gc_safety_margin_ms=0,
        lease_ttl_ms=60_000,
    )


class Writer:
    """Edits its file so that every sync of its own has something to publish."""

    def __init__(self, root: Path, home: Path, log: Log, name: str, seed: int) -> None:
        self._file = root / f"{name}.py"
        self._aside = root.parent / f"{name}.tmp"
        self._log = log
        self._name = name
        self._edits = 0
        self._chance = random.Random(seed)
        self._engine = open_writer(root, home)

    def work(self, rounds: int) -> None:
        """Edit and sync so often."""
        with durable.watched(self._note):
            for _ in range(rounds):
                self._edit()
                self._engine.sync(progress=self._edit_once_more)
                self._check()
                if self._chance.random() < UPKEEP:
                    self._maintain()
                    self._check()

    def _edit_once_more(self, progress: SyncProgress) -> None:
        if progress.stage == "scan":
            self._edit()

    def _edit(self) -> None:
        self._edits += 1
        self._aside.write_text(f"def {self._name}():\n    return 'retry {self._edits}'\n")
        self._aside.replace(self._file)

    def _check(self) -> None:
        """Look whether what was acknowledged is visible, whatever the others do."""
        with self._engine.pin(Deadline.never(self._engine.clock)) as view:
            shown = view.live_files().get(PathKey(self._file.name))
        if shown != hashlib.sha256(self._file.read_bytes()).hexdigest():
            raise AssertionError(f"edit {self._edits} of {self._name} is not visible")

    def _maintain(self) -> None:
        with suppress(Busy), self._engine.target() as target:
            if self._chance.random() < 0.5:
                compact(target, force=True)
            else:
                within = Deadline.after(target.clock, 10_000)
                collect_garbage(target, deadline=within, readers_ms=300)

    def _note(self, point: str) -> None:
        """Write down what happens under guard or lease, where the order is that of the log."""
        store = self._engine.identity.store
        if point == "publish.after_swap":
            active = read_active(store)
            if active is None:
                raise AssertionError("the pointer is gone right after the swap")
            result = read_manifest(store, active)
            self._log.append(Swap(active, result.parent_snapshot_id, result.lease_epoch))
        elif point in {"lease.after_record", "lease.before_release"}:
            record = read_record(store_files.lease_files(store).record)
            if record is None:
                raise AssertionError("the record is gone")
            kind = Grant if point == "lease.after_record" else Release
            self._log.append(kind(record.lease_epoch, os.getpid()))


def main(root: str, home: str, log: str, rounds: str, writers: str) -> int:
    """Let all of them work; return 1 when one failed."""
    syncer.IndexPool = InProcessPool  # type: ignore[misc,assignment] # quick parsing
    leave_out_remote_client()
    assert "lancedb" not in sys.modules, "its threads would not be forked"
    started = []
    for number in range(int(writers)):
        pid = os.fork()
        if pid == 0:
            try:
                place = (Path(root), Path(home), Log(Path(log)))
                Writer(*place, f"writer_{number}", number).work(int(rounds))
            except BaseException:  # noqa: BLE001 - no writer may become another parent
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        started.append(pid)
    statuses = [os.waitpid(pid, 0)[1] for pid in started]
    return int(any(statuses))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
