"""Receipts of a workspace's answers, their replay, and the JSON of both."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, get_args

from msgspec import Struct, to_builtins
from msgspec.structs import asdict, fields, replace

from ggrep.base import stable_json
from ggrep.base.checksummed import FIELD, seal
from ggrep.base.errors import InvalidRequest
from ggrep.base.formats import RECEIPT
from ggrep.base.ids import parse_snapshot_id
from ggrep.base.stable_json import DecodeError, decode
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.repo_outcomes import RepoReport, Status
from ggrep.model.constraints import (
    HIDDEN,
    DocumentJson,
    Held,
    RootId,
    Sha256,
    SnapshotId,
    Versioned,
    extends,
    hides,
)
from ggrep.model.receipt import (
    WORKSPACE_KIND,
    Fate,
    HitFate,
    NewHit,
    ReceiptHit,
    ReceiptQuestion,
    ReplayChange,
    ReplayedHit,
    new_hit,
    original_place,
    receipt_hit,
    replayed_hit,
)
from ggrep.model.schemas.federated import FederatedJson
from ggrep.protocol.wire.reading import parse_search_request
from ggrep.render.receipts import check_answer, check_hits

MAX_ANSWER_BYTES: Final = 16 * 1024 * 1024
"""The receipt of a longer answer contains its digest and hits, but not the answer itself."""

_StoreIdOrNone = Annotated[str, Held(pattern=r"^([a-z0-9-]{1,24}-[0-9a-f]{12}-[0-9a-f]{12})?$")]
_Sha256OrNone = Annotated[str, Held(pattern=r"^([0-9a-f]{64})?$")]


@hides("deadline", "base_dirs", "include_paths", "stats")
class WorkspaceQuestion(FederatedRequest, frozen=True, kw_only=True):
    """The recorded request; `ggrep replay` repeats it."""

    search: ReceiptQuestion
    """The request; `top` replaces its limit."""


_NOT_KEPT: Final[Mapping[str, Any]] = {
    each.name: each.default
    for each in fields(FederatedRequest)
    if each.name in HIDDEN[WorkspaceQuestion]
}
_REQUIRED: Final = {*FederatedRequest.__struct_fields__} - {*_NOT_KEPT, "all_repos"}


class RepoOrigin(Struct, frozen=True):
    """Origin of a repository's part of the answer."""

    repo_id: RootId
    alias: str | None
    """Short name of the repository; null for none."""
    status: Annotated[str, get_args(Status)]
    """Outcome of the repository."""
    store_id: _StoreIdOrNone
    """Store of the repository; empty when unknown."""
    snapshot_id: SnapshotId | None
    """The snapshot that was queried; null when unknown."""
    config_fingerprint: _Sha256OrNone
    """Identity of the settings that shape the index; empty when unknown."""
    ignore_fingerprint: _Sha256OrNone
    """Fingerprint of the ignore rules; empty if unknown."""
    encoder: str
    """Key of the encoder; vectors of equal encoders are comparable."""
    answers_key: str
    """Identity of the settings and the ranking that affect answers but not the index."""


class WorkspaceOrigin(Struct, frozen=True):
    """Origin of the answer: program, workspace and repositories."""

    version: str
    """Version of the program."""
    build: str
    """The installed build: version and time."""
    repo_set_id: str
    """Identity of the set of repositories in the workspace."""
    answer_sha256: Sha256
    """Digest of the bytes that `--json --deterministic` prints, including the newline."""
    repos: tuple[RepoOrigin, ...]
    """The selected repositories, by id."""


class RepoHit(Struct, frozen=True):
    """A hit with its repository."""

    repo_id: RootId
    hit: ReceiptHit
    """The hit."""


class WorkspaceReceipt(Struct, frozen=True):
    """A query over a workspace and its answer; `answer` is None if it was too long to store."""

    question: FederatedRequest
    origin: WorkspaceOrigin
    hits: tuple[RepoHit, ...]
    """The hits of the blended list, best first."""
    answer: bytes | None


@extends(WorkspaceReceipt, lambda name: name if name in {"origin", "hits"} else None)
class WorkspaceReceiptJson(DocumentJson):
    """Receipt of `ggrep search --workspace --receipt`, read by `ggrep replay --workspace`."""

    kind: Literal["workspace"]
    """Kind of the receipt: a workspace."""
    question: WorkspaceQuestion
    answer: FederatedJson | None
    """The answer; null when it is too long to keep."""
    sha256: Sha256
    """Digest of the canonical bytes of all other keys."""


def make_workspace_receipt(
    response: FederatedResponse, answer: bytes, *, version: str, build: str
) -> WorkspaceReceipt:
    """Return the receipt of a workspace's answer."""
    return WorkspaceReceipt(
        question=replace(response.request, **_NOT_KEPT),
        origin=origin_of(response, answer, version=version, build=build),
        hits=tuple(RepoHit(merged.repo_id, receipt_hit(merged.hit)) for merged in response.hits),
        answer=answer if len(answer) <= MAX_ANSWER_BYTES else None,
    )


def origin_of(
    response: FederatedResponse, answer: bytes, *, version: str, build: str
) -> WorkspaceOrigin:
    """Return the origin of an answer."""
    return WorkspaceOrigin(
        version=version,
        build=build,
        repo_set_id=response.workspace.repo_set_id,
        answer_sha256=sha256(answer).hexdigest(),
        repos=tuple(map(_repo_origin, response.reports)),
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


_UNKNOWN: Final = HitFate(Fate.UNKNOWN, None)


class RepoChange(ReplayChange, frozen=True):
    """A difference between two origins; `what` is `asked` if only one answer used a repository."""

    repo_id: str | None
    """The repository; null for the workspace."""


class ReplayedRepoHit(ReplayedHit, frozen=True):
    """Outcome of a recorded hit."""

    repo_id: RootId
    fate: Fate
    """As in the replay of one repository; `unknown`: the repository could not be read."""


class NewRepoHit(NewHit, frozen=True):
    """A hit of the new answer that is not in the receipt."""

    repo_id: RootId


class WorkspaceReplay(Versioned, frozen=True, kw_only=True):
    """Result of replaying a workspace's receipt."""

    reproduced: bool
    """Whether the same bytes were returned."""
    query: str
    """Text of the query."""
    receipt: WorkspaceOrigin
    """Origin of the receipt's answer."""
    now: WorkspaceOrigin
    """Origin of the new answer."""
    changes: tuple[RepoChange, ...]
    """Differences between the two origins."""
    hits: tuple[ReplayedRepoHit, ...]
    """The receipt's hits, best first."""
    new_hits: tuple[NewRepoHit, ...]
    """Hits of the new answer that the receipt lacks."""


def replay_of(
    receipt: WorkspaceReceipt,
    now: WorkspaceOrigin,
    today: FederatedResponse,
    fates: Mapping[str, Sequence[HitFate]],
) -> WorkspaceReplay:
    """Return the result of replaying a receipt.

    `fates` contains the fate of each repository's hits, in the order of the receipt.
    """
    ranks = {(str(m.repo_id), m.hit.row_id): rank for rank, m in enumerate(today.hits)}
    left = {repo_id: iter(places) for repo_id, places in fates.items()}
    old, known = [], set[tuple[str, str]]()
    for rank, repo_hit in enumerate(receipt.hits):
        whereabouts = next(left.get(repo_hit.repo_id, iter(())), _UNKNOWN)
        rank_now = None
        if whereabouts.place is not None:
            key = repo_hit.repo_id, whereabouts.place.row_id
            known.add(key)
            rank_now = ranks.get(key)
        hit = replayed_hit(repo_hit.hit, rank, whereabouts, rank_now)
        old.append(ReplayedRepoHit(**asdict(hit), repo_id=repo_hit.repo_id))
    new = [
        NewRepoHit(**asdict(new_hit(m.hit, rank)), repo_id=m.repo_id)
        for rank, m in enumerate(today.hits)
        if (m.repo_id, m.hit.row_id) not in known
    ]
    return WorkspaceReplay(
        reproduced=now.answer_sha256 == receipt.origin.answer_sha256,
        query=receipt.question.search.query,
        receipt=receipt.origin,
        now=now,
        changes=_changes(receipt.origin, now),
        hits=tuple(old),
        new_hits=tuple(new),
    )


def standing(hits: Sequence[ReceiptHit]) -> tuple[HitFate, ...]:
    """Return the fate `same` for each hit of an answer whose bytes did not change."""
    return tuple(HitFate(Fate.SAME, original_place(hit)) for hit in hits)


def _changes(was: WorkspaceOrigin, now: WorkspaceOrigin) -> tuple[RepoChange, ...]:
    """Return the differences in the workspace's origin, then those in each repository's origin."""
    changes = [
        RepoChange(key, getattr(was, key), getattr(now, key), None)
        for key in ("version", "build", "repo_set_id")
        if getattr(was, key) != getattr(now, key)
    ]
    before = {repo.repo_id: repo for repo in was.repos}
    after = {repo.repo_id: repo for repo in now.repos}
    for repo_id in sorted({*before, *after}):
        old, new = before.get(repo_id), after.get(repo_id)
        if old is None or new is None:
            was_asked, is_asked = (repo if repo is None else "yes" for repo in (old, new))
            changes.append(RepoChange("asked", was_asked, is_asked, repo_id))
            continue
        for name in RepoOrigin.__struct_fields__:
            values = getattr(old, name), getattr(new, name)
            if values[0] != values[1]:
                changes.append(RepoChange(name, *values, repo_id))
    return tuple(changes)


_KEYS: Final = frozenset({RECEIPT.field, "kind", "question", "origin", "hits", "answer", FIELD})


def workspace_receipt_document(receipt: WorkspaceReceipt) -> dict[str, stable_json.Json]:
    """Return the receipt as its JSON object, with its checksum."""
    return seal(
        {
            RECEIPT.field: RECEIPT.writes,
            "kind": WORKSPACE_KIND,
            "question": {
                key: value
                for key, value in to_builtins(receipt.question).items()
                if key not in _NOT_KEPT
            },
            "origin": to_builtins(receipt.origin),
            "hits": [to_builtins(hit) for hit in receipt.hits],
            "answer": None if receipt.answer is None else stable_json.loads(receipt.answer),
        }
    )


def workspace_receipt_of(values: dict[str, Any]) -> WorkspaceReceipt:
    """Return the receipt of a verified document.

    Raises:
        InvalidRequest: the document is not a receipt or is inconsistent.
    """
    if values.keys() != _KEYS or values["kind"] != WORKSPACE_KIND:
        raise InvalidRequest("not a receipt, or its kind is unknown to this build")
    try:
        return _receipt(values)
    except DecodeError as error:
        raise InvalidRequest(f"not a valid receipt: {error}") from error


def _receipt(values: dict[str, Any]) -> WorkspaceReceipt:
    answer = values["answer"]
    receipt = WorkspaceReceipt(
        question=_question(values["question"]),
        origin=decode(WorkspaceOrigin, values["origin"], "$.origin"),
        hits=decode(tuple[RepoHit, ...], values["hits"], "$.hits"),
        answer=None if answer is None else stable_json.dumps(answer) + b"\n",
    )
    for repo in receipt.origin.repos:
        if repo.snapshot_id is not None:
            parse_snapshot_id(repo.snapshot_id)
    check_hits([each.hit for each in receipt.hits])
    _check_list(receipt, answer)
    check_answer(receipt.answer, receipt.origin.answer_sha256)
    return receipt


def _question(values: object) -> FederatedRequest:
    if isinstance(values, dict):
        values = {key: value for key, value in values.items() if key not in _NOT_KEPT}
        for key in sorted(_REQUIRED - values.keys()):
            raise DecodeError(f"$.question.{key}: missing")
        parse_search_request(values["search"], "$.question.search")
    question = decode(FederatedRequest, values, "$.question")
    if not question.search.deterministic:
        raise DecodeError("$.question.search.deterministic: must be true")
    return question


def _check_list(receipt: WorkspaceReceipt, answer: object) -> None:
    """Raise if the receipt contains an answer and its hits differ from `receipt.hits`."""
    results = answer.get("results") if isinstance(answer, dict) else None
    listed = results if isinstance(results, list) else [None]
    ids = [result.get("globalId") if isinstance(result, dict) else None for result in listed]
    if answer is not None and ids != [f"{hit.repo_id}:{hit.hit.row_id}" for hit in receipt.hits]:
        raise DecodeError("$.hits: differ from the hits in $.answer")
