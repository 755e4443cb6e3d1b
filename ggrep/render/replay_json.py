"""The JSON of a replay: schema `replay_report`, version 1."""

from ggrep import stable_json
from ggrep.domain.receipt import Change
from ggrep.domain.replay import NewHit, OldHit, Place, Replay
from ggrep.formats import REPLAY_SCHEMA
from ggrep.wire.codec import to_json


def replay_json(replay: Replay) -> dict[str, stable_json.Json]:
    """Return what became of a receipt as its JSON object."""
    return {
        "schema_version": REPLAY_SCHEMA,
        "reproduced": replay.is_reproduced,
        "outcome": replay.outcome.value,
        "query": replay.receipt.question.query,
        "receipt": to_json(replay.receipt.origin),
        "now": to_json(replay.now),
        "changes": [change_json(change) for change in replay.changes],
        "differing": replay.differing,
        "differences": [to_json(difference) for difference in replay.differences],
        "same_hits": replay.same_hits,
        "hits": [old_hit_json(item) for item in replay.hits],
        "new_hits": [_new(item) for item in replay.new_hits],
    }


def change_json(change: Change) -> dict[str, stable_json.Json]:
    """Return something that is not as it was."""
    return {"what": change.what, "was": change.was, "now": change.now}


def old_hit_json(item: OldHit) -> dict[str, stable_json.Json]:
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


def _new(item: NewHit) -> stable_json.Json:
    return {"rank_now": item.rank, **place_json(item.place)}


def place_json(place: Place) -> dict[str, stable_json.Json]:
    """Return where a chunk stands."""
    return {
        "row_id": place.row_id,
        "path": place.path,
        "start_line": place.start_line,
        "end_line": place.end_line,
        "name": place.name,
    }
