"""Pairs of a question and the text that answers it, kept as JSON lines."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import asdict

from ggrep.base import stable_json
from ggrep.base.durable import replace_file
from ggrep.base.errors import UsageError


class Pair(Struct, frozen=True):
    """A question and one piece of a file that answers it.

    Attributes:
        query: one line, as a developer might type it.
        text: as a chunk is embedded, without the words that `query` was taken from.
        kind: where the query comes from: `doc`, `doc2`, `comment`, `message`, `name`, `section`,
            `module` or `module2`.
        package: registry and name of what the file was part of.
        path: of the file inside its package, with slashes.
        language: as the chunker names it.
    """

    query: str
    text: str
    kind: str
    package: str
    path: str
    language: str


Group: TypeAlias = tuple[Pair, ...]
"""Pairs of one chunk: their texts differ by what was taken out, so all stay or none does."""


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    """Write the pairs in order, whole or not at all."""
    lines = (stable_json.dumps(asdict(pair)) + b"\n" for pair in pairs)
    replace_file(path, b"".join(lines))


def read_pairs(path: Path) -> Iterator[Pair]:
    """Yield the pairs of a file in order.

    Raises:
        UsageError: a line is no pair.
    """
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield Pair(**stable_json.loads(line))
            except (ValueError, TypeError) as error:
                raise UsageError(f"{path}:{number}: not a pair: {error}") from error
