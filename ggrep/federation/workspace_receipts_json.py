"""The JSON of a workspace's receipt and of its replay, version 1 of both schemas."""

from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import to_builtins

from ggrep.base import stable_json
from ggrep.base.checksummed import FIELD, seal
from ggrep.base.decode import DecodeError, decode
from ggrep.base.errors import InvalidRequest
from ggrep.base.formats import RECEIPT, REPLAY_SCHEMA
from ggrep.base.ids import parse_snapshot_id
from ggrep.federation.workspace_receipts import (
    FederatedQuestion,
    RepoHit,
    WorkspaceOrigin,
    WorkspaceReceipt,
    WorkspaceReplay,
)
from ggrep.model.receipt import WORKSPACE_KIND
from ggrep.protocol.wire.requests import parse_search_request
from ggrep.render.receipt_json import check_answer, check_hits
from ggrep.render.replay_json import change_json, old_hit_json, place_json

if TYPE_CHECKING:
    from ggrep.model.schemas.receipts import WorkspaceOriginJson
    from ggrep.model.schemas.replay import WorkspaceReplayJson

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
        "changes": [
            {"repo_id": item.repo_id, **change_json(item.change)} for item in replay.changes
        ],
        "hits": [{"repo_id": held.repo_id, **old_hit_json(held.item)} for held in replay.hits],
        "new_hits": [
            {"repo_id": held.repo_id, "rank_now": held.item.rank, **place_json(held.item.place)}
            for held in replay.new_hits
        ],
    }


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
