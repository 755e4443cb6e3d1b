"""What is shown of a chunk, and that its cuts are said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.model.request import SnippetMode
from ggrep.search.query.snippets import cap_snippets, cut_snippet
from tests.fakes.hits import hit


def test_a_long_chunk_is_cut_to_the_modes_lines() -> None:
    """What is below is counted, so that a reader knows there is more."""
    text = "".join(f"line {i}\n" for i in range(30))
    short = cut_snippet(text, frozenset(), SnippetMode.SHORT)

    assert short.text.split("\n") == [f"line {i}" for i in range(8)]
    assert (short.first_line, short.hidden_lines) == (0, 22)
    assert cut_snippet(text, frozenset(), SnippetMode.NONE).hidden_lines == 30
    assert cut_snippet(text, frozenset(), SnippetMode.FULL).text == text.rstrip("\n")


def test_the_window_moves_to_where_the_words_stand_together() -> None:
    """The reason of a hit should be visible in it."""
    lines = ["def f():"] + ["    pass"] * 20 + ["    retry(queue, token)"]
    result = cut_snippet("\n".join(lines), frozenset({"retry", "queue"}), SnippetMode.SHORT)

    assert "retry(queue" in result.text
    assert result.first_line + len(result.text.split("\n")) + result.hidden_lines == len(lines)


@pytest.mark.parametrize("match", [0, 3, 11, 12, 30, 39])
@pytest.mark.parametrize("mode", [SnippetMode.SHORT, SnippetMode.DEFAULT, SnippetMode.FULL])
def test_the_line_that_must_be_shown_is_in_the_window(match: int, mode: SnippetMode) -> None:
    """As many lines as usual, and from the start where that will do."""
    lines = [f"line {number}" for number in range(40)]

    result = cut_snippet("\n".join(lines), frozenset({"line"}), mode, match)
    shown = result.text.split("\n")

    assert f"line {match}" in shown
    assert len(shown) == (mode.lines or 40)
    assert result.first_line == 0 or match >= len(shown)
    assert result.first_line + len(shown) + result.hidden_lines == 40


def test_a_long_gap_takes_no_room() -> None:
    """Between two cells of a notebook the file has what nobody is shown."""
    text = "\n".join(["a", *[""] * 30, *"bcdefghij"])

    result = cut_snippet(text, frozenset(), SnippetMode.SHORT)

    assert result.text.split() == list("abcdef")
    assert result.hidden_lines == 4


def test_escape_sequences_do_not_reach_a_snippet() -> None:
    """A searched file could otherwise rewrite the terminal."""
    assert cut_snippet("a\x1b[2Jb", frozenset(), SnippetMode.DEFAULT).text == "ab"


def test_byte_caps_are_said() -> None:
    """Nothing partial is silent."""
    hits, limits = cap_snippets(
        [hit("a", "x" * 10), hit("b", "é\ny" * 3), hit("c", "zz\nz")], per_result=9, total=12
    )

    assert [h.content for h in hits] == ["x" * 9, "é\n", ""]
    assert [h.hidden_lines for h in hits] == [0, 2, 2]
    assert [(cut.code, cut.path_key, cut.observed) for cut in limits] == [
        ("max_snippet_bytes_per_result", "a", 10),
        ("max_snippet_bytes_per_result", "b", 12),
        ("max_total_snippet_bytes", None, 22),
    ]


@given(st.lists(st.text(max_size=20), max_size=5), st.integers(0, 15), st.integers(0, 30))
def test_caps_hold_and_cut_between_characters(
    texts: list[str], per_result: int, total: int
) -> None:
    """A caller sizes its own buffers by them."""
    given_hits = [
        hit(str(i), "".join(c for c in t if c.isprintable())) for i, t in enumerate(texts)
    ]
    hits, limits = cap_snippets(given_hits, per_result=per_result, total=total)
    sizes = [len(h.content.encode()) for h in hits]

    assert all(size <= per_result for size in sizes)
    assert sum(sizes) <= total
    assert all(h.content.startswith(c.content) for h, c in zip(given_hits, hits, strict=True))
    assert bool(limits) == any(
        len(h.content) != len(c.content) for h, c in zip(given_hits, hits, strict=True)
    )
