"""A small tree before and after an edit, receipts over it, and what becomes of them."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final

from ggrep.base import stable_json
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.workspace_receipts import (
    WorkspaceReceipt,
    WorkspaceReplay,
    make_workspace_receipt,
    replay_of,
    standing,
)
from ggrep.interfaces.cli.queries.replay import answer_bytes
from ggrep.model.filters import Filter
from ggrep.model.receipt import HitFate, Origin, Receipt, ReceiptHit, Replay
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from ggrep.search.engine.receipts import make_receipt, replay

BEFORE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "edited.py": "def edited_needle():\n    return 1\n",
        "gone.md": "# Gone needle\n\nText.\n",
        "moved.py": "def moved_needle():\n    return 2\n",
        "same.py": "def same_needle():\n    return 3\n",
        "shifted.py": "def shifted_needle():\n    return 4\n",
    }
)
"""A chunk for each fate."""

AFTER: Final[Mapping[str, str | None]] = MappingProxyType(
    {
        "edited.py": "# A line.\n\n\ndef edited_needle():\n    return 11\n",
        "gone.md": None,
        "moved.py": None,
        "deeper/moved.py": "def moved_needle():\n    return 2\n",
        "shifted.py": "\n\n\n\ndef shifted_needle():\n    return 4\n",
        "new.py": "def new_needle():\n    return 5\n",
    }
)
"""What is written over it."""

_ANSWER = stable_json.dumps({"results": [{"row_id": "a" * 64, "score": 0.1}]}) + b"\n"
RECEIPT: Final = Receipt(
    question=SearchRequest("needle", deterministic=True, filters=(Filter("lang", "python"),)),
    budgets=(("max_query_results", 200),),
    origin=Origin(
        version="0.0.0",
        build="0.0.0+0",
        repo_id="repo-" + "0" * 12,
        store_id="repo-" + "0" * 12 + "-" + "0" * 12,
        snapshot_id="0" * 26,
        config_fingerprint="1" * 64,
        ignore_fingerprint="2" * 64,
        embed_config_fingerprint="3" * 64,
        query_fingerprint="4" * 64,
        encoder="none|1||0||||",
        git_head=None,
        answer_sha256=sha256(_ANSWER).hexdigest(),
    ),
    hits=(
        ReceiptHit(
            row_id="a" * 64,
            chunk_id="b" * 64,
            path="a.py",
            start_line=1,
            end_line=2,
            name="needle",
            is_anchor=False,
            score=0.1,
            snippet_sha256="c" * 64,
        ),
    ),
    answer=_ANSWER,
)
"""Of an answer that nobody gave."""


def receipt_of(engine: Engine, query: str = "needle", **wanted: Any) -> Receipt:
    question = SearchRequest(query, deterministic=True, **wanted)
    response = engine.search(question)
    return make_receipt(engine, question, response, answer_bytes(response))


def replayed(engine: Engine, receipt: Receipt, *, today: bool = False) -> Replay:
    """Return what becomes of a receipt."""
    return replay(engine, receipt, answer_bytes, today=today)


def told(found: Replay) -> dict[str, tuple[str, str]]:
    """Return fate and place of the hits by their path."""
    shown = {}
    for item in found.hits:
        place, fate = item.place_now, item.fate.value
        shown[item.path] = fate, f"{place.path}:{place.start_line}" if place else ""
    return shown


def workspace_receipt_of(response: FederatedResponse) -> WorkspaceReceipt:
    """Return the receipt of a workspace's answer."""
    answer = stable_json.dumps(response.to_json()) + b"\n"
    return make_workspace_receipt(response, answer, version="0.0.0", build="0.0.0+0")


def workspace_replay_of(
    receipt: WorkspaceReceipt, today: FederatedResponse, found: Mapping[str, Sequence[HitFate]]
) -> WorkspaceReplay:
    """Return what becomes of a workspace's receipt."""
    return replay_of(receipt, workspace_receipt_of(today).origin, today, found)


def everywhere(receipt: WorkspaceReceipt) -> dict[str, list[HitFate]]:
    """Return that every hit of a workspace's receipt is where it was."""
    results: dict[str, list[HitFate]] = {}
    for kept in receipt.hits:
        results.setdefault(kept.repo_id, []).extend(standing([kept.hit]))
    return results


def without_builds(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document without what differs from build to build and from place to place."""
    result: dict[str, Any] = stable_json.loads(stable_json.dumps(document))
    for origin in (result.get("origin"), result.get("receipt"), result.get("now")):
        if origin:
            origin |= {"version": "0.0.0", "build": "0.0.0+0", "answer_sha256": "0" * 64}
    if "sha256" in result:
        result["sha256"] = "0" * 64
    return result
