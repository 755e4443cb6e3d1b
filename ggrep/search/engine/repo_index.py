"""One repository's index as a library: sync, maintenance and access to snapshots.

The modules that write the index are loaded by the first call that writes. A process that only
answers requests starts without these modules.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Clock, Deadline, SystemClock
from ggrep.base.errors import BudgetExceeded, GgrepError, InvalidRequest
from ggrep.base.identifiers import IdSource
from ggrep.base.ids import PathKey, SnapshotId
from ggrep.base.lease import is_orphaned
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.config.profiles import Profile
from ggrep.config.settings import Settings, load_settings
from ggrep.index.embedding.encode_slots import EncodeSlots, LimitedEncoder
from ggrep.index.embedding.encoder import Encoder
from ggrep.index.embedding.encoder_choice import open_encoder
from ggrep.index.embedding.identity import STATIC
from ggrep.index.embedding.vector_cache import VectorCache
from ggrep.index.repo_identity import RepoIdentity, identify
from ggrep.index.store.judging import Judgement
from ggrep.index.store.last_used import note_use
from ggrep.index.store.read_failures import typed_failures
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync.sync_report import Progress, unheard
from ggrep.index.sync.target import SyncTarget
from ggrep.model.index_freshness import IndexFreshness
from ggrep.model.sync import SyncReport, SyncWarning
from ggrep.search.engine.snapshots import Snapshots

if TYPE_CHECKING:
    from ggrep.index.maintenance.upkeep import UpkeepReport
    from ggrep.index.store.remains import Swept
    from ggrep.model.maintenance import UpgradeReport
    from ggrep.parse.workers.kept import KeptWorkers
    from ggrep.parse.workers.occurrence_pool import OccurrencePool


class Hosted(Struct, frozen=True):
    """Resources of a process with many stores, shared by the engines of all these stores.

    Attributes:
        handles: reserves file handles for a number of segments while a block runs.
        slots: limits how many processes encode at once; None for the home's configured limit.
        on_damage: called, in any thread, each time damage of the store is detected; returns whether
            a sync that rebuilds the damaged parts is running or starts at once.
        standing: returns the freshness of the index; None for the freshness that its last sync
            recorded.
        occurrences: the pool of processes that look up names in files; None for a pool per engine.
        parsers: worker processes that are kept between syncs, with the maximum number per sync;
            None if each sync starts and ends its own workers.
        detached: whether the root is only a name, so that no file below it is read.
    """

    handles: Callable[[int], AbstractContextManager[None]] = lambda _: nullcontext()
    slots: EncodeSlots | None = None
    on_damage: Callable[[], bool] = lambda: False
    standing: Callable[[], IndexFreshness] | None = None
    occurrences: "OccurrencePool | None" = None
    parsers: "KeptWorkers | None" = None
    detached: bool = False


ALONE: Final = Hosted()
"""The resources of a process with a single store: nothing is shared."""


class RepoIndex:
    """A repository and its store. The first request opens the index.

    Thread-safe; each opened snapshot is immutable.

    Attributes:
        profile: the configured profile, which callers apply; empty if `settings` were passed.
    """

    def __init__(  # noqa: PLR0913 - all but the root and the home have a default
        self,
        root: Path,
        home: Home,
        *,
        environ: Mapping[str, str] = MappingProxyType({}),
        flags: Mapping[str, object] = MappingProxyType({}),
        clock: Clock | None = None,
        settings: Settings | None = None,
        hosted: Hosted = ALONE,
    ) -> None:
        """Set up the repository at `root`, which must be a canonical path.

        Args:
            root: the repository.
            home: the home directory that contains its store.
            environ: variables from which settings are read.
            flags: settings that override all others.
            clock: the clock; None for the machine's clock.
            settings: the current settings; None to load them.
            hosted: the resources shared with other stores of the process.

        Raises:
            InvalidRequest: a settings file or variable is wrong.
        """
        self.home = home
        self.profile = Profile("")
        if settings is None:
            loaded = load_settings(home, root, environ=environ, flags=flags)
            settings, self.profile = loaded.settings, loaded.profile
        self.settings: Settings = settings
        self.clock: Clock = clock or SystemClock()
        self._slots = hosted.slots
        self._parsers = hosted.parsers
        self._orphaned = False
        self._new_id = IdSource(self.clock)
        self.identity: RepoIdentity = identify(root, home, self.settings)
        self._loaded: tuple[Encoder | None] | None = None
        self._loading = Lock()
        self._snapshots = Snapshots(
            self.identity, home, self.clock, hosted.handles, hosted.on_damage
        )

    @property
    def encoder(self) -> Encoder | None:
        """Return the encoder, loaded on first use; None if the settings name none.

        Raises:
            InvalidRequest: the encoder cannot be loaded.
        """
        with self._loading:
            if self._loaded is None:
                encoder = open_encoder(self.settings.encoder)
                if encoder is not None and encoder.identity != self.identity.encoder:
                    # The vectors of this encoder are not comparable with the store's vectors.
                    raise InvalidRequest(
                        "encoder: the model folder was replaced; restart the daemon"
                    )
                self._loaded = (self._limited(encoder),)
            return self._loaded[0]

    def _limited(self, encoder: Encoder | None) -> Encoder | None:
        """Return the encoder, wrapped so that it waits for one of the host's encoding slots.

        Queries of the static encoder need no slot: encoding takes less time than acquiring a slot.
        """
        settings = self.settings
        if encoder is None or not settings.max_embed_global:
            return encoder
        slots = self._slots or EncodeSlots(
            self.home.encode_slots,
            settings.max_embed_global,
            self.clock,
            ttl_ms=settings.embed_lock_ttl_ms,
            wait=time.sleep,
        )
        quick = encoder.identity.name == STATIC
        return LimitedEncoder(encoder, slots, self.clock, queries=not quick)

    def sync(
        self,
        *,
        strict: bool = False,
        allow_degraded: bool = False,
        fresh: bool = False,
        early: bool = False,
        wanted: Callable[[], Sequence[PathKey]] = tuple,
        progress: Progress = unheard,
    ) -> SyncReport:
        """Bring the index up to date with the work tree; see `ggrep.index.sync.syncer.sync`.

        Args:
            strict: fail if a file cannot be read, decoded or chunked as intended.
            allow_degraded: index as many files as fit into the budget of a profile.
            fresh: reuse nothing of the index; see `ggrep.index.sync.rebuild.rebuild`.
            early: publish a part of a first index before the rest.
            wanted: returns the files that are indexed first if there is no index.
            progress: called with the progress of the sync.
        """
        from ggrep.index.maintenance.moved import take_over
        from ggrep.index.maintenance.upkeep import make_room
        from ggrep.index.sync.rebuild import rebuild
        from ggrep.index.sync.syncer import sync

        moved = ""
        if not fresh and self._is_missing():
            moved = take_over(self.identity, self.home, self.settings)
        act = partial(
            rebuild if fresh else sync,
            strict=strict,
            allow_degraded=allow_degraded,
            progress=progress,
        )
        with self.target() as plain:
            target = replace(plain, early=early, wanted=wanted)
            try:
                report = act(target)
            except BudgetExceeded:
                if not make_room(target):
                    raise
                report = act(target)
            note_use(self.identity.store, self.clock.now())
        if not moved:
            return report
        message = f"the repository was moved; its index was taken over from {moved}"
        return replace(report, warnings=(SyncWarning("index_moved", message), *report.warnings))

    def _is_missing(self) -> bool:
        try:
            return not self.identity.store.is_dir()
        except OSError:  # the sync fails with the same error
            return False

    def upgrade(self) -> "UpgradeReport":
        """Convert the store to the formats of this build; see `ggrep.index.maintenance.upgrade`."""
        from ggrep.index.maintenance.upgrade import upgrade_store

        with typed_failures(self.home.base):
            return upgrade_store(self._target(None), repo_id=self.identity.repo_id)

    def sweep(self, *, beside: bool = True) -> "Swept":
        """Delete the directories that killed commands left in the home.

        Files that a killed command left inside this store are only noted; `keep_up` deletes them.
        Runs before a sync, which may need the space. The sweep does not wait for running commands.

        Args:
            beside: whether to delete the directories; False if the home was just swept.
        """
        from ggrep.index.store.remains import Swept, sweep_home

        with suppress(GgrepError, OSError):  # the sync reports an unreadable record
            self._orphaned |= is_orphaned(store_files.lease_files(self.identity.store))
        if not beside:
            return Swept()
        return sweep_home(self.home, self.clock, time.sleep, self.settings.lease_ttl_ms)

    def keep_up(self, *, compacting: bool = True) -> "UpkeepReport":
        """Do the store's maintenance after a sync; see `ggrep.index.maintenance.upkeep`."""
        from ggrep.index.maintenance.upkeep import keep_up

        orphaned, self._orphaned = self._orphaned, False
        with self.target() as target:
            return keep_up(target, self.view(), orphaned=orphaned, compacting=compacting)

    def is_compaction_due(self) -> bool:
        """Return whether the benefit of a compaction now exceeds its cost."""
        from ggrep.index.maintenance.compaction_policy import overdue

        return overdue(self.view(), self.settings) is not None

    @contextmanager
    def target(self) -> Iterator[SyncTarget]:
        """Yield the opened store that syncs and maintenance write to, while the block runs."""
        with typed_failures(self.home.base), self._vectors() as vectors:
            yield self._target(vectors)

    def _target(self, vectors: VectorCache | None) -> SyncTarget:
        identity = self.identity
        workers = self.settings.parse_workers or os.cpu_count() or 1
        return SyncTarget(
            root=identity.root,
            store=identity.store,
            store_id=identity.store_id,
            config_fingerprint=identity.config_fingerprint,
            embed_config_fingerprint=identity.embed_config_fingerprint,
            settings=self.settings,
            encoder=self.encoder,
            clock=self.clock,
            new_id=self._new_id,
            wait=time.sleep,
            parse_workers=min(workers, (self._parsers and self._parsers.most) or workers),
            parsers=self._parsers,
            vectors=vectors,
        )

    def _vectors(self) -> AbstractContextManager[VectorCache | None]:
        """Return the home's cached vectors; None without an encoder."""
        encoder = self.encoder
        if encoder is None:
            return nullcontext()
        return VectorCache(
            self.home.vectors,
            self.identity.embed_config_fingerprint,
            encoder.dimension,
            max_bytes=self.settings.max_cache_bytes,
            clock=self.clock,
        )

    def pin(
        self, deadline: Deadline, *, counted: bool = True, snapshot_id: SnapshotId | None = None
    ) -> AbstractContextManager[SnapshotView]:
        """Yield a snapshot that cannot be removed while the block runs; see `Snapshots.pin`."""
        return self._snapshots.pin(deadline, counted=counted, snapshot_id=snapshot_id)

    def view(self, deadline: Deadline | None = None) -> SnapshotView:
        """Return the active snapshot; see `Snapshots.view`."""
        return self._snapshots.view(deadline)

    def inspect(self) -> Judgement:
        """Return the state of the store; see `Snapshots.inspect`."""
        return self._snapshots.inspect()

    def heal(self, deadline: Deadline) -> None:
        """Rebuild damaged derived files; failures are ignored."""
        self._snapshots.heal(deadline)

    def close(self) -> None:
        """Close the snapshot and its tables; the next request reopens them."""
        self._snapshots.close()
