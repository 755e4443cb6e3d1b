"""The bar chart of a score, and the header that explains the list."""

from msgspec.structs import replace

from ggrep.model.confidence import Confidence
from ggrep.model.response import Explanation, GitState, Term
from ggrep.render.hits import component_bars, largest_part, render_explanation
from ggrep.render.style import Style
from tests.fakes.hits import hit
from tests.render.test_answer import RESPONSE

PLAIN = Style(colour=False)
TOLD = Explanation(
    kind="question",
    rules=("the usual weights", "query mentions tests: tests are not ranked lower"),
    terms=(Term("cach", 3), Term("evict", 1)),
    quotas={},
    candidate_mix={"code": 9, "prose": 0},
    returned_mix={"code": 2, "prose": 0},
    cuts={"per_file": 4},
    confidence={"evidence": 1.25},
    weights={"text": 0.5},
    segments=1,
)


def test_the_header_tells_what_was_understood_found_and_left_out() -> None:
    reported = replace(RESPONSE, explanation=TOLD, confidence=Confidence.WEAK)
    lines = render_explanation(reported, PLAIN).splitlines()

    assert [line.split("  ")[0].strip() for line in lines] == [
        *("query", "mode", "snapshot", "terms", "scored", "shown"),
        *("left out", "confidence", "weights"),
    ]
    assert (
        "question; the usual weights; query mentions tests: tests are not ranked lower" in lines[0]
    )
    assert "weak: evidence 1.25" in lines[7]


def test_the_header_says_what_json_says_of_snapshot_commit_mode_and_times() -> None:
    """A figure that only JSON has is looked for in vain."""
    origin = replace(RESPONSE.provenance, snapshot_id="S1", git=GitState("c0ffee", True, True))
    timed = (("rank", 3), ("format", 1))
    reported = replace(RESPONSE, explanation=TOLD, provenance=origin, timings_ms=timed)

    lines = render_explanation(reported, PLAIN).splitlines()

    for line in (
        "mode        balanced",
        "snapshot    S1, 1 segment",
        "commit      c0ffee and changes",
        "time        rank 3 ms, format 1 ms",
    ):
        assert line in lines


def test_a_scan_has_no_snapshot_and_a_hit_without_explanation_no_bars() -> None:
    scanned = replace(RESPONSE.provenance, snapshot_id="")
    reported = replace(RESPONSE, explanation=TOLD, provenance=scanned)

    assert "snapshot    none; the work tree was scanned" in render_explanation(reported, PLAIN)
    assert component_bars(hit("a.py", "x = 1"), largest_part([]), "", PLAIN) == []


def test_bars_of_several_hits_can_be_compared() -> None:
    high = replace(
        hit("a.py", "x = 1"), components=(("file", 2.0), ("further", 1.0), ("prior", 1.2))
    )
    low = replace(hit("a.py", "x = 1"), components=(("file", 0.5), ("path", 0.0)), rule="quota")
    largest = largest_part([high, low])

    bars = [component_bars(item, largest, "", PLAIN) for item in (high, low)]

    assert bars[0] == ["file      2.0000 " + "━" * 24, "x 1.2 prior x 1 further"]
    assert bars[1] == ["file      0.5000 " + "━" * 6, "chosen by its bucket's quota"]
