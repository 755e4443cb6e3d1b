"""The JSON of a receipt: schema `receipt`, version 1.

It carries the digest of its own values, so that damage shows. That is no signature: who changes a
value and the digest with it is not found out.
"""

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

from msgspec import to_builtins

from ggrep.base import stable_json
from ggrep.base.checksummed import FIELD, Damaged, require_sound, seal
from ggrep.base.decode import DecodeError, decode
from ggrep.base.errors import InvalidRequest
from ggrep.base.formats import RECEIPT
from ggrep.base.ids import parse_snapshot_id
from ggrep.config.settings import OUTPUT_BUDGETS
from ggrep.model.receipt import RECEIPT_KIND, Origin, Receipt, ReceiptHit
from ggrep.model.request import SearchRequest
from ggrep.protocol.wire.requests import parse_search_request

MAX_RECEIPT_BYTES: Final = 64 * 1024 * 1024
"""A larger file is not read."""

_MOST_HITS: Final = 10_000
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_KEYS: Final = frozenset(
    {RECEIPT.field, "kind", "question", "budgets", "origin", "hits", "answer", FIELD}
)


def receipt_document(receipt: Receipt) -> dict[str, stable_json.Json]:
    """Return the receipt as its JSON object, sealed."""
    values: dict[str, stable_json.Json] = {
        RECEIPT.field: RECEIPT.writes,
        "kind": RECEIPT_KIND,
        "question": to_builtins(receipt.question),
        "budgets": dict(receipt.budgets),
        "origin": to_builtins(receipt.origin),
        "hits": [to_builtins(hit) for hit in receipt.hits],
        "answer": None if receipt.answer is None else stable_json.loads(receipt.answer),
    }
    return seal(values)


def receipt_bytes(receipt: Receipt) -> bytes:
    """Return the receipt as canonical bytes and a newline."""
    return stable_json.dumps(receipt_document(receipt)) + b"\n"


def receipt_of(values: dict[str, Any]) -> Receipt:
    """Return the receipt of one repository's answer that sound values hold.

    Raises:
        InvalidRequest: they hold none, or it contradicts itself.
    """
    if values.keys() != _KEYS or values["kind"] != RECEIPT_KIND:
        raise InvalidRequest("no receipt of a kind that this build knows")
    try:
        return _receipt(values)
    except DecodeError as error:
        raise InvalidRequest(f"no receipt: {error}") from error


def open_sealed(data: bytes) -> dict[str, Any]:
    """Return the values of a receipt of whatever kind, as they were written.

    Raises:
        InvalidRequest: the bytes hold none, or it was changed.
        Incompatible: another build wrote it, in a version that this one does not read.
    """
    try:
        values = stable_json.loads(data)
    except ValueError as error:
        raise InvalidRequest(f"no receipt: {error}") from error
    if not isinstance(values, dict) or "kind" not in values or RECEIPT.field not in values:
        raise InvalidRequest("no receipt")
    try:
        require_sound(values, RECEIPT, since=1)
    except (Damaged, TypeError) as error:
        raise InvalidRequest(f"a receipt that was changed: {error}") from error
    return values


def check_hits(hits: Sequence[ReceiptHit]) -> None:
    """Do nothing when the ids of hits have their form.

    Raises:
        DecodeError: names the hit and the key.
    """
    if len(hits) > _MOST_HITS:
        raise DecodeError(f"$.hits: more than {_MOST_HITS}")
    for place, hit in enumerate(hits):
        for key in ("row_id", "chunk_id", "snippet_sha256"):
            if not _DIGEST.fullmatch(getattr(hit, key)):
                raise DecodeError(f"$.hits[{place}].{key}: no digest")


def check_answer(answer: bytes | None, digest: str) -> None:
    """Do nothing when an answer is that of a digest, or was not kept.

    Raises:
        DecodeError: it is another one.
    """
    if answer is not None and sha256(answer).hexdigest() != digest:
        raise DecodeError("$.answer: not the one of the digest")


def _receipt(values: dict[str, Any]) -> Receipt:
    answer = values["answer"]
    receipt = Receipt(
        question=_question(values["question"]),
        budgets=_budgets(values["budgets"]),
        origin=decode(Origin, values["origin"], "$.origin"),
        hits=decode(tuple[ReceiptHit, ...], values["hits"], "$.hits"),
        answer=None if answer is None else stable_json.dumps(answer) + b"\n",
    )
    _check(receipt, answer)
    return receipt


def _question(value: object) -> SearchRequest:
    question = parse_search_request(value, "$.question")
    if not question.deterministic:
        raise DecodeError("$.question: not asked deterministically")
    return question


def _budgets(value: object) -> tuple[tuple[str, int], ...]:
    if not isinstance(value, dict) or not value.keys() <= set(OUTPUT_BUDGETS):
        raise DecodeError("$.budgets: not output budgets of this build")
    return tuple((name, decode(int, value[name], f"$.budgets.{name}")) for name in sorted(value))


def _check(receipt: Receipt, answer: object) -> None:
    """Do nothing when ids have their form and the hits are those of the answer."""
    parse_snapshot_id(receipt.origin.snapshot_id)
    check_hits(receipt.hits)
    if answer is None:
        return
    rows = [hit.row_id for hit in receipt.hits]
    match answer:
        case {"results": [*results]} if rows == [_row_id(result) for result in results]:
            pass
        case _:
            raise DecodeError("$.hits: not those of the answer")
    check_answer(receipt.answer, receipt.origin.answer_sha256)


def _row_id(result: object) -> object:
    return result.get("row_id") if isinstance(result, dict) else None
