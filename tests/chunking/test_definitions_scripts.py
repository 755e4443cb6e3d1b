"""Lua, shell scripts and Zig become chunks of the right type and name."""

from collections.abc import Callable

import pytest

from ggrep.model.files import ChunkedFile

Chunked = Callable[..., ChunkedFile]
Row = tuple[str, str, tuple[str, ...]]

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
ZIG = """const std = @import("std");
/// Says.
/// More.
pub fn foo(a: u8) void { return; }
pub const S = struct {
    a: u8,
    const Self = @This();
    pub fn m(self: *Self) void {}
    pub const E = enum { p, q };
};
const Err = error{ A, B };
test "abc" {}
const y: u8 = 1; // trailing
pub extern fn c() void;
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
    (
        "a.zig",
        ZIG,
        "std",
        [
            ("block", "", ()),
            ("function", "foo", ("foo",)),
            ("class", "S", ("S", "a", "Self", "m", "E", "p", "q")),
            ("enum", "Err", ("Err", "A", "B")),
            ("function", "abc", ("abc",)),
            ("block", "", ("y", "c")),
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
    assert [(c.chunk_type, c.qualified_name, c.names) for c in file.chunks[1:]] == rows
    assert f"Imports: {imports}\n" in file.chunks[0].extra


def test_pub_and_the_comment_above_it_belong_to_a_zig_definition(chunked: Chunked) -> None:
    """The grammar leaves `pub` outside of what it makes public."""
    foo = chunked("a.zig", ZIG).chunks[2]

    assert foo.text.startswith("/// Says.\n/// More.\npub fn foo")
    assert foo.signature == "fn foo(a: u8) void"
    assert foo.doc == "Says.\nMore."
