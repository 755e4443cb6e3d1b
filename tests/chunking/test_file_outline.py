"""The definitions of one file as a list with depths and lines."""

import pytest

from ggrep.parse.chunking.file_outline import is_outlined, outline_file
from tests.oracle.readers import Definition, chunks, defined, outlined

GO = b"""package a

// Run starts it.
func (s *Server) Run(n int) error {
	return nil
}
"""
VUE = b"""<template>
  <p/>
</template>
<script lang="ts">
export function pay(n: number): void {}
</script>
"""
RUST = b"""impl Box {
    pub fn open(&self) {}
}

const A: u8 = 1;
"""


@pytest.mark.parametrize(
    ("path", "data", "reported"),
    [
        (
            "a.go",
            GO,
            [(0, "method", "Server.Run", "func (s *Server) Run(n int) error", 3, 6)],
        ),
        ("a.vue", VUE, [(0, "function", "pay", "export function pay(n: number): void", 5, 5)]),
        (
            "a.rs",
            RUST,
            [
                (0, "class", "Box", "impl Box", 1, 3),
                (1, "method", "open", "pub fn open(&self)", 2, 2),
                (0, "constant", "A", "const A: u8 = 1;", 5, 5),
            ],
        ),
        ("empty.py", b"", []),
    ],
)
def test_outline_lines_are_right(
    path: str, data: bytes, reported: list[tuple[object, ...]]
) -> None:
    """Receivers qualify a name, comments belong to what they document."""
    result = outline_file(path, data)

    assert [
        (each.depth, each.kind, each.name, each.signature, each.start_line, each.end_line)
        for each in result
    ] == reported


def test_only_what_a_grammar_reads_is_outlined_by_it() -> None:
    """All else is told by its chunks."""
    assert is_outlined("a.py", b"x = 1\n")
    assert is_outlined("a.vue", VUE)
    assert not is_outlined("a.vue", b"<template/>\n")
    assert not is_outlined("a.md", b"# A\n")
    assert not is_outlined("a.tf", b"a {}\n")


CASES = [
    (
        "a.c",
        "void lock(struct a *b) GUARDED(b) {\n  go();\n}\nint size;\n",
        [(1, 3, "function", "lock"), (4, 4, "constant", "size")],
    ),
    (
        "a.ts",
        "interface Kettle {\n  (name: string): void\n  <T>(name: T): void\n"
        "  size: import('./a').Size\n}\nexport class Pot {}\n",
        [(1, 5, "interface", "Kettle"), (4, 4, "field", "size"), (6, 6, "class", "Pot")],
    ),
    (
        "a.hs",
        "module A where\n#if X\nf :: Int\nf = 1\n#endif\n\ntype D = Int\n\ng :: Int\ng = 1\n",
        [(3, 4, "function", "f"), (7, 7, "typealias", "D"), (9, 10, "function", "g")],
    ),
]


@pytest.mark.parametrize(("path", "text", "expected"), CASES, ids=[case[0] for case in CASES])
def test_each_reader_tells_the_same_definitions(
    path: str, text: str, expected: list[tuple[int, int, str, str]]
) -> None:
    """A name that a search shows and `symbol` does not know sends its reader astray."""
    data = text.encode()
    wanted = [Definition(*row) for row in expected]

    assert [_bare(each) for each in outlined(path, data) if each.kind != "module"] == wanted
    assert {_bare(each) for each in defined(path, data)} >= set(wanted)
    assert {each.name for each in wanted} <= {n for c in chunks(path, data) for n in c.names}


def _bare(definition: Definition) -> Definition:
    return definition._replace(name=definition.own_name)
