"""Plans a sync by comparing a walk of the tree with the active snapshot."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import SyncRefused
from ggrep.base.ids import PathKey
from ggrep.base.lease import Lease
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync import problems, stat_cache, without_git
from ggrep.index.sync.changes import ChangeSet, detect
from ggrep.index.sync.dataset_budget import DATASET_BUDGET, within_budget
from ggrep.index.sync.declarations import Declarations
from ggrep.index.sync.git_consistency import WalkedTree
from ggrep.index.sync.index_state import Retry
from ggrep.index.sync.record import retry_of
from ggrep.index.sync.sync_report import Progress
from ggrep.index.sync.target import SyncTarget
from ggrep.model.files import RECODED, UNSURE
from ggrep.model.response import GitState
from ggrep.model.sync import DegradedFile
from ggrep.parse.source.git_state import git_state
from ggrep.parse.source.path_keys import casefold_collisions, printable
from ggrep.parse.source.walk import Walk, walk


class Job(Struct, frozen=True):
    """A sync: its target and its options.

    Attributes:
        started_ms: start of the sync, on the target's clock.
    """

    target: SyncTarget
    lease: Lease
    progress: Progress
    strict: bool
    allow_degraded: bool
    started_ms: float

    def elapsed_ms(self) -> int:
        """Return the duration of the sync so far."""
        return round(self.target.clock.monotonic_ms() - self.started_ms)


class Plan(Struct, frozen=True):
    """The work of one attempt of a sync, published in one or more portions.

    Attributes:
        live: digests of the previously visible files, without the files in `outdated`.
        again: files to cut again even if they are unchanged.
        kept: number of visible files whose existence is unknown.
        doubts: problems with files that the walk could not read, or that a budget excludes.
        declarations: reads files in the encodings that the repository declares for them.
        retry: the next attempt for unfinished files, as recorded by the previous sync.
        tried: whether this sync tries the unfinished files again.
        outdated: changed visible files of later portions. They are hidden until their portion is
            published, because their old content could be of another commit than the first portion.
    """

    job: Job
    tree: Walk
    changes: ChangeSet
    live: dict[PathKey, str]
    again: frozenset[PathKey]
    kept: int
    doubts: tuple[DegradedFile, ...]
    declarations: Declarations
    retry: Retry
    tried: bool
    outdated: frozenset[PathKey] = frozenset()


def make_plan(job: Job, view: SnapshotView | None, walked: WalkedTree) -> Plan:
    """Compare a walk with the active snapshot.

    Raises:
        SyncRefused: two paths differ only by case and the settings require portable paths.
    """
    target, tree = job.target, walked.tree
    live = view.live_files() if view else {}
    known = stat_cache.load(store_files.stat_cache_file(target.store))
    retry = retry_of(target)
    tried = job.strict or retry.is_due(target.clock.now())
    again = frozenset(_unfinished(view, known)) if tried else frozenset[PathKey]()
    declarations = Declarations(target, tree.files)
    settled = {key: digest for key, digest in live.items() if tree.knows(key)}
    if view and not declarations.are_those_of(settled, known):
        again |= _recoded(view, known)
    unsure = view.files_of(UNSURE) if view and job.strict else ()
    changes = detect(tree.files, live, known, again={*again, *unsure})
    if target.settings.portable_paths:
        _require_portable(tree)
    return Plan(
        job=job,
        tree=tree,
        changes=replace(changes, deleted=tuple(key for key in changes.deleted if tree.knows(key))),
        live=live,
        again=again,
        kept=len(live) - len(settled),
        doubts=(*problems.of_tree(tree, changes.deleted), *walked.left_out),
        declarations=declarations,
        retry=retry,
        tried=tried,
    )


def walk_tree(
    job: Job, view: SnapshotView | None
) -> tuple[Walk, tuple[DegradedFile, ...], GitState | None]:
    """Walk the work tree; return its files, warnings about a profile's budget, and git's state.

    Git's state is read in another thread during the walk.
    """
    target = job.target
    before = any(problem.code == DATASET_BUDGET for problem in errors_of(view))
    with ThreadPoolExecutor(1) as beside:
        reading = beside.submit(_state_by_git, target)
        tree, left_out = within_budget(
            without_git.as_listed_before(
                walk(
                    target.root,
                    target.settings,
                    apart=Home.of_store(target.store).own_directories,
                ),
                target.root,
                view.live_files() if view else {},
                git_of(view),
            ),
            target.settings.max_bytes_indexed,
            allow_degraded=not job.strict and (job.allow_degraded or before),
        )
    return tree, left_out, git_now(target, view, tree, reading.result)


def git_now(
    target: SyncTarget,
    view: SnapshotView | None,
    tree: Walk,
    read: Callable[[], GitState | None] | None = None,
) -> GitState | None:
    """Return git's state; the state in the active snapshot if git could not list the files.

    Git cannot list the files if, for example, a lock of git was not released in time.
    """
    before = without_git.state_before(tree, git_of(view))
    if before is not None or not tree.git:
        return before
    return read() if read else _state_by_git(target)


def _state_by_git(target: SyncTarget) -> GitState | None:
    return git_state(target.root, untracked_included=target.settings.include_untracked)


def git_of(view: SnapshotView | None) -> GitState | None:
    """Return git's state in the active snapshot."""
    return view.manifest.git if view else None


def errors_of(view: SnapshotView | None) -> tuple[DegradedFile, ...]:
    """Return the problems of the active snapshot."""
    return view.manifest.errors if view else ()


def _unfinished(
    view: SnapshotView | None, known: Mapping[PathKey, stat_cache.Known]
) -> Iterator[PathKey]:
    """Yield unchanged files that a further attempt may read or parse better."""
    yield from (PathKey(each.path_key) for each in errors_of(view) if problems.is_passing(each))
    yield from (key for key, memory in known.items() if stat_cache.is_put_off(memory))


def _recoded(view: SnapshotView, known: Mapping[PathKey, stat_cache.Known]) -> frozenset[PathKey]:
    """Return the files whose text may change if the declared encodings change."""
    binary = (
        key
        for key, memory in known.items()
        if isinstance(memory, stat_cache.KnownSkip) and memory.skip.reason == "binary"
    )
    return frozenset((*binary, *view.files_of(RECODED | UNSURE)))


def _require_portable(tree: Walk) -> None:
    """Raise if the paths of two files differ only by case."""
    groups = casefold_collisions(file.path_key for file in tree.files)
    if groups:
        reason = "these paths differ only by case, and portable_paths is on; rename all but one"
        raise SyncRefused(
            tuple(f"{', '.join(map(printable, group))}: {reason}" for group in groups)
        )
