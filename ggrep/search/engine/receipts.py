"""Receipts of answers: created together with an answer, and replayed later.

While the snapshot of a receipt exists, the same request over the snapshot returns the same bytes.
After the removal of that snapshot, the active snapshot answers, and each hit of the receipt is
looked up there.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import ggrep
from ggrep.base import stable_json
from ggrep.base.build import build_id
from ggrep.base.clock import Deadline
from ggrep.base.errors import SnapshotGone
from ggrep.base.ids import parse_snapshot_id
from ggrep.config.settings import OUTPUT_BUDGETS
from ggrep.model.receipt import (
    Origin,
    Receipt,
    Replay,
    ReplayDifference,
    ReplayResult,
    changes,
    new_hits,
    receipt_hit,
    replayed_hits,
)
from ggrep.model.request import SearchRequest
from ggrep.model.response import QueryResponse
from ggrep.search.engine.engine import Engine
from ggrep.search.query.relocate import whereabouts

MAX_ANSWER_BYTES = 16 * 1024 * 1024
"""The receipt of a longer answer contains only the digest and the hits of the answer."""

Writer = Callable[[QueryResponse], bytes]
"""A function that returns the bytes of an answer, to print and to compare."""


def make_receipt(
    engine: Engine, question: SearchRequest, response: QueryResponse, answer: bytes
) -> Receipt:
    """Return the receipt of an answer.

    Args:
        engine: the engine of the repository that answered.
        question: the deterministic search request.
        response: the answer.
        answer: the bytes of the answer.
    """
    return Receipt(
        question=question,
        budgets=tuple((name, getattr(engine.settings, name)) for name in sorted(OUTPUT_BUDGETS)),
        origin=_origin(engine, response, answer),
        hits=tuple(receipt_hit(hit) for hit in response.hits),
        answer=answer if len(answer) <= MAX_ANSWER_BYTES else None,
    )


def replay(engine: Engine, receipt: Receipt, write: Writer, *, today: bool = False) -> Replay:
    """Return the outcome of replaying a receipt.

    Args:
        engine: the repository with its current settings.
        receipt: a receipt of an answer of the repository, or of another copy of the repository.
        write: returns the bytes of an answer; must be the function that made the receipt's bytes.
        today: whether to use the active snapshot even if the receipt's snapshot exists.

    Raises:
        InvalidRequest: this build does not support the request, or one of its budgets.
        NoIndex: nothing was ever published.
        DeadlineExceeded: the request's time ran out.
        SnapshotGone: the snapshot was removed before its hits were looked up.
    """
    timeout_ms = receipt.question.timeout_ms or engine.settings.query_timeout_ms
    deadline = Deadline.after(engine.clock, timeout_ms)
    elsewhere, response = _ask(engine, receipt, deadline, today=today)
    answer = write(response)
    now = _origin(engine, response, answer)
    same_bytes = now.answer_sha256 == receipt.origin.answer_sha256
    outcome = elsewhere or (ReplayResult.REPRODUCED if same_bytes else ReplayResult.DIFFERS)
    differing: tuple[list[ReplayDifference], int] = [], 0
    if outcome is ReplayResult.DIFFERS and receipt.answer is not None:
        differing = differences(stable_json.loads(receipt.answer), stable_json.loads(answer))
    with engine.pin(deadline, snapshot_id=parse_snapshot_id(now.snapshot_id)) as view:
        hits = replayed_hits(receipt.hits, whereabouts(view, receipt.hits, deadline), response.hits)
    was_rows = [hit.row_id for hit in receipt.hits]
    return Replay(
        receipt=receipt,
        outcome=outcome,
        now=now,
        changes=changes(receipt.origin, now),
        differences=tuple(differing[0]),
        differing=differing[1],
        hits=hits,
        new_hits=new_hits(hits, response.hits),
        same_hits=was_rows == [hit.row_id for hit in response.hits],
    )


def _ask(
    engine: Engine, receipt: Receipt, deadline: Deadline, *, today: bool
) -> tuple[ReplayResult | None, QueryResponse]:
    """Return the reason why the receipt's snapshot was not used (None if it was), and the answer.

    A snapshot id is valid only in the store of the snapshot.
    """
    question, budgets = receipt.question, dict(receipt.budgets)
    original_id, elsewhere = receipt.origin.snapshot_id, _elsewhere(engine, receipt.origin)
    if elsewhere is None and not today:
        try:
            wanted = parse_snapshot_id(original_id)
            return None, engine.search(question, deadline, budgets=budgets, snapshot_id=wanted)
        except SnapshotGone:
            elsewhere = ReplayResult.SNAPSHOT_GONE
    response = engine.search(question, deadline, budgets=budgets)
    if elsewhere is None and response.provenance.snapshot_id != original_id:
        elsewhere = ReplayResult.NEWER_SNAPSHOT
    return elsewhere, response


def _elsewhere(engine: Engine, origin: Origin) -> ReplayResult | None:
    if engine.view().manifest.name == origin.store_id:
        return None
    is_same_root = engine.identity.repo_id == origin.repo_id
    return ReplayResult.OTHER_STORE if is_same_root else ReplayResult.OTHER_REPOSITORY


def _origin(engine: Engine, response: QueryResponse, answer: bytes) -> Origin:
    provenance = response.provenance
    return Origin(
        version=ggrep.__version__,
        build=build_id(),
        repo_id=engine.identity.repo_id,
        store_id=provenance.store_id,
        snapshot_id=provenance.snapshot_id,
        config_fingerprint=provenance.config_fingerprint,
        ignore_fingerprint=provenance.ignore_fingerprint,
        embed_config_fingerprint=provenance.embed_config_fingerprint,
        query_fingerprint=response.query_fingerprint,
        encoder=engine.identity.encoder.key,
        git_head=provenance.git.head_sha if provenance.git else None,
        answer_sha256=hashlib.sha256(answer).hexdigest(),
    )


MOST_DIFFERENCES: Final = 16
"""Maximum number of differences that are listed; their total number is always reported."""

_VALUE_CHARACTERS: Final = 160


def differences(was: stable_json.Json, now: stable_json.Json) -> tuple[list[ReplayDifference], int]:
    """Return the first positions at which two documents differ, and the number of all differences.

    Objects are compared by key and arrays by position, so an insertion shifts all later elements.
    Differences are in the order of the canonical bytes.
    """
    differing = list(_walk("$", was, now))
    return differing[:MOST_DIFFERENCES], len(differing)


def _walk(place: str, was: stable_json.Json, now: stable_json.Json) -> Iterator[ReplayDifference]:
    match was, now:
        case Mapping(), Mapping():
            for key in sorted({*was, *now}):
                old, new = _value_of(was, key), _value_of(now, key)
                yield from _both(f"{place}.{key}", old, new)
        case list(), list():
            for number in range(max(len(was), len(now))):
                old, new = was[number : number + 1], now[number : number + 1]
                yield from _both(f"{place}[{number}]", old, new)
        case _:
            # 1, 1.0 and true are equal to Python, but differ as bytes.
            if type(was) is not type(now) or was != now:
                yield ReplayDifference(place, _shortened(was), _shortened(now))


def _both(
    place: str, was: Sequence[stable_json.Json], now: Sequence[stable_json.Json]
) -> Iterator[ReplayDifference]:
    """Compare two lists of at most one value each; an empty list means a missing value."""
    if was and now:
        yield from _walk(place, was[0], now[0])
    else:
        yield ReplayDifference(
            place, *(_shortened(values[0]) if values else None for values in (was, now))
        )


def _value_of(document: Mapping[str, stable_json.Json], key: str) -> list[stable_json.Json]:
    return [document[key]] if key in document else []


def _shortened(value: stable_json.Json) -> str:
    text = stable_json.dumps(value).decode()
    return text if len(text) <= _VALUE_CHARACTERS else text[: _VALUE_CHARACTERS - 1] + "…"
