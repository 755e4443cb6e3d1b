"""Receipts of a workspace's answers, their replay, and the JSON of both."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from msgspec import Struct, to_builtins
from msgspec.structs import asdict

from ggrep.base import stable_json
from ggrep.base.checksummed import FIELD, seal
from ggrep.base.errors import InvalidRequest
from ggrep.base.formats import RECEIPT, REPLAY_SCHEMA
from ggrep.base.ids import parse_snapshot_id
from ggrep.base.stable_json import DecodeError, decode
from ggrep.federation.cohort import Policy
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.repo_outcomes import RepoReport
from ggrep.model.receipt import (
    WORKSPACE_KIND,
    Fate,
    HitFate,
    NewHit,
    ReceiptHit,
    ReplayChange,
    ReplayedHit,
    new_hit,
    original_place,
    receipt_hit,
    replayed_hit,
)
from ggrep.model.request import SearchRequest
from ggrep.protocol.wire.reading import parse_search_request
from ggrep.render.receipts import check_answer, check_hits

if TYPE_CHECKING:
    from ggrep.model.schemas.receipts import WorkspaceOriginJson, WorkspaceReplayJson

T = TypeVar("T")

MAX_ANSWER_BYTES: Final = 16 * 1024 * 1024
"""A longer answer is not kept whole in its receipt; its digest and its hits are."""


class FederatedQuestion(Struct, frozen=True):
    """The stored form of a workspace query; fields as in `FederatedRequest`."""

    search: SearchRequest
    top: int
    select: tuple[str, ...]
    tags: tuple[str, ...]
    repo_filter: tuple[str, ...]
    include_disabled: bool
    only: tuple[str, ...]
    merge_strategy: str | None
    rrf_k: int | None
    per_repo_top: int | None
    max_repos: int
    fold: bool | None
    concurrency: int
    cohort: tuple[str, ...]
    cohort_policy: Policy
    allow_unsafe_mix: bool
    strict: bool
    snippet_bytes: int
    all_repos: bool = False


class RepoOrigin(Struct, frozen=True):
    """What one repository's part of an answer depends on.

    Attributes:
        status: what became of it, see `ggrep.federation.repo_outcomes`.
        encoder: its key; equal ones make comparable vectors.
        answers_key: of the settings and the ranking that shape answers and no index.
    """

    repo_id: str
    alias: str | None
    status: str
    store_id: str
    snapshot_id: str | None
    config_fingerprint: str
    ignore_fingerprint: str
    encoder: str
    answers_key: str


class WorkspaceOrigin(Struct, frozen=True):
    """What a workspace's answer depends on.

    Attributes:
        answer_sha256: digest of the bytes that `--json --deterministic` prints, the newline too.
        repos: by id.
    """

    version: str
    build: str
    repo_set_id: str
    answer_sha256: str
    repos: tuple[RepoOrigin, ...]


class RepoHit(Struct, frozen=True):
    """A hit of a receipt, with its repository."""

    repo_id: str
    hit: ReceiptHit


class WorkspaceReceipt(Struct, frozen=True):
    """A query that a workspace answered; `answer` is None if it was too long to store."""

    question: FederatedQuestion
    origin: WorkspaceOrigin
    hits: tuple[RepoHit, ...]
    answer: bytes | None


def make_workspace_receipt(
    response: FederatedResponse, answer: bytes, *, version: str, build: str
) -> WorkspaceReceipt:
    """Return the receipt of a workspace's answer."""
    return WorkspaceReceipt(
        question=question_of(response.request),
        origin=origin_of(response, answer, version=version, build=build),
        hits=tuple(RepoHit(merged.repo_id, receipt_hit(merged.hit)) for merged in response.hits),
        answer=answer if len(answer) <= MAX_ANSWER_BYTES else None,
    )


def origin_of(
    response: FederatedResponse, answer: bytes, *, version: str, build: str
) -> WorkspaceOrigin:
    """Return what an answer depends on."""
    return WorkspaceOrigin(
        version=version,
        build=build,
        repo_set_id=response.workspace.repo_set_id,
        answer_sha256=sha256(answer).hexdigest(),
        repos=tuple(_repo_origin(report) for report in response.reports),
    )


def _repo_origin(report: RepoReport) -> RepoOrigin:
    known = report.description
    return RepoOrigin(
        repo_id=report.repo.repo_id,
        alias=report.repo.alias,
        status=report.status,
        store_id=known.store_id if known else "",
        snapshot_id=report.snapshot_id,
        config_fingerprint=known.config_fingerprint if known else "",
        ignore_fingerprint=known.ignore_fingerprint if known else "",
        encoder=known.embed_key if known else "",
        answers_key=known.answers_key if known else "",
    )


def question_of(request: FederatedRequest) -> FederatedQuestion:
    """Return the stored form of a request, without the place it was asked from."""
    return FederatedQuestion(
        **{name: getattr(request, name) for name in FederatedQuestion.__struct_fields__}
    )


def request_of(question: FederatedQuestion, *base_dirs: Path) -> FederatedRequest:
    """Return the request that repeats a stored query; path tokens are tried below `base_dirs`."""
    return FederatedRequest(**asdict(question), base_dirs=base_dirs)


_UNKNOWN: Final = HitFate(Fate.UNKNOWN, None)


class RepoChange(Struct, frozen=True):
    """A difference from the receipt; `repo_id` is None for the workspace itself."""

    repo_id: str | None
    change: ReplayChange


class OfRepo(Struct, Generic[T], frozen=True):
    """A hit of a replay, with its repository."""

    repo_id: str
    item: T


class WorkspaceReplay(Struct, frozen=True):
    """The outcome of replaying a workspace's receipt.

    Attributes:
        hits: those of the receipt today; ranks are those of the blended list.
        new_hits: those of today that match none of the receipt.
    """

    receipt: WorkspaceReceipt
    now: WorkspaceOrigin
    changes: tuple[RepoChange, ...]
    hits: tuple[OfRepo[ReplayedHit], ...]
    new_hits: tuple[OfRepo[NewHit], ...]

    @property
    def is_reproduced(self) -> bool:
        """Return whether the answer has the same bytes again."""
        return self.now.answer_sha256 == self.receipt.origin.answer_sha256


def replay_of(
    receipt: WorkspaceReceipt,
    now: WorkspaceOrigin,
    today: FederatedResponse,
    found: Mapping[str, Sequence[HitFate]],
) -> WorkspaceReplay:
    """Return the outcome of replaying a receipt.

    `found` has the fate of each repository's hits, in their order.
    """
    ranks = {(str(m.repo_id), m.hit.row_id): rank for rank, m in enumerate(today.hits)}
    left = {repo_id: iter(places) for repo_id, places in found.items()}
    old, known = [], set[tuple[str, str]]()
    for rank, held in enumerate(receipt.hits):
        whereabouts = next(left.get(held.repo_id, iter(())), _UNKNOWN)
        rank_now = None
        if whereabouts.place is not None:
            key = held.repo_id, whereabouts.place.row_id
            known.add(key)
            rank_now = ranks.get(key)
        old.append(OfRepo(held.repo_id, replayed_hit(held.hit, rank, whereabouts, rank_now)))
    new = [
        OfRepo(m.repo_id, new_hit(m.hit, rank))
        for rank, m in enumerate(today.hits)
        if (m.repo_id, m.hit.row_id) not in known
    ]
    return WorkspaceReplay(receipt, now, _changes(receipt.origin, now), tuple(old), tuple(new))


def standing(hits: Sequence[ReceiptHit]) -> tuple[HitFate, ...]:
    """Return each hit at its old rank, as is known when the same bytes came again."""
    return tuple(HitFate(Fate.SAME, original_place(hit)) for hit in hits)


def _changes(was: WorkspaceOrigin, now: WorkspaceOrigin) -> tuple[RepoChange, ...]:
    """Return the differences: of the workspace first, then by repository."""
    found = [
        RepoChange(None, ReplayChange(key, getattr(was, key), getattr(now, key)))
        for key in ("version", "build", "repo_set_id")
        if getattr(was, key) != getattr(now, key)
    ]
    before = {repo.repo_id: repo for repo in was.repos}
    after = {repo.repo_id: repo for repo in now.repos}
    for repo_id in sorted({*before, *after}):
        old, new = before.get(repo_id), after.get(repo_id)
        if old is None or new is None:
            asked = ReplayChange("asked", _yes(old), _yes(new))
            found.append(RepoChange(repo_id, asked))
            continue
        for name in RepoOrigin.__struct_fields__:
            values = getattr(old, name), getattr(new, name)
            if values[0] != values[1]:
                found.append(RepoChange(repo_id, ReplayChange(name, *values)))
    return tuple(found)


def _yes(repo: RepoOrigin | None) -> str | None:
    return None if repo is None else "yes"


_KEYS: Final = frozenset({RECEIPT.field, "kind", "question", "origin", "hits", "answer", FIELD})


def workspace_receipt_document(receipt: WorkspaceReceipt) -> dict[str, stable_json.Json]:
    """Return the receipt as its JSON object, with its checksum."""
    return seal(
        {
            RECEIPT.field: RECEIPT.writes,
            "kind": WORKSPACE_KIND,
            "question": to_builtins(receipt.question),
            "origin": to_builtins(receipt.origin),
            "hits": [to_builtins(held) for held in receipt.hits],
            "answer": None if receipt.answer is None else stable_json.loads(receipt.answer),
        }
    )


def workspace_receipt_of(values: dict[str, Any]) -> WorkspaceReceipt:
    """Return the receipt of a verified document.

    Raises:
        InvalidRequest: they hold none, or it contradicts itself.
    """
    if values.keys() != _KEYS or values["kind"] != WORKSPACE_KIND:
        raise InvalidRequest("no receipt of a kind that this build knows")
    try:
        return _receipt(values)
    except DecodeError as error:
        raise InvalidRequest(f"no receipt: {error}") from error


def workspace_replay_json(replay: WorkspaceReplay) -> "WorkspaceReplayJson":
    """Return the outcome of a replay as its JSON object."""
    return {
        "schema_version": REPLAY_SCHEMA,
        "reproduced": replay.is_reproduced,
        "query": replay.receipt.question.search.query,
        "receipt": cast("WorkspaceOriginJson", to_builtins(replay.receipt.origin)),
        "now": cast("WorkspaceOriginJson", to_builtins(replay.now)),
        "changes": [_in_repo(each.repo_id, each.change) for each in replay.changes],
        "hits": [_in_repo(each.repo_id, each.item) for each in replay.hits],
        "new_hits": [_in_repo(each.repo_id, each.item) for each in replay.new_hits],
    }


def _in_repo(repo_id: str | None, value: Struct) -> Any:  # noqa: ANN401 - the object of a value
    return {**to_builtins(value), "repo_id": repo_id}


def _receipt(values: dict[str, Any]) -> WorkspaceReceipt:
    answer = values["answer"]
    question = decode(FederatedQuestion, values["question"], "$.question")
    parse_search_request(values["question"]["search"], "$.question.search")
    if not question.search.deterministic:
        raise DecodeError("$.question: not asked deterministically")
    receipt = WorkspaceReceipt(
        question=question,
        origin=decode(WorkspaceOrigin, values["origin"], "$.origin"),
        hits=decode(tuple[RepoHit, ...], values["hits"], "$.hits"),
        answer=None if answer is None else stable_json.dumps(answer) + b"\n",
    )
    for repo in receipt.origin.repos:
        if repo.snapshot_id is not None:
            parse_snapshot_id(repo.snapshot_id)
    check_hits([held.hit for held in receipt.hits])
    _check_list(receipt, answer)
    check_answer(receipt.answer, receipt.origin.answer_sha256)
    return receipt


def _check_list(receipt: WorkspaceReceipt, answer: object) -> None:
    """Do nothing when the hits are those of the answer, or that was not kept."""
    held = [f"{item.repo_id}:{item.hit.row_id}" for item in receipt.hits]
    match answer:
        case None:
            return
        case {"results": [*results]} if held == [_global_id(result) for result in results]:
            return
        case _:
            raise DecodeError("$.hits: not those of the answer")


def _global_id(result: object) -> object:
    return result.get("globalId") if isinstance(result, dict) else None
