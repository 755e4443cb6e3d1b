"""The JSON of a replay: schema `replay_report`, version 1."""

from typing import TYPE_CHECKING, cast

from msgspec import to_builtins

from ggrep.base.formats import REPLAY_SCHEMA
from ggrep.model.receipt import Change
from ggrep.model.replay import NewHit, OldHit, Place, Replay

if TYPE_CHECKING:
    from ggrep.model.schemas.receipts import OriginJson, PlaceJson
    from ggrep.model.schemas.replay import NewHitJson, ReplayChangeJson, ReplayedHitJson, ReplayJson


def replay_json(replay: Replay) -> "ReplayJson":
    """Return what became of a receipt as its JSON object."""
    return {
        "schema_version": REPLAY_SCHEMA,
        "reproduced": replay.is_reproduced,
        "outcome": replay.outcome.value,
        "query": replay.receipt.question.query,
        "receipt": cast("OriginJson", to_builtins(replay.receipt.origin)),
        "now": cast("OriginJson", to_builtins(replay.now)),
        "changes": [change_json(change) for change in replay.changes],
        "differing": replay.differing,
        "differences": [
            {"place": one.place, "was": one.was, "now": one.now} for one in replay.differences
        ],
        "same_hits": replay.same_hits,
        "hits": [old_hit_json(item) for item in replay.hits],
        "new_hits": [_new(item) for item in replay.new_hits],
    }


def change_json(change: Change) -> "ReplayChangeJson":
    """Return something that is not as it was."""
    return {"what": change.what, "was": change.was, "now": change.now}


def old_hit_json(item: OldHit) -> "ReplayedHitJson":
    """Return a hit of a receipt with what became of it."""
    hit, found = item.hit, item.whereabouts
    before = Place(hit.row_id, hit.path, hit.start_line, hit.end_line, hit.name)
    return {
        "rank": item.rank,
        **place_json(before),
        "chunk_id": hit.chunk_id,
        "fate": found.fate.value,
        "rank_now": item.rank_now,
        "place_now": None if found.place is None else place_json(found.place),
    }


def _new(item: NewHit) -> "NewHitJson":
    return {"rank_now": item.rank, **place_json(item.place)}


def place_json(place: Place) -> "PlaceJson":
    """Return where a chunk stands."""
    return {
        "row_id": place.row_id,
        "path": place.path,
        "start_line": place.start_line,
        "end_line": place.end_line,
        "name": place.name,
    }
