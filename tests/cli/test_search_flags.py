"""Flags become a request, or a word on what is wrong with them."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest, UsageError
from ggrep.interfaces.cli.queries.search_options import (
    HitOptions,
    IndexOptions,
    QueryOptions,
    ReceiptOutput,
    TypedSearch,
    given_fields,
    request_of,
)
from ggrep.model.corpus import CORPORA, Corpus, Mode
from ggrep.model.filters import Filter
from ggrep.model.request import Find, SearchRequest, SnippetMode

PLAIN = TypedSearch("words")


def asked(**options: object) -> SearchRequest:
    """Return the request of a question with some options."""
    return request_of(TypedSearch("words", question=QueryOptions(**options)), scope="")  # type: ignore[arg-type] # they vary


def test_without_flags_the_defaults_of_every_surface_hold() -> None:
    """Ten hits, three a file, balanced, every corpus."""
    request = request_of(PLAIN, scope="")

    assert (request.limit, request.per_file, request.mode) == (10, 3, Mode.BALANCED)
    assert request.corpora == CORPORA
    assert request.snippet is SnippetMode.DEFAULT


@pytest.mark.parametrize("text", ["-lang:python", "!lang:python"])
def test_a_filter_is_negated_by_either_sign(text: str) -> None:
    """Shells make `!` awkward and option parsers `-`."""
    request = asked(filters=(text,))

    assert request.filters == (Filter("lang", "python", negated=True),)


def test_a_filter_value_may_hold_colons() -> None:
    """Only the first colon divides."""
    request = asked(filters=("path:a:b",))

    assert request.filters == (Filter("path", "a:b"),)


def test_corpora_keep_one_order_however_they_are_given() -> None:
    """Equal requests have equal fingerprints."""
    one = asked(corpora=("records", "code", "code"))

    assert one.corpora == (Corpus.CODE, Corpus.RECORDS)
    assert asked(corpora=("code", "all")).corpora == CORPORA


def test_of_several_depths_the_deepest_wins() -> None:
    """An alias with `-s` in it can still be overruled by `-c`."""
    request = request_of(TypedSearch("words", hits=HitOptions(snippet=("short", "full"))), scope="")

    assert request.snippet is SnippetMode.FULL


def test_what_a_query_is_looked_for_as_is_one_word() -> None:
    """The same words as everywhere else."""
    request = asked(find="exact-text", vectors=False)

    assert (request.find, request.vectors) == (Find.EXACT_TEXT, False)
    with pytest.raises(InvalidRequest, match="--find: unknown 'text'; use one of auto, "):
        asked(find="text")


def test_the_same_intent_twice_is_one_intent() -> None:
    """`-d --mode discovery` contradicts nothing."""
    request = asked(mode=("discovery", "discovery"))

    assert request.mode is Mode.DISCOVERY


@pytest.mark.parametrize(
    ("group", "kind", "said"),
    [
        (QueryOptions(mode=("debug", "planning")), UsageError, "debug and planning"),
        (QueryOptions(mode=("code",)), InvalidRequest, "--corpus"),
        (QueryOptions(mode=("x",)), InvalidRequest, "balanced"),
        (QueryOptions(corpora=("balanced",)), InvalidRequest, "extracted-prose"),
        (QueryOptions(filters=("lang",)), InvalidRequest, "--filter: 'lang' is not key:value"),
        (HitOptions(backend="ann"), InvalidRequest, "use auto or exact"),
        (IndexOptions(timeout_ms=-1), InvalidRequest, "--timeout-ms: -1"),
        (HitOptions(limit=(-3,)), InvalidRequest, "-m must be at least 1, is -3"),
    ],
)
def test_what_means_nothing_is_refused_by_name(
    group: QueryOptions | HitOptions | IndexOptions, kind: type[Exception], said: str
) -> None:
    """The message holds the flag, the value or what could stand instead."""
    name = {QueryOptions: "question", HitOptions: "hits", IndexOptions: "asking"}[type(group)]
    with pytest.raises(kind, match=said):
        request_of(replace(PLAIN, **{name: group}), scope="")  # type: ignore[arg-type] # by its name


def test_the_number_of_hits_is_given_once() -> None:
    """Two numbers, even equal ones, show that a script went wrong."""
    with pytest.raises(UsageError) as caught:
        request_of(replace(PLAIN, hits=HitOptions(limit=(5, 5))), scope="")

    assert caught.value.code == "ERR_FEDERATED_DUPLICATE_TOP_FLAG"


def test_what_was_typed_is_kept_from_a_profile() -> None:
    """What is the default is said all the same, once it was typed."""
    typed = replace(PLAIN, question=QueryOptions(mode=("balanced",)), hits=HitOptions(per_file=3))

    assert given_fields(PLAIN) == frozenset()
    assert given_fields(typed) == {"mode", "per_file"}
    assert given_fields(replace(PLAIN, hits=HitOptions(compact=True))) == {"per_file", "snippet"}


def test_a_receipt_is_of_a_deterministic_answer() -> None:
    """Nobody could ask again for what differs each time."""
    kept = replace(PLAIN, output=ReceiptOutput(receipt=Path("r.json")))

    assert request_of(kept, scope="").deterministic
    assert not request_of(PLAIN, scope="").deterministic
