"""What people read of a replay."""

from msgspec.structs import asdict, replace

from ggrep.model.receipt import (
    Fate,
    HitFate,
    NewHit,
    Place,
    Replay,
    ReplayDifference,
    ReplayResult,
    changes,
    replayed_hit,
)
from ggrep.render.receipts import render_replay
from ggrep.render.style import Style
from tests.fakes.receipts import RECEIPT

HIT = RECEIPT.hits[0]
NOW = replace(RECEIPT.origin, snapshot_id="1" * 26, config_fingerprint="9" * 64)
THERE = Place("d" * 64, "deeper/a.py", 7, 9, "needle")


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
    """Aligned, so that the fates stand below each other."""
    assert render_replay(replay(), Style(colour=False)) == (
        f"not reproduced: snapshot {'0' * 26} is gone; {'1' * 26} was queried\n"
        f"  snapshot_id: {'0' * 26} -> {'1' * 26}\n"
        f"  config_fingerprint: {'1' * 12} -> {'9' * 12}\n"
        "\n"
        "1.  moved  a.py:1              -> deeper/a.py:7  needle  now 3.\n"
        "2.  gone   much/longer/b.py:1\n"
        "3.  same   a.py:1              needle  not among the hits now\n"
        "    new    new.py:7            fresh  now 1.\n"
        "\n"
        "3 hits: 1 same, 1 moved, 0 edited, 1 gone; 1 new\n"
    )


def test_what_was_reproduced_is_told_in_a_line() -> None:
    """There is nothing to look at."""
    text = render_replay(replay(ReplayResult.REPRODUCED), Style(colour=False))

    assert text == f"reproduced: snapshot {'1' * 26} gives the same bytes, 3 hits\n"


def test_places_that_differ_are_told_and_those_left_out_counted() -> None:
    """A cut that is not named looks like the end of the list."""
    shown = ReplayDifference("$.results[0].score", "0.1", None)
    text = render_replay(
        replay(ReplayResult.DIFFERS, differences=(shown,), differing=3), Style(colour=False)
    )

    assert "  $.results[0].score: 0.1 -> nothing\n  and 2 places more\n" in text


def test_escape_sequences_of_a_receipt_do_not_reach_the_terminal() -> None:
    """It may have been written by anyone."""
    hostile = "\x1b[31mred\n\u202e"
    hit = replace(HIT, path=hostile, name=hostile)
    place = replace(THERE, path=hostile, name=hostile)
    found = replay(
        hits=(replayed_hit(hit, 0, HitFate(Fate.EDITED, place), 1),),
        new_hits=(NewHit(**asdict(place), rank_now=3),),
        receipt=replace(RECEIPT, origin=replace(RECEIPT.origin, snapshot_id=hostile)),
        differences=(ReplayDifference(hostile, hostile, hostile),),
    )
    text = render_replay(found, Style(colour=False))

    assert not {"\x1b", "\u202e"} & set(text)


def test_colour_changes_no_word() -> None:
    """Scripts and people read the same."""
    plain = render_replay(replay(), Style(colour=False))
    painted = render_replay(replay(), Style(colour=True))

    assert painted != plain
    assert _without_colour(painted) == plain


def _without_colour(text: str) -> str:
    parts = text.split("\x1b[")
    return parts[0] + "".join(part.split("m", 1)[1] for part in parts[1:])
