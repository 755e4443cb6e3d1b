"""One sync: walk, compare, read, cut, write, publish.

The active snapshot stays as it is until the last step, whatever fails before it.
"""

from collections.abc import Sequence
from dataclasses import replace

from ggrep.chunking.limits import ChunkLimits
from ggrep.chunking.pool import ParsePool
from ggrep.clock import rfc3339
from ggrep.domain.deadline import Deadline
from ggrep.domain.ids import PathKey
from ggrep.domain.response import GitState
from ggrep.domain.source import Skip, SourceFile
from ggrep.errors import BudgetExceeded, NoIndex, SyncRefused
from ggrep.identity.fingerprints import ignore_fingerprint
from ggrep.layout import names
from ggrep.lease import Lease, acquire
from ggrep.source.git_state import git_state
from ggrep.source.path_keys import casefold_collisions
from ggrep.source.read import read_file
from ggrep.source.walk import Walk, walk
from ggrep.store.manifest import Problem
from ggrep.store.transaction import discard_staging
from ggrep.store.view import SnapshotView, open_active
from ggrep.sync import stat_cache
from ggrep.sync.changes import ChangeSet, detect
from ggrep.sync.index_state import IndexState, write_index_state
from ggrep.sync.indexing import Reading, index_files
from ggrep.sync.publication import Publication, is_needed, publish_changes
from ggrep.sync.report import Progress, SyncProgress, SyncReport
from ggrep.sync.segment_builder import SegmentBuilder
from ggrep.sync.target import SyncTarget

_QUEUE_MS = 60_000
"""How long a sync queues behind another writer of the same store."""


def sync(
    target: SyncTarget,
    *,
    allow_degraded: bool = False,
    deadline: Deadline | None = None,
    progress: Progress = lambda _: None,
) -> SyncReport:
    """Bring the active snapshot up to the work tree.

    Raises:
        Busy: another writer held the store until the deadline.
        SyncRefused: a file's content could not be had, or two paths differ only by case, and
            degraded snapshots are not allowed.
        BudgetExceeded: the store is over its byte budget.
    """
    with acquire(
        names.lease_file(target.store),
        names.lease_guard(target.store),
        owner_id=target.new_id(),
        clock=target.clock,
        deadline=deadline or Deadline.after(target.clock, _QUEUE_MS),
        wait=target.wait,
    ) as lease:
        discard_staging(target.store)
        return _Run(target, lease, progress, allow_degraded=allow_degraded).run()


class _Run:
    """The state of one sync while it runs."""

    def __init__(
        self, target: SyncTarget, lease: Lease, progress: Progress, *, allow_degraded: bool
    ) -> None:
        self._target = target
        self._lease = lease
        self._progress = progress
        self._allow_degraded = allow_degraded
        self._started_ms = target.clock.monotonic_ms()
        self._read_at_ns = int(target.clock.now().timestamp() * 1e9)
        self._view = _open(target)
        self._published = False
        self._merged = 0
        self._reading = Reading()

    def run(self) -> SyncReport:
        target = self._target
        self._progress(SyncProgress("scan", 0, 0))
        tree = walk(target.root, target.settings)
        collisions = casefold_collisions([file.path_key for file in tree.files])
        self._refuse([f"paths differ only by case: {', '.join(group)}" for group in collisions])
        _check_budget(target)
        git = git_state(target.root, untracked_included=target.settings.include_untracked)
        live = self._view.live_files() if self._view else {}
        known = stat_cache.load(names.stat_cache_file(target.store))
        changes = self._without_unknown(detect(tree.files, live, known), tree)
        self._index(changes, live, tree, git)
        gone = self._gone(changes, live)
        self._remember(changes, tree, git, [key for group in collisions for key in group])
        return self._report(changes, tree, deleted=len(gone))

    def _without_unknown(self, changes: ChangeSet, tree: Walk) -> ChangeSet:
        """Return the changes without deletions below directories that could not be read.

        Nothing is known of the files there: calling them gone would empty the index over a
        permission.
        """
        closed = tuple(s.path_key + "/" for s in tree.skipped if s.reason == "unreadable")
        unknown = [key for key in changes.deleted if key.startswith(closed)] if closed else []
        self._refuse([f"{key}: its directory cannot be read" for key in unknown])
        self._reading.failed += [
            Skip(key, "unreadable", "its directory cannot be read") for key in unknown
        ]
        gone = tuple(key for key in changes.deleted if key not in unknown)
        return replace(changes, deleted=gone)

    def _index(
        self, changes: ChangeSet, live: dict[PathKey, str], tree: Walk, git: GitState | None
    ) -> None:
        """Publish what changed, in portions of at most `max_bytes_per_sync`."""
        settings = self._target.settings
        portions = _portions(changes.suspects, settings.max_bytes_per_sync)
        limits = ChunkLimits(
            max_chunks_per_file=settings.max_chunks_per_file,
            parse_timeout_ms=settings.parse_timeout_ms,
        )
        with ParsePool(self._target.parse_workers, limits, self._target.clock) as pool:
            for number, portion in enumerate(portions, start=1):
                builder = SegmentBuilder(self._target.encoder)
                indexed = self._read(portion, live, pool, builder, len(changes.suspects))
                self._refuse([f"{s.path_key}: {s.detail}" for s in self._reading.failed])
                last = number == len(portions)
                publication = Publication(
                    builder=builder,
                    indexed=indexed,
                    gone=self._gone(changes, live) if last else (),
                    problems=self._problems(tree),
                    ignore_fingerprint=ignore_fingerprint(tree.ignore_files),
                    git=git,
                    eligible_files=len(tree.files) - len(self._reading.skipped),
                    partial=not last,
                )
                self._publish(publication)

    def _read(
        self,
        portion: Sequence[SourceFile],
        live: dict[PathKey, str],
        pool: ParsePool,
        builder: SegmentBuilder,
        total: int,
    ) -> list[PathKey]:
        target, done = self._target, self._reading.handled

        def advance(number: int) -> None:
            self._progress(SyncProgress("index", done + number, total))

        reading = index_files(
            portion,
            live,
            read=lambda file: read_file(
                target.root, file, max_bytes=target.settings.max_file_size_bytes
            ),
            pool=pool,
            builder=builder,
            advance=advance,
        )
        self._reading.take(reading)
        return reading.indexed

    def _publish(self, publication: Publication) -> None:
        if not is_needed(publication, self._view):
            return
        self._progress(SyncProgress("publish", 0, 0))
        published = publish_changes(self._target, self._lease, self._view, publication)
        self._view = published.view
        self._merged += published.merged_segments
        self._published = True

    def _gone(self, changes: ChangeSet, live: dict[PathKey, str]) -> list[PathKey]:
        skipped = {PathKey(skip.path_key) for skip in self._reading.skipped}
        return sorted({*changes.deleted, *(skipped & live.keys())}, key=lambda key: key.encode())

    def _problems(self, tree: Walk) -> tuple[Problem, ...]:
        """Return why the snapshot is degraded; files that did not change keep their reason."""
        reading = self._reading
        found = {problem.path_key: problem for problem in reading.problems}
        for skip in reading.failed:
            code = "stable_read_failed" if skip.reason == "unstable" else "read_failed"
            found[skip.path_key] = Problem(code, skip.detail, skip.path_key)
        fresh = {*reading.indexed, *(skip.path_key for skip in reading.skipped)}
        present = {file.path_key for file in tree.files}
        for problem in self._view.manifest.errors if self._view else ():
            if problem.code == "chunk_failed" and problem.path_key in present - fresh:
                found.setdefault(problem.path_key, problem)
        return tuple(found[key] for key in sorted(found, key=lambda key: key.encode()))

    def _refuse(self, reasons: Sequence[str]) -> None:
        if reasons and not self._allow_degraded:
            raise SyncRefused(tuple(reasons))

    def _remember(
        self, changes: ChangeSet, tree: Walk, git: GitState | None, collisions: Sequence[str]
    ) -> None:
        target, view = self._target, self._require_view()
        known = {item.file.path_key: item for item in changes.same} | self._reading.known
        path = names.stat_cache_file(target.store)
        stat_cache.save(path, known, read_at_ns=self._read_at_ns)
        state = IndexState(
            store_id=target.store_id,
            canonical_root=str(target.root),
            config_fingerprint=target.config_fingerprint,
            ignore_fingerprint=view.manifest.ignore_fingerprint,
            active_snapshot_id=view.manifest.snapshot_id,
            git=git,
            last_sync_at=rfc3339(target.clock.now()),
            last_result="degraded" if view.manifest.degraded else "ok",
            last_duration_ms=self._elapsed_ms(),
            skipped=self._skipped(tree),
            collisions=tuple(collisions),
            notices=tree.notices,
        )
        write_index_state(names.index_state_file(target.store), state)

    def _report(self, changes: ChangeSet, tree: Walk, *, deleted: int) -> SyncReport:
        manifest = self._require_view().manifest
        reading = self._reading
        return SyncReport(
            snapshot_id=manifest.snapshot_id,
            published=self._published,
            indexed=len(reading.indexed),
            deleted=deleted,
            unchanged=len(changes.same) + len(reading.known) - len(reading.indexed),
            chunks=manifest.counts.chunks_visible,
            segments=len(manifest.segments),
            merged_segments=self._merged,
            skipped=self._skipped(tree),
            degraded=manifest.errors,
            notices=tree.notices,
            duration_ms=self._elapsed_ms(),
        )

    def _skipped(self, tree: Walk) -> tuple[Skip, ...]:
        both = (*tree.skipped, *self._reading.skipped)
        return tuple(
            sorted(both, key=lambda skip: skip.path_key.encode("utf-8", "surrogateescape"))
        )

    def _elapsed_ms(self) -> int:
        return round(self._target.clock.monotonic_ms() - self._started_ms)

    def _require_view(self) -> SnapshotView:
        if self._view is None:
            raise NoIndex("nothing was published")
        return self._view


def _open(target: SyncTarget) -> SnapshotView | None:
    try:
        return open_active(target.store, store_id=target.store_id)
    except NoIndex:
        return None


def _portions(suspects: Sequence[SourceFile], most_bytes: int) -> list[Sequence[SourceFile]]:
    """Cut the suspects into runs of at most `most_bytes` (one file at least); one run if empty."""
    portions: list[list[SourceFile]] = [[]]
    size = 0
    for file in suspects:
        if portions[-1] and size + file.size_bytes > most_bytes:
            portions.append([])
            size = 0
        portions[-1].append(file)
        size += file.size_bytes
    return list(portions)


def _check_budget(target: SyncTarget) -> None:
    budget = target.settings.max_store_bytes
    if not budget:
        return
    used = sum(path.stat().st_size for path in target.store.rglob("*") if path.is_file())
    if used > budget:
        raise BudgetExceeded(f"store holds {used} bytes, max_store_bytes is {budget}")
