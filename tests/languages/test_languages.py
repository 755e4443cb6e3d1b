"""Paths and texts determine the language and the corpus of a file."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from ggrep.config.builtin import EXTENSIONS
from ggrep.model.corpus import Corpus
from ggrep.parse.chunking.chunker import chunk_file
from ggrep.parse.languages.chunk_limits import ChunkLimits
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
    ("path", "text", "language"),
    [
        ("a.h", "int f(void);\n", "c"),
        ("a.h", "class A {\n};\n", "cpp"),
        ("a.h", "@interface A : NSObject\n@end\n", "objc"),
        ("a.m", "#import <A.h>\n", "objc"),
        ("a.m", "/* Copies. */\n#include <a.h>\n", "objc"),
        ("a.m", "function y = f(x)\n% Doc\nend\n", "matlab"),
        ("a.m", ":- module list.\n:- interface.\n", "mercury"),
        ("a.m", '(* Doc *)\nBeginPackage["A`"]\n', "mathematica"),
        ("a.pl", "use strict;\nmy $x = 1;\n", "perl"),
        ("a.pl", ":- use_module(library(lists)).\np(X) :- q(X).\n", "prolog"),
        ("a.v", "module m(input a);\nendmodule\n", "verilog"),
        ("a.v", "Require Import List.\nTheorem t : True.\nProof.\nQed.\n", "coq"),
        ("a.v", "module m\n(a, b);\ninput a;\nendmodule\n", "verilog"),
        ("a.v", "module main\n\nfn main() {\n}\n", "v"),
        ("a.t", "use Test::More;\n", "perl"),
        ("a.t", "#!/bin/sh\necho 1\n", "bash"),
        ("a.cls", "\\NeedsTeXFormat{LaTeX2e}\n", "latex"),
        ("a.cls", "public with sharing class A {\n}\n", "apex"),
        ("a.cls", "VERSION 1.0 CLASS\n", "vb"),
        ("a.inc", "<?php\necho 1;\n", "php"),
        ("a.inc", "#define A 1\n", "c"),
        ("a.inc", "Some words.\n", "text"),
        ("a.fs", "#version 330\nvoid main() {}\n", "glsl"),
        ("a.fs", "module A\nlet x = 1\n", "fsharp"),
        ("a.ts", '<?xml version="1.0"?>\n<TS></TS>\n', "xml"),
        ("a.ts", "export const a = 1;\n", "typescript"),
        ("a.d", "main.o: main.c\n\tcc main.c\n", "make"),
        ("a.d", "module a;\nvoid f() {}\n", "d"),
        ("a.pp", "class a::b (\n  $x = 1,\n) {\n}\n", "puppet"),
        ("a.pp", "program A;\nbegin\nend.\n", "pascal"),
        ("a.pp", "unit a;\ninterface\ntype T = class\n  class function f(x: T): T;\n", "pascal"),
        ("run", "#!/usr/bin/env python3\n", "python"),
        ("run", "#!/usr/bin/env -S node --no-warnings\n", "javascript"),
        ("run", "#! /usr/bin/perl -w\n", "perl"),
        ("run", "#!/bin/bash\n", "bash"),
        ("run", "#!/usr/bin/python3.11\n", "python"),
        ("run", "#!/usr/bin/env -S deno run\n", "typescript"),
        ("run", "#!/usr/bin/env ruby\n", "ruby"),
        ("build", "#!/bin/sh\n", "bash"),
        ("build", "cc_library()\n", "starlark"),
        ("build", "#!/opt/odd\n", "starlark"),
        ("vector", "// -*- C++ -*-\n", "cpp"),
        ("README", "Words.\n", "text"),
        ("h", "class A {\n};\n", "code"),
        ("a.py", "#!/bin/sh\n", "python"),
        ("a.ti", "class A : B\n{\n\t[config] int n;\n};\n", "code"),
        ("parser.yy", "%{\n#include <a>\n%}\nrule: T { f(); }\n\t;\n", "code"),
        ("services/Codec", "# license\n\nclass=org.example.Codec\n", "ini"),
        ("a.config", "\ufeff<?xml version='1.0'?>\n<a/>\n", "xml"),
        ("a.xjb", "<!-- license -->\n<bindings>\n</bindings>\n", "xml"),
        ("a.feature", "Feature: login\n  Scenario: known\n    Given a user\n    Then ok\n", "text"),
        ("notes", "Call f();\nand then wait\nfor the answer of it,\nas said.\nDone\n", "text"),
        ("run", "#!/bin/sh\nf() {\n  x;\n}\n", "bash"),
        ("one.ti", "a;\n", "text"),
        ("a.cpp", "<a>\n", "cpp"),
    ],
)
def test_a_file_s_language_is_what_it_is_written_in(path: str, text: str, language: str) -> None:
    """Objective-C read as Matlab has no definitions at all."""
    data = text.encode()

    assert language_of(path, data) == language
    assert chunk_file(path, data, ChunkLimits()).language == language


def test_a_script_without_an_ending_is_code() -> None:
    assert corpus_of("bin/run", b"#!/usr/bin/env ruby\nputs 1\n") is Corpus.CODE
    assert corpus_of("bin/run") is Corpus.PROSE


def test_a_path_alone_still_has_a_language() -> None:
    assert [language_of(path) for path in ("a.h", "a.m", "a.v", "a.ts", "run")] == [
        *("c", "matlab", "verilog", "typescript", "text")
    ]


@pytest.mark.parametrize("ending", ["h", "m", "v", "pl", "pp", "cls", "inc", "d", "fs", "ts"])
def test_looking_at_a_hostile_file_takes_time_in_proportion(ending: str) -> None:
    """Each pattern looks at each line once: ten times the text never costs a hundredfold."""
    for line in (b"class " * 10 + b"\n", b"a(" * 50 + b"\n", b" \t" * 40, b"(* " * 40, b"x: "):
        language_of(f"a.{ending}", line * (100_000 // len(line)))
