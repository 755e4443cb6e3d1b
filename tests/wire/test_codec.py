"""Values of the domain cross the wire unchanged, to the bit."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.base.stable_json import DecodeError, decode
from ggrep.model.corpus import Corpus
from ggrep.model.filters import Filter
from ggrep.model.navigation import (
    ExpandRequest,
    ExpandResponse,
    ReferencesRequest,
    ReferencesResponse,
    SymbolRequest,
    SymbolResponse,
)
from ggrep.model.request import CollectionStatistics, EncodedQuery, PoolRequest, SearchRequest
from ggrep.model.response import Hit, PoolResponse, QueryResponse, RepoDescription
from ggrep.model.slate import SlateRequest, SlateResponse
from ggrep.protocol.wire.messages import Search, message_json
from tests.wire.values import values_of

KINDS = (
    SearchRequest,
    PoolRequest,
    PoolResponse,
    RepoDescription,
    CollectionStatistics,
    QueryResponse,
    SlateRequest,
    SlateResponse,
    SymbolRequest,
    SymbolResponse,
    ReferencesRequest,
    ReferencesResponse,
    ExpandRequest,
    ExpandResponse,
)


def crossed(value: object) -> object:
    """Return a value as the other side has it."""
    return decode(type(value), stable_json.loads(stable_json.dumps(value)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_values_come_back_equal(kind: type) -> None:
    """A coordinator merges what daemons say as if it had computed it itself."""

    @settings(suppress_health_check=list(HealthCheck), deadline=None)
    @given(values_of(kind))
    def property_holds(value: object) -> None:
        result = crossed(value)
        assert result == value
        assert stable_json.dumps(result) == stable_json.dumps(value)

    property_holds()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_come_back_to_the_bit(score: float) -> None:
    """Ties between repositories are broken by equality of scores."""
    result = crossed(EncodedQuery((), score))

    assert isinstance(result, EncodedQuery)
    assert result.scale.hex() == score.hex()


def test_the_json_is_plain() -> None:
    request = SearchRequest("a", corpora=(Corpus.EXTRACTED_PROSE,), filters=(Filter("lang", "go"),))

    result: Any = stable_json.plain(request)

    assert result["corpora"] == ["extractedProse"]
    assert result["filters"] == [{"key": "lang", "value": "go", "negated": False}]
    assert result["mode"] == "balanced"
    assert stable_json.plain((("code", 1),)) == [["code", 1]]


def test_half_a_surrogate_pair_does_not_leave() -> None:
    """File names can hold them; the caller must hear of it as of any bad argument."""
    with pytest.raises(InvalidRequest, match="surrogate"):
        message_json("1", Search(SearchRequest("\udc80")))


HOSTILE = [
    (Hit, {}),
    (Hit, []),
    (SearchRequest, None),
    (SearchRequest, {"query": 5}),
    (SearchRequest, {"query": "a", "limit": 1.0}),
    (SearchRequest, {"query": "a", "limit": True}),
    (SearchRequest, {"query": "a", "mode": {}}),
    (SearchRequest, {"query": "a", "mode": ["debug"] * 1000}),
    (SearchRequest, {"query": "a", "mode": "x" * 100_000}),
    (SearchRequest, {"query": "a", "corpora": "code"}),
    (SearchRequest, {"query": "a", "corpora": [["code"]]}),
    (SearchRequest, {"query": "a", "filters": [{}]}),
    (EncodedQuery, {"values": [1], "scale": 10**400}),
    (EncodedQuery, {"values": [1], "scale": "1"}),
    (PoolResponse, {"corpora": [["code"]]}),
]


@pytest.mark.parametrize(("kind", "value"), HOSTILE)
def test_misfits_are_refused_in_few_words(kind: type, value: object) -> None:
    """The message goes back to whoever sent it, and into a log."""
    with pytest.raises(DecodeError) as caught:
        decode(kind, value, "request")

    assert str(caught.value).startswith("request")
    assert len(str(caught.value)) <= 300
