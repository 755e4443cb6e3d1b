"""Filters whose value nothing indexed has are named, beside hits too."""

import pytest

from ggrep.model.filters import Filter
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SlateRequest
from ggrep.search.engine.engine import Engine

RUST, PYTHON = Filter("lang", "rust"), Filter("lang", "python")


def told(engine: Engine, *filters: Filter) -> list[str]:
    """Return what an answer under filters says of them."""
    answer = engine.search(SearchRequest("retry", filters=filters))
    return [each.message for each in answer.warnings if each.code == "nothing_selected"]


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ((PYTHON, RUST), "no indexed file matches lang:rust"),
        ((Filter("lang", "rust", negated=True),), "no indexed file matches lang:rust"),
        ((Filter("kind", "enum"), Filter("kind", "function")), "no indexed file matches kind:enum"),
    ],
)
def test_a_value_that_nothing_has_is_named_beside_hits(
    engine: Engine, filters: tuple[Filter, ...], message: str
) -> None:
    """Other filters fill the answer, and nobody would look twice."""
    assert told(engine, *filters) == [message]


def test_an_empty_answer_names_it_once(engine: Engine) -> None:
    """It says as much already."""
    assert told(engine, RUST) == ["no indexed file matches lang:rust"]


def test_values_that_something_has_are_not_named(engine: Engine) -> None:
    """Also of a filter that another one of the request leaves nothing for."""
    assert told(engine, PYTHON, Filter("lang", "markdown", negated=True)) == []
    assert told(engine, Filter("path", "nowhere", negated=True)) == []


def test_a_slate_names_it(engine: Engine) -> None:
    """It has no list that is empty, and says so all the more."""
    answer = engine.ask(SlateRequest(SearchRequest("retry", filters=(PYTHON, RUST))))

    assert "no indexed file matches lang:rust" in [each.message for each in answer.warnings]
