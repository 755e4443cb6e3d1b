"""Slates are kept for a while, by handles that hang on their content alone."""

from typing import Any

from ggrep.interfaces.mcp import kept_slates
from ggrep.interfaces.mcp.kept_slates import KeptSlates
from ggrep.render.agent_text import agent_text
from tests.fakes.golden_documents import golden


def slate(tokens: int) -> dict[str, Any]:
    """Return an answer that differs from others by one figure."""
    found = golden("slate_success")
    found["slate"]["estimated_tokens"] = tokens
    return found


def test_a_slate_has_the_handle_of_its_content() -> None:
    """The same question over the same files leads to the same place."""
    kept = KeptSlates()

    first, again = kept.keep(slate(1)), kept.keep({**slate(1), "request_id": "other"})

    assert first == again != kept.keep(slate(2))
    assert kept.text(first) == agent_text(slate(1))
    assert kept.text("ggrep://slate/0") is None


def test_the_oldest_are_let_go() -> None:
    """A server lives for weeks; what was asked for again is young again."""
    kept = KeptSlates()
    handles = [kept.keep(slate(number)) for number in range(kept_slates.MOST)]

    kept.keep(slate(0))
    kept.keep(slate(kept_slates.MOST))

    assert kept.text(handles[0]) is not None
    assert kept.text(handles[1]) is None
    assert kept.text(handles[2]) is not None


def test_their_bytes_are_bounded_too(monkeypatch: object) -> None:
    """A few large ones weigh as much as many small."""
    size = len(agent_text(slate(1)).encode())
    monkeypatch.setattr(kept_slates, "MOST_BYTES", 3 * size)  # type: ignore[attr-defined]
    kept = KeptSlates()

    handles = [kept.keep(slate(number)) for number in range(5)]

    assert [kept.text(handle) is not None for handle in handles] == [False, False, True, True, True]
