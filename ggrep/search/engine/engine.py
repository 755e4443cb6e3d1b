"""Answers requests to one repository, and maintains its index.

The first request of an operation loads the modules of the operation. This reduces the start-up time
of a process that answers a single search by a fifth. A daemon loads the modules of all operations
when it warms up.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from ggrep.base.clock import Clock, Deadline
from ggrep.base.errors import GgrepError, IndexDamaged, NoIndex
from ggrep.base.ids import SnapshotId
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.config.settings import Settings, with_budgets
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync.index_state import SkippedFiles, recorded_standing
from ggrep.model.index_freshness import IndexFreshness
from ggrep.model.limits import Counts
from ggrep.model.operations import bounds_of, loaded, operation_of
from ggrep.model.request import Request, SearchRequest, can_scan
from ggrep.model.response import Admitted, QueryResponse, RepoDescription
from ggrep.parse.workers.occurrence_pool import OccurrencePool
from ggrep.search.engine import query_answers as answers
from ggrep.search.engine.repo_index import ALONE, Hosted, RepoIndex
from ggrep.search.query.answerer import Answerer, Unpinned
from ggrep.search.query.context import Context
from ggrep.search.query.pipeline import check_request
from ggrep.search.query.row_reading import shown_rows
from ggrep.search.query.segments import open_segments

if TYPE_CHECKING:
    from ggrep.search.engine.scanning import Scanner

R = TypeVar("R")


class Engine(RepoIndex):
    """A repository's index that answers requests. Thread-safe."""

    def __init__(  # noqa: PLR0913 - as the index
        self,
        root: Path,
        home: Home,
        *,
        environ: Mapping[str, str] = MappingProxyType({}),
        flags: Mapping[str, object] = MappingProxyType({}),
        clock: Clock | None = None,
        settings: Settings | None = None,
        hosted: Hosted = ALONE,
        until: Deadline | None = None,
    ) -> None:
        """Set up the repository at `root`; see `RepoIndex`.

        A request without a deadline ends at `until` at the latest.
        """
        super().__init__(
            root, home, environ=environ, flags=flags, clock=clock, settings=settings, hosted=hosted
        )
        self._until = until
        self._hosted_occurrences = hosted.occurrences
        self._occurrences = hosted.occurrences or OccurrencePool()
        state_file = store_files.index_state_file(self.identity.store)
        self._is_detached = hosted.detached
        self._standing = hosted.standing or partial(recorded_standing, state_file)
        self._answers_key = answers.answers_key_of(self.settings)
        self._skipped = SkippedFiles(state_file)
        self._description: (
            tuple[SnapshotView | None, IndexFreshness, Counts, RepoDescription] | None
        ) = None

    def close(self) -> None:
        """Close the snapshot and its tables, and end child processes; requests reopen them."""
        super().close()
        self._description = None
        # A running request keeps the old pool. The pool's processes end with the request.
        self._occurrences = self._hosted_occurrences or OccurrencePool()

    def warm(self) -> None:
        """Load the encoder, the snapshot, its segments and a table before the first search.

        Raises:
            GgrepError: there is no index, or the index cannot be opened.
        """
        _ = self.encoder
        with self.pin(Deadline.never(self.clock), counted=False) as view:
            for segment in open_segments(view)[:1]:
                shown_rows(view, segment, [0] if segment.image.rows else [])

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
        """Answer a search request from one snapshot.

        Args:
            request: the search request.
            deadline: when to stop with `DeadlineExceeded`; None for the request's deadline, or else
                the configured one.
            budgets: limits of output that replace the repository's settings.
            request_id: the id of the answer; empty for a new id.
            admitted: how long the request waited for admission, and behind how many other requests;
                None without admission control.
            snapshot_id: the snapshot to search; None for the active one.

        Raises:
            InvalidRequest: the request cannot be understood.
            NoIndex: nothing was ever published.
            SnapshotGone: the snapshot was removed.
            DeadlineExceeded: the request's time ran out.
        """
        check_request(request)
        deadline = deadline or self._deadline(request.timeout_ms)
        with self._answering(deadline, snapshot_id, request_id, admitted) as context:
            settings = with_budgets(self.settings, budgets)
            return answers.answer(replace(context, settings=settings), request)

    def search_or_scan(
        self, request: SearchRequest, deadline: Deadline | None = None
    ) -> QueryResponse:
        """Answer a query from a snapshot, or by a scan of the work tree if there is none.

        Raises:
            NoIndex, IndexDamaged: no snapshot is usable, and a scan cannot answer the query.
            GgrepError: as `search`.
        """
        try:
            return self.search(request, deadline)
        except (NoIndex, IndexDamaged) as error:
            if not can_scan(request):
                raise
            damage = str(error) if isinstance(error, IndexDamaged) else ""
            deadline = deadline or self._deadline(request.timeout_ms)
            return self._scanner(damage).scan(request, deadline)

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
        """Answer a query by scanning the work tree, while no snapshot is published.

        For the arguments, see `search`. `asked_ms` is the time of the request on the engine's
        clock.

        Raises:
            InvalidRequest: the request cannot be understood.
            NoIndex: a scan cannot answer the query.
            DeadlineExceeded: the request's time ran out.
        """
        return self._scanner().scan(
            request,
            deadline or self._deadline(request.timeout_ms),
            asked_ms=asked_ms,
            budgets=budgets,
            request_id=request_id,
            admitted=admitted,
        )

    def _scanner(self, damage: str = "") -> "Scanner":
        from ggrep.search.scan import prefetch_listing

        begun = prefetch_listing.begin(self.identity.root, self.settings, self.clock)
        from ggrep.search.engine.scanning import Scanner

        return Scanner(
            self.identity,
            self.home,
            self.settings,
            self.clock,
            new_id=self._new_id,
            standing=self._standing,
            prefetch=begun,
            damage=damage,
        )

    def describe(self, deadline: Deadline | None = None) -> RepoDescription:
        """Return the description that a coordinator needs before it queries this repository.

        Raises:
            DeadlineExceeded: time ran out while the snapshot was opened.
        """
        deadline = deadline or Deadline.never(self.clock)
        try:
            with self.pin(deadline) as view:
                return self._described(view, deadline)
        except NoIndex:
            return self._described(None, deadline)

    def describe_current(self, deadline: Deadline) -> tuple[SnapshotView, RepoDescription]:
        """Return the active snapshot, not verified (see `Snapshots.current`), and its description.

        Raises:
            NoIndex: nothing was ever published.
            GgrepError: as `describe`.
        """
        view = self._snapshots.current(deadline)
        return view, self._described(view, deadline)

    def look_again(self) -> None:
        """Make the next description verify the active snapshot first."""
        self._snapshots.look_again()

    def _described(self, view: SnapshotView | None, deadline: Deadline) -> RepoDescription:
        """Return the description of a snapshot, as the same object while nothing changes."""
        standing, skipped, cached = self._standing(), self._skipped(), self._description
        if cached is not None and cached[0] is view and cached[1:3] == (standing, skipped):
            return cached[3]
        description = answers.describe(
            view,
            self.identity,
            answers_key=self._answers_key,
            standing=standing,
            skipped=skipped,
            deadline=deadline,
        )
        self._description = view, standing, skipped, description
        return description

    def ask(
        self,
        request: Request[R],
        deadline: Deadline | None = None,
        *,
        request_id: str = "",
        admitted: Admitted | None = None,
    ) -> R:
        """Return the answer to a request, from one snapshot. For the arguments, see `search`.

        Raises:
            InvalidRequest: the request cannot be understood.
            NoIndex: nothing was ever published.
            SnapshotGone: the snapshot of the request was removed.
            SessionExpired: the request's session ended, or a rebuild removed the session's
                snapshot.
            SessionFull: the session has returned as many files as a token can name.
            DeadlineExceeded: the request's time ran out.
        """
        answerer: Answerer[Request[R], R] = loaded(operation_of(request).answerer)
        answerer.check(request)
        deadline = deadline or self._deadline(bounds_of(request).timeout_ms)
        store = Unpinned(
            self.home,
            self.identity.store_id,
            deadline,
            self.clock,
            lambda: self.view(deadline),
        )
        wanted = answerer.snapshot(store, request)
        with self._answering(
            deadline, wanted, request_id, admitted, vectors=answerer.vectors
        ) as context:
            return answerer.answer(context, request)

    def _deadline(self, timeout_ms: int) -> Deadline:
        until = self._until or Deadline.never(self.clock)
        return until.within(timeout_ms or self.settings.query_timeout_ms)

    @contextmanager
    def _answering(
        self,
        deadline: Deadline,
        snapshot_id: SnapshotId | None = None,
        request_id: str = "",
        admitted: Admitted | None = None,
        *,
        vectors: bool = True,
    ) -> Iterator[Context]:
        """Pin a snapshot and yield the context of an answer; with `vectors` it has an encoder."""
        start_ms, pinned = self.clock.monotonic_ms(), ""
        try:
            with self.pin(deadline, snapshot_id=snapshot_id) as view:
                pinned = view.manifest.snapshot_id
                yield Context(
                    view=view,
                    home=self.home,
                    root=self.identity.root,
                    deadline=deadline,
                    settings=self.settings,
                    encoder=self.encoder if vectors else None,
                    clock=self.clock,
                    new_id=self._new_id,
                    standing=self._standing,
                    skipped=self._skipped,
                    occurrences=self._occurrences,
                    detached=self._is_detached,
                    request_id=request_id,
                    admitted=admitted,
                    snapshot_read_ms=self.clock.monotonic_ms() - start_ms,
                )
        except GgrepError as error:
            error.request_id, error.snapshot_id = request_id or self._new_id(), pinned
            raise
