"""Where an ending says too little, a file's text says what it is written in."""

import pytest

from ggrep.model.corpus import Corpus
from ggrep.parse.chunking.chunker import chunk_file
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.registry import corpus_of, language_of


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
