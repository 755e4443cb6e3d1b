"""What the program tells people to run: every string of its source that holds a command."""

import ast
import re
from collections.abc import Iterator
from functools import cache

from ggrep.base.commands import COMMANDS
from tests.docs.pages import SOURCES

EXAMPLES = frozenset({"examples.py", "help_table.py"})
"""Pages of help, whose lines `tests/journeys/test_examples.py` runs."""

_COMMAND = re.compile(rf"\bggrep (?:{'|'.join(sorted(COMMANDS))})\b")


@cache
def templates() -> dict[str, str]:
    """Return the strings by their text, with `{}` for what is filled in, and where each stands."""
    results: dict[str, str] = {}
    for path in SOURCES:
        source = path.read_text(encoding="utf-8")
        if path.name in EXAMPLES or not _COMMAND.search(source):
            continue
        for node in _strings(ast.parse(source)):
            text = _text(node)
            if _COMMAND.search(text):
                results.setdefault(text, f"{path.name}:{node.lineno}")
    return results


@cache
def on_roots() -> dict[str, str]:
    """Return what is handed to `on_root`, which makes a command of it, and where."""
    return {
        _text(node.args[0]): f"{path.name}:{node.lineno}"
        for path in SOURCES
        for source in (path.read_text(encoding="utf-8"),)
        if "on_root(" in source
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "on_root"
    }


def _strings(tree: ast.Module) -> Iterator[ast.Constant | ast.JoinedStr]:
    """Yield whole strings; docstrings and what is written under constants are for programmers.

    What a declaration says of an option or a setting is help, and no hint.
    """
    apart: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            apart.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            apart |= {id(part) for part in node.values}
        if isinstance(node, ast.Call):
            apart |= {id(word.value) for word in node.keywords if word.arg == "help"}
            if isinstance(node.func, ast.Name) and node.func.id in {"Argument", "Flag", "Key"}:
                apart |= {id(output) for output in node.args}
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if (is_text or isinstance(node, ast.JoinedStr)) and id(node) not in apart:
            yield node


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    assert isinstance(node, ast.JoinedStr), "a hint that nobody can read off the source"
    parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return "".join(map(str, parts))
