"""Finds the names of modules and files in imports."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

MOST_IMPORTS: Final = 120

_QUOTED: Final = r"""["']([^"'\n]{1,120})["']"""
_SCRIPT: Final = (rf"(?:\bfrom|\bimport|\brequire|\bimport\(|\brequire\()[ \t]*\(?[ \t]*{_QUOTED}",)
_DOTTED: Final = (r"^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.]{2,120})",)
_INCLUDE: Final = (r"^[ \t]*#[ \t]*(?:include|import)[ \t]*[\"<]([^\">\n]{1,120})[\">]",)
_STYLES: Final = (rf"@(?:import|use|forward)[ \t]+(?:url\()?{_QUOTED}",)
_PATTERNS: Final[dict[str, tuple[str, ...]]] = {
    "python": (r"^[ \t]*import[ \t]+([\w.]+(?:[ \t]+as[ \t]+\w+)?(?:,[ \t]*[\w.]+)*)",),
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "vue": _SCRIPT,
    "svelte": _SCRIPT,
    "dart": _SCRIPT,
    "java": _DOTTED,
    "kotlin": _DOTTED,
    "scala": _DOTTED,
    "groovy": _DOTTED,
    "c": _INCLUDE,
    "cpp": _INCLUDE,
    "objc": _INCLUDE,
    "go": (rf"^import[ \t]+(?:[\w.]+[ \t]+)?{_QUOTED}",),
    "rust": (r"^[ \t]*(?:pub(?:\(\w+\))?[ \t]+)?use[ \t]+([\w:]{2,120})[ \t]*;",),
    "ruby": (rf"^[ \t]*(?:require|require_relative|load)[ \t(]+{_QUOTED}",),
    "php": (r"^[ \t]*use[ \t]+([\w\\]{2,120})",),
    "perl": (r"^[ \t]*(?:use|require)[ \t]+([A-Z][\w:]{1,120})",),
    "lua": (rf"\brequire[ \t(]+{_QUOTED}",),
    "proto": (rf"^import[ \t]+(?:public[ \t]+|weak[ \t]+)?{_QUOTED}",),
    "css": _STYLES,
    "scss": _STYLES,
    "less": _STYLES,
    "bash": (r"^[ \t]*(?:source|\.)[ \t]+[\"']?((?:[\w./-]|\$\{?\w+\}?/){1,120})",),
    "make": (r"^-?include[ \t]+([\w./-]{1,120})",),
    "hcl": (r"^[ \t]*source[ \t]*=[ \t]*\"(\.[^\"\n]{1,120})\"",),
}
_SAY_IMPORT: Final = frozenset({"python", "java", "kotlin", "scala", "groovy", "go", "proto"})
"""Languages in which every import contains the word `import`."""

_COMPILED: Final = {
    language: tuple(re.compile(pattern, re.MULTILINE) for pattern in patterns)
    for language, patterns in _PATTERNS.items()
}
_FROM: Final = re.compile(
    r"^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(?:\(([^)#]{1,600})\)|([\w,. \t]{1,300}))",
    re.MULTILINE,
)
_MODULE: Final = re.compile(r"^[ \t]*(?:pub(?:\(\w+\))?[ \t]+)?mod[ \t]+(\w+)[ \t]*;", re.MULTILINE)
_AUTO: Final = re.compile(
    r"^\.\. (?:auto(?:module|class|function|exception)|currentmodule|module):: ([\w.]{2,120})",
    re.MULTILINE,
)
_NAME: Final = re.compile(r"[\w.@~$\\/:{}*+-]{1,120}")
_MARKS: Final = re.compile("[{},]")
_MOST_BRACED: Final = 24
_MOST_NESTED: Final = 4


@lru_cache(1 << 11)
def listed_imports(anchor_extra: str) -> tuple[str, ...]:
    """Return the names in the line `Imports:` of a header chunk, with groups in braces expanded."""
    results: list[str] = []
    for line in anchor_extra.splitlines():
        if line.startswith("Imports: "):
            for item in _split(line.removeprefix("Imports: ")):
                results += _expanded(item)
    return tuple(filter(_NAME.fullmatch, results))[:MOST_IMPORTS]


@lru_cache(1 << 11)
def text_imports(text: str, language: str) -> tuple[str, ...]:
    """Return the modules that a text imports; comments must have been removed."""
    return tuple(dict.fromkeys(_found(text, language)))[:MOST_IMPORTS]


def _found(text: str, language: str) -> Iterator[str]:
    if language in _SAY_IMPORT and "import" not in text:
        return
    if language == "rst":
        yield from _AUTO.findall(text)
    for pattern in _COMPILED.get(language, ()):
        for match in pattern.finditer(text):
            yield from _tidied(match[1].split(",") if language == "python" else [match[1]])
    if language == "python":
        for match in _FROM.finditer(text):
            yield from _members(match[1], (match[2] or match[3]).split(","))
    if language == "rust":
        yield from (f"self::{name}" for name in _MODULE.findall(text))


def _members(module: str, names: Iterable[str]) -> Iterator[str]:
    for name in _tidied(names):
        yield f"{module}{name}" if module.endswith(".") else f"{module}.{name}"


def _tidied(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        word = name.split(maxsplit=1)[0] if name.split() else ""
        if word and _NAME.fullmatch(word):
            yield word


def _split(items: str) -> list[str]:
    """Split a list at the commas outside of braces."""
    if "{" not in items:
        return [item.strip() for item in items.split(",")]
    parts, depth, start = [], 0, 0
    for mark in _MARKS.finditer(items):
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
        if mark[0] == "," and depth <= 0:
            parts.append(items[start : mark.start()].strip())
            start = mark.end()
    return [*parts, items[start:].strip()]


def _expanded(item: str, depth: int = 0) -> list[str]:
    """Return `a::b`, `a::c` for `a::{b, c}`; aliases and deeply nested groups are dropped."""
    head, brace, rest = item.partition("{")
    if not brace:
        return [item.split(" as ", maxsplit=1)[0].split(maxsplit=1)[0]] if item.split() else []
    if depth >= _MOST_NESTED:
        return []
    parts = _split(rest.rstrip().removesuffix("}"))[:_MOST_BRACED]
    inner = [name for part in parts for name in _expanded(part, depth + 1)]
    names = [head.removesuffix("::") if name == "self" else head + name for name in inner]
    return names[:_MOST_BRACED]
