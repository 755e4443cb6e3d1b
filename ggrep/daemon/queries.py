"""Answers searches, names, outlines and slates from a snapshot of a store."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from anyio import to_thread
from msgspec import to_builtins
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import GgrepError, IndexDamaged, InvalidRequest, NoIndex
from ggrep.base.stable_json import Document, Json
from ggrep.config.root import canonical_root
from ggrep.config.settings import unknown_variables
from ggrep.daemon.admitting import (
    Caller,
    TimeSpent,
    first_snapshot,
    is_published,
    request_missing_snapshot,
    run_admitted,
    run_admitted_with,
    spent_from_now,
)
from ggrep.daemon.host_resources import HostResources
from ggrep.daemon.joint_members import CachedPool, cached_pool
from ggrep.daemon.query_job import (
    QueryAnswer,
    QueryJob,
    ReadQuery,
    logged_answer,
    query_answer,
    with_notices,
)
from ggrep.daemon.query_log import logged_request, note, note_failure
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.index.store.active import read_active
from ggrep.model.filters import keys_of_scope
from ggrep.model.index_freshness import stale_notice
from ggrep.model.limits import Notice
from ggrep.model.operations import bounded, bounds_of, operation_of
from ggrep.model.request import PoolRequest, SearchRequest, can_scan
from ggrep.model.response import QueryResponse
from ggrep.model.sanitise import without_directories
from ggrep.model.slate import SlateRequest
from ggrep.protocol.wire.messages import (
    Ask,
    Claim,
    Describe,
    Fetch,
    Search,
    message_json,
)
from ggrep.render.printed import Rendered

if TYPE_CHECKING:
    from ggrep.search.engine.engine import Engine

_NO_SETTINGS: Final = frozenset(
    {"GGREP_CLIENT_ID", "GGREP_CLIENT_KIND", "GGREP_HOME", "GGREP_LINKS", "GGREP_PAGER"}
)
"""Variables that change no setting; the client's locator determines the home."""

_MOST_SCOPES: Final = 1024


class StaleHint(GgrepError):
    """The locator may be outdated; the client must compute the daemon's address."""

    code = "stale_hint"


def check_process(shared: HostResources, claim: Claim) -> None:
    """Raise unless this process has the build and settings variables of the client."""
    if claim.build != shared.build:
        raise StaleHint("the client and the daemon are different builds of ggrep")
    if unknown_variables(claim.environ):
        raise StaleHint("the client's environment contains an unknown GGREP_ variable")
    if _of_settings(claim.environ) != _of_settings(shared.settings_environ):
        raise StaleHint("the client and the daemon have different GGREP_ variables")


async def check_claim(daemon: StoreDaemon, claim: Claim, *scopes: str) -> None:
    """Raise unless this daemon certainly has the client's build, root and settings for `scopes`."""
    check_process(daemon.shared, claim)
    if claim.root != str(daemon.identity.root):
        raise StaleHint("the daemon serves another root")
    if daemon.config.profile.shapes_answers:
        # A plain search does not distinguish typed options from defaults.
        raise StaleHint("the daemon uses a profile that changes answers")
    if daemon.stale or not await to_thread.run_sync(daemon.config.is_current):
        raise StaleHint("the settings have changed")
    if not await to_thread.run_sync(_are_inside, daemon, scopes):
        raise StaleHint("the path belongs to another root or was removed")


def _of_settings(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name not in _NO_SETTINGS}


def _are_inside(daemon: StoreDaemon, scopes: Iterable[str]) -> bool:
    return all(_is_inside(daemon, scope) for scope in scopes)


def _is_inside(daemon: StoreDaemon, scope: str) -> bool:
    """Return whether a path below the root belongs to this root, not to a nested repository.

    Running git takes milliseconds, so the result is cached until another snapshot is active.
    """
    try:
        snapshot = read_active(daemon.identity.store) or ""
        if daemon.scopes.get(scope) == snapshot != "":
            return True
        root = daemon.identity.root
        if canonical_root(root / scope if scope else root) != root:
            return False
    except (GgrepError, OSError, ValueError):  # ValueError: the scope is not a valid path
        return False
    if len(daemon.scopes) >= _MOST_SCOPES:
        daemon.scopes.clear()
    daemon.scopes[scope] = snapshot
    return True


def scope_of(daemon: StoreDaemon, path: str) -> str:
    """Return the path key of a directory or file below the root; empty for the root."""
    named, root = PurePosixPath(path), daemon.identity.root
    if ".." in named.parts or not named.is_relative_to(root):
        raise InvalidRequest(f"path: {path!r} is not inside the repository")
    scope = named.relative_to(root).as_posix()
    return "" if scope == "." else scope


def _moment_notices(
    daemon: StoreDaemon, *, scanned: bool, deterministic: bool
) -> tuple[Notice, ...]:
    """Return notices that an answer may be outdated.

    A deterministic answer has no notice about polling.
    """
    stale = (stale_notice(daemon.stale_reason, scanned=scanned),) if daemon.stale else ()
    return stale if deterministic else (*stale, *_polling_notices(daemon))


A = TypeVar("A", bound=Any)


def _with_warnings(daemon: StoreDaemon, answer: A, *, deterministic: bool) -> A:
    scanned = answer.provenance.scan is not None
    return with_notices(
        answer, _moment_notices(daemon, scanned=scanned, deterministic=deterministic)
    )


def _polling_notices(daemon: StoreDaemon) -> list[Notice]:
    """Return the notice that the root is polled; empty if the root is watched."""
    watch = daemon.shared.watcher.state(daemon.identity.root)
    if watch.mode != "polling":
        return []
    message = f"changes of files are noticed some seconds late: {watch.problem}"
    return [Notice("watch_polling", without_directories(message))]


T = TypeVar("T")
Body = Document


async def search(daemon: StoreDaemon, caller: Caller, message: Search) -> Body:
    """Answer a search with a document, a value or rendered output."""
    request, spent = message.request, spent_from_now(daemon)
    asked_ms = spent.started_ms - message.waited_ms
    if message.path:
        request = replace(request, scope=scope_of(daemon, message.path))
    deadline = caller.deadline(daemon, request.timeout_ms)
    if message.claim is not None:
        await check_claim(daemon, message.claim, *(keys_of_scope(request.scope) or ("",)))

    def work(ask: Callable[..., QueryResponse]) -> QueryAnswer:
        response = ask(
            request,
            deadline,
            budgets=message.budgets,
            request_id=caller.request_id,
            admitted=spent.admitted,
        )
        response = _with_warnings(daemon, response, deterministic=request.deterministic)
        return query_answer(response, message, daemon.identity.root)

    try:
        if message.claim is None:
            scans = await _must_scan(daemon, request, deadline, spent)
        else:
            scans = False
            await _require_index(daemon, request)
        opened = partial(_scan_of if scans else _search_of, daemon, asked_ms)
        plain = replace(message, request=request, path="", claim=None)
        elsewhere = None if scans else _elsewhere(daemon, caller, deadline, spent, plain)
        answer = await run_admitted_with(
            daemon, caller, deadline, spent, lambda: work(opened()), elsewhere
        )
    except BaseException as error:
        if message.claim is None or not isinstance(error, NoIndex):
            note_failure(daemon, caller, logged_request(request), spent, error)
        raise
    if answer.best:
        daemon.prioritise(answer.best)
    daemon.counters.note_work(answer.segments, answer.logged.stages)
    note(daemon, caller, logged_request(request), spent, answer.logged)
    return answer.body


def _elsewhere(
    daemon: StoreDaemon, caller: Caller, deadline: Deadline, spent: TimeSpent, message: ReadQuery
) -> Callable[[], Awaitable[QueryAnswer | None]]:
    """Return a function that queries a query worker and returns None if the host must answer."""

    async def answer() -> QueryAnswer | None:
        store, workers = daemon.store_to_open, daemon.shared.queries
        if not workers.is_free(store.key):
            if workers.is_short(store.key, daemon.shared.clock.monotonic_ms()):
                daemon.in_background(partial(workers.prepare, store, daemon.log))
            return None
        deterministic = bounds_of(message.request).deterministic
        job = QueryJob(
            store.key,
            message_json("", message),
            caller.request_id,
            admitted=spent.admitted,
            notices=_moment_notices(daemon, scanned=False, deterministic=deterministic),
            standing=daemon.standing(),
        )
        return await workers.answer(job, deadline)

    return answer


def _search_of(daemon: StoreDaemon, asked_ms: float) -> Callable[..., QueryResponse]:
    """Return a function that answers a search from the index, or by a scan without a snapshot."""
    search = daemon.engine().search

    def ask(request: SearchRequest, deadline: Deadline, **more: Any) -> QueryResponse:  # noqa: ANN401 - passed on
        try:
            return search(request, deadline, **more)
        except (NoIndex, IndexDamaged) as error:
            if not can_scan(request):
                raise
            scan = daemon.scanner(str(error) if isinstance(error, IndexDamaged) else "").scan
            return scan(request, deadline, asked_ms=asked_ms, **more)

    return ask


def _scan_of(daemon: StoreDaemon, asked_ms: float) -> Callable[..., QueryResponse]:
    """Return a function that answers a search by a scan; `asked_ms` is the search's start."""
    return partial(daemon.scanner().scan, asked_ms=asked_ms)


async def _must_scan(
    daemon: StoreDaemon, request: SearchRequest, deadline: Deadline, spent: TimeSpent
) -> bool:
    """Return whether a scan must answer because the index is missing or small.

    If a scan cannot answer the request, wait for the first snapshot.
    """
    if can_scan(request):
        if not is_published(daemon):
            request_missing_snapshot(daemon)
            return True
        return await _is_sparse(daemon)
    await first_snapshot(daemon, deadline)
    # The duration of a first index counts for its sync, not for the search.
    spent.started_ms = daemon.shared.clock.monotonic_ms()
    return False


async def _require_index(daemon: StoreDaemon, request: SearchRequest) -> None:
    """Raise `NoIndex` if a scan would answer, so that the client shows indexing progress."""
    if can_scan(request) and await _is_sparse(daemon):
        raise NoIndex("there is no index yet, or only a small part of it")


async def _is_sparse(daemon: StoreDaemon) -> bool:
    # Without a thread, requests keep their order.
    return not daemon.whole and await to_thread.run_sync(
        daemon.is_sparse, limiter=daemon.shared.threads
    )


async def describe(daemon: StoreDaemon, caller: Caller, message: Describe) -> Body:
    """Answer with the description that a coordinator needs before it sends queries."""
    deadline, spent = caller.deadline(daemon, message.timeout_ms), spent_from_now(daemon)
    description = await run_admitted(
        daemon, caller, deadline, spent, lambda engine: engine.describe(deadline)
    )
    return {"description": to_builtins(daemon.described(description))}


Printer: TypeAlias = Callable[[Any], Rendered]
"""Returns the output of a command for an answer."""


async def answer_query(
    daemon: StoreDaemon, caller: Caller, message: Ask[Any], printed: Printer | None = None
) -> Document:
    """Answer a query with a document, a value or rendered output."""
    request = message.request
    if message.path:
        request = bounded(request, scope=scope_of(daemon, message.path))
    operation, bounds = operation_of(request), bounds_of(request)
    spent, logged = spent_from_now(daemon), logged_request(request)
    deadline = caller.deadline(daemon, bounds.timeout_ms)
    if isinstance(bounds, SearchRequest):
        await _begin_with(daemon, caller, deadline, bounds)

    def work(engine: "Engine") -> QueryAnswer:
        answer: Any = engine.ask(
            request, deadline, request_id=caller.request_id, admitted=spent.admitted
        )
        answer = _with_warnings(daemon, answer, deterministic=bounds.deterministic)
        if printed is not None:
            rendered: Document = {"rendered": printed(answer).document()}
            return QueryAnswer(rendered, logged_answer(answer, operation))
        return query_answer(answer, message, daemon.identity.root)

    # Processes of the host parse names.
    plain = replace(message, request=request, path="")
    reads = isinstance(request, SlateRequest) and printed is None
    elsewhere = _elsewhere(daemon, caller, deadline, spent, plain) if reads else None
    try:
        await first_snapshot(daemon, deadline)
        spent.started_ms = daemon.shared.clock.monotonic_ms()
        answer = await run_admitted_with(
            daemon, caller, deadline, spent, lambda: work(daemon.engine()), elsewhere
        )
    except BaseException as error:
        note_failure(daemon, caller, logged, spent, error)
        raise
    note(daemon, caller, logged, spent, answer.logged)
    return answer.body


async def _begin_with(
    daemon: StoreDaemon, caller: Caller, deadline: Deadline, request: SearchRequest
) -> None:
    """If there is no index yet, start the first index with the best files for a query.

    Errors are ignored here: the query itself reports them.
    """
    if is_published(daemon) or not can_scan(request):
        return
    with suppress(GgrepError):
        spent = spent_from_now(daemon)
        answer = await run_admitted_with(
            daemon, caller, deadline, spent, lambda: daemon.scanner().scan(request, deadline)
        )
        if answer.provenance.scan is not None:
            daemon.prioritise(answer.provenance.scan.best)


async def answer_coordinator(daemon: StoreDaemon, caller: Caller, message: Fetch[Any]) -> Document:
    """Answer a coordinator with lists to merge."""
    request, spent = message.request, spent_from_now(daemon)
    operation, logged = operation_of(request), logged_request(request)
    deadline = caller.deadline(daemon, bounds_of(request).timeout_ms)

    def work(engine: "Engine") -> tuple[Any, Json]:
        if isinstance(request, PoolRequest):
            lists = _lists(daemon, engine, request, deadline)
            return lists.pool, lists.document
        answer = engine.ask(request, deadline)
        return answer, to_builtins(answer)

    try:
        answer, document = await run_admitted(daemon, caller, deadline, spent, work)
    except BaseException as error:
        if operation.count:
            note_failure(daemon, caller, logged, spent, error)
        raise
    if operation.count:
        note(daemon, caller, logged, spent, logged_answer(answer, operation))
    return {operation.reply_key: document}


def _lists(
    daemon: StoreDaemon, engine: "Engine", request: PoolRequest, deadline: Deadline
) -> CachedPool:
    """Return ranked lists, from the cache if an equal request was answered from this snapshot."""
    view, cache = engine.view(deadline), daemon.pools
    if view.notices or request.session:  # notices change, and sessions end
        return cached_pool(engine.ask(request, deadline))
    cached = cache.get(view.manifest.snapshot_id, request)
    return cached or cache.put(request, engine.ask(request, deadline))
