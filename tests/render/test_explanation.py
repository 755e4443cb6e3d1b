"""The bar chart of a score, and the header that explains the list."""

from dataclasses import replace

from ggrep.model.confidence import Confidence
from ggrep.model.response import Explanation
from ggrep.render.explanation import component_bars, largest_part, render_explanation
from ggrep.render.style import Style
from tests.fakes.hits import hit

PLAIN = Style(colour=False)
TOLD = Explanation(
    kind="question",
    rules=("the usual weights", "mentions tests: tests are not ranked lower"),
    terms=(("cach", 3), ("evict", 1)),
    quotas=(),
    candidates=(("code", 9), ("prose", 0)),
    returned=(("code", 2), ("prose", 0)),
    cuts=(("per_file", 4),),
    confidence=(("evidence", 1.25),),
    weights=(("text", 0.5),),
    segments=1,
)


def test_the_header_tells_what_was_understood_found_and_left_out() -> None:
    """One line each, nothing that says nothing."""
    lines = render_explanation(TOLD, Confidence.WEAK, PLAIN).splitlines()

    assert [line.split("  ")[0].strip() for line in lines] == [
        *("query", "terms", "scored", "shown", "left out", "confidence", "weights"),
    ]
    assert "question; the usual weights; mentions tests: tests are not ranked lower" in lines[0]
    assert "weak: evidence 1.25" in lines[5]


def test_bars_of_several_hits_can_be_compared() -> None:
    """A bar that fills for every hit's own best part would show nothing."""
    high = replace(
        hit("a.py", "x = 1"), components=(("file", 2.0), ("further", 1.0), ("prior", 1.2))
    )
    low = replace(hit("a.py", "x = 1"), components=(("file", 0.5), ("path", 0.0)), rule="quota")
    largest = largest_part([high, low])

    bars = [component_bars(item, largest, "", PLAIN) for item in (high, low)]

    assert bars[0] == ["file      2.0000 " + "━" * 24, "x 1.2 prior x 1 further"]
    assert bars[1] == ["file      0.5000 " + "━" * 6, "chosen by its bucket's quota"]


def test_a_hit_that_was_not_explained_has_no_bars() -> None:
    """Nor a line about nothing."""
    assert component_bars(hit("a.py", "x = 1"), largest_part([]), "", PLAIN) == []
