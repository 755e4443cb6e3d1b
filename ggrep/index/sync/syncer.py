"""Runs a sync: walks the tree, compares, reads and chunks files, and publishes a snapshot.

The active snapshot does not change before the last step, not even after an error.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base import durable
from ggrep.base.clock import Deadline
from ggrep.base.errors import BudgetExceeded, LeaseLost, NoIndex, SyncRefused
from ggrep.base.ids import PathKey
from ggrep.base.lease import Lease
from ggrep.config.fingerprints import ignore_fingerprint
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.manifest import MAX_PROBLEMS, SnapshotManifest
from ggrep.index.store.store_opening import admit_writer
from ggrep.index.store.transaction import prepare_store
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync import problems, sharing, unchanged
from ggrep.index.sync.declarations import last
from ggrep.index.sync.git_consistency import GitConsistency, TreeMoved, WalkedTree
from ggrep.index.sync.healing import note_healed
from ggrep.index.sync.index_pool import IndexPool
from ggrep.index.sync.index_state import NOTHING_OPEN, Retry, following
from ggrep.index.sync.indexing import Reading, changed_since, index_files
from ggrep.index.sync.plan import Job, Plan, errors_of, git_now, git_of, make_plan, walk_tree
from ggrep.index.sync.portions import FIRST_MS, next_portion, portions
from ggrep.index.sync.publication import Publication, is_needed, most_segments, publish_changes
from ggrep.index.sync.record import remember_files, remember_outcome
from ggrep.index.sync.segment_builder import SegmentBuilder
from ggrep.index.sync.snapshot_assembly import Facts
from ggrep.index.sync.sync_report import Progress, SyncProgress, unheard
from ggrep.index.sync.target import SyncTarget
from ggrep.index.sync.writing import Opening, open_parent, writing
from ggrep.model.files import SkippedFile, SourceFile
from ggrep.model.index_freshness import Damage
from ggrep.model.response import GitState
from ggrep.model.sync import DegradedFile, SyncFiles, SyncReport, SyncWarning
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.source.eligibility import product_files
from ggrep.parse.source.encoding_rules import is_rules_file
from ggrep.parse.source.walk import root_identity
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
    """Update the active snapshot to the state of the work tree.

    If a file cannot be read, its previous content stays visible, or the file is left out. The
    snapshot is then degraded, and the next sync tries to read the file again.

    Args:
        target: the repository and its store.
        strict: fail if a file cannot be read, decoded or chunked as intended.
        allow_degraded: index as many files as fit if a profile's files exceed their budget.
        deadline: how long to wait for another writer.
        progress: called with the progress.
        opening: returns the view on which the sync builds.

    Raises:
        Busy: another writer held the store until the deadline.
        SyncRefused: the root was replaced meanwhile, two paths differ only by case and the
            settings require portable paths, or the sync is strict and a file cannot be read.
        BudgetExceeded: the store exceeds its byte budget, or a profile's files exceed their budget
            without `allow_degraded`.
        InvalidRequest: the home is not private or shared as the settings require, or is on a
            network file system.
    """
    admit_writer(target.store, shared=target.settings.shared_store)
    proves = opening is open_parent and not strict
    if proves and (report := unchanged.report_if_unchanged(target)) is not None:
        return report
    with writing(target, deadline) as lease:
        view = opening(target)
        prepare_store(target.store, lease)
        return run(target, lease, view, progress, strict=strict, allow_degraded=allow_degraded)


class _State(Struct):
    """The state of a running sync.

    Attributes:
        damage: damage of the store at the beginning.
        view: the active snapshot.
        published: whether this sync has published a snapshot.
        differs: whether a file differs from its indexed state.
        walked: the walk of this attempt, with the current stamps of git's files.
        git: git's state; None without git.
        reading: results of the files that this attempt has read.
        hidden: visible files that this attempt has hidden.
    """

    consistency: GitConsistency
    walked: WalkedTree
    damage: Damage | None
    view: SnapshotView | None
    published: bool = False
    differs: bool = False
    merged: int = 0
    encoded: int = 0
    reused: int = 0
    git: GitState | None = None
    reading: Reading = field(default_factory=Reading)
    hidden: set[PathKey] = field(default_factory=set)


def run(
    target: SyncTarget,
    lease: Lease,
    view: SnapshotView | None,
    progress: Progress,
    *,
    strict: bool,
    allow_degraded: bool,
) -> SyncReport:
    """Update a store from `view` to the state of the work tree.

    Requires: the caller holds the lease and has prepared the store.
    """
    started_ms = target.clock.monotonic_ms()
    job = Job(target, lease, progress, strict, allow_degraded, started_ms)
    progress(SyncProgress("scan", 0, 0))
    consistency = GitConsistency(target, progress)
    walked = consistency.begin(partial(walk_tree, job, view))
    state = _State(consistency, walked, view.damage if view else None, view)
    while True:
        try:
            return _attempt(job, state)
        except TreeMoved as moved:
            state.walked, state.reading, state.hidden = moved.walked, Reading(), set()


def _attempt(job: Job, state: _State) -> SyncReport:
    """Index and publish the differences between the active snapshot and the walk.

    Raises:
        TreeMoved: git changed files meanwhile; each snapshot published until then is of one git
            state.
    """
    target = job.target
    _require_room(target)
    state.git = state.walked.git
    _confirm(job, state)
    sharing.require_clean(target, state.git)
    plan = make_plan(job, state.view, state.walked)
    state.reading.skipped += [memory.skip for memory in plan.changes.skipped]
    _index(plan, state)
    if state.view is None:
        raise NoIndex("no snapshot was published")
    if not state.published:  # a dead writer can have left a pointer that is not synced
        durable.sync_directory(target.store)
    now = target.clock.now()
    is_open = any(map(problems.is_passing, errors_of(state.view)))
    retry = following(plan.retry, now, tried=plan.tried) if is_open else NOTHING_OPEN
    report = _report(plan, state, state.view.manifest, retry)
    with suppress(LeaseLost, OSError):
        # The snapshot is published. If another writer has taken over, the records are that
        # writer's. If they cannot be written, the next sync walks the tree again.
        job.lease.check()
        _remember(plan, state, state.view.manifest, report, retry)
    durable.reach("publish.after_record")
    return report


def _index(plan: Plan, state: _State) -> None:
    """Publish the changes, in portions of at most `max_bytes_per_sync`.

    Files that were not parsed in time are tried again after all other files are published: first
    fewer files at once, finally each file alone.
    """
    target, reading = plan.job.target, state.reading
    most_bytes = target.settings.max_bytes_per_sync
    with _pool(target, target.parse_workers) as pool:
        if target.early and state.view is None:
            _index_early(plan, state, pool)
        else:
            plan = _index_in_runs(plan, state, pool)
    workers = target.parse_workers
    while True:
        workers = max(1, workers // 2)
        late = tuple(reading.put_off.values())
        reading.put_off.clear()
        reading.handled -= len(late)
        with _pool(target, workers, alone=workers == 1) as pool:
            for portion in portions(late, most_bytes) if late else ():
                _index_portion(plan, state, portion, pool)
        if workers == 1:
            break
    _require_strictly(plan, state, problems.of_reading(reading, ()))


def _index_in_runs(plan: Plan, state: _State, pool: IndexPool) -> Plan:
    """Publish the changes in portions that are fixed at the beginning; return the adapted plan.

    With several portions, changed files of a later portion are hidden until it is published.
    """
    suspects, declaring = last(plan.changes.suspects)
    runs = portions(suspects, plan.job.target.settings.max_bytes_per_sync)
    runs[-1] = sorted((*runs[-1], *declaring), key=lambda file: file.path_key.encode())
    later = [file for run in runs[1:] for file in run if file.path_key in plan.live]
    outdated = frozenset(changed_since(later, plan.live, plan.declarations.read))
    live = {key: digest for key, digest in plan.live.items() if key not in outdated}
    plan = replace(plan, live=live, outdated=outdated)
    for number, portion in enumerate(runs, start=1):
        _index_portion(plan, state, portion, pool, more=len(runs) - number)
    return plan


def _index_early(plan: Plan, state: _State, pool: IndexPool) -> None:
    """Publish a first index: first a small part with the files that queries need, then the rest.

    No files need to be hidden, because nothing was visible before.
    """
    target, waiting = plan.job.target, list(plan.changes.suspects)
    most_bytes = target.settings.max_bytes_per_sync
    first = True
    while waiting or first:
        wanted = target.wanted()
        run = next_portion(waiting, most_bytes, wanted, first=first) if waiting else []
        time = Deadline.after(target.clock, FIRST_MS) if first else None
        more = len(waiting) - len(run)
        taken = _index_portion(plan, state, run, pool, more=more, time=time)
        done = {file.path_key for file in run[:taken]}
        waiting = [file for file in waiting if file.path_key not in done]
        first = False


def _pool(target: SyncTarget, workers: int, *, alone: bool = False) -> IndexPool:
    settings = target.settings
    return IndexPool(
        workers,
        ChunkLimits(max_chunks_per_file=settings.max_chunks_per_file, structure=settings.structure),
        target.clock,
        encoder=settings.encoder,
        terms=Terms(patience_ms=settings.parse_timeout_ms, alone=alone),
        # If a file is parsed alone, idle workers would take memory.
        kept=None if alone else target.parsers,
    )


def _index_portion(
    plan: Plan,
    state: _State,
    portion: Sequence[SourceFile],
    pool: IndexPool,
    *,
    more: int = 0,
    time: Deadline | None = None,
) -> int:
    """Read and publish a portion; return the number of files that were read.

    Args:
        plan: the work of all portions.
        state: the state of the sync, which is updated.
        portion: the files in the order in which they are read.
        pool: cuts the files.
        more: number of files that follow later.
        time: when to stop reading files, after at least one file; None to read all files.
    """
    reading = state.reading
    builder = SegmentBuilder(plan.job.target.encoder, plan.job.target.vectors)
    done, total = reading.handled, len(plan.changes.suspects)

    def advance(number: int, differs: bool) -> None:  # noqa: FBT001 - by place, of each file
        if state.consistency.is_time():
            _confirm(plan.job, state)
        state.differs = state.differs or differs
        stage = "index" if state.differs else "compare"
        plan.job.progress(SyncProgress(stage, done + number, total))

    part = index_files(
        _until(portion, time),
        plan.live,
        read=plan.declarations.read,
        pool=pool,
        builder=builder,
        advance=advance,
        again=plan.again,
    )
    reading.take(part)
    taken = reading.handled - done
    _confirm(plan.job, state)
    publication = _publication(
        plan,
        state,
        builder,
        part.indexed,
        is_last=not more,
        is_partial=more > 0 or taken < len(portion),
    )
    _publish(plan, state, publication)
    state.encoded += builder.vectors_encoded
    state.reused += builder.vectors_reused
    return taken


def _publication(
    plan: Plan,
    state: _State,
    builder: SegmentBuilder,
    indexed: Sequence[PathKey],
    *,
    is_last: bool,
    is_partial: bool,
) -> Publication:
    reading = state.reading
    waiting = [memory.file.path_key for memory in plan.changes.waiting]
    present = {file.path_key for file in plan.tree.files}
    read = problems.of_reading(reading, waiting)
    degraded = (
        *problems.of_snapshot(plan.doubts, reading, read, errors_of(state.view), present),
        *state.consistency.problems(),
    )
    _require_strictly(
        plan, state, (each for each in degraded if each.code != problems.PARSE_PENDING)
    )
    gone = [
        key
        for key in _gone(plan, reading)
        if key not in state.hidden and (is_last or not is_rules_file(key))
    ]
    outdated = (plan.outdated | _left_behind(plan, state)) - state.hidden - {*indexed}
    arrived = {reading.known[key].digest for key in reading.indexed if key not in plan.live}
    return Publication(
        builder=builder,
        indexed=indexed,
        gone=[*gone, *sorted(outdated - {*gone})],
        facts=Facts(
            ignore_fingerprint=ignore_fingerprint(plan.tree.ignore_files),
            git=state.git,
            problems=degraded[:MAX_PROBLEMS],
            problems_total=len(degraded),
            eligible_files=len(present) - len(reading.skipped) + plan.kept,
            partial=is_partial,
        ),
        renamed=frozenset(key for key in gone if plan.live[key] in arrived),
    )


def _publish(plan: Plan, state: _State, publication: Publication) -> None:
    """Publish a snapshot, unless it would equal the active snapshot."""
    target = plan.job.target
    most = most_segments(target.settings)
    if not is_needed(publication, state.view, root=target.root, most=most):
        return
    plan.job.progress(SyncProgress("publish", 0, 0))
    if root_identity(target.root) != plan.tree.root:
        raise SyncRefused(("the root was removed or replaced while it was read",))
    facts = publication.facts
    facts = dataclasses.replace(facts, git=sharing.state_to_publish(target, facts.git))
    publication = replace(publication, facts=facts)
    published = publish_changes(target, plan.job.lease, state.view, publication)
    state.view = published.view
    state.merged += published.merged_segments
    state.published = True
    state.hidden |= set(publication.gone)


def _confirm(job: Job, state: _State) -> None:
    """Raise TreeMoved unless all files that were read so far are of one git state."""
    known = state.reading.known
    walked = state.consistency.confirm(
        state.walked,
        lambda: {key: memory.file for key, memory in known.items()},
        partial(walk_tree, job, state.view),
    )
    if walked is not state.walked:
        state.walked = walked
        state.git = git_now(job.target, state.view, walked.tree)


def _left_behind(plan: Plan, state: _State) -> frozenset[PathKey]:
    """Return visible files of another commit whose new content was not parsed in time."""
    before = git_of(state.view)
    if before is None or state.git is None or before.head_sha == state.git.head_sha:
        return frozenset()
    return frozenset((state.reading.put_off.keys() & plan.live.keys()) - plan.again)


def _gone(plan: Plan, reading: Reading) -> list[PathKey]:
    """Return the visible files that no longer exist, or are no longer eligible."""
    skipped = {PathKey(skip.path_key) for skip in reading.skipped}
    keys = {*plan.changes.deleted, *(skipped & plan.live.keys())}
    return sorted(keys, key=lambda key: key.encode())


def _skipped(plan: Plan, reading: Reading) -> tuple[SkippedFile, ...]:
    every = (*plan.tree.skipped, *reading.skipped)
    return tuple(sorted(every, key=lambda skip: skip.path_key.encode("utf-8", "surrogateescape")))


def _require_strictly(plan: Plan, state: _State, degraded: Iterable[DegradedFile]) -> None:
    """Raise if the sync is strict and a file could not be read, decoded or chunked as intended."""
    if not plan.job.strict:
        return
    skipped = _skipped(plan, state.reading)
    if reasons := problems.strict_reasons(degraded, skipped, state.reading.unsure):
        raise SyncRefused(reasons)


def _report(plan: Plan, state: _State, manifest: SnapshotManifest, retry: Retry) -> SyncReport:
    target, tree, reading = plan.job.target, plan.tree, state.reading
    notices = (
        *((state.damage.rebuilt,) if state.damage else ()),
        *tree.notices,
        *problems.nothing_to_index(tree),
        *sharing.notices(target, manifest),
        *state.consistency.notices(),
    )
    return SyncReport(
        store_id=target.store_id,
        snapshot_id=manifest.snapshot_id,
        published=state.published,
        files=SyncFiles(
            indexed=len(reading.indexed),
            deleted=len(_gone(plan, reading)),
            unchanged=len(plan.changes.same) + len(reading.known) - len(reading.indexed),
        ),
        chunks=manifest.counts.chunks_visible,
        segments=len(manifest.segments),
        merged_segments=state.merged,
        vectors_encoded=state.encoded,
        vectors_reused=state.reused,
        skipped=_skipped(plan, reading),
        degraded=manifest.errors,
        warnings=tuple(map(SyncWarning.of, notices)),
        duration_ms=plan.job.elapsed_ms(),
        retry_after_ms=retry.left_ms(target.clock.now()),
        products=product_files(file.path_key for file in tree.files),
    )


def _remember(
    plan: Plan,
    state: _State,
    manifest: SnapshotManifest,
    report: SyncReport,
    retry: Retry,
) -> None:
    """Write the records that speed up the next sync, and the state that status shows."""
    target, walked, tree = plan.job.target, state.walked, plan.tree
    if state.damage is not None:
        note_healed(target.store, state.damage.cause, target.clock.now())
    known = remember_files(target, plan.changes, state.reading, read_at_ns=walked.read_at_ns)
    skipped = _skipped(plan, state.reading)
    remember_outcome(target, manifest, tree, skipped, plan.job.elapsed_ms(), retry)
    unchanged.remember(
        target,
        unchanged.Synced(tree, known, manifest, report, walked.look.files, walked.read_at_ns),
    )


def _require_room(target: SyncTarget) -> None:
    """Raise if the store already exceeds its budget."""
    most = target.settings.max_store_bytes  # 0 means no limit
    if most and (used := store_bytes(target.store)) > most:
        raise BudgetExceeded(f"the store has {used} bytes, but max_store_bytes is {most}")


def _until(files: Iterable[SourceFile], time: Deadline | None) -> Iterator[SourceFile]:
    """Yield the first file, and further files until `time`; if `time` is None, yield all files."""
    for number, file in enumerate(files):
        if number and time is not None and time.remaining_ms() <= 0.0:
            return
        yield file
