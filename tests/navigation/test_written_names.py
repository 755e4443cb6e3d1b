"""Heads of definitions, pasted where a name is asked for."""

import pytest

from ggrep.model.written_names import declared_name


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("func pickCandidates", "pickCandidates"),
        ("func (s *Server) run(ctx Context) error {", "run"),
        ("pub async fn open<T>(path: T)", "open"),
        ("class Arbiter:", "Arbiter"),
        ("const MAX = 3", "MAX"),
        ("namespace shop::cart", "shop::cart"),
        (" Queue.retry ", "Queue.retry"),
    ],
)
def test_a_head_declares_a_name(typed: str, name: str) -> None:
    """Keywords, receivers, parameters and bodies are left out."""
    assert declared_name(typed) == name


@pytest.mark.parametrize("typed", ["class", "function", "defer", "type::of", "two words", "def ("])
def test_what_declares_nothing_stays_as_it_is(typed: str) -> None:
    """A keyword may be a name; other words are for whoever judges the request."""
    assert declared_name(typed) == typed
