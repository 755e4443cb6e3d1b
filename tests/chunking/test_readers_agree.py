"""Chunks, outlines and names read one text: each definition has one name and one range of lines."""

import pytest

from tests.oracle.readers import Definition, chunks, defined, outlined

CASES = [
    (
        "a.hpp",
        "class FOO_EXPORT Kettle : public Base {\n  int size;\n  void boil();\n};\n",
        [(1, 4, "class", "Kettle"), (2, 2, "field", "size"), (3, 3, "method", "boil")],
    ),
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
