"""Flags become a request, or a word on what is wrong with them."""

from dataclasses import replace

import pytest

from ggrep.cli.search_flags import SearchFlags, limit_of, request_of
from ggrep.domain.corpus import CORPORA, Corpus, Mode
from ggrep.domain.filters import Filter
from ggrep.domain.request import Find, SnippetMode
from ggrep.errors import InvalidRequest, UsageError

PLAIN = SearchFlags(
    query="words",
    top=(),
    per_file=3,
    modes=(),
    snippets=(),
    corpus=(),
    filters=(),
    backend="auto",
    anchors=False,
    deterministic=False,
    explain=False,
    keep_weak=False,
    timeout_ms=0,
)


def test_without_flags_the_defaults_of_every_surface_hold() -> None:
    """Ten hits, three a file, balanced, every corpus."""
    request = request_of(PLAIN, scope="")

    assert (request.limit, request.per_file, request.mode) == (10, 3, Mode.BALANCED)
    assert request.corpora == CORPORA
    assert request.snippet is SnippetMode.DEFAULT


@pytest.mark.parametrize("text", ["-lang:python", "!lang:python"])
def test_a_filter_is_negated_by_either_sign(text: str) -> None:
    """Shells make `!` awkward and option parsers `-`."""
    request = request_of(replace(PLAIN, filters=(text,)), scope="")

    assert request.filters == (Filter("lang", "python", negated=True),)


def test_a_filter_value_may_hold_colons() -> None:
    """Only the first colon divides."""
    request = request_of(replace(PLAIN, filters=("path:a:b",)), scope="")

    assert request.filters == (Filter("path", "a:b"),)


def test_corpora_keep_one_order_however_they_are_given() -> None:
    """Equal requests have equal fingerprints."""
    one = request_of(replace(PLAIN, corpus=("records", "code", "code")), scope="")

    assert one.corpora == (Corpus.CODE, Corpus.RECORDS)
    assert request_of(replace(PLAIN, corpus=("code", "all")), scope="").corpora == CORPORA


def test_of_several_depths_the_deepest_wins() -> None:
    """An alias with `-s` in it can still be overruled by `-c`."""
    request = request_of(replace(PLAIN, snippets=("short", "full")), scope="")

    assert request.snippet is SnippetMode.FULL


def test_what_a_query_is_looked_for_as_is_one_word() -> None:
    """The same words as everywhere else."""
    asked = request_of(replace(PLAIN, find="exact-text", vectors=False), scope="")

    assert (asked.find, asked.vectors) == (Find.EXACT_TEXT, False)
    with pytest.raises(InvalidRequest, match="--find: unknown 'text'; use one of auto, "):
        request_of(replace(PLAIN, find="text"), scope="")


def test_the_same_intent_twice_is_one_intent() -> None:
    """`-d --mode discovery` contradicts nothing."""
    request = request_of(replace(PLAIN, modes=("discovery", "discovery")), scope="")

    assert request.mode is Mode.DISCOVERY


@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        ({"modes": ("debug", "planning")}, UsageError, "debug and planning"),
        ({"modes": ("code",)}, InvalidRequest, "--corpus"),
        ({"modes": ("x",)}, InvalidRequest, "balanced"),
        ({"corpus": ("balanced",)}, InvalidRequest, "extracted-prose"),
        ({"filters": ("lang",)}, InvalidRequest, "key:value"),
        ({"backend": "ann"}, InvalidRequest, "use auto or exact"),
        ({"timeout_ms": -1}, InvalidRequest, "--timeout-ms: -1"),
        ({"top": (-3,)}, InvalidRequest, "-m: -3"),
    ],
)
def test_what_means_nothing_is_refused_by_name(
    change: dict[str, object], kind: type[Exception], said: str
) -> None:
    """The message holds the flag, the value or what could stand instead."""
    with pytest.raises(kind, match=said):
        request_of(replace(PLAIN, **change), scope="")


def test_the_number_of_hits_is_given_once() -> None:
    """Two numbers, even equal ones, show that a script went wrong."""
    with pytest.raises(UsageError) as caught:
        limit_of((5, 5))

    assert caught.value.code == "ERR_FEDERATED_DUPLICATE_TOP_FLAG"
