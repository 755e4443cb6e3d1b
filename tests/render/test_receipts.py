"""Receipts as bytes, and replays as people read them."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import asdict, replace

from ggrep.base import stable_json
from ggrep.base.checksummed import seal
from ggrep.base.errors import Incompatible, InvalidRequest
from ggrep.model.receipt import (
    Fate,
    HitFate,
    HitPlace,
    NewHit,
    Receipt,
    Replay,
    ReplayDifference,
    ReplayResult,
    changes,
    replayed_hit,
)
from ggrep.render.receipts import (
    open_sealed,
    receipt_bytes,
    receipt_document,
    receipt_of,
    render_replay,
)
from ggrep.render.style import Style
from tests.fakes.receipts import RECEIPT


def changed(place: list[str | int], value: object) -> Callable[[dict[str, Any]], None]:
    """Return what sets a value of a document."""

    def change(document: Any) -> None:
        *above, last = place
        for step in above:
            document = document[step]
        document[last] = value

    return change


def parsed(data: bytes) -> Receipt:
    """Return what `ggrep replay` makes of a file's bytes."""
    return receipt_of(open_sealed(data))


@pytest.mark.parametrize("receipt", [RECEIPT, replace(RECEIPT, answer=None)])
def test_a_receipt_comes_back_as_it_was(receipt: Receipt) -> None:
    """Floats to the bit, the answer to the byte."""
    assert parsed(receipt_bytes(receipt)) == receipt


def test_other_white_space_is_no_change_and_a_newer_build_is_told() -> None:
    assert parsed(stable_json.dumps_pretty(receipt_document(RECEIPT))) == RECEIPT

    newer = receipt_document(RECEIPT) | {"schema_version": 2}

    with pytest.raises(Incompatible, match="this build of ggrep reads 1 to 1"):
        parsed(stable_json.dumps(newer))


@pytest.mark.parametrize(
    "change",
    [
        changed(["hits", 0, "start_line"], 3),
        changed(["answer", "results", 0, "score"], 0.2),
        changed(["question", "query"], "another"),
        changed(["origin", "snapshot_id"], "1" * 26),
        changed(["budgets", "max_query_results"], 100),
        changed(["surprise"], 1),
        changed(["sha256"], "0" * 64),
        lambda document: document.pop("sha256"),
        lambda document: document.pop("answer"),
    ],
)
def test_a_changed_value_shows(change: Callable[[dict[str, Any]], None]) -> None:
    """A receipt that was tampered with must not pass."""
    document = receipt_document(RECEIPT)
    document = stable_json.loads(stable_json.dumps(document))
    change(document)

    with pytest.raises(InvalidRequest, match="was changed"):
        parsed(stable_json.dumps(document))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (changed(["hits", 0, "row_id"], "z" * 64), r"\$.hits\[0\].row_id"),
        (changed(["hits", 0, "row_id"], "d" * 64), "differ from the hits in"),
        (changed(["answer", "results", 0, "score"], 0.2), "does not match answer_sha256"),
        (changed(["answer"], [1]), "differ from the hits in"),
        (changed(["origin", "snapshot_id"], "../../etc"), "invalid snapshot id"),
        (changed(["origin", "git_head"], 7), r"\$.origin.git_head"),
        (changed(["question", "deterministic"], False), "deterministic: must be true"),
        (changed(["question", "limit"], -1), r"\$.question.limit"),
        (changed(["budgets"], {"timeout": 1}), r"\$.budgets"),
        (changed(["kind"], "town"), "its kind"),
        (changed(["surprise"], 1), "its kind"),
    ],
)
def test_what_is_sealed_anew_is_read_strictly(
    change: Callable[[dict[str, Any]], None], fault: str
) -> None:
    """The seal is no signature, so nothing is believed for its sake."""
    document = stable_json.loads(receipt_bytes(RECEIPT))
    del document["sha256"]
    change(document)

    with pytest.raises(InvalidRequest, match=fault):
        parsed(stable_json.dumps(seal(document)))


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"{}", b"null", b"\xff", b'{"kind": 1}'])
def test_other_files_are_no_receipts(data: bytes) -> None:
    with pytest.raises(InvalidRequest, match=r"not a (valid )?receipt"):
        parsed(data)


HIT = RECEIPT.hits[0]
NOW = replace(RECEIPT.origin, snapshot_id="1" * 26, config_fingerprint="9" * 64)
THERE = HitPlace("d" * 64, "deeper/a.py", 7, 9, "needle")


def replay(outcome: ReplayResult = ReplayResult.SNAPSHOT_GONE, **wanted: object) -> Replay:
    """Return a replay of a receipt of three hits."""
    longer = replace(HIT, path="much/longer/b.py", name="")
    usual = Replay(
        receipt=RECEIPT,
        outcome=outcome,
        now=NOW,
        changes=changes(RECEIPT.origin, NOW),
        differences=(),
        differing=0,
        hits=(
            replayed_hit(HIT, 0, HitFate(Fate.MOVED, THERE), 2),
            replayed_hit(longer, 1, HitFate(Fate.GONE, None), None),
            replayed_hit(HIT, 2, HitFate(Fate.SAME, replace(THERE, path="a.py")), None),
        ),
        new_hits=(NewHit(**asdict(replace(THERE, path="new.py", name="fresh")), rank_now=0),),
        same_hits=False,
    )
    return replace(usual, **wanted)  # type: ignore[arg-type] # fields vary in type


def test_each_hit_has_a_line() -> None:
    assert render_replay(replay(), Style(colour=False)) == (
        f"not reproduced: snapshot {'0' * 26} no longer exists; {'1' * 26} was queried\n"
        f"  snapshot_id: {'0' * 26} -> {'1' * 26}\n"
        f"  config_fingerprint: {'1' * 12} -> {'9' * 12}\n"
        "\n"
        "1.  moved  a.py:1              -> deeper/a.py:7  needle  now 3.\n"
        "2.  gone   much/longer/b.py:1\n"
        "3.  same   a.py:1              needle  no longer a hit\n"
        "    new    new.py:7            fresh  now 1.\n"
        "\n"
        "3 hits: 1 same, 1 moved, 0 edited, 1 gone; 1 new\n"
    )


def test_places_that_differ_are_told_and_those_left_out_counted() -> None:
    """A cut that is not named looks like the end of the list."""
    shown = ReplayDifference("$.results[0].score", "0.1", None)
    text = render_replay(
        replay(ReplayResult.DIFFERS, differences=(shown,), differing=3), Style(colour=False)
    )

    assert "  $.results[0].score: 0.1 -> nothing\n  and 2 places more\n" in text


def test_escape_sequences_of_a_receipt_do_not_reach_the_terminal() -> None:
    hostile = "\x1b[31mred\n\u202e"
    hit = replace(HIT, path=hostile, name=hostile)
    place = replace(THERE, path=hostile, name=hostile)
    result = replay(
        hits=(replayed_hit(hit, 0, HitFate(Fate.EDITED, place), 1),),
        new_hits=(NewHit(**asdict(place), rank_now=3),),
        receipt=replace(RECEIPT, origin=replace(RECEIPT.origin, snapshot_id=hostile)),
        differences=(ReplayDifference(hostile, hostile, hostile),),
    )
    text = render_replay(result, Style(colour=False))

    assert not {"\x1b", "\u202e"} & set(text)


def test_colour_changes_no_word_of_a_replay() -> None:
    plain = render_replay(replay(), Style(colour=False))
    painted = render_replay(replay(), Style(colour=True))

    assert painted != plain
    assert _without_colour(painted) == plain

    text = render_replay(replay(ReplayResult.REPRODUCED), Style(colour=False))

    assert text == f"reproduced: snapshot {'1' * 26} returns the same bytes, 3 hits\n"


def _without_colour(text: str) -> str:
    parts = text.split("\x1b[")
    return parts[0] + "".join(part.split("m", 1)[1] for part in parts[1:])
