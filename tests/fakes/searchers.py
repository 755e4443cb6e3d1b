"""Repositories that answer from memory: real enough to merge, quick enough for property tests."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import anyio.lowlevel
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import GgrepError, SnapshotGone
from ggrep.base.ids import RepoId
from ggrep.federation.workspace import Workspace, WorkspaceRepo, repo_set_id
from ggrep.federation.workspace_draft import MergeDefaults, WorkspaceDefaults
from ggrep.model.confidence import TopFile, TopFiles, Wording
from ggrep.model.corpus import CORPORA, Bucket, Corpus, Mode, bucket_of, select
from ggrep.model.limits import NOTHING_UNSEEN, LimitHit, Notice, Unseen
from ggrep.model.name_pools import ImportsRequest, ReferencesPoolRequest, SymbolPoolRequest
from ggrep.model.navigation import ExpandRequest
from ggrep.model.request import (
    CollectionStatistics,
    EncodedQuery,
    EncodeRequest,
    EncodeResponse,
    PoolRequest,
    RepoStatistics,
    Request,
    StatisticsRequest,
    TermFrequency,
)
from ggrep.model.response import Freshness, Hit, PoolResponse, Provenance, RepoDescription
from ggrep.model.slate import SlateRequest, SlateResponse
from ggrep.service.searchers import ReadySearchers
from tests.fakes.repo_slates import Matched, response_of


def hit(row_id: str, path: str = "a.py", start: int = 1, **fields: object) -> Hit:
    """Return a hit; fields that are not given do not matter."""
    made = Hit(
        row_id=row_id,
        chunk_id=row_id,
        path=path,
        start_line=start,
        end_line=start + 1,
        score=0.5,
        lexical_score=0.0,
        corpus=Corpus.CODE,
        chunk_type="function",
        name="",
        qualified_name="",
        breadcrumb=(),
        language="python",
        is_anchor=False,
        content="",
        content_start_line=start,
        signature="",
        hidden_lines=0,
    )
    return replace(made, **fields)


_SURE = (TopFile(score=1.0, evidence=9.0, row=1.0, topic=1.0, found=1.0, spelt=True),)
"""Evidence of an answer that nobody doubts."""


class FakeRow(Struct, frozen=True):
    """A stored chunk: where it stands and which words it holds.

    Attributes:
        chunk: of what text it is a copy; empty for one of its own.
    """

    row_id: str
    path: str
    start: int
    words: tuple[str, ...]
    corpus: Corpus = Corpus.CODE
    content: str = ""
    chunk: str = ""
    traits: int = 0


def score_rows(
    rows: Sequence[FakeRow], query: str, figures: CollectionStatistics
) -> list[tuple[float, FakeRow]]:
    """Return each matching row's score: a function of the row and the figures alone."""
    scored = []
    for row in rows:
        total = sum(
            row.words.count(term) * (figures.chunks + 1) / (figures.frequency(term).chunks + 1)
            for term in sorted(set(query.split()))
        )
        score = round(total / (len(row.words) + figures.chunks + 1), 9)
        if score > 0:
            scored.append((score, row))
    return sorted(scored, key=lambda p: (-p[0], p[1].path.encode(), p[1].start, p[1].row_id))


def figures_of(rows: Sequence[FakeRow], query: str) -> CollectionStatistics:
    """Return the collection's figures for a query."""
    terms = sorted(set(query.split()), key=str.encode)
    return CollectionStatistics(
        layout="fake-1",
        chunks=len(rows),
        files=len({row.path for row in rows}),
        lengths=(sum(len(row.words) for row in rows),),
        terms=tuple(
            TermFrequency(
                term,
                sum(term in row.words for row in rows),
                len({row.path for row in rows if term in row.words}),
            )
            for term in terms
        ),
    )


R = TypeVar("R")

_METHODS: Mapping[type, str] = {
    EncodeRequest: "encode",
    PoolRequest: "search",
    StatisticsRequest: "term_stats",
    SlateRequest: "slate",
    SymbolPoolRequest: "symbol",
    ReferencesPoolRequest: "references",
    ImportsRequest: "imports",
    ExpandRequest: "expand",
}


@dataclass(slots=True)
class FakeSearcher:
    """A repository in memory.

    Attributes:
        pause: awaited at the start of every call; where arrival order is made.
        lacking: names that its top files say it lacks.
        fail: method name to the errors it raises, one a call, then no more.
        asked: every call so far.
    """

    name: str
    rows: Sequence[FakeRow] = ()
    snapshot_id: str | None = "S1"
    keys: tuple[str, str, str] = ("embed", "lex", "schema")
    degraded: bool = False
    partial: bool = False
    has_vectors: bool = False
    freshness: Freshness = "unknown"
    notices: tuple[Notice, ...] = ()
    answers_key: str = ""
    moment: tuple[Notice, ...] = ()
    unseen: Unseen = NOTHING_UNSEEN
    limits: tuple[LimitHit, ...] = ()
    warnings: tuple[Notice, ...] = ()
    lacking: tuple[str, ...] = ()
    pause: Callable[[str], Awaitable[object]] | None = None
    fail: dict[str, list[Exception]] = field(default_factory=dict)
    asked: list[tuple[str, object]] = field(default_factory=list)

    async def describe(self, deadline: Deadline) -> RepoDescription:
        await self._enter("describe", deadline)
        counts = {c: sum(row.corpus is c for row in self.rows) for c in CORPORA}
        return RepoDescription(
            store_id=f"store-{self.name}",
            config_fingerprint="c" * 8,
            ignore_fingerprint="i" * 8,
            snapshot_id=self.snapshot_id,
            degraded=self.degraded,
            embed_key=self.keys[0],
            lexical_key=self.keys[1],
            schema_key=self.keys[2],
            counts=tuple(counts.items()),
            has_vectors=self.has_vectors,
            freshness=self.freshness,
            notices=self.notices,
            answers_key=self.answers_key,
            moment=self.moment,
            unseen=self.unseen,
        )

    async def term_stats(self, request: StatisticsRequest, deadline: Deadline) -> RepoStatistics:
        """Return the figures of the rows."""
        await self._enter("term_stats", request)
        return RepoStatistics(self.snapshot_id or "", figures_of(self.rows, request.search.query))

    async def encode(self, request: EncodeRequest, deadline: Deadline) -> EncodeResponse:
        await self._enter("encode", request)
        vector = EncodedQuery((len(request.text) % 128,), 1.0) if self.has_vectors else None
        return EncodeResponse(vector)

    async def ask(self, request: Request[R], deadline: Deadline) -> R:
        """Answer by the method of the request."""
        answer: R = await getattr(self, _METHODS[type(request)])(request, deadline)
        return answer

    async def search(self, request: PoolRequest, deadline: Deadline) -> PoolResponse:
        await self._enter("search", request)
        if request.snapshot_id not in {None, self.snapshot_id}:
            raise SnapshotGone(f"snapshot {request.snapshot_id} is gone")
        search = request.search
        figures = request.statistics or figures_of(self.rows, search.query)
        ranked = [
            _as_hit(row, score)
            for score, row in score_rows(self.rows, search.query, figures)
            if row.corpus in search.corpora
        ]
        corpora = tuple(
            (c, _cut([h for h in ranked if h.corpus is c], request, Mode.BALANCED))
            for c in search.corpora
        )
        return PoolResponse(
            provenance=self._provenance(),
            blended=_cut(ranked, request, search.mode),
            corpora=corpora,
            leading=TopFiles(_SURE if ranked else (), 1.0, 0.0, Wording.PLAIN, names=self.lacking),
            limits_hit=self.limits,
            warnings=self.warnings,
        )

    async def slate(self, request: SlateRequest, deadline: Deadline) -> SlateResponse:
        """Return the slate of the rows, scored as the lists are."""
        await self._enter("slate", request)
        if request.snapshot_id not in {None, self.snapshot_id}:
            raise SnapshotGone(f"snapshot {request.snapshot_id} is gone")
        search = request.search
        figures = request.statistics or figures_of(self.rows, search.query)
        matched = [
            Matched(row.row_id, row.path, row.start, score, row.corpus, row.content)
            for score, row in score_rows(self.rows, search.query, figures)
            if row.corpus in search.corpora
        ]
        return response_of(request, matched, self._provenance())

    async def _enter(self, method: str, request: object) -> None:
        self.asked.append((method, request))
        if self.pause is not None:
            await self.pause(method)
        if self.fail.get(method):
            raise self.fail[method].pop(0)

    def _provenance(self) -> Provenance:
        return Provenance(
            store_id=f"store-{self.name}",
            config_fingerprint="c" * 8,
            ignore_fingerprint="i" * 8,
            embed_config_fingerprint="e" * 8,
            snapshot_id=self.snapshot_id or "",
            git=None,
            degraded=self.degraded,
            partial=self.partial,
            indexed_files=1,
            eligible_files=1,
        )


def _as_hit(row: FakeRow, score: float) -> Hit:
    return hit(
        row.row_id,
        row.path,
        row.start,
        chunk_id=row.chunk or row.row_id,
        score=score,
        corpus=row.corpus,
        content=row.content,
        traits=row.traits,
    )


def _cut(ranked: Sequence[Hit], request: PoolRequest, mode: Mode) -> tuple[Hit, ...]:
    return tuple(
        select(
            ranked,
            mode=mode,
            limit=request.per_list,
            per_file=request.search.per_file,
            bucket=_bucket,
            file=lambda h: h.path,
        )
    )


def _bucket(found: Hit) -> Bucket:
    return bucket_of(found.corpus)


def checkpoints(number: int) -> Callable[[str], Awaitable[object]]:
    """Return a pause that lets others go first `number` times."""

    async def pause(_: str) -> None:
        for _step in range(number):
            await anyio.lowlevel.checkpoint()

    return pause


async def for_ever(_: str) -> None:
    await anyio.sleep_forever()


def repo(name: str, index: int = 0, **fields: object) -> WorkspaceRepo:
    """Return a workspace's repository of a root that does not exist."""
    root = Path("/srv") / name
    made = WorkspaceRepo(
        repo_id=RepoId(f"{name}-000000000000"),
        root_resolved=root,
        root_canonical=root,
        alias=name,
        tags=(),
        enabled=True,
        priority=0,
        root_input=f"../{name}",
        root_abs=root,
        index=index,
    )
    return replace(made, **fields)


def workspace(*repos: WorkspaceRepo, merge: MergeDefaults | None = None) -> Workspace:
    """Return a workspace that was never a file."""
    return Workspace(
        schema_version=1,
        workspace_path=Path("/srv/ws/.ggrep-workspace.jsonc"),
        workspace_dir=Path("/srv/ws"),
        name="test",
        cache_root=None,
        defaults=WorkspaceDefaults(),
        merge=merge or MergeDefaults(),
        repos=repos,
        repo_set_id=repo_set_id(repos),
        workspace_config_hash="wsc1-0",
    )


def factory(*searchers: FakeSearcher) -> ReadySearchers:
    """Return the searchers by the alias of their repository."""
    by_name = {searcher.name: searcher for searcher in searchers}

    def make(asked: WorkspaceRepo) -> FakeSearcher:
        result = by_name.get(asked.alias or "")
        if result is None:
            raise GgrepError(f"cannot connect to {asked.root_canonical}/daemon.sock")
        return result

    return ReadySearchers(make)
