"""One repository as a library: open it, sync it, query it."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Lock
from types import MappingProxyType

from ggrep.base.clock import Clock, SystemClock
from ggrep.base.deadline import Deadline
from ggrep.base.errors import (
    BudgetExceeded,
    CorruptStore,
    DeadlineExceeded,
    GgrepError,
    InvalidRequest,
    NoIndex,
)
from ggrep.base.identifiers import IdSource
from ggrep.base.ids import PathKey, SnapshotId
from ggrep.base.lease import is_orphaned
from ggrep.base.locks import Patience, shared
from ggrep.config.home import Home
from ggrep.config.identity.fingerprints import query_fingerprint
from ggrep.config.layout import names
from ggrep.config.settings import Settings, load_settings, with_budgets
from ggrep.index.embedding.encode_slots import EncodeSlots, LimitedEncoder
from ggrep.index.embedding.encoder import Encoder
from ggrep.index.embedding.encoder_choice import open_encoder
from ggrep.index.embedding.identity import STATIC
from ggrep.index.embedding.vector_cache import VectorCache
from ggrep.index.maintenance.upgrade import UpgradeReport, upgrade_store
from ggrep.index.maintenance.upkeep import UpkeepReport, keep_up, make_room
from ggrep.index.repo_identity import RepoIdentity, identify
from ggrep.index.store.active import read_active
from ggrep.index.store.last_used import note_use
from ggrep.index.store.read_failures import typed_failures
from ggrep.index.store.remains import Swept, sweep_home
from ggrep.index.store.suspicion import suspecting_damage
from ggrep.index.store.tables import close_tables, take_shown
from ggrep.index.store.view import SnapshotView, gone, open_active
from ggrep.index.sync.healing import Healer
from ggrep.index.sync.index_state import recorded_standing
from ggrep.index.sync.rebuild import rebuild
from ggrep.index.sync.sync_report import Progress, SyncReport, unheard
from ggrep.index.sync.syncer import sync
from ggrep.index.sync.target import SyncTarget
from ggrep.model.request import EncodedQuery, PoolRequest, SearchRequest
from ggrep.model.response import Admitted, PoolResponse, QueryResponse, RepoDescription
from ggrep.model.standing import Standing, standing_notices
from ggrep.model.statistics import CollectionStatistics
from ggrep.parse.workers.occurrence_pool import OccurrencePool
from ggrep.search.engine import query_answers as answers
from ggrep.search.engine.exploring import Exploring
from ggrep.search.engine.moment import of_the_moment
from ggrep.search.engine.pinned_views import PinnedViews
from ggrep.search.engine.scanning import Scanner
from ggrep.search.query.pipeline import check_request, encode_query, statistics_of
from ggrep.search.query.segments import open_segments
from ggrep.search.query.weights import RANKING_REVISION
from ggrep.search.scan.ahead import listing_ahead

_PIN_RETRY_MS = 5.0
"""A store is moved aside in less."""


def _unbounded(count: int) -> AbstractContextManager[None]:
    del count
    return nullcontext()


@dataclass(frozen=True, slots=True)
class Hosted:
    """Resources that a process with many stores shares with the engine of each.

    Attributes:
        handles: holds that many open segments for a block.
        slots: for encoding; None for the home's, by the settings.
        on_damage: called, by any thread, each time the store is found in want of a sync that
            heals it.
        standing: how the updating of the index stands; None for what its last sync wrote.
        occurrences: who looks for names in files; None for a pool of the engine's own.
    """

    handles: Callable[[int], AbstractContextManager[None]] = _unbounded
    slots: EncodeSlots | None = None
    on_damage: Callable[[], None] = lambda: None
    standing: Callable[[], Standing] | None = None
    occurrences: OccurrencePool | None = None


class Engine(Exploring):
    """One repository and its store. Cheap to open: reads nothing before the first request.

    Threads may share it; each snapshot they ask is immutable.
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
        hosted: Hosted = Hosted(),
    ) -> None:
        """Wire the repository at `root`, which must be canonical.

        Args:
            root: the repository.
            home: where its store lies.
            environ: variables that settings are read from.
            flags: settings that beat all others.
            clock: the machine's by default.
            settings: those in force; None to load them.
            hosted: what a process of many stores shares.

        Raises:
            InvalidRequest: a settings file or variable is wrong.
        """
        self.home = home
        self.settings: Settings = (
            settings or load_settings(home, root, environ=environ, flags=flags).settings
        )
        self.clock: Clock = clock or SystemClock()
        self._handles = hosted.handles
        self._slots = hosted.slots
        self._on_damage = hosted.on_damage
        self._hopeless: set[str] = set()
        self._orphaned = False
        self._new_id = IdSource(self.clock)
        self.identity: RepoIdentity = identify(root, home, self.settings)
        self._loaded: tuple[Encoder | None] | None = None
        self._loading = Lock()
        self._hosted_occurrences = hosted.occurrences
        self._occurrences = hosted.occurrences or OccurrencePool()
        self._view: SnapshotView | None = None
        self._standing = hosted.standing or self._recorded_standing
        self._older = PinnedViews(self.identity.store, self.identity.store_id)

    @property
    def encoder(self) -> Encoder | None:
        """Return the encoder, loaded when first asked for; None for none.

        Raises:
            InvalidRequest: it cannot be loaded.
        """
        with self._loading:
            if self._loaded is None:
                encoder = open_encoder(self.settings.encoder)
                if encoder is not None and encoder.identity != self.identity.encoder:
                    # Its vectors and the store's would not compare.
                    raise InvalidRequest("encoder: another model lies there by now; start anew")
                self._loaded = (self._limited(encoder),)
            return self._loaded[0]

    def _limited(self, encoder: Encoder | None) -> Encoder | None:
        """Return the encoder, limited by the encoding slots of this host.

        The static one encodes a query in less time than a slot takes; its batches wait as all do.
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
            strict: refuse where a file cannot be read, decoded or cut as it should.
            allow_degraded: over the budget of what a profile includes, index what fits.
            fresh: take nothing over from what is indexed; see `ggrep.index.sync.rebuild.rebuild`.
            early: publish some of a first index before the rest: somebody waits for it.
            wanted: returns the files to begin a first index with.
            progress: told how far it is.
        """
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
        return report

    def upgrade(self) -> UpgradeReport:
        """Bring the store into this build's formats; see `ggrep.index.maintenance.upgrade`."""
        with typed_failures(self.home.base):
            return upgrade_store(self._target(None), repo_id=self.identity.repo_id)

    def sweep(self) -> Swept:
        """Delete what killed commands left in the home; `keep_up` cleans this store.

        Before a sync, which may need the room. Nobody at work is waited for.
        """
        with suppress(GgrepError, OSError):  # a record that cannot be read fails the sync, in words
            self._orphaned |= is_orphaned(names.lease_files(self.identity.store))
        return sweep_home(self.home, self.clock, time.sleep, self.settings.lease_ttl_ms)

    def keep_up(self, *, compacting: bool = True) -> UpkeepReport:
        """Do the store's maintenance after a sync; see `ggrep.index.maintenance.upkeep`."""
        orphaned, self._orphaned = self._orphaned, False
        with self.target() as target:
            return keep_up(target, self.view(), orphaned=orphaned, compacting=compacting)

    @contextmanager
    def target(self) -> Iterator[SyncTarget]:
        """Yield what syncs and maintenance work on, for the length of the block."""
        with typed_failures(self.home.base), self._vectors() as vectors:
            yield self._target(vectors)

    def _target(self, vectors: VectorCache | None) -> SyncTarget:
        identity = self.identity
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
            parse_workers=self.settings.parse_workers or os.cpu_count() or 1,
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

    @contextmanager
    def pin(
        self,
        deadline: Deadline,
        *,
        counted: bool = True,
        snapshot_id: SnapshotId | None = None,
    ) -> Iterator[SnapshotView]:
        """Yield a snapshot that is not removed while the block runs.

        Args:
            deadline: when to give up.
            counted: hold handles for its segments.
            snapshot_id: which; None for the active one.

        Raises:
            NoIndex: nothing was ever published.
            SnapshotGone: the one that was asked for was removed.
            CorruptStore: no snapshot is valid.
            Busy: the store was being removed until the deadline, or too many segments are open.
            DeadlineExceeded: time ran out while the snapshot was opened.
        """
        store = self.identity.store
        patience = Patience(deadline, time.sleep, "this index is being removed", _PIN_RETRY_MS)
        with typed_failures(self.home.base):
            if not store.is_dir():
                raise NoIndex("this repository has no index yet; run: ggrep index")
            with shared(names.readers_lock(store), patience):
                view = self._look(snapshot_id, deadline)
                note_use(store, self.clock.now())
                try:
                    held = self._handles(len(view.segments)) if counted else nullcontext()
                    with held, suspecting_damage(view):
                        yield view
                except CorruptStore:
                    self._view = None
                    self._older.forget()
                    raise

    def _look(self, snapshot_id: SnapshotId | None, deadline: Deadline) -> SnapshotView:
        held = self._view
        if snapshot_id is None:
            return self.view(deadline)
        if (
            held
            and held.manifest.snapshot_id == snapshot_id
            and not gone(held)
            and held.lies_still()
        ):
            return held
        with self._healing(deadline) as healer:
            return self._older.open(snapshot_id, deadline, healer)

    def view(self, deadline: Deadline | None = None) -> SnapshotView:
        """Return the active snapshot; the same object while the pointer does not move.

        Every file of it lies as it was verified. What is derived and damaged is made again.

        Requires: the caller holds the readers' lock, where others may collect.

        Raises:
            NoIndex: nothing was ever published.
            CorruptStore: no snapshot is valid.
            DeadlineExceeded: time ran out while it was opened.
        """
        identity = self.identity
        if (held := self._held()) is not None:
            return held
        if not identity.store.is_dir():
            raise NoIndex("this repository has no index yet; run: ggrep index")
        # Threads may do this at once: each goes on with what it has opened itself.
        with self._healing(deadline) as healer:
            opened = open_active(
                identity.store, store_id=identity.store_id, deadline=deadline, mender=healer
            )
        if opened.notices:
            self._on_damage()
        self._view = opened
        close_tables(identity.store, but={segment.image.name for segment in opened.segments})
        return opened

    def glance(self) -> SnapshotView:
        """Return the active snapshot for read-only inspection; writes nothing.

        Raises:
            GgrepError: as `view`, except that nothing is healed.
        """
        identity = self.identity
        if (held := self._held()) is not None:
            return held
        with typed_failures(self.home.base):
            if not identity.store.is_dir():
                raise NoIndex("this repository has no index yet; run: ggrep index")
            return open_active(identity.store, store_id=identity.store_id)

    @contextmanager
    def _healing(self, deadline: Deadline | None) -> Iterator[Healer]:
        """Return the function that heals an opened snapshot; its failures are reported."""
        healer = Healer(self.identity.store, self.clock, deadline, hopeless=self._hopeless)
        try:
            yield healer
        except (CorruptStore, DeadlineExceeded):
            self._on_damage()
            raise

    def heal(self, deadline: Deadline) -> None:
        """Rebuild damaged derived files, as far as possible now."""
        store = self.identity.store
        patience = Patience(deadline, time.sleep, "this index is being removed", _PIN_RETRY_MS)
        with suppress(GgrepError), typed_failures(self.home.base):
            if store.is_dir():
                with shared(names.readers_lock(store), patience):
                    self.view(deadline)

    def close(self) -> None:
        """Close the snapshot, its tables and our processes; the next request reopens them."""
        self._view = None
        close_tables(self.identity.store)
        # A request under way still holds the old one, whose processes end with it.
        self._occurrences = self._hosted_occurrences or OccurrencePool()

    def warm(self) -> None:
        """Preload what the first search needs: encoder, snapshot, segments, a table.

        Raises:
            GgrepError: there is nothing to open, or it cannot be opened.
        """
        _ = self.encoder
        with self.pin(Deadline.never(self.clock), counted=False) as view:
            for segment in open_segments(view)[:1]:
                take_shown(view.store, segment.image.name, [0] if segment.image.rows else [])

    def _held(self) -> SnapshotView | None:
        """Return the view opened last if it is still current."""
        held = self._view
        good = held and not held.notices and self._is_active(held) and held.lies_still()
        return held if good else None

    def _is_active(self, held: SnapshotView) -> bool:
        try:
            return held.manifest.snapshot_id == read_active(self.identity.store)
        except CorruptStore:
            return False  # opening it anew recovers, and says so

    def search(
        self,
        request: SearchRequest,
        deadline: Deadline | None = None,
        *,
        budgets: Mapping[str, int] = MappingProxyType({}),
        request_id: str = "",
        admitted: Admitted | None = None,
        snapshot_id: SnapshotId | None = None,
    ) -> QueryResponse:
        """Answer a query over one snapshot.

        Args:
            request: the question.
            deadline: when to give up; None for the request's own, or the configured one.
            budgets: settings of output that stand in place of ours.
            request_id: what the answer is named; empty for a new name.
            admitted: how the request came in, where somebody admits requests.
            snapshot_id: which snapshot; None for the active one.

        Raises:
            InvalidRequest: the request cannot be understood.
            NoIndex: nothing was ever published.
            SnapshotGone: that snapshot is not there any more.
            DeadlineExceeded: the request's time ran out.
        """
        check_request(request)
        deadline = deadline or self._deadline(request)
        start_ms = self.clock.monotonic_ms()
        with self.pin(deadline, snapshot_id=snapshot_id) as view:
            context = replace(
                self._context(),
                settings=with_budgets(self.settings, budgets),
                request_id=request_id,
                admitted=admitted,
                snapshot_read_ms=self.clock.monotonic_ms() - start_ms,
            )
            found = answers.answer(context, view, request, deadline)
        return of_the_moment(found, self._standing(), deterministic=request.deterministic)

    def scan(
        self,
        request: SearchRequest,
        deadline: Deadline | None = None,
        *,
        asked_ms: float | None = None,
        budgets: Mapping[str, int] = MappingProxyType({}),
        request_id: str = "",
        admitted: Admitted | None = None,
    ) -> QueryResponse:
        """Answer a query by scanning the work tree, while nothing is published.

        Args:
            request: the question.
            deadline: when to give up; None for the request's own, or the configured one.
            asked_ms: when the question was put, on our clock; None for now.
            budgets: settings of output that stand in place of ours.
            request_id: what the answer is named; empty for a new name.
            admitted: how the request came in, where somebody admits requests.

        Raises:
            InvalidRequest: the request cannot be understood.
            NoIndex: only a snapshot can answer it.
            DeadlineExceeded: the request's time ran out.
        """
        scanner = Scanner(
            self.identity,
            self.home,
            self.settings,
            self.clock,
            new_id=self._new_id,
            standing=self._standing,
            listing=listing_ahead(self.identity.root, self.settings),
        )
        return scanner.scan(
            request,
            deadline or self._deadline(request),
            asked_ms=asked_ms,
            budgets=budgets,
            request_id=request_id,
            admitted=admitted,
        )

    def encode(self, query: str, deadline: Deadline) -> EncodedQuery | None:
        """Return the query's vector, for other repositories of the same encoder; None for none."""
        return encode_query(query, self.encoder, deadline)

    def pool(self, request: PoolRequest, deadline: Deadline | None = None) -> PoolResponse:
        """Return the ranked lists that a coordinator merges; see `PoolRequest`."""
        check_request(request.search)
        deadline = deadline or self._deadline(request.search)
        with self.pin(deadline) as view:
            return answers.pool(self._context(), view, request, deadline)

    def term_stats(
        self, request: SearchRequest, deadline: Deadline | None = None
    ) -> tuple[str, CollectionStatistics]:
        """Return the active snapshot's id and its statistics for the request's query."""
        check_request(request)
        deadline = deadline or self._deadline(request)
        with self.pin(deadline) as view:
            figures = statistics_of(view, request, deadline)
            return view.manifest.snapshot_id, figures

    def describe(self, deadline: Deadline | None = None) -> RepoDescription:
        """Return the facts that a coordinator needs before it queries.

        Raises:
            DeadlineExceeded: time ran out while the snapshot was opened.
        """
        identity, deadline = self.identity, deadline or Deadline.never(self.clock)
        encoder = identity.encoder
        try:
            with self.pin(deadline) as view:
                description = answers.describe(view, encoder, deadline)
        except NoIndex:
            description = answers.describe(None, encoder, deadline)
        return replace(
            description,
            store_id=identity.store_id,
            config_fingerprint=identity.config_fingerprint,
            moment=standing_notices(self._standing()),
            answers_key=query_fingerprint(
                SearchRequest(""), settings=self.settings, ranking_revision=RANKING_REVISION
            ),
        )

    def _recorded_standing(self) -> Standing:
        return recorded_standing(names.index_state_file(self.identity.store))

    def _deadline(self, request: SearchRequest) -> Deadline:
        timeout_ms = request.timeout_ms or self.settings.query_timeout_ms
        return Deadline.after(self.clock, timeout_ms)

    def _context(self) -> answers.Context:
        return answers.Context(
            root=self.identity.root,
            settings=self.settings,
            encoder=self.encoder,
            clock=self.clock,
            new_id=self._new_id,
        )
