"""What a check expects: paths in the form in which answers name them, and what can never hold."""

import posixpath
import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.interfaces.evaluation.toml_file import Table
from ggrep.interfaces.evaluation.visible_places import Choice
from ggrep.parse.source.wildmatch import compile_glob

_GLOB: Final = re.compile(r"[*?\[]")
_BRACKET: Final = re.compile(r"\[[!^]?(\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]")
_RANGE: Final = re.compile(r"\[:\w+:\]|\\?(?P<low>.)-\\?(?P<high>.)")
_NEVER: Final = b"(?!)"
"""What stands in a pattern where the glob cannot be parsed; as text it would be escaped."""


def is_glob(path: str) -> bool:
    """Return whether the path stands for many."""
    return _GLOB.search(path) is not None


def matches(path: str, file: str) -> bool:
    """Return whether a plain path or a glob means the file."""
    pattern = _pattern(path)
    return file == path or (pattern is not None and pattern.match(file.encode()) is not None)


@cache
def _pattern(path: str) -> re.Pattern[bytes] | None:
    return compile_glob(path.encode()) if is_glob(path) else None


def expected_paths(table: Table, key: str) -> tuple[str, ...]:
    """Return the paths of a key in the form in which answers name them.

    Raises:
        UsageError: none can ever match one of them.
    """
    return tuple(expected_path(table, key, path) for path in table.texts(key))


def expected_path(table: Table, key: str, path: str) -> str:
    """Return a path of a key in the form in which answers name it; empty where none is given.

    Raises:
        UsageError: nothing can ever match it.
    """
    if not path:
        return path
    fault = _fault(path)
    if fault:
        table.fail(f"{key}: {path!r} {fault}", key)
    return posixpath.normpath(path)


def _fault(path: str) -> str:
    """Return why no file is ever named like this; empty when one may be."""
    if path.endswith("/"):
        return "names a directory; name files, or write **/* behind it"
    normal = posixpath.normpath(path)
    if normal.startswith("/") or normal.split("/")[0] in {".", ".."}:
        return "leads out of the root; paths are counted from it"
    if is_glob(normal) and _NEVER in compile_glob(normal.encode()).pattern:
        return "is no glob: a bracket is not closed, or holds nothing"
    for bracket in _BRACKET.finditer(normal):
        for each in _RANGE.finditer(bracket[1]):
            if each["low"] is not None and each["low"] > each["high"]:
                return f"is no glob: the range {each[0]} runs backwards"
    return ""


class Expected(Struct, frozen=True):
    """What must come; paths are plain or globs, ranks those of distinct files.

    Attributes:
        any_paths: one of these.
        all_paths: each of these.
        no_paths: none of these.
        first: this before all others.
        within: each of these among so many first files.
        order: each of these before the next.
        section: of the best hit in an expected file, else of the first hit.
        symbol: some hit defines this name.
        min_hits: at least so many hits.
        max_hits: no more hits; None for as many as come.
        places: that a slate shows, each a choice of which one will do.
        sections: in which a file stands in a slate.
    """

    any_paths: tuple[str, ...] = ()
    all_paths: tuple[str, ...] = ()
    no_paths: tuple[str, ...] = ()
    first: str = ""
    within: tuple[tuple[str, int], ...] = ()
    order: tuple[str, ...] = ()
    section: str = ""
    symbol: str = ""
    confidence: str = ""
    min_hits: int = 0
    max_hits: int | None = None
    places: tuple[Choice, ...] = ()
    sections: tuple[tuple[str, str], ...] = ()

    @property
    def of_slate(self) -> bool:
        """Return whether anything is expected of a slate."""
        return bool(self.places or self.sections)

    @property
    def of_search(self) -> bool:
        """Return whether anything is expected that a slate does not say."""
        apart = replace(self, places=(), sections=())
        if self.of_slate:
            apart = replace(apart, confidence="")
        return apart != Expected()


def refuse_idle(table: Table, expected: Expected, limit: int) -> None:
    """Do nothing when what is expected of `limit` hits may hold and may fail.

    Raises:
        UsageError: some of it never can; the key is named with its line.
    """
    for key, fault in chain(_too_many(expected, limit), _contradictions(expected)):
        table.fail(f"{key}: {fault}", key)


def _too_many(expected: Expected, limit: int) -> Iterator[tuple[str, str]]:
    for path, most in expected.within:
        if most > limit:
            yield "expect_within", f"{path!r} at {most} lies behind the limit of {limit} hits"
    if expected.min_hits > limit:
        yield "expect_min_hits", f"{expected.min_hits} are more than the limit of {limit} hits"
    plain = {path for path in expected.all_paths if not is_glob(path)}
    if len(plain) > limit:
        yield "expect_all", f"{len(plain)} files are more than the limit of {limit} hits"
    if expected.max_hits is None:
        return
    if expected.max_hits >= limit:
        never = f"{expected.max_hits} never fails with a limit of {limit} hits"
        yield "expect_max_hits", never
    if expected.max_hits < max(expected.min_hits, len(plain), int(_wants_a_hit(expected))):
        yield "expect_max_hits", f"{expected.max_hits} hits are fewer than are expected elsewhere"


def _wants_a_hit(expected: Expected) -> bool:
    return bool(
        expected.any_paths
        or expected.all_paths
        or expected.first
        or expected.within
        or expected.order
        or expected.section
        or expected.symbol
    )


def _contradictions(expected: Expected) -> Iterator[tuple[str, str]]:
    for path in expected.order:
        if expected.order.count(path) > 1:
            yield "expect_order", f"{path!r} stands twice"
    wanted = {
        "expect_any": expected.any_paths,
        "expect_all": expected.all_paths,
        "expect_first": (expected.first,),
        "expect_within": tuple(dict(expected.within)),
        "expect_order": expected.order,
    }
    for key, paths in wanted.items():
        for path in paths:
            if path in expected.no_paths:
                yield "expect_none", f"{path!r} stands in {key} too"
