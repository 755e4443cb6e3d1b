"""One sync: walk, compare, read, chunk, write, publish.

The active snapshot stays as it is until the last step, whatever fails before it.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.durable import reach
from ggrep.base.errors import BudgetExceeded, LeaseLost, NoIndex, SyncRefused
from ggrep.base.ids import PathKey
from ggrep.base.lease import Lease
from ggrep.config import store_files
from ggrep.config.fingerprints import ignore_fingerprint
from ggrep.config.home import Home
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.manifest import MAX_PROBLEMS
from ggrep.index.store.store_opening import admit_writer
from ggrep.index.store.transaction import prepare_store
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync import problems, sharing, stat_cache, unchanged, without_git
from ggrep.index.sync.changes import ChangeSet, detect
from ggrep.index.sync.dataset_budget import DATASET_BUDGET, within_budget
from ggrep.index.sync.declarations import Declarations, last
from ggrep.index.sync.healing import note_healed
from ggrep.index.sync.index_pool import IndexPool
from ggrep.index.sync.index_state import NOTHING_OPEN, Retry, following
from ggrep.index.sync.indexing import Reading, changed_since, index_files
from ggrep.index.sync.one_state import Found, OneState, TreeMoved
from ggrep.index.sync.portions import FIRST_MS, next_portion, portions
from ggrep.index.sync.publication import Publication, is_needed, most_segments, publish_changes
from ggrep.index.sync.record import remember_files, remember_outcome, retry_of
from ggrep.index.sync.segment_builder import SegmentBuilder
from ggrep.index.sync.snapshot_assembly import Facts
from ggrep.index.sync.sync_report import Progress, SyncProgress, unheard
from ggrep.index.sync.target import SyncTarget
from ggrep.index.sync.writing import Opening, open_parent, writing
from ggrep.model.files import RECODED, UNSURE, FileText, SkippedFile, SourceFile
from ggrep.model.response import GitState
from ggrep.model.sync import DegradedFile, SyncFiles, SyncReport, SyncWarning
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.source.eligibility import product_files
from ggrep.parse.source.encoding_rules import is_rules_file
from ggrep.parse.source.git_state import git_state
from ggrep.parse.source.path_keys import casefold_collisions, printable
from ggrep.parse.source.read import read_file
from ggrep.parse.source.walk import Walk, root_identity, walk
from ggrep.parse.workers.parse_pool import Terms


def sync(
    target: SyncTarget,
    *,
    strict: bool = False,
    allow_degraded: bool = False,
    deadline: Deadline | None = None,
    progress: Progress = unheard,
    opening: Opening = open_parent,
) -> SyncReport:
    """Bring the active snapshot up to the work tree.

    What can be had is published. A file that cannot be read keeps its former state, or is left
    out, and degrades the snapshot; the next sync tries it again.

    Args:
        target: the repository and its store.
        strict: refuse instead where a file cannot be read, decoded or cut as it should.
        allow_degraded: over the budget of what a profile includes, index what fits.
        deadline: how long to queue behind another writer.
        progress: told how far it is.
        opening: returns the view to go on from.

    Raises:
        Busy: another writer held the store until the deadline.
        SyncRefused: the root was replaced meanwhile, two paths differ only by case and the
            settings want portable ones, or the sync is strict and a file could not be had.
        BudgetExceeded: the store is over its byte budget, or what a profile includes over its
            own and `allow_degraded` is off.
        InvalidRequest: the home is not private or shared as the settings want it, or lies on a
            network.
    """
    admit_writer(target.store, shared=target.settings.shared_store)
    proves = opening is open_parent and not strict
    if proves and (report := unchanged.report_if_unchanged(target)) is not None:
        return report
    with writing(target, deadline) as lease:
        view = opening(target)
        prepare_store(target.store, lease)
        return run(target, lease, view, progress, strict=strict, allow_degraded=allow_degraded)


def run(
    target: SyncTarget,
    lease: Lease,
    view: SnapshotView | None,
    progress: Progress,
    *,
    strict: bool,
    allow_degraded: bool,
) -> SyncReport:
    """Bring a store from `view` up to the work tree.

    Requires: the lease is held and the store prepared.
    """
    started = _Run(target, lease, view, progress, strict=strict, allow_degraded=allow_degraded)
    return started.run()


class _Plan(Struct, frozen=True):
    """What holds for all portions.

    Attributes:
        live: digests of the files that were visible before, without `outdated`.
        again: files to cut again though they did not change.
        kept: visible files of which it is not known whether they still exist.
        outdated: visible files that come after the first portion, in another state; shown beside
            it they would be of another commit.
    """

    tree: Walk
    changes: ChangeSet
    live: dict[PathKey, str]
    again: frozenset[PathKey]
    kept: int
    outdated: frozenset[PathKey] = frozenset()


class _Run:
    """The state of one sync while it runs."""

    def __init__(
        self,
        target: SyncTarget,
        lease: Lease,
        view: SnapshotView | None,
        progress: Progress,
        *,
        strict: bool,
        allow_degraded: bool,
    ) -> None:
        self._target = target
        self._lease = lease
        self._progress = progress
        self._strict = strict
        self._allow_degraded = allow_degraded
        self._started_ms = target.clock.monotonic_ms()
        self._one_state = OneState(target, self._walk, progress)
        self._view = view
        self._damage = view.damage if view else None
        self._published = self._found_news = False
        self._merged = 0
        self._encoded = self._reused = 0

    def run(self) -> SyncReport:
        self._progress(SyncProgress("scan", 0, 0))
        found = self._one_state.begin()
        while True:
            try:
                return self._attempt(found)
            except TreeMoved as moved:
                found = moved.found

    def _walk(self) -> tuple[Walk, tuple[DegradedFile, ...]]:
        target = self._target
        apart = Home.of_store(target.store).own_directories
        live = self._view.live_files() if self._view else {}
        return within_budget(
            without_git.as_listed_before(
                walk(target.root, target.settings, apart=apart),
                target.root,
                live,
                self._git_before(),
            ),
            target.settings.max_bytes_indexed,
            allow_degraded=self._takes_what_fits(),
        )

    def _attempt(self, found: Found) -> SyncReport:
        """Bring the snapshot up to what was found.

        Raises:
            TreeMoved: git moved files meanwhile; what was published until then is of one state.
        """
        target, tree = self._target, found.tree
        self._found = found
        self._reading = Reading()
        self._hidden: set[PathKey] = set()
        _require_room(target)
        self._git = self._git_state()
        self._confirm()
        sharing.require_clean(target, self._git)
        live = self._view.live_files() if self._view else {}
        known = stat_cache.load(store_files.stat_cache_file(target.store))
        retry = retry_of(target)
        tried = self._strict or retry.is_due(target.clock.now())
        again = frozenset(self._open(known)) if tried else frozenset[PathKey]()
        self._declarations = Declarations(tree.files, self._read_whole)
        settled = {key: digest for key, digest in live.items() if tree.knows(key)}
        if self._view and not self._declarations.are_those_of(settled, known):
            again |= self._recoded(known)
        unsure = self._unsure() if self._strict else ()
        changes = self._settle(
            detect(tree.files, live, known, again={*again, *unsure}), tree, found.left_out
        )
        self._reading.skipped += [memory.skip for memory in changes.skipped]
        kept = sum(not tree.knows(key) for key in live) if tree.unknown else 0
        self._index(_Plan(tree, changes, live, again, kept))
        gone = self._gone(changes, live)
        retry = self._next_try(retry, tried=tried)
        report = self._report(changes, tree, deleted=len(gone), retry=retry)
        with suppress(LeaseLost, OSError):
            # All is published. What is remembered belongs to whoever took over since; and where it
            # cannot be written the next sync walks once more.
            self._lease.check()
            self._remember(changes, report, retry)
        reach("publish.after_record")
        return report

    def _open(self, known: Mapping[PathKey, stat_cache.Known]) -> Iterator[PathKey]:
        """Yield the files that may do better now, though they did not change."""
        yield from (PathKey(p.path_key) for p in self._before() if problems.is_passing(p))
        yield from (key for key, memory in known.items() if stat_cache.is_put_off(memory))

    def _recoded(self, known: Mapping[PathKey, stat_cache.Known]) -> frozenset[PathKey]:
        """Return the files that may read otherwise where other encodings are declared."""
        binary = (
            key
            for key, memory in known.items()
            if isinstance(memory, stat_cache.KnownSkip) and memory.skip.reason == "binary"
        )
        shown = self._view.files_of(RECODED | UNSURE) if self._view else ()
        return frozenset((*binary, *shown))

    def _unsure(self) -> tuple[PathKey, ...]:
        return tuple(self._view.files_of(UNSURE)) if self._view else ()

    def _next_try(self, before: Retry, *, tried: bool) -> Retry:
        """Return when what this sync leaves open is tried again."""
        if not any(problems.is_passing(p) for p in self._before()):
            return NOTHING_OPEN
        return following(before, self._target.clock.now(), tried=tried)

    def _remember(self, changes: ChangeSet, report: SyncReport, retry: Retry) -> None:
        """Write down what spares the next sync work, and what status tells."""
        target, found = self._target, self._found
        tree, read_at_ns = found.tree, found.read_at_ns
        if self._damage is not None:
            note_healed(target.store, self._damage.cause, target.clock.now())
        known = remember_files(target, changes, self._reading, read_at_ns=read_at_ns)
        manifest = self._require_view().manifest
        remember_outcome(target, manifest, tree, self._skipped(tree), self._elapsed_ms(), retry)
        unchanged.remember(
            target,
            unchanged.Synced(tree, known, manifest, report, found.look.files, read_at_ns),
        )

    def _settle(
        self, changes: ChangeSet, tree: Walk, left_out: tuple[DegradedFile, ...]
    ) -> ChangeSet:
        """Return the changes without deletions that may be none; note what is in doubt."""
        if self._target.settings.portable_paths:
            _require_portable(tree)
        self._standing = (*problems.of_tree(tree, changes.deleted), *left_out)
        return replace(changes, deleted=tuple(key for key in changes.deleted if tree.knows(key)))

    def _index(self, plan: _Plan) -> None:
        """Publish what changed, in portions of at most `max_bytes_per_sync`.

        Files whose parser had no turn come last, ever fewer at once and in the end each alone.
        What is there already is published by then.
        """
        target = self._target
        most_bytes = target.settings.max_bytes_per_sync
        with self._pool(target.parse_workers) as pool:
            if target.early and self._view is None:
                self._index_early(pool, plan)
            else:
                plan = self._index_in_runs(pool, plan)
        for workers in _fewer(target.parse_workers):
            late = tuple(self._reading.put_off.values())
            self._reading.put_off.clear()
            self._reading.handled -= len(late)
            with self._pool(workers, alone=workers == 1) as pool:
                for portion in portions(late, most_bytes) if late else ():
                    self._index_portion(portion, pool, plan, more=0)
        self._require_strictly(problems.of_reading(self._reading, ()), plan.tree)

    def _index_in_runs(self, pool: IndexPool, plan: _Plan) -> _Plan:
        """Publish what changed in runs that are fixed beforehand; return the plan as it was then.

        With several runs, files of a later one are hidden where they have changed.
        """
        suspects, declaring = last(plan.changes.suspects)
        runs = portions(suspects, self._target.settings.max_bytes_per_sync)
        runs[-1] = sorted((*runs[-1], *declaring), key=lambda file: file.path_key.encode())
        later = [file for run in runs[1:] for file in run if file.path_key in plan.live]
        outdated = frozenset(changed_since(later, plan.live, self._read_file))
        live = {key: digest for key, digest in plan.live.items() if key not in outdated}
        plan = replace(plan, live=live, outdated=outdated)
        for number, portion in enumerate(runs, start=1):
            self._index_portion(portion, pool, plan, more=len(runs) - number)
        return plan

    def _index_early(self, pool: IndexPool, plan: _Plan) -> None:
        """Publish a first index: soon something, of what was asked for, and then the rest.

        Nothing is visible yet that could be of another state.
        """
        target, waiting = self._target, list(plan.changes.suspects)
        first = True
        while waiting or first:
            wanted = target.wanted()
            most_bytes = target.settings.max_bytes_per_sync
            run = next_portion(waiting, most_bytes, wanted, first=first) if waiting else []
            time = Deadline.after(target.clock, FIRST_MS) if first else None
            taken = self._index_portion(run, pool, plan, more=len(waiting) - len(run), time=time)
            done = {file.path_key for file in run[:taken]}
            waiting = [file for file in waiting if file.path_key not in done]
            first = False

    def _pool(self, workers: int, *, alone: bool = False) -> IndexPool:
        settings = self._target.settings
        limits = ChunkLimits(
            max_chunks_per_file=settings.max_chunks_per_file, structure=settings.structure
        )
        terms = Terms(patience_ms=settings.parse_timeout_ms, alone=alone)
        # Others that lie idle would not leave a file that is parsed alone all memory there is.
        kept = None if alone else self._target.parsers
        return IndexPool(
            workers,
            limits,
            self._target.clock,
            encoder=settings.encoder,
            terms=terms,
            kept=kept,
        )

    def _index_portion(
        self,
        portion: Sequence[SourceFile],
        pool: IndexPool,
        plan: _Plan,
        *,
        more: int,
        time: Deadline | None = None,
    ) -> int:
        """Publish a portion; return how many of its files were taken up.

        Args:
            portion: in the order in which they are read.
            pool: cuts them.
            plan: what holds for all portions.
            more: files that are to follow.
            time: when to take up no further one, the first aside; None to take all.
        """
        builder = SegmentBuilder(self._target.encoder, self._target.vectors)
        handled = self._reading.handled
        indexed = self._read(_until(portion, time), pool, builder, plan)
        taken = self._reading.handled - handled
        self._confirm()
        waiting = [memory.file.path_key for memory in plan.changes.waiting]
        read = problems.of_reading(self._reading, waiting)
        present = {file.path_key for file in plan.tree.files}
        found = (
            *problems.of_snapshot(self._standing, self._reading, read, self._before(), present),
            *self._one_state.problems(),
        )
        self._require_strictly((p for p in found if p.code != problems.PARSE_PENDING), plan.tree)
        gone = [
            key
            for key in self._gone(plan.changes, plan.live)
            if key not in self._hidden and not (more and is_rules_file(key))
        ]
        outdated = (plan.outdated | self._left_behind(plan)) - self._hidden - {*indexed}
        publication = Publication(
            builder=builder,
            indexed=indexed,
            gone=[*gone, *sorted(outdated - {*gone})],
            facts=Facts(
                ignore_fingerprint=ignore_fingerprint(plan.tree.ignore_files),
                git=self._git,
                problems=found[:MAX_PROBLEMS],
                problems_total=len(found),
                eligible_files=len(present) - len(self._reading.skipped) + plan.kept,
                partial=more > 0 or taken < len(portion),
            ),
            renamed=self._renamed(gone, plan.live),
        )
        self._publish(publication, plan.tree)
        self._encoded += builder.vectors_encoded
        self._reused += builder.vectors_reused
        return taken

    def _read(
        self, portion: Iterable[SourceFile], pool: IndexPool, builder: SegmentBuilder, plan: _Plan
    ) -> list[PathKey]:
        done, total = self._reading.handled, len(plan.changes.suspects)

        def advance(number: int, is_news: bool) -> None:  # noqa: FBT001 - by place, of each file
            if self._one_state.is_time():
                self._confirm()
            self._found_news = self._found_news or is_news
            stage = "index" if self._found_news else "compare"
            self._progress(SyncProgress(stage, done + number, total))

        reading = index_files(
            portion,
            plan.live,
            read=self._read_file,
            pool=pool,
            builder=builder,
            advance=advance,
            again=plan.again,
        )
        self._reading.take(reading)
        return reading.indexed

    def _read_file(self, file: SourceFile) -> FileText | SkippedFile:
        text = self._declarations.text(file.path_key)
        return self._read_whole(file, self._declarations) if text is None else text

    def _read_whole(
        self, file: SourceFile, declarations: Declarations | None = None
    ) -> FileText | SkippedFile:
        settings = self._target.settings
        return read_file(
            self._target.root,
            file,
            max_bytes=settings.max_file_size_bytes,
            max_bulk_bytes=settings.max_bulk_bytes,
            rule=lambda key: declarations.rules.codec(key) if declarations else "",
        )

    def _left_behind(self, plan: _Plan) -> frozenset[PathKey]:
        """Return visible files whose parser had no turn, where they are of another commit."""
        before = self._git_before()
        if before is None or self._git is None or before.head_sha == self._git.head_sha:
            return frozenset()
        return frozenset((self._reading.put_off.keys() & plan.live.keys()) - plan.again)

    def _confirm(self) -> None:
        """Make sure that all that was read is of one state, as of now.

        Raises:
            TreeMoved: it is not.
        """
        found = self._one_state.confirm(
            self._found,
            lambda: {key: memory.file for key, memory in self._reading.known.items()},
        )
        if found is not self._found:
            self._found = found
            self._git = self._git_state()

    def _publish(self, publication: Publication, tree: Walk) -> None:
        target = self._target
        most = most_segments(target.settings)
        if not is_needed(publication, self._view, root=target.root, most=most):
            return
        self._progress(SyncProgress("publish", 0, 0))
        if root_identity(self._target.root) != tree.root:
            # Another directory, or none, took its place: what was read is not of one tree.
            raise SyncRefused(("the root was removed or replaced while it was read",))
        facts = publication.facts
        facts = dataclasses.replace(facts, git=sharing.state_to_publish(target, facts.git))
        publication = replace(publication, facts=facts)
        published = publish_changes(self._target, self._lease, self._view, publication)
        self._view = published.view
        self._merged += published.merged_segments
        self._published = True
        self._hidden |= set(publication.gone)

    def _gone(self, changes: ChangeSet, live: dict[PathKey, str]) -> list[PathKey]:
        skipped = {PathKey(skip.path_key) for skip in self._reading.skipped}
        return sorted({*changes.deleted, *(skipped & live.keys())}, key=lambda key: key.encode())

    def _renamed(self, gone: Sequence[PathKey], live: dict[PathKey, str]) -> frozenset[PathKey]:
        """Return those of the gone files whose content stands under a new path."""
        known = self._reading.known
        arrived = {known[key].digest for key in self._reading.indexed if key not in live}
        return frozenset(key for key in gone if live[key] in arrived)

    def _git_before(self) -> GitState | None:
        return self._view.manifest.git if self._view else None

    def _git_state(self) -> GitState | None:
        """Return git's state; None as well where git listed nothing: it may have waited in vain."""
        target, tree = self._target, self._found.tree
        before = without_git.state_before(tree, self._git_before())
        if before is not None or not tree.git:
            return before
        return git_state(target.root, untracked_included=target.settings.include_untracked)

    def _before(self) -> tuple[DegradedFile, ...]:
        return self._view.manifest.errors if self._view else ()

    def _takes_what_fits(self) -> bool:
        """Tell whether a part of what a profile includes will do; it does where it did before."""
        before = any(problem.code == DATASET_BUDGET for problem in self._before())
        return not self._strict and (self._allow_degraded or before)

    def _require_strictly(self, found: Iterable[DegradedFile], tree: Walk) -> None:
        """Raise when a strict sync met a file that could not be had as it should."""
        if not self._strict:
            return
        skipped, unsure = self._skipped(tree), self._reading.unsure
        if reasons := problems.strict_reasons(found, skipped, unsure):
            raise SyncRefused(reasons)

    def _report(self, changes: ChangeSet, tree: Walk, *, deleted: int, retry: Retry) -> SyncReport:
        manifest = self._require_view().manifest
        reading = self._reading
        notices = (
            *((self._damage.rebuilt,) if self._damage else ()),
            *tree.notices,
            *problems.nothing_to_index(tree),
            *sharing.notices(self._target, manifest),
            *self._one_state.notices(),
        )
        return SyncReport(
            store_id=self._target.store_id,
            snapshot_id=manifest.snapshot_id,
            published=self._published,
            files=SyncFiles(
                indexed=len(reading.indexed),
                deleted=deleted,
                unchanged=len(changes.same) + len(reading.known) - len(reading.indexed),
            ),
            chunks=manifest.counts.chunks_visible,
            segments=len(manifest.segments),
            merged_segments=self._merged,
            vectors_encoded=self._encoded,
            vectors_reused=self._reused,
            skipped=self._skipped(tree),
            degraded=manifest.errors,
            warnings=tuple(map(SyncWarning.of, notices)),
            duration_ms=self._elapsed_ms(),
            retry_after_ms=retry.left_ms(self._target.clock.now()),
            products=product_files(file.path_key for file in tree.files),
        )

    def _skipped(self, tree: Walk) -> tuple[SkippedFile, ...]:
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


def _require_room(target: SyncTarget) -> None:
    """Raise where the store is over its budget before anything was written."""
    most = target.settings.max_store_bytes  # 0 is no bound
    if most and (used := store_bytes(target.store)) > most:
        raise BudgetExceeded(f"the store has {used} bytes, more than max_store_bytes, {most}")


def _require_portable(tree: Walk) -> None:
    """Raise where a file system without case would take two files for one."""
    groups = casefold_collisions(file.path_key for file in tree.files)
    if groups:
        told = "these paths differ only by case, and portable_paths is on; rename all but one"
        raise SyncRefused(tuple(f"{', '.join(map(printable, group))}: {told}" for group in groups))


def _until(files: Iterable[SourceFile], time: Deadline | None) -> Iterator[SourceFile]:
    """Yield the first file, and more of them while there is time; None for all the time."""
    for number, file in enumerate(files):
        if number and time is not None and time.remaining_ms() <= 0.0:
            return
        yield file


def _fewer(workers: int) -> Iterator[int]:
    """Yield ever smaller numbers of workers, down to one."""
    while True:
        workers = max(1, workers // 2)
        yield workers
        if workers == 1:
            return
