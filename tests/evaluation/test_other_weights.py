"""Weights as people write them."""

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.index.lexical.bm25 import FieldWeights
from ggrep.index.lexical.layout import BODY, CRUMB, DOC, NAME
from ggrep.interfaces.evaluation.ranking_weights import FIELDS, weights_from
from ggrep.search.query.kinds import QueryKind
from ggrep.search.query.weights import DEFAULT_WEIGHTS, weights_for


def test_what_is_not_named_stays_as_it_is_and_kinds_can_be_switched_off() -> None:
    """Otherwise switching off one field would switch off another."""
    assert weights_from({}) == DEFAULT_WEIGHTS
    assert weights_from({"text": 0}).text == 0.0
    assert weights_from({"text": 0}).file == DEFAULT_WEIGHTS.file

    alike = weights_from({"kinds": 0})

    assert weights_for(QueryKind.SYMBOL, alike) == alike
    assert weights_for(QueryKind.SYMBOL, DEFAULT_WEIGHTS) != DEFAULT_WEIGHTS

    named = {"body": BODY, "name": NAME, "crumb": CRUMB, "doc": DOC}

    assert [FIELDS.index(name) for name in named] == list(named.values())


def test_half_a_field_can_be_named() -> None:
    usual = DEFAULT_WEIGHTS.fields
    found = weights_from({"fields": {"doc": {"boost": 0}, "body": {"b": 1}}}).fields

    assert found[DOC] == FieldWeights(0.0, usual[DOC].b)
    assert found[BODY] == FieldWeights(usual[BODY].boost, 1.0)
    assert (found[NAME], found[CRUMB]) == (usual[NAME], usual[CRUMB])


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"txet": 0}, "unknown weight 'txet'; known weights:"),
        ({"text": True}, "text must be a number"),
        ({"text": -0.5}, "text must be a number"),
        ({"text": {}}, "text must be a number"),
        ({"priors": 0.5}, "priors must be 0 or 1"),
        ({"k1": 0}, "k1 must be above 0"),
        ({"fields": 1}, "fields must be an object"),
        ({"fields": {"bdoy": {}}}, "unknown field 'bdoy'; known fields: body"),
        ({"fields": {"doc": 0}}, "fields.doc must be an object of boost and b"),
        ({"fields": {"doc": {"c": 0}}}, "fields.doc must be an object of boost and b"),
        ({"fields": {"doc": {"b": 2}}}, "fields.doc.b must be between 0 and 1"),
    ],
)
def test_what_means_nothing_is_refused(values: dict[str, object], complaint: str) -> None:
    """A figure measured with a mistyped weight would be that of the usual ones."""
    with pytest.raises(InvalidRequest, match=complaint):
        weights_from(values)  # type: ignore[arg-type]  # wrong on purpose
