"""Values of any frozen dataclass, made up from its annotations; and messages within bounds."""

import types
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import fields

from ggrep.config.declarations import MAX_CANDIDATES
from ggrep.model.batched_query import BatchedPoolRequest, BatchedQuery, Member
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.model.request import (
    CollectionStatistics,
    EncodedQuery,
    EncodeRequest,
    PoolRequest,
    SearchRequest,
    StatisticsRequest,
    TermFrequency,
    ViewOptions,
)
from ggrep.model.slate import Budgets, SessionRequest, SlateRequest
from ggrep.protocol.wire.messages import (
    Ask,
    Cancel,
    Claim,
    Compact,
    Describe,
    Fetch,
    Gc,
    Health,
    JointDescribe,
    JointPool,
    Line,
    Metrics,
    Ping,
    Search,
    Serve,
    Shutdown,
    Status,
    Sync,
    SyncStatus,
    WatchStatus,
)

Strategy = st.SearchStrategy[Any]
TEXT = st.text(max_size=12)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
WHOLE = st.integers(-(2**63), 2**64 - 1)
LEAVES: Mapping[Any, Strategy] = MappingProxyType(
    {
        str: TEXT,
        float: NUMBERS,
        int: WHOLE,
        bool: st.booleans(),
        types.NoneType: st.none(),
        frozenset[str]: st.frozensets(TEXT, max_size=3),
    }
)


def values_of(kind: Any, known: Mapping[Any, Strategy] = LEAVES) -> Strategy:
    """Return a strategy for `kind`: strings without surrogates, numbers that JSON can say."""
    origin = get_origin(kind)
    if kind in known:
        result = known[kind]
    elif isinstance(kind, NewType):
        result = values_of(kind.__supertype__, known)
    elif origin in {Union, types.UnionType}:
        result = st.one_of(*(values_of(item, known) for item in get_args(kind)))
    elif origin is tuple:
        result = _tuples(get_args(kind), known)
    elif origin is Mapping:
        keys, values = (values_of(item, known) for item in get_args(kind))
        result = st.dictionaries(keys, values, max_size=3)
    elif origin is Literal:
        result = st.sampled_from(get_args(kind))
    elif isinstance(kind, type) and issubclass(kind, Struct):
        hints = get_type_hints(kind)
        named = {field.name: values_of(hints[field.name], known) for field in fields(kind)}
        result = st.builds(kind, **named)
    else:
        assert issubclass(kind, Enum)
        result = st.sampled_from(kind)
    return result


def _tuples(kinds: tuple[Any, ...], known: Mapping[Any, Strategy]) -> Strategy:
    if kinds[-1] is Ellipsis:
        return st.lists(values_of(kinds[0], known), max_size=3).map(tuple)
    return st.tuples(*(values_of(kind, known) for kind in kinds))


_MS = st.integers(0, 3_600_000)
_TERMS = st.builds(TermFrequency, TEXT, st.integers(0, 10), st.integers(0, 10))
_STATISTICS = st.builds(
    CollectionStatistics,
    layout=TEXT,
    chunks=st.integers(10, 2**53),
    files=st.integers(10, 2**53),
    lengths=st.lists(st.integers(0, 2**53), max_size=4).map(tuple),
    terms=st.lists(_TERMS, max_size=3).map(tuple),
)
_VECTOR = st.builds(
    EncodedQuery,
    st.lists(st.integers(-127, 127), max_size=5).map(tuple),
    st.floats(0, 10, allow_nan=False),
)
_PATH = TEXT.map(lambda text: "/" + text.replace("\0", ""))
_NAME = st.from_regex("[a-z][a-z_]{0,5}", fullmatch=True)
_CLAIM = st.builds(
    Claim,
    root=_PATH,
    environ=st.dictionaries(_NAME, TEXT, max_size=3),
    build=_NAME,
)
_BOUNDED: Mapping[Any, Strategy] = MappingProxyType({**LEAVES, int: _MS})
_REQUEST = values_of(SearchRequest, _BOUNDED)
_SNAPSHOT = st.from_regex("[0-9A-HJKMNP-TV-Z]{26}", fullmatch=True)
_SCORED: Mapping[str, Strategy] = MappingProxyType(
    {
        "search": _REQUEST,
        "statistics": st.none() | _STATISTICS,
        "snapshot_id": st.none() | _SNAPSHOT,
        "vector": st.none() | _VECTOR,
    }
)
_POOL = st.builds(PoolRequest, per_list=st.integers(1, MAX_CANDIDATES), **_SCORED)
_QUESTION = st.builds(
    BatchedQuery,
    search=_REQUEST,
    top=st.integers(1, MAX_CANDIDATES),
    per_list=st.integers(1, MAX_CANDIDATES),
    folds=st.booleans(),
    vector=st.none() | _VECTOR,
)
_PLACES = st.lists(st.integers(0, 99), min_size=1, max_size=3).map(tuple)
_MEMBERS = st.lists(st.builds(Member, _NAME, _NAME, _PATH), max_size=3).map(tuple)
_SLATE = st.builds(
    SlateRequest,
    level=st.integers(0, 3),
    budgets=values_of(Budgets, _BOUNDED),
    anchors=st.booleans(),
    graph=st.booleans(),
    session=st.none() | values_of(SessionRequest, _BOUNDED),
    **_SCORED,
)
_BUDGETS = st.dictionaries(_NAME, st.integers(0, 2**50), max_size=3)
_PRIORITY = st.sampled_from(["interactive", "batch"])
_NARROWED = _PATH | st.just("")
_VIEW = st.builds(
    ViewOptions, columns=st.integers(0, 500), cwd=_PATH | st.just(""), json=st.booleans()
)
_SEARCH = st.builds(
    Search,
    request=_REQUEST,
    budgets=_BUDGETS,
    priority=_PRIORITY,
    render=st.none() | _VIEW,
    claim=st.none() | _CLAIM,
)
REQUEST_IDS = st.from_regex(r"[A-Za-z0-9._:-]{1,64}", fullmatch=True).filter(
    lambda text: text != "sync"
)
MESSAGES = st.one_of(
    _SEARCH,
    st.builds(Ask, _SLATE, _PRIORITY, _NARROWED, st.booleans()),
    st.builds(Ask, values_of(SymbolRequest, _BOUNDED), _PRIORITY, _NARROWED, st.booleans()),
    st.builds(Ask, values_of(ReferencesRequest, _BOUNDED), _PRIORITY, _NARROWED, st.booleans()),
    st.builds(Ask, values_of(ExpandRequest, _BOUNDED), _PRIORITY, values=st.booleans()),
    st.builds(Ask, values_of(OutlineRequest, _BOUNDED), _PRIORITY, values=st.booleans()),
    st.builds(Ask, values_of(TourRequest, _BOUNDED), _PRIORITY, values=st.booleans()),
    st.builds(
        Line, st.lists(TEXT, max_size=4).map(tuple), claim=_CLAIM, render=_VIEW, priority=_PRIORITY
    ),
    st.builds(Describe, _MS),
    st.builds(Fetch, st.builds(StatisticsRequest, _REQUEST)),
    st.builds(Fetch, _POOL),
    st.builds(JointDescribe, _NAME, _MEMBERS, _NAME, _MS),
    st.builds(JointPool, st.builds(BatchedPoolRequest, _QUESTION, _NAME, _PLACES)),
    st.builds(Fetch, st.builds(EncodeRequest, TEXT, _MS)),
    st.builds(Health, st.booleans()),
    st.builds(Sync, st.booleans(), st.booleans(), st.booleans(), _MS),
    st.builds(Cancel, REQUEST_IDS | st.just("sync")),
    st.builds(Gc, st.booleans()),
    st.builds(Compact, st.booleans()),
    st.builds(Shutdown, TEXT),
    st.builds(Serve, _CLAIM, TEXT),
    st.sampled_from([Status(), Metrics(), SyncStatus(), WatchStatus(), Ping()]),
)
"""Messages that a daemon takes."""
