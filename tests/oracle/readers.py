"""What chunks, outline and names say of one file, in one form, for comparing them."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from ggrep.base.ids import PathKey
from ggrep.model.corpus import Corpus
from ggrep.model.files import Chunk
from ggrep.parse.chunking.chunker import chunk_file
from ggrep.parse.chunking.file_outline import outline_file
from ggrep.parse.chunking.spans import to_chunks
from ggrep.parse.languages.chunk_limits import ChunkLimits
from tests.oracle.mentioned import mentions_of

_NAME = re.compile(
    r"operator(?:[ \t]*[^\w\s(][^\w\s(]{0,2}|[ \t]+[\w:<>]+[ \t]*[*&]*)|~?\b[^\W\d]\w*"
)


class Definition(NamedTuple):
    """One definition with the lines from the comments in front of it to its end."""

    start_line: int
    end_line: int
    kind: str
    name: str

    @property
    def own_name(self) -> str:
        """Return the name without what it stands in."""
        return _names(self.name)[1][0]


def outlined(path: str, data: bytes) -> list[Definition]:
    """Return what `ggrep outline` lists, one line a name."""
    results: list[Definition] = []
    around: list[str] = []
    for each in outline_file(path, data):
        del around[each.depth :]
        owners, ours = _names(each.name)
        for name in ours:
            qualified = ".".join([*around, *owners, name])
            results.append(Definition(each.start_line, each.end_line, each.kind, qualified))
        around.append(".".join([*owners, ours[0]]))
    return sorted(results)


def _names(text: str) -> tuple[list[str], list[str]]:
    """Return the owners and the names of a line of an outline."""
    before, operator, target = text.partition("operator ")
    if operator:
        return [before.rstrip(".")] if before else [], [operator + target]
    *owners, names = text.rsplit(".", 1)
    return owners, names.split(", ")


def defined(path: str, data: bytes, names: Iterable[str] = ()) -> list[Definition]:
    """Return what `ggrep symbol` says of all words of a file, or of `names` alone."""
    wanted = set(names) or set(_NAME.findall(data.decode("utf-8", "replace")))
    return sorted(
        Definition(
            each.defined.start_line,
            each.defined.end_line,
            each.defined.kind,
            ".".join(filter(None, (each.container, each.text))),
        )
        for each in mentions_of(path, data, wanted)
        if each.defined is not None
    )


def chunks(path: str, data: bytes) -> tuple[Chunk, ...]:
    plan = chunk_file(path, data, ChunkLimits())
    return to_chunks(PathKey(path), data, plan, Corpus.CODE).chunks[1:]
