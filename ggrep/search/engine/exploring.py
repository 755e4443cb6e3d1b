"""The engine's other requests beside searches: slates, names, surrounding code."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from ggrep.base.clock import Clock
from ggrep.base.deadline import Deadline
from ggrep.base.identifiers import derived_id
from ggrep.base.ids import SnapshotId
from ggrep.base.locks import Patience
from ggrep.config.home import Home
from ggrep.config.role_rules import rules_of
from ggrep.config.settings import Settings
from ggrep.index.repo_identity import RepoIdentity
from ggrep.index.store.view import SnapshotView
from ggrep.model.navigation import (
    ExpandRequest,
    ExpandResponse,
    ReferencesRequest,
    ReferencesResponse,
    SymbolRequest,
    SymbolResponse,
)
from ggrep.model.response import Admitted
from ggrep.model.slate import SlateRequest, SlateResponse
from ggrep.model.standing import Standing
from ggrep.parse.workers.occurrence_pool import OccurrencePool
from ggrep.search.engine.expanding import check_expand, expand
from ggrep.search.engine.moment import of_the_moment
from ggrep.search.engine.name_answers import check_name, references, symbol
from ggrep.search.engine.query_answers import Context
from ggrep.search.engine.session_key import session_key
from ggrep.search.engine.sessions import OpenSession, begin, resume, resumed_snapshot
from ggrep.search.engine.slate_answers import check_slate, slate, slate_fingerprint
from ggrep.search.query.pipeline import check_request

_RETRY_MS = 5.0
"""A key is made in less."""


class Exploring(ABC):
    """Requests that lead from an answer into the code. Thread-safe."""

    home: Home
    settings: Settings
    clock: Clock
    identity: RepoIdentity
    _new_id: Callable[[], str]
    _standing: Callable[[], Standing]
    _occurrences: OccurrencePool

    @abstractmethod
    def pin(
        self, deadline: Deadline, *, counted: bool = True, snapshot_id: SnapshotId | None = None
    ) -> AbstractContextManager[SnapshotView]:
        """Yield a snapshot that is not removed while the block runs."""

    @abstractmethod
    def _context(self) -> Context:
        """Return the context of scored answers, with the encoder loaded."""

    def slate(
        self,
        request: SlateRequest,
        deadline: Deadline | None = None,
        *,
        request_id: str = "",
        admitted: Admitted | None = None,
    ) -> SlateResponse:
        """Answer a question with a slate, of the active snapshot or of its session's.

        Args:
            request: the question, its level and budgets.
            deadline: when to give up; None for the request's own, or the configured one.
            request_id: what the answer is named; empty for a new name.
            admitted: how the request came in, where somebody admits requests.

        Raises:
            InvalidRequest: the request or its session's token cannot be understood.
            NoIndex: nothing was ever published.
            SessionExpired: the session ended, or its snapshot went with a rebuild.
            SessionFull: the session has returned as many files as a token can name.
            DeadlineExceeded: the request's time ran out.
        """
        check_slate(request)
        check_request(request.search)
        timeout_ms = request.search.timeout_ms or self.settings.query_timeout_ms
        deadline = deadline or Deadline.after(self.clock, timeout_ms)
        start_ms = self.clock.monotonic_ms()
        with self._session(request, deadline) as (view, session):
            context = replace(
                self._context(),
                request_id=request_id,
                admitted=admitted,
                snapshot_read_ms=self.clock.monotonic_ms() - start_ms,
            )
            found = slate(context, view, request, deadline, session)
        return of_the_moment(found, self._standing(), deterministic=request.search.deterministic)

    def symbol(
        self,
        request: SymbolRequest,
        deadline: Deadline | None = None,
        *,
        request_id: str = "",
        admitted: Admitted | None = None,
    ) -> SymbolResponse:
        """Return where a name is defined in the active snapshot.

        Args:
            request: the name.
            deadline: when to give up; None for the request's own, or the configured one.
            request_id: what the answer is named; empty for a new name.
            admitted: how the request came in, where somebody admits requests.

        Raises:
            InvalidRequest: the request cannot be understood.
            NoIndex: nothing was ever published.
            DeadlineExceeded: the request's time ran out.
        """
        check_name(request)
        timeout_ms = request.timeout_ms or self.settings.query_timeout_ms
        deadline = deadline or Deadline.after(self.clock, timeout_ms)
        with self._navigating(deadline, request_id, admitted) as (context, view):
            found = symbol(context, view, request, deadline, self._occurrences)
        return of_the_moment(found, self._standing(), deterministic=request.deterministic)

    def references(
        self,
        request: ReferencesRequest,
        deadline: Deadline | None = None,
        *,
        request_id: str = "",
        admitted: Admitted | None = None,
    ) -> ReferencesResponse:
        """Return where a name is used in the active snapshot; arguments and errors as `symbol`."""
        check_name(request)
        timeout_ms = request.timeout_ms or self.settings.query_timeout_ms
        deadline = deadline or Deadline.after(self.clock, timeout_ms)
        with self._navigating(deadline, request_id, admitted) as (context, view):
            found = references(context, view, request, deadline, self._occurrences)
        return of_the_moment(found, self._standing(), deterministic=request.deterministic)

    def expand(
        self,
        request: ExpandRequest,
        deadline: Deadline | None = None,
        *,
        request_id: str = "",
        admitted: Admitted | None = None,
    ) -> ExpandResponse:
        """Return the code around a place in the active snapshot.

        Args:
            request: the place, and how far to go.
            deadline: when to give up; None for the request's own, or the configured one.
            request_id: what the answer is named; empty for a new name.
            admitted: how the request came in, where somebody admits requests.

        Raises:
            InvalidRequest: the target is no place in this index, or more than one.
            NoIndex: nothing was ever published.
            DeadlineExceeded: the request's time ran out.
        """
        check_expand(request)
        timeout_ms = request.timeout_ms or self.settings.query_timeout_ms
        deadline = deadline or Deadline.after(self.clock, timeout_ms)
        with self._navigating(deadline, request_id, admitted) as (context, view):
            found = expand(context, view, request, deadline)
        return of_the_moment(found, self._standing(), deterministic=request.deterministic)

    @contextmanager
    def _navigating(
        self, deadline: Deadline, request_id: str, admitted: Admitted | None
    ) -> Iterator[tuple[Context, SnapshotView]]:
        """Return the context of answers without vectors; the encoder is not loaded."""
        start_ms = self.clock.monotonic_ms()
        with self.pin(deadline) as view:
            context = Context(
                root=self.identity.root,
                settings=self.settings,
                encoder=None,
                clock=self.clock,
                new_id=self._new_id,
                request_id=request_id,
                admitted=admitted,
                snapshot_read_ms=self.clock.monotonic_ms() - start_ms,
            )
            yield context, view

    @contextmanager
    def _session(
        self, request: SlateRequest, deadline: Deadline
    ) -> Iterator[tuple[SnapshotView, OpenSession | None]]:
        """Return the snapshot that a slate is made of, and its session, opened; None for none."""
        asked, identity = request.session, self.identity
        if asked is None:
            with self.pin(deadline) as view:
                yield view, None
            return
        store, store_id = identity.store, identity.store_id
        patience = Patience(deadline, time.sleep, "the key of sessions is being made", _RETRY_MS)
        key = session_key(self.home, store_id, patience)
        if asked.token:
            pinned = resumed_snapshot(asked.token, store, store_id, key, self.clock.now())
            with self.pin(deadline, snapshot_id=pinned) as view:
                yield view, resume(asked.token, store, store_id, key, self.clock.now())
            return
        with self.pin(deadline) as view:
            snapshot_id = view.manifest.snapshot_id
            name = slate_fingerprint(request, rules_of(self.settings.roles), self._context())
            fixed = request.search.deterministic
            session_id = derived_id(name, snapshot_id) if fixed else self._new_id()
            yield view, begin(store, store_id, key, snapshot_id, session_id, self.clock.now())
