"""Paths say which language and corpus a file is of."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from ggrep.config.builtin import EXTENSIONS
from ggrep.model.corpus import Corpus
from ggrep.parse.languages.registry import ENDINGS, corpus_of, grammar_revision, language_of


@pytest.mark.parametrize(
    ("path", "language", "corpus"),
    [
        ("a/b.py", "python", Corpus.CODE),
        ("a/B.TSX", "tsx", Corpus.CODE),
        ("x.hpp", "cpp", Corpus.CODE),
        ("Makefile", "make", Corpus.CODE),
        ("docs/a.rst", "rst", Corpus.PROSE),
        ("README", "text", Corpus.PROSE),
        ("README.md", "markdown", Corpus.PROSE),
        ("index.html", "html", Corpus.PROSE),
        (".github/workflows/ci.yml", "yaml", Corpus.RECORDS),
        ("Dockerfile.dev", "dockerfile", Corpus.RECORDS),
        ("api.proto", "proto", Corpus.RECORDS),
        ("flow.mmd", "mermaid", Corpus.EXTRACTED_PROSE),
        ("flow.puml", "plantuml", Corpus.PROSE),
    ],
)
def test_a_path_has_one_language_and_one_corpus(path: str, language: str, corpus: Corpus) -> None:
    """Corpora decide which list of an answer a file can appear in."""
    assert (language_of(path), corpus_of(path)) == (language, corpus)


def test_the_grammar_revision_is_known_without_loading_a_grammar() -> None:
    """Fingerprints are computed by processes that never parse."""
    code = (
        "import sys; from ggrep.parse.languages.registry import grammar_revision as r; r();"
        "print({'importlib.metadata', 'tree_sitter'} & sys.modules.keys())"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "set()\n"
    assert f"tree_sitter_language_pack={version('tree_sitter_language_pack')}" in grammar_revision()


@pytest.mark.parametrize(
    "versions", [(), ("9.1",), ("9.1", "9.2")], ids=["absent", "present", "left by an installer"]
)
def test_the_version_of_a_grammar_is_that_of_its_distribution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, versions: tuple[str, ...]
) -> None:
    """It shapes the fingerprint of an index, so that another spelling would index anew."""
    for each in versions:
        folder = tmp_path / f"tree_sitter-{each}.dist-info"
        folder.mkdir()
        text = f"Metadata-Version: 2.4\nName: tree_sitter\nVersion: {each}\n\nVersion: 1\n"
        (folder / "METADATA").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    grammar_revision.cache_clear()

    assert grammar_revision().startswith(f"tree_sitter={version('tree_sitter')} ")
    grammar_revision.cache_clear()


def test_what_is_read_by_its_ending_is_eligible_by_it() -> None:
    """A document that the chunker knows and the walk passes over is missed by everybody."""
    data_or_secret = {"asc", "env", "log", "svg", "rss", "har", "ndjson", "geojson", "psv"}
    of_one_user = {"code-workspace", "gitconfig"}

    left = set(ENDINGS) - EXTENSIONS

    assert left == data_or_secret | of_one_user


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("a.ti", b"class A : B\n{\n\t[config] int n;\n};\n", "code"),
        ("parser.yy", b"%{\n#include <a>\n%}\nrule: T { f(); }\n\t;\n", "code"),
        ("services/Codec", b"# license\n\nclass=org.example.Codec\n", "ini"),
        ("a.config", b"\xef\xbb\xbf<?xml version='1.0'?>\n<a/>\n", "xml"),
        ("a.xjb", b"<!-- license -->\n<bindings>\n</bindings>\n", "xml"),
        (
            "a.feature",
            b"Feature: login\n  Scenario: known\n    Given a user\n    Then ok\n",
            "text",
        ),
        ("notes", b"Call f();\nand then wait\nfor the answer of it,\nas said.\nDone\n", "text"),
        ("run", b"#!/bin/sh\nf() {\n  x;\n}\n", "bash"),
        ("one.ti", b"a;\n", "text"),
        ("a.cpp", b"<a>\n", "cpp"),
    ],
)
def test_the_form_of_lines_tells_what_neither_name_nor_first_line_does(
    name: str, text: bytes, language: str
) -> None:
    """A program in a language unknown is no document, and neither are settings."""
    assert language_of(name, text) == language
