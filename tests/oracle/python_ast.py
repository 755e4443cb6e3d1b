"""What Python's own parser calls definitions and names, by line and column."""

import ast

from msgspec import Struct

Place = tuple[int, int, str]
"""A 1-based line, a 1-based column in characters, and the name there."""


class Names(Struct, frozen=True):
    """The names of one file.

    Attributes:
        defined: of functions and classes, at any depth, by their line.
        used: where a name is read, set, called, imported or passed by keyword.
    """

    defined: frozenset[tuple[int, str]]
    used: frozenset[Place]


def names_of(text: str) -> Names:
    """Return the names of a file's functions and classes, and of what it uses.

    Raises:
        SyntaxError: it is no program of this Python.
    """
    defined: set[tuple[int, str]] = set()
    used: set[Place] = set()
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                defined.add((node.lineno, node.name))
            case ast.Name():
                used.add(_place(lines, node.lineno, node.col_offset, node.id))
            case ast.Attribute(end_lineno=int(line), end_col_offset=int(end)):
                start = end - len(node.attr.encode())
                used.add(_place(lines, line, start, node.attr))
            case ast.keyword(arg=str(name)):
                used.add(_place(lines, node.lineno, node.col_offset, name))
            case ast.alias() if "." not in node.name and node.name != "*":
                used.add(_place(lines, node.lineno, node.col_offset, node.name))
            case _:
                pass
    return Names(frozenset(defined), frozenset(used))


def _place(lines: list[str], line: int, offset: int, name: str) -> Place:
    before = lines[line - 1].encode()[:offset].decode()
    return line, len(before) + 1, name
