"""The documentation as the tests read it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = tuple(sorted((ROOT / "ggrep").rglob("*.py")))
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))


@cache
def page(name: str) -> str:
    """Return the text of a page, named by its path below the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


@cache
def all_pages() -> str:
    """Return the text of all pages."""
    return "\n".join(path.read_text(encoding="utf-8") for path in PAGES)


def mentions(text: str, word: str) -> bool:
    """Tell whether `text` holds `word` as code; one that ends in `_` may go on."""
    end = "" if word.endswith("_") else r"(?![\w-])"
    return re.search(rf"`{re.escape(word)}{end}", text) is not None


def table_rows(text: str) -> list[list[str]]:
    """Return the cells of all table rows, backticks taken off."""
    lines = [line for line in text.splitlines() if line.startswith("|") and "---" not in line]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines]


def first_words(*functions: str, place: int = 0) -> set[str]:
    """Return the literal `place`-th argument of all calls of functions so named in ggrep.

    Of an f-string it is what stands before the first hole.
    """
    calls = re.compile(rf"\b(?:{'|'.join(functions)})\(")
    texts = (source.read_text(encoding="utf-8") for source in SOURCES)
    nodes = (node for text in texts if calls.search(text) for node in ast.walk(ast.parse(text)))
    called = [
        node for node in nodes if isinstance(node, ast.Call) and _name(node.func) in functions
    ]
    return {word for call in called for word in _literal(call.args[place : place + 1])}


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _literal(arguments: list[ast.expr]) -> Iterator[str]:
    for argument in arguments:
        value = argument.values[0] if isinstance(argument, ast.JoinedStr) else argument
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value
