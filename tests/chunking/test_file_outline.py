"""The definitions of one file as a list with depths and lines."""

import pytest

from ggrep.parse.chunking.file_outline import is_outlined, outline_file

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
    ("path", "data", "told"),
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
def test_definitions_stand_where_they_begin_with_what_belongs_in_front(
    path: str, data: bytes, told: list[tuple[object, ...]]
) -> None:
    """Receivers qualify a name, comments belong to what they document."""
    found = outline_file(path, data)

    assert [
        (one.depth, one.kind, one.name, one.signature, one.start_line, one.end_line)
        for one in found
    ] == told


def test_only_what_a_grammar_reads_is_outlined_by_it() -> None:
    """All else is told by its chunks."""
    assert is_outlined("a.py", b"x = 1\n")
    assert is_outlined("a.vue", VUE)
    assert not is_outlined("a.vue", b"<template/>\n")
    assert not is_outlined("a.md", b"# A\n")
    assert not is_outlined("a.tf", b"a {}\n")
