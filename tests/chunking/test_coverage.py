"""Whatever a file holds, its text stands in the chunks exactly once."""

from collections.abc import Iterator
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.base.clock import SystemClock
from ggrep.base.ids import PathKey
from ggrep.model.files import ChunkedFile, FileText, SourceFile
from ggrep.parse.chunking.chunker import chunk_file, chunk_without_grammar
from ggrep.parse.chunking.spans import to_chunks
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.line_table import BLANK, BOM
from ggrep.parse.languages.registry import corpus_of
from ggrep.parse.workers.parse_pool import ParsePool
from tests.chunking.conftest import Chunked
from tests.fakes.effort import examples

SMALL = ChunkLimits(max_lines=4, max_bytes=48)

FRAGMENTS = st.sampled_from(
    [
        "\n", "\r\n", "\n\n", " ", "    ", "\t", "é", "\U0001d4b3", "\u00a0", "\ufeff", "\x00",
        "def f(x):\n    return x\n", "class A:\n    def m(self): pass\n", "@dec\n", "X = 1\n",
        "function f() { return 1; }", "const a = () => {};\n", "class B { m() {} }\n",
        "}", "{", ";",
        "// comment\n", "/* c */", "# Head\n", "## Sub\n\n", "Title\n===\n", "```mermaid\n",
        "graph TD\nA-->B\n", "```\n", "---\n", "namespace n {\n", "#define X 1\n", "#if A\n",
        "#endif\n", "template <class T> void X<T>::f() {}\n", "struct S { int x; };\n",
        "func (t *T) M() {}\n", "type (\nA int\n)\n", "impl A { fn f() {} }\n", "mod m {\n",
        "#[test]\n", "interface I { void a(); }\n", "exports.a = function () {};\n", '"""doc"""',
        "import a.b\n\n/** d */\n", "@A class K(val a: Int) : B() {\n", "companion object {\n",
        "object : I { fun f() = 1 }\n", "extension (s: S)\n  def e = 1\n", "extension A.B {\n",
        "case a, b = 1\n", "val (a, b) = c\n", "namespace A.B;\n", "int P { get; }\n", "#else\n",
        "<?php\n", "namespace A\\B;\n", "?><p>\n", "const A = 1, B = 2;\n", "return new class {\n",
        "module A::B\n", "class << self\n", "end\n", "attr_reader :a\n", "X = Struct.new(:a) do\n",
        "module A where\nf :: Int\nf = 1\n", "#else\ng :: Int\ng = 2\n#endif\n", "{-", "-- | x\n",
        "defmodule M do\n", '@doc "d"\n', "def f(x), do: x\n", "end\n", "function M.f() end\n",
        "pub const S = struct {\n", "pub fn f() void {}\n", "f() { :; }\n", "<<EOF\n",
        "message M { int32 a = 1; }\n", "type T { a: Int }\n",
        "word " * 30, "x" * 200,
    ]
)  # fmt: skip
PATHS = [
    "a.py", "a.js", "a.ts", "a.tsx", "a.go", "a.rs", "A.java", "a.c", "a.h", "a.cpp",
    "a.md", "a.rst", "a.adoc", "a.mmd", "a.json", "a.rb",
    "a.cs", "a.kt", "a.php", "a.scala", "a.swift",
    "a.hs", "a.ex", "a.lua", "a.zig", "a.proto", "a.graphql",
]  # fmt: skip


def check(file: ChunkedFile, data: bytes, limits: ChunkLimits = SMALL) -> None:
    """Assert all that holds for every file."""
    content, end = bytearray(data), 3 if data.startswith(BOM) else 0
    content[:end] = b" " * end
    for chunk in file.chunks[1:]:
        assert end <= chunk.byte_start < chunk.byte_end
        end = chunk.byte_end
        content[chunk.byte_start : end] = b" " * (end - chunk.byte_start)
    assert not bytes(content).strip(BLANK)
    assert file.chunks[0].chunk_type == "anchor"
    for chunk in file.chunks:
        assert data[chunk.byte_start : chunk.byte_end].decode() == chunk.text
        assert chunk.start_line == data.count(b"\n", 0, chunk.byte_start) + 1
        assert chunk.end_line == chunk.start_line + chunk.text.count("\n")
    for chunk in file.chunks[1:]:
        assert chunk.byte_end - chunk.byte_start <= limits.max_bytes
        assert chunk.end_line - chunk.start_line < limits.max_lines


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=examples(25, 60))
@given(parts=st.lists(FRAGMENTS | st.text(max_size=12), max_size=25))
def test_every_method_covers_all_text_once(path: str, parts: list[str]) -> None:
    """Text that is in no chunk cannot be found; text in two is found twice."""
    data = "".join(parts).encode()

    file = to_chunks(PathKey(path), data, chunk_file(path, data, SMALL), corpus_of(path, data))

    check(file, data)


@pytest.fixture(scope="module")
def pool() -> Iterator[ParsePool]:
    with ParsePool(1, SMALL, SystemClock()) as pool:
        yield pool


@pytest.mark.slow
@settings(max_examples=examples(25, 60))
@given(parts=st.lists(FRAGMENTS | st.text(max_size=12), max_size=25))
def test_shell_scripts_are_covered_by_whatever_method(pool: ParsePool, parts: list[str]) -> None:
    """Their grammar's scanner crashes over some here-documents: it must not be this process."""
    data = "".join(parts).encode()
    stat = SourceFile(PathKey("a.sh"), len(data), 0, 0, 0)
    text = FileText(PathKey("a.sh"), data, sha256(data).hexdigest(), stat)
    file = None
    while file is None:  # put off, where the machine gave a parser no turn; a sync tries again
        ((_, file),) = pool.chunk_all([text])

    check(file, data)


@given(parts=st.lists(FRAGMENTS, max_size=25))
@settings(max_examples=examples(25, 60))
def test_the_fallback_covers_all_text_once(parts: list[str]) -> None:
    """A file whose parse was killed is still searchable."""
    data = "".join(parts).encode()

    plan = chunk_without_grammar("a.py", data, SMALL, "parse_timeout")

    assert plan.problem == "parse_timeout"
    check(to_chunks(PathKey("a.py"), data, plan, corpus_of("a.py")), data)


def test_an_empty_file_is_an_empty_anchor(chunked: Chunked) -> None:
    (anchor,) = chunked("pkg/__init__.py", "").chunks

    assert (anchor.text, anchor.start_line, anchor.end_line) == ("", 1, 1)
    assert anchor.extra == "File: pkg/__init__.py"


def test_one_endless_line_is_cut_between_characters(chunked: Chunked) -> None:
    """Minified files have lines of a megabyte."""
    data = ("é" * 40_000).encode()

    file = chunked("a.txt", data)

    check(file, data, ChunkLimits())
    assert {chunk.end_line for chunk in file.chunks} == {1}


def test_an_indentation_longer_than_a_window_gives_no_empty_chunk(chunked: Chunked) -> None:
    """A chunk of nothing can be found by nobody and shifts the ordinals of all behind it."""
    data = (" " * 200 + "word\n").encode() * 2

    file = chunked("a.txt", data, SMALL)

    check(file, data)
    assert [chunk.text.strip() for chunk in file.chunks[1:]] == ["word", "word"]


def test_carriage_returns_stay_in_the_text(chunked: Chunked) -> None:
    """Offsets are those of the file's own bytes."""
    data = b"\xef\xbb\xbfdef f():\r\n    return 1\r\n\r\ndef g():\r\n    pass\r\n"

    file = chunked("a.py", data)

    check(file, data, ChunkLimits())
    assert file.chunks[1].text == "def f():\r\n    return 1"
    assert file.chunks[2].start_line == 4
