"""The JSON of a replay: schema `replay_report`, version 1."""

from typing import TYPE_CHECKING

from msgspec import to_builtins

from ggrep.base.formats import REPLAY_SCHEMA
from ggrep.model.replay import Replay

if TYPE_CHECKING:
    from ggrep.model.schemas.replay import ReplayJson


def replay_json(replay: Replay) -> "ReplayJson":
    """Return what became of a receipt as its JSON object."""
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
