"""What universal-ctags calls a definition, and which of it our chunks start or name."""

import json
import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import Struct

from ggrep.base.ids import PathKey
from ggrep.model.files import Chunk
from ggrep.parse.chunking.chunker import chunk_file
from ggrep.parse.chunking.spans import to_chunks
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.registry import corpus_of
from tests.oracle.kinds import definitions
from tests.oracle.packages import Package

_LEADING = ("//", "# ", "#!", "#[", "--", "@")
"""How comments, attributes and decorators begin."""


@dataclass(frozen=True, slots=True)
class Tag:
    """One definition as ctags reports it; `line` is 1-based, `scope` what it stands in."""

    path: str
    line: int
    name: str
    kind: str
    scope: str = field(default="", compare=False)


class Comparison(Struct, frozen=True):
    """One language's result.

    Attributes:
        files: how many files were read.
        started: tags whose line opens a chunk, or that a chunk around them is named after.
        named: tags that a chunk around them names.
        covered: tags of either sort.
        missing: the others.
    """

    package: Package
    files: int
    tags: int
    started: int
    named: int
    covered: int
    missing: tuple[Tag, ...]

    @property
    def share(self) -> float:
        """Return the share of the tags that a chunk starts with or names."""
        return self.covered / self.tags if self.tags else 0.0

    def missing_kinds(self) -> list[tuple[str, int]]:
        result = Counter(tag.kind for tag in self.missing)
        return sorted(result.items(), key=lambda item: (-item[1], item[0]))


def compare(package: Package, folder: Path, tags: Sequence[Tag]) -> Comparison:
    """Return how our chunks of a package's files stand against ctags' definitions."""
    keys = _path_keys(folder)
    chunks = {key: _chunks(key, folder / key) for key in keys}
    started = [_starts(tag, chunks[tag.path]) for tag in tags]
    named = [_names(tag, chunks[tag.path]) for tag in tags]
    covered = [either or other for either, other in zip(started, named, strict=True)]
    return Comparison(
        package=package,
        files=len(keys),
        tags=len(tags),
        started=sum(started),
        named=sum(named),
        covered=sum(covered),
        missing=tuple(tag for tag, item in zip(tags, covered, strict=True) if not item),
    )


def _chunks(path_key: str, path: Path) -> tuple[Chunk, ...]:
    """Return a file's chunks behind its anchor, which repeats the others' text and names."""
    data = path.read_bytes()
    plan = chunk_file(path_key, data, ChunkLimits())
    return to_chunks(PathKey(path_key), data, plan, corpus_of(path_key, data)).chunks[1:]


def _path_keys(folder: Path) -> list[str]:
    result = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in result)


def tags_of(package: Package, folder: Path, ctags: Sequence[str]) -> list[Tag]:
    """Return the definitions that ctags finds in a package's files, each once."""
    rows = _rows(package, folder, ctags)
    misread = {path: _elsewhere(package, folder / path) for path in {row["path"] for row in rows}}
    kept = definitions(
        package.ctags, [row for row in rows if row["line"] not in misread[row["path"]]]
    )
    return list(
        dict.fromkeys(
            Tag(row["path"], row["line"], _name(package, row), row["kind"], row.get("scope", ""))
            for row in kept
        )
    )


def _name(package: Package, row: dict[str, Any]) -> str:
    """Return a tag's name.

    Of a selector of several words it is the first, by which it goes here; of what Elm constructs
    the name without the types of what it takes.
    """
    name = str(row["name"])
    if package.ctags == "Elm":
        return name.partition(" ")[0]
    return name.partition(":")[0] or name if package.ctags == "ObjectiveC" else name


def known_to(package: Package, folder: Path, ctags: Sequence[str]) -> set[Tag]:
    """Return all that ctags can tell: prototypes, locals and variables declared elsewhere too."""
    return {
        Tag(row["path"], row["line"], row["name"], "")
        for row in _rows(package, folder, [*ctags], f"--kinds-{package.ctags}=*")
    }


def _rows(
    package: Package, folder: Path, ctags: Sequence[str], *options: str
) -> list[dict[str, Any]]:
    command = [*ctags, "--options=NONE", "--output-format=json", "--fields=+neKEP", "--sort=no"]
    command += [f"--language-force={package.ctags}", *options, "-f", "-", "-L", "-"]
    given = "\n".join(_path_keys(folder)).encode()
    done = subprocess.run(command, input=given, capture_output=True, check=True, cwd=folder)
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    rows = [row for row in map(json.loads, lines) if row.get("_type") == "tag"]
    return [row for row in rows if "line" in row]


def _elsewhere(package: Package, path: Path) -> set[int]:
    """Return the lines that ctags misreads: documentation, and locals where it knows no scopes."""
    if package.ctags not in {"Elixir", "Elm", "Pascal"}:
        return set()
    inside, result = False, set()
    for number, line in enumerate(path.read_text(errors="replace").split("\n"), 1):
        if package.ctags == "Pascal":
            inside = inside or line.strip().lower() == "implementation"
            if inside and line[:1].isspace():
                result.add(number)
        elif line.count('"""') % 2 or line.count("{-") != line.count("-}"):
            inside = not inside
        elif inside:
            result.add(number)
    return result


def _starts(tag: Tag, chunks: Sequence[Chunk]) -> bool:
    return any(
        _opening_line(chunk) == tag.line
        or (chunk.start_line <= tag.line <= chunk.end_line and _same(tag.name, chunk.name))
        for chunk in chunks
    )


def _opening_line(chunk: Chunk) -> int:
    """Return the first line of a chunk that is neither blank nor comment nor decorator."""
    inside_comment = False
    for number, line in enumerate(chunk.text.split("\n"), chunk.start_line):
        text = line.strip()
        inside_comment = inside_comment or text.startswith(("/*", "{-"))
        if not inside_comment and text and not text.startswith(_LEADING):
            return number
        inside_comment = inside_comment and not text.endswith(("*/", "-}"))
    return chunk.start_line


def _names(tag: Tag, chunks: Sequence[Chunk]) -> bool:
    return any(
        chunk.start_line <= tag.line <= chunk.end_line
        and any(_same(tag.name, name) for name in (chunk.name, *chunk.names))
        for chunk in chunks
    )


def _same(tag: str, name: str) -> bool:
    """Compare names.

    Spaces (`operator ==`) and a private member's `#` are left aside, and what stands before the
    last dot or colon (`List:append`): there our chunks have a breadcrumb.
    """
    bare = tag.replace(" ", "")
    return name.replace(" ", "").lstrip("#") in {bare, re.split(r"[.:]+", bare)[-1]}
