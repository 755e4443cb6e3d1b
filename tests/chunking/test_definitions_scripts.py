"""Lua and shell scripts become chunks of the right type and name."""

import pytest

from tests.chunking.conftest import Chunked, Row, definitions_of

LUA = """local x = require "a.b"
--- Says.
function M.foo(a) return 1 end
function M.a:bar() end
local function loc() end
M.baz = function() end
local T = {
  f = function() end,
  g = 1,
}
X, Y = 1, 2
"""
SHELL = """#!/bin/bash
source a.sh
. "$D/b.sh"
# Says.
foo() { echo; }
function bar { x=1; }
X=1
export Y=2
readonly Z=3
alias ll='ls'
if true; then
  baz() { :; }
fi
"""

GOLDEN: list[tuple[str, str, str, list[Row]]] = [
    (
        "a.lua",
        LUA,
        "a.b",
        [
            ("block", "", ()),
            ("function", "M.foo", ("foo",)),
            ("method", "M.a.bar", ("bar",)),
            ("function", "loc", ("loc",)),
            ("function", "M.baz", ("baz",)),
            ("block", "", ("T", "f", "X", "Y")),
        ],
    ),
    (
        "a.sh",
        SHELL,
        "a.sh, $D/b.sh",
        [
            ("block", "", ()),
            ("function", "foo", ("foo",)),
            ("function", "bar", ("bar",)),
            ("block", "", ("X", "Y", "Z", "ll")),
            ("function", "baz", ("baz",)),
        ],
    ),
]


@pytest.mark.parametrize(("path", "source", "imports", "rows"), GOLDEN, ids=[r[0] for r in GOLDEN])
def test_definitions_and_imports_are_found(
    chunked: Chunked, path: str, source: str, imports: str, rows: list[Row]
) -> None:
    """A search for a name has to land on its definition, in every language that is parsed."""
    file = chunked(path, source)

    assert file.method == "tree-sitter"
    assert definitions_of(file) == rows
    assert f"Imports: {imports}\n" in file.chunks[0].extra


def test_pub_and_the_comment_above_it_belong_to_a_zig_definition(chunked: Chunked) -> None:
    """The grammar leaves `pub` outside of what it makes public."""
    text = "/// Says.\n/// More.\npub fn foo(a: u8) void { return; }\n"
    foo = chunked("a.zig", text).chunks[1]

    assert foo.text.startswith("/// Says.\n/// More.\npub fn foo")
    assert foo.signature == "fn foo(a: u8) void"
    assert foo.doc == "Says.\nMore."
