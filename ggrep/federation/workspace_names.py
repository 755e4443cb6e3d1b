"""Definitions and usages of a name over a workspace.

The answer equals that of a single store over the files of all repositories that answered.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from ggrep.base.clock import Clock
from ggrep.base.errors import GgrepError
from ggrep.base.formats import REFERENCES_SCHEMA, SYMBOL_SCHEMA
from ggrep.base.ids import RepoId
from ggrep.config.fingerprints import asked_fingerprint
from ggrep.federation.coordinator import deadline_of
from ggrep.federation.coordinator_cache import CoordinatorCache
from ggrep.federation.diagnostics import Diagnostic
from ggrep.federation.envelope import Envelope, RepoNotices, envelope_of
from ggrep.federation.fanout import Skipped, fan_out
from ggrep.federation.fanout_session import FanoutSession
from ggrep.federation.federated_request import FederatedRequest, check_request
from ggrep.federation.name_merging import (
    InRepo,
    fits,
    is_mentioned,
    merge_references,
    merge_symbol,
    outside_of,
    suggests,
)
from ggrep.federation.name_rounds import NameRounds, P, judge_all
from ggrep.federation.repo_outcomes import RepoLimit
from ggrep.federation.searcher import Searchers
from ggrep.federation.selection import select_repos
from ggrep.federation.workspace import Workspace
from ggrep.model.containers import OTHER_CONTAINER, container_notices, nothing_but
from ggrep.model.filters import matched_by_any, unmatched_notices
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.name_pools import (
    MOST_IMPORTERS,
    REFERENCE_STEPS,
    SYMBOL_STEPS,
    Consumed,
    Importer,
    ImportsRequest,
    ImportsResponse,
    NameStep,
    PageCursor,
    ReferencesPool,
    ReferencesPoolRequest,
    SymbolPool,
    SymbolPoolRequest,
    check_spelling,
    clamped,
    implementation_cut,
    limit_code,
    other_case,
    question_digest,
    read_token,
    token_of,
)
from ggrep.model.navigation import (
    DefinedAt,
    Definition,
    OutsideName,
    Reference,
    ReferencesRequest,
    SymbolRequest,
)
from ggrep.model.request import SearchRequest
from ggrep.model.response import Provenance
from ggrep.model.written_names import last_part, name_parts
from ggrep.render.answer_json import paged_json

TIES_UNKNOWN: Final = "WARN_FEDERATED_TIES_UNKNOWN"


class FederatedSymbol(Envelope, frozen=True, kw_only=True):
    """Definitions of a name in a workspace."""

    asked: SymbolRequest
    definitions: tuple[InRepo[Definition], ...] = ()
    total: int = 0
    suggestions: tuple[str, ...] = ()
    next_cursor: str = ""
    implementations: tuple[InRepo[DefinedAt], ...] = ()
    implementations_total: int = 0
    outside: tuple[InRepo[OutsideName], ...] = ()

    def shown(self) -> Iterable[RepoId]:
        """Yield the repositories of the definitions, implementations and imports."""
        places = (self.definitions, self.implementations, self.outside)
        return (each.repo_id for group in places for each in group)

    def body(self) -> dict[str, Any]:
        """Return the definitions."""
        return {
            "schema_version": SYMBOL_SCHEMA,
            "format": "symbol",
            "name": self.asked.name,
            "limits": {"max_symbols": self.asked.limit},
            "definitions": _places(self, self.definitions),
            "total": self.total,
            "suggestions": list(self.suggestions),
            "implementations": _places(self, self.implementations),
            "implementations_total": self.implementations_total,
            "outside": _places(self, self.outside),
            **paged_json(self.next_cursor),
        }


class FederatedReferences(Envelope, frozen=True, kw_only=True):
    """Usages of a name in a workspace.

    Attributes:
        files: number of files with a shown occurrence.
        mentions: number of occurrences in files that were not parsed; `mention_files` is the number
            of these files.
        defining: repositories that define the name in the requested container.
    """

    asked: ReferencesRequest
    references: tuple[InRepo[Reference], ...] = ()
    totals: tuple[tuple[str, int], ...] = ()
    files: int = 0
    mentions: int = 0
    mention_files: int = 0
    defining: tuple[RepoId, ...] = ()
    defined: tuple[InRepo[DefinedAt], ...] = ()
    outside: tuple[InRepo[OutsideName], ...] = ()
    next_cursor: str = ""

    def shown(self) -> Iterable[RepoId]:
        """Yield the repositories of the usages, definitions and imports."""
        for group in (self.references, self.defined, self.outside):
            yield from (each.repo_id for each in group)
        yield from self.defining

    def body(self) -> dict[str, Any]:
        """Return the usages."""
        return {
            "schema_version": REFERENCES_SCHEMA,
            "format": "references",
            "name": self.asked.name,
            "limits": {
                "max_references": self.asked.limit,
                "strings": self.asked.strings,
                "comments": self.asked.comments,
            },
            "references": _places(self, self.references),
            "totals": dict(self.totals),
            "files": self.files,
            "mentions": self.mentions,
            "mention_files": self.mention_files,
            "definedIn": list(self.defining),
            "defined": _places(self, self.defined),
            "outside": _places(self, self.outside),
            **paged_json(self.next_cursor),
        }


def _places(answer: Envelope, places: Iterable[InRepo[Any]]) -> list[dict[str, Any]]:
    """Return the JSON of locations with their repositories and their ties to definitions."""
    aliases = {repo.repo_id: repo.alias for repo in answer.workspace.repos}
    return [
        {
            **asdict(each.place),
            "repoId": each.repo_id,
            "repoAlias": aliases[each.repo_id],
            **({} if each.tie is None else {"tie": each.tie}),
        }
        for each in places
    ]


def name_request(
    request: FederatedRequest, asked: SymbolRequest | ReferencesRequest
) -> FederatedRequest:
    """Return the workspace request for a name, with the selection and limits of `request`."""
    search = SearchRequest(
        query=asked.name,
        scope=asked.scope,
        filters=asked.filters,
        deterministic=asked.deterministic,
        timeout_ms=asked.timeout_ms or request.search.timeout_ms,
    )
    return replace(request, search=search)


async def federated_symbol(
    workspace: Workspace,
    request: FederatedRequest,
    asked: SymbolRequest,
    searchers: Searchers,
    clock: Clock,
) -> FederatedSymbol:
    """Return the definitions of a name in the selected repositories.

    If a repository fails, the answer reports its error and contains the definitions of all others.
    The request fails if it is strict, if all repositories fail, or if an earlier page contains
    results of the failed repository.

    `request.search` is not used.
    """
    asked, limits = clamped(asked)
    query = await _begin(workspace, request, asked, searchers, clock)

    rounds = NameRounds(query.session, SymbolPoolRequest(asked), fits, query.cursor)
    spelled, other, near = SYMBOL_STEPS
    step = await rounds.until_decided((spelled, other))
    replies = rounds.given
    if step is None and not any(suggests(pools.values()) for pools in replies.values()):
        await rounds.go(near)
    merged = merge_symbol(replies, step, asked.limit)
    shown = merged.definitions
    cuts, next_cursor = query.page(rounds, step, shown, merged.total)
    cuts += tuple(map(RepoLimit, implementation_cut(asked, merged.implementations_total)))
    notices = list(other_case(last_part(asked.name), merged.spellings) if step == other else ())
    if step is None:
        beside = any(suggests(replies.get(each, {}).values()) for each in (spelled, other))
        message = nothing_but(name_parts(asked.name), merged.suggestions)
        notices += [Notice(OTHER_CONTAINER, message)] if beside else []
        notices += query.unselected(replies.get(spelled, {}).values())
    envelope = query.envelope(
        _notices(rounds),
        diagnostics=[Diagnostic(notice.code, notice.message) for notice in notices],
        limits=[*map(RepoLimit, limits), *cuts],
        lacking=step is None or bool(cuts),
        empty=not shown,
    )
    if envelope.error is not None:
        return FederatedSymbol(**asdict(envelope), asked=asked)
    return FederatedSymbol(
        **asdict(envelope),
        asked=asked,
        definitions=shown,
        total=merged.total,
        suggestions=merged.suggestions,
        next_cursor=next_cursor,
        implementations=merged.implementations,
        implementations_total=merged.implementations_total,
        outside=merged.outside,
    )


async def federated_references(
    workspace: Workspace,
    request: FederatedRequest,
    asked: ReferencesRequest,
    searchers: Searchers,
    clock: Clock,
) -> FederatedReferences:
    """Return the usages of a name in the selected repositories; see `federated_symbol`."""
    asked, limits = clamped(asked)
    query = await _begin(workspace, request, asked, searchers, clock)

    wanted = ReferencesPoolRequest(asked)
    rounds = NameRounds(query.session, wanted, is_mentioned, query.cursor)
    await rounds.until_decided(REFERENCE_STEPS)
    parts = name_parts(asked.name)
    step, defined = await judge_all(rounds, tuple(parts[:-1]))
    pools = rounds.given.get(step or REFERENCE_STEPS[0], {})
    merged = merge_references(pools, asked, defined)
    cuts, next_cursor = query.page(
        rounds, step, merged.references, merged.wanted, exact=not merged.mentions
    )
    left = sum(pool.left for pool in pools.values())
    notices = [
        *(other_case(parts[-1], merged.spellings) if step == REFERENCE_STEPS[-1] else ()),
        *container_notices(parts, defined.by_relation, left, merged.doubtful),
        *(() if step is not None else query.unselected(pools.values())),
    ]
    shown, unknown = await _with_ties(query, rounds, pools, merged.references, merged.defining)
    envelope = query.envelope(
        _notices(rounds),
        diagnostics=[*(Diagnostic(notice.code, notice.message) for notice in notices), *unknown],
        limits=[*map(RepoLimit, limits), *cuts],
        lacking=step is None or bool(cuts),
        empty=not shown,
    )
    if envelope.error is not None:
        return FederatedReferences(**asdict(envelope), asked=asked)
    return FederatedReferences(
        **asdict(envelope),
        asked=asked,
        references=shown,
        totals=merged.totals,
        files=len({(each.repo_id, each.place.path) for each in shown}),
        mentions=merged.mentions,
        mention_files=merged.mention_files,
        defining=merged.defining,
        defined=defined.first,
        outside=() if defined.first else outside_of(pools),
        next_cursor=next_cursor,
    )


class _NameQuery(Struct, frozen=True):
    """A running query about a name.

    Attributes:
        digest: identity of the query, without its page size.
        cursor: end of the previous page; None for the first page.
    """

    session: FanoutSession
    asked: SymbolRequest | ReferencesRequest
    clock: Clock
    started_ms: float
    digest: str
    cursor: PageCursor | None

    def page(
        self,
        rounds: NameRounds[P],
        step: NameStep | None,
        shown: Sequence[InRepo[Any]],
        total: int,
        *,
        exact: bool = True,
    ) -> tuple[tuple[RepoLimit, ...], str]:
        """Return the limit hit by the page that ends with `shown`, and the next page's cursor.

        Without `exact` there can be more locations than `total`.
        """
        before = {each.repo: each.places for each in self.cursor.consumed} if self.cursor else {}
        end = sum(before.values()) + len(shown)
        if step is None or end >= total:
            return (), ""
        here = Counter(each.repo_id for each in shown)
        consumed = [
            Consumed(repo, pool.provenance.snapshot_id, before.get(repo, 0) + here.get(repo, 0))
            for repo, pool in sorted(rounds.given[step].items())
        ]
        limit = LimitHit(limit_code(self.asked), self.asked.limit, total if exact else None)
        # An empty page has no next page.
        token = token_of(PageCursor(self.digest, step, tuple(consumed))) if shown else ""
        return (RepoLimit(limit),), token

    def unselected(
        self, pools: Collection[SymbolPool] | Collection[ReferencesPool]
    ) -> tuple[Notice, ...]:
        """Return the notice that filters or paths match no file in any repository."""
        selects = matched_by_any([pool.selects for pool in pools])
        return unmatched_notices(selects, self.asked.scope, self.asked.filters)

    def envelope(
        self,
        notices: Mapping[RepoId, RepoNotices],
        diagnostics: list[Diagnostic],
        limits: list[RepoLimit],
        *,
        lacking: bool,
        empty: bool,
    ) -> Envelope:
        """Return the envelope, with a failure if a repository of earlier pages has failed."""
        unseen = [
            Diagnostic(notice.code, notice.message, repo_id=repo)
            for repo in (notices if lacking else ())
            for notice in self.session.unseen_in(repo, names=True)
        ]
        disabled = self.session.selection.disabled_cut() if empty and notices else ()
        envelope = envelope_of(
            self.session,
            notices,
            diagnostics=[*diagnostics, *unseen],
            limits=[*limits, *map(RepoLimit, disabled)],
            elapsed_ms=self.clock.monotonic_ms() - self.started_ms,
        )
        error = self._lost()
        return envelope if error is None else replace(envelope, error=error)

    def _lost(self) -> GgrepError | None:
        """Return the error of a failed repository with results in earlier pages, or None."""
        if self.cursor is None:
            return None
        failures = self.session.failures
        return next((failures[repo] for repo in sorted(failures) if self.cursor.of(repo)), None)


async def _begin(
    workspace: Workspace,
    request: FederatedRequest,
    asked: SymbolRequest | ReferencesRequest,
    searchers: Searchers,
    clock: Clock,
) -> _NameQuery:
    """Begin a query about a name: describe all repositories."""
    check_spelling(asked.name)
    request = name_request(request, asked)
    check_request(request)
    started_ms = clock.monotonic_ms()
    selection = select_repos(workspace, request)
    kind = limit_code(asked)
    fingerprint = asked_fingerprint(f"{kind}-1", replace(asked, limit=0, cursor=""))
    digest = question_digest(fingerprint, workspace.repo_set_id, list(selection.repo_ids))
    cursor = read_token(asked.cursor, digest) if asked.cursor else None
    if cursor is not None:
        # All repositories with results in earlier pages must answer, see `_lost`.
        request = replace(request, strict=False)
    deadline = deadline_of(request, clock)
    session = FanoutSession(workspace, request, selection, searchers, CoordinatorCache(0), deadline)
    await session.begin()
    for repo in session.repos:
        if cursor is not None and cursor.of(repo) is None:
            session.failures.setdefault(
                repo, Skipped("this repository was not part of the first page")
            )
    return _NameQuery(session, asked, clock, started_ms, digest, cursor)


def _notices(rounds: NameRounds[P]) -> dict[RepoId, RepoNotices]:
    """Return the limits and warnings of each repository over all rounds."""
    limits: defaultdict[RepoId, list[RepoLimit]] = defaultdict(list)
    warnings: defaultdict[RepoId, list[Notice]] = defaultdict(list)
    origins: dict[RepoId, Provenance] = {}
    for pools in rounds.given.values():
        for repo, pool in pools.items():
            origins[repo] = pool.provenance
            limits[repo] += [RepoLimit(limit, repo) for limit in pool.limits_hit]
            warnings[repo] += pool.warnings
    return {
        repo: RepoNotices(origin, tuple(limits[repo]), tuple(warnings[repo]))
        for repo, origin in sorted(origins.items())
    }


async def _with_ties(
    query: _NameQuery,
    rounds: NameRounds[ReferencesPool],
    pools: Mapping[RepoId, ReferencesPool],
    references: tuple[InRepo[Reference], ...],
    defining: tuple[RepoId, ...],
) -> tuple[tuple[InRepo[Reference], ...], list[Diagnostic]]:
    """Return the occurrences, each with its tie to definitions in other repositories."""
    outside = {
        (each.repo_id, each.place.path) for each in references if each.repo_id not in defining
    }
    if not outside or not defining or query.session.is_over:
        return references, []
    importers = [
        (repo, importer)
        for repo, pool in sorted(pools.items())
        for importer in pool.importers
        if (repo, importer.path) in outside
    ][:MOST_IMPORTERS]
    importing, unknown = await _importing(query, rounds, defining, importers)

    def tied(each: InRepo[Reference]) -> InRepo[Reference]:
        file = each.repo_id, each.place.path
        if file not in outside:
            return each
        return replace(each, tie="import" if file in importing else "guess")

    return tuple(map(tied, references)), unknown


async def _importing(
    query: _NameQuery,
    rounds: NameRounds[ReferencesPool],
    defining: tuple[RepoId, ...],
    importers: list[tuple[RepoId, Importer]],
) -> tuple[set[tuple[RepoId, str]], list[Diagnostic]]:
    """Return files that import from defining repositories, and diagnostics for missing replies."""
    if not importers:
        return set(), []
    session = query.session
    request = tuple(importer for _, importer in importers)
    calls = {
        repo: partial(
            session.searcher(repo).ask,
            ImportsRequest(request, rounds.snapshot_of(repo)),
            session.deadline,
        )
        for repo in defining
    }
    outcomes = await fan_out(
        calls, concurrency=session.request.concurrency, deadline=session.deadline
    )
    importing: set[tuple[RepoId, str]] = set()
    unknown = []
    for repo, outcome in sorted(outcomes.items()):
        response: ImportsResponse | None = outcome.value
        if response is None or len(response.provided) != len(importers):
            message = (
                "the names that this repository provides are unknown; their usages may be "
                "listed as guesses"
            )
            unknown.append(Diagnostic(TIES_UNKNOWN, message, repo_id=repo))
            continue
        importing |= {
            (user, importer.path)
            for (user, importer), provided in zip(importers, response.provided, strict=True)
            if provided
        }
    return importing, unknown
