"""Fingerprints: equal exactly when the things they stand for are."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields, replace

from ggrep.base.ids import PathKey
from ggrep.config.fingerprints import (
    config_fingerprint,
    embed_config_fingerprint,
    ignore_fingerprint,
    query_fingerprint,
    repo_id,
    slug,
    store_id,
)
from ggrep.config.settings import Settings
from ggrep.model.corpus import Corpus, Mode
from ggrep.model.filters import Filter
from ggrep.model.request import Backend, Find, SearchRequest, SnippetMode


def of_config(settings: Settings | None = None, **revisions: str) -> str:
    given = {"encoder_identity": "e", "chunker_revision": "c", "grammar_revision": "g"}
    return config_fingerprint(settings or Settings(), **(given | revisions))


def test_config_fingerprint_moves_with_what_shapes_the_index() -> None:
    others = {
        of_config(),
        of_config(encoder_identity="x"),
        of_config(chunker_revision="x"),
        of_config(grammar_revision="x"),
        of_config(Settings(max_file_size_bytes=1)),
        of_config(Settings(max_chunks_per_file=1)),
        of_config(Settings(include_untracked=False)),
        of_config(Settings(extra_ignores=("a",))),
    }

    assert len(others) == 8
    assert all(len(value) == 64 for value in others)

    others = {
        of_config(),
        of_config(Settings(structure=False)),
        of_config(Settings(profile_include=("Datasets/**",))),
        of_config(Settings(profile_include=("Datasets/**",), max_bytes_indexed=1)),
    }

    assert len(others) == 4
    assert of_config(Settings(profile="docs", max_store_bytes=1)) == of_config()

    asked = Settings(max_candidates=1, merge_strategy="global", max_snippet_bytes_per_result=1)

    assert of_config(asked) == of_config()


def test_embed_fingerprint_moves_with_encoder_and_chunker() -> None:
    """Vectors are shared only between stores that would make the same ones."""
    made = {
        embed_config_fingerprint(encoder_identity=encoder, chunker_revision=chunker)
        for encoder in ("a", "b")
        for chunker in ("1", "2")
    }

    assert len(made) == 4


def test_ignore_fingerprint_does_not_depend_on_order_and_keeps_files_apart() -> None:
    files = [(PathKey("a/.ggignore"), b"x\n"), (PathKey(".ggignore"), b"y\n")]

    assert ignore_fingerprint(files) == ignore_fingerprint(reversed(files))

    first = [(PathKey("a"), b"x"), (PathKey("b"), b"y")]
    other = [(PathKey("a"), b"xb\x001\0y")]

    assert ignore_fingerprint(first) != ignore_fingerprint(other)


OTHER_VALUES: dict[str, Any] = {
    "query": "other",
    "limit": 11,
    "per_file": 4,
    "mode": Mode.DEBUG,
    "corpora": (Corpus.CODE,),
    "scope": "src",
    "filters": (Filter("lang", "python"),),
    "snippet": SnippetMode.FULL,
    "backend": Backend.EXACT,
    "include_anchors": True,
    "deterministic": True,
    "explain": True,
    "keep_weak": True,
    "find": Find.EXACT_TEXT,
    "vectors": False,
    "within": (Filter("path", "docs"),),
    "ignore_case": True,
    "whole_words": True,
    "lines_before": 2,
    "lines_after": 2,
    "list_files": True,
    "timeout_ms": 1,
}


@pytest.mark.parametrize("name", [field.name for field in fields(SearchRequest)])
def test_query_fingerprint_moves_with_every_knob_but_two(name: str) -> None:
    """A new field of the request counts unless somebody decides otherwise here."""
    request = SearchRequest("words")
    changed = replace(request, **{name: OTHER_VALUES[name]})

    same = query_fingerprint(changed) == query_fingerprint(request)

    assert same == (name in {"timeout_ms", "explain"})


def test_query_fingerprint_does_not_depend_on_the_order_of_filters() -> None:
    left, other = Filter("lang", "python"), Filter("path", "src/*", negated=True)

    first = query_fingerprint(SearchRequest("w", filters=(left, other)))
    second = query_fingerprint(SearchRequest("w", filters=(other, left, left)))

    assert first == second


def test_query_fingerprint_moves_with_output_budgets_and_ranking() -> None:
    """Two answers with one fingerprint must be comparable."""
    request = SearchRequest("w")
    made = {
        query_fingerprint(request),
        query_fingerprint(request, settings=Settings(max_total_snippet_bytes=1)),
        query_fingerprint(request, ranking_revision="r"),
    }

    assert len(made) == 3


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("My Project", "my-project"),
        ("..x__y..", "x-y"),
        ("日本", "repo"),
        ("a" * 30, "a" * 24),
        ("a" * 23 + "-b", "a" * 23),
    ],
)
def test_a_slug_is_short_and_plain(name: str, expected: str) -> None:
    assert slug(Path("/", name)) == expected


def test_ids_tell_equal_names_apart() -> None:
    """Two checkouts called `api` are two repositories."""
    first, other = Path("/a/api"), Path("/b/api")

    assert repo_id(first) != repo_id(other)
    assert repo_id(first).startswith("api-")
    assert len(repo_id(first)) == len("api-") + 12


def test_a_store_id_holds_root_and_configuration() -> None:
    """Another configuration is another store of the same root."""
    root = Path("/a/api")

    made = store_id(root, "f1")

    assert made.startswith(f"{repo_id(root)}-")
    assert made != store_id(root, "f2")
    assert len(made) == len("api-") + 12 + 1 + 12
