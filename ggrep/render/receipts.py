"""Receipts as JSON, and the result of a replay as JSON and as text."""

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, to_builtins

from ggrep.base import stable_json
from ggrep.base.checksummed import FIELD, Damaged, require_sound, seal
from ggrep.base.errors import InvalidRequest
from ggrep.base.formats import RECEIPT, REPLAY_SCHEMA
from ggrep.base.ids import parse_snapshot_id
from ggrep.base.stable_json import DecodeError, decode
from ggrep.config.settings import OUTPUT_BUDGETS
from ggrep.model.receipt import (
    RECEIPT_KIND,
    Fate,
    HitPlace,
    NewHit,
    Origin,
    Receipt,
    ReceiptHit,
    Replay,
    ReplayChange,
    ReplayedHit,
    ReplayResult,
)
from ggrep.model.sanitise import sanitise_line
from ggrep.protocol.wire.reading import parse_search_request
from ggrep.render.style import Style, cut

if TYPE_CHECKING:
    from ggrep.model.schemas.receipts import ReplayJson

MAX_RECEIPT_BYTES: Final = 64 * 1024 * 1024
"""Maximum size of a receipt file."""

_MOST_HITS: Final = 10_000
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_KEYS: Final = frozenset(
    {RECEIPT.field, "kind", "question", "budgets", "origin", "hits", "answer", FIELD}
)


def receipt_document(receipt: Receipt) -> dict[str, stable_json.Json]:
    """Return the receipt as a JSON object with its checksum."""
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
    """Return the receipt of a repository's answer from the values of `open_sealed`.

    Raises:
        InvalidRequest: the values are not a receipt, or are inconsistent.
    """
    if values.keys() != _KEYS or values["kind"] != RECEIPT_KIND:
        raise InvalidRequest("not a receipt, or its kind is unknown to this build")
    try:
        return _receipt(values)
    except DecodeError as error:
        raise InvalidRequest(f"not a valid receipt: {error}") from error


def _receipt(values: dict[str, Any]) -> Receipt:
    budgets, answer = values["budgets"], values["answer"]
    question = parse_search_request(values["question"], "$.question")
    if not question.deterministic:
        raise DecodeError("$.question.deterministic: must be true")
    if not isinstance(budgets, dict) or not budgets.keys() <= set(OUTPUT_BUDGETS):
        raise DecodeError("$.budgets: unknown names of output budgets")
    receipt = Receipt(
        question=question,
        budgets=tuple(
            (name, decode(int, budgets[name], f"$.budgets.{name}")) for name in sorted(budgets)
        ),
        origin=decode(Origin, values["origin"], "$.origin"),
        hits=decode(tuple[ReceiptHit, ...], values["hits"], "$.hits"),
        answer=None if answer is None else stable_json.dumps(answer) + b"\n",
    )
    parse_snapshot_id(receipt.origin.snapshot_id)
    check_hits(receipt.hits)
    if answer is not None:
        results = answer.get("results") if isinstance(answer, dict) else None
        rows = [
            result.get("row_id") if isinstance(result, dict) else None
            for result in (results if isinstance(results, list) else (None,))
        ]
        if rows != [hit.row_id for hit in receipt.hits]:
            raise DecodeError("$.hits: differ from the hits in $.answer")
        check_answer(receipt.answer, receipt.origin.answer_sha256)
    return receipt


def open_sealed(data: bytes) -> dict[str, Any]:
    """Return the JSON values of a receipt of any kind, after verifying the checksum.

    Raises:
        InvalidRequest: the bytes are not a receipt, or the receipt was modified.
        Incompatible: the receipt has a version that this build cannot read.
    """
    try:
        values = stable_json.loads(data)
    except ValueError as error:
        raise InvalidRequest(f"not a valid receipt: {error}") from error
    if not isinstance(values, dict) or "kind" not in values or RECEIPT.field not in values:
        raise InvalidRequest("not a receipt")
    try:
        require_sound(values, RECEIPT, since=1)
    except (Damaged, TypeError) as error:
        raise InvalidRequest(f"the receipt was changed: {error}") from error
    return values


def check_hits(hits: Sequence[ReceiptHit]) -> None:
    """Check the format of the hits' ids.

    Raises:
        DecodeError: an id is invalid; the message names the hit and the key.
    """
    if len(hits) > _MOST_HITS:
        raise DecodeError(f"$.hits: more than {_MOST_HITS}")
    for place, hit in enumerate(hits):
        for key in ("row_id", "chunk_id", "snippet_sha256"):
            if not _DIGEST.fullmatch(getattr(hit, key)):
                raise DecodeError(f"$.hits[{place}].{key}: not a digest")


def check_answer(answer: bytes | None, digest: str) -> None:
    """Check the digest of a stored answer.

    Raises:
        DecodeError: the answer has another digest.
    """
    if answer is not None and sha256(answer).hexdigest() != digest:
        raise DecodeError("$.answer: does not match answer_sha256")


def replay_json(replay: Replay) -> "ReplayJson":
    """Return the result of a replay as its JSON object."""
    return {
        "schema_version": REPLAY_SCHEMA,
        "reproduced": replay.is_reproduced,
        "outcome": replay.outcome.value,
        "query": replay.receipt.question.query,
        "receipt": to_builtins(replay.receipt.origin),
        "now": to_builtins(replay.now),
        "changes": to_builtins(replay.changes),
        "differing": replay.differing,
        "differences": to_builtins(replay.differences),
        "same_hits": replay.same_hits,
        "hits": to_builtins(replay.hits),
        "new_hits": to_builtins(replay.new_hits),
    }


_NEW = "new"
_DIGEST_CHARACTERS = 12
_NAME_CHARACTERS = 80
_VALUE_CHARACTERS = 70
_ROLES = {
    Fate.SAME: "good",
    Fate.MOVED: "warning",
    Fate.EDITED: "warning",
    Fate.GONE: "bad",
    Fate.UNKNOWN: "bad",
}


class _Frame(Struct, frozen=True):
    """Column widths of a list: for numbers, fates and locations."""

    number: int
    fate: int
    place: int


def render_replay(replay: Replay, style: Style) -> str:
    """Return the result of a replay, the differences, and the fate of each hit."""
    role = "good" if replay.is_reproduced else "bad"
    head = "reproduced" if replay.is_reproduced else "not reproduced"
    lines = [f"{style.paint(role, head)}: {sanitise_line(_reason(replay))}"]
    if not replay.is_reproduced:
        lines += [style.paint("muted", f"  {render_change(item)}") for item in replay.changes]
        lines += _differences(replay)
        lines += ["", *render_fates(replay.hits, replay.new_hits, style)]
        same = "; the hits are the same" if replay.same_hits else ""
        lines += ["", render_summary(replay.hits, replay.new_hits) + same]
    return "\n".join(lines) + "\n"


def _reason(replay: Replay) -> str:
    was, now = replay.receipt.origin, replay.now
    count = _count(len(replay.hits), "hit")
    reasons = {
        ReplayResult.REPRODUCED: f"snapshot {now.snapshot_id} returns the same bytes, {count}",
        ReplayResult.NEWER_SNAPSHOT: f"the newer snapshot {now.snapshot_id} was queried instead of "
        f"{was.snapshot_id}",
        ReplayResult.SNAPSHOT_GONE: (
            f"snapshot {was.snapshot_id} no longer exists; {now.snapshot_id} was queried"
        ),
        ReplayResult.OTHER_STORE: f"the current settings select store {now.store_id}, not "
        f"{was.store_id}",
        ReplayResult.OTHER_REPOSITORY: f"the receipt belongs to repository {was.repo_id}, not "
        f"{now.repo_id}",
    }
    return reasons.get(replay.outcome, f"snapshot {was.snapshot_id} returns different bytes")


def render_change(change: ReplayChange) -> str:
    """Return a line about a changed key of the origin, without a newline."""
    return sanitise_line(f"{change.what}: {_short(change.was)} -> {_short(change.now)}")


def _short(value: str | None) -> str:
    """Return a value shortened for a line; digests are cut."""
    if value is None:
        return "none"
    if len(value) in {40, 64} and set(value) <= set("0123456789abcdef"):
        return value[:_DIGEST_CHARACTERS]
    return cut(value, _VALUE_CHARACTERS)


def _differences(replay: Replay) -> Iterator[str]:
    for item in replay.differences:
        was, now = (cut(value or "nothing", _VALUE_CHARACTERS) for value in (item.was, item.now))
        yield sanitise_line(f"  {item.place}: {was} -> {now}")
    left = replay.differing - len(replay.differences)
    if left:
        yield f"  and {_count(left, 'place')} more"


def render_fates(
    hits: Sequence[ReplayedHit], new_hits: Sequence[NewHit], style: Style
) -> list[str]:
    """Return aligned lines for each hit of a receipt, then for each new hit."""
    most = max([len(hits), *(item.rank_now + 1 for item in new_hits)])
    fates = [item.fate.value for item in hits] + ([_NEW] if new_hits else [])
    frame = _Frame(
        number=len(str(most)),
        fate=max([len(fate) for fate in fates], default=0),
        place=max([len(_at(item)) for item in hits], default=0),
    )
    lines = [_old(item, style, frame) for item in hits]
    return lines + [_new(item, style, frame) for item in new_hits]


def render_summary(hits: Sequence[ReplayedHit], new_hits: Sequence[NewHit]) -> str:
    """Return a line with the number of hits of each fate, without a newline."""
    fates = [item.fate for item in hits]
    shown = [fate for fate in Fate if fate is not Fate.UNKNOWN or fate in fates]
    counts = [f"{fates.count(fate)} {fate.value}" for fate in shown]
    return f"{_count(len(fates), 'hit')}: {', '.join(counts)}; {len(new_hits)} new"


def _old(item: ReplayedHit, style: Style, frame: _Frame) -> str:
    parts = [
        style.paint("number", f"{item.rank + 1:>{frame.number}}."),
        style.paint(_ROLES[item.fate], f"{item.fate.value:<{frame.fate}}"),
        style.paint("path", f"{_at(item):<{frame.place}}"),
    ]
    if item.place_now is not None and item.fate is not Fate.SAME:
        parts.append("-> " + style.paint("path", _at(item.place_now)))
    name = (item.place_now or item).name
    parts.append(style.paint("name", cut(sanitise_line(name), _NAME_CHARACTERS)))
    parts.append(style.paint("muted", _rank(item)))
    return "  ".join(part for part in parts if part).rstrip()


def _new(item: NewHit, style: Style, frame: _Frame) -> str:
    parts = [
        " " * (frame.number + 1),
        style.paint("kind", f"{_NEW:<{frame.fate}}"),
        style.paint("path", f"{_at(item):<{frame.place}}"),
        style.paint("name", cut(sanitise_line(item.name), _NAME_CHARACTERS)),
        style.paint("muted", f"now {item.rank_now + 1}."),
    ]
    return "  ".join(part for part in parts if part).rstrip()


def _rank(item: ReplayedHit) -> str:
    """Return text about the hit's new rank; empty if the rank is unchanged."""
    if item.rank_now == item.rank:
        return ""
    if item.rank_now is None:
        return "no longer a hit" if item.place_now else ""
    return f"now {item.rank_now + 1}."


def _at(place: HitPlace) -> str:
    return sanitise_line(f"{place.path}:{place.start_line}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
