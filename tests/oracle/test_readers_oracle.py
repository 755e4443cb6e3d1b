"""Classes and functions of C++ projects full of macros: outline, `symbol` and chunks, and ctags."""

import re
from collections import defaultdict
from collections.abc import Iterable

import pytest

from tests.oracle.definitions import Tag, tags_of
from tests.oracle.packages import BEHIND_MACROS, Package
from tests.oracle.readers import Definition, chunks, defined, outlined
from tests.oracle.registries import Cache
from tests.oracle.table import CACHE_FOLDER

KINDS = frozenset({"class", "enum", "function", "struct", "union"})
READ_BYTES = 400_000
"""Larger files are made by programs."""
ENOUGH = 0.97
AGREED = 0.999


@pytest.mark.deep
@pytest.mark.timeout(900)
@pytest.mark.parametrize("package", BEHIND_MACROS, ids=lambda package: package.name)
def test_each_reader_knows_what_ctags_knows_and_what_the_others_know(package: Package) -> None:
    """A macro may cost no definition its name, whoever asks."""
    cache = Cache(CACHE_FOLDER)
    folder = cache.files(package)
    tags = defaultdict[str, list[Tag]](list)
    for tag in tags_of(package, folder, cache.ctags()):
        if tag.kind in KINDS and (folder / tag.path).stat().st_size <= READ_BYTES:
            tags[tag.path].append(tag)
    missing = defaultdict[str, list[Tag]](list)
    listed, apart = 0, list[tuple[str, Definition]]()
    for path, ours in tags.items():
        data = (folder / path).read_bytes()
        outline = outlined(path, data)
        names = {each.own_name for each in outline} | {tag.name for tag in ours}
        symbols = defined(path, data, names)
        shown = _of_chunks(path, data)
        for reader, item in (("outline", outline), ("symbol", symbols), ("chunks", shown)):
            missing[reader] += _missing(ours, item)
        reports = [each for each in outline if each.kind not in {"constant", "field"}]
        listed += len(reports)
        apart += [(path, each) for each in reports if each not in symbols]

    total = sum(map(len, tags.values()))
    assert total >= 5_000
    for reader, lost in missing.items():
        assert len(lost) <= (1 - ENOUGH) * total, (reader, lost[::50])
    assert len(apart) <= (1 - AGREED) * listed, apart[::20]


def _of_chunks(path: str, data: bytes) -> list[Definition]:
    return [
        Definition(chunk.start_line, chunk.end_line, chunk.chunk_type, name)
        for chunk in chunks(path, data)
        for name in (chunk.name, *chunk.names)
    ]


def _missing(tags: Iterable[Tag], found: Iterable[Definition]) -> list[Tag]:
    lines = defaultdict[str, list[Definition]](list)
    for each in found:
        lines[_close(each.own_name)].append(each)
    return [
        tag
        for tag in tags
        if not any(
            each.start_line <= tag.line <= each.end_line
            for each in lines[_close(tag.name.rpartition("::")[2] or tag.name)]
        )
    ]


def _close(name: str) -> str:
    return re.sub(r"\s+", "", name)


def test_a_name_without_its_lines_is_missing() -> None:
    """The oracle has to be able to say no."""
    text = b"class FOO_API Kettle : public Base {\n};\nint last();\n"
    result = outlined("a.hpp", text)

    assert _missing([Tag("a.hpp", 1, "Kettle", "class")], result) == []
    assert _missing([Tag("a.hpp", 3, "Kettle", "class")], result) != []
    assert _missing([Tag("a.hpp", 1, "Base", "class")], result) != []
