"""Named sabotages, and the tests that must notice each of them.

A test suite is worth what it notices. Each entry breaks one promise in one place; `run.py` tries
them all. They lie in `sabotages/*.txt`, one after another with an empty line between them:

    == its name
    @ the file that it changes
    - text that occurs exactly once in that file; more lines of it follow likewise
    + text to put in its place, if any
    ! a test that must notice it; more of them follow likewise
"""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct


class Sabotage(Struct, frozen=True):
    """One way to break ggrep.

    Attributes:
        file: below the repository's root.
        tests: node ids; at least one must fail.
    """

    name: str
    file: str
    text: str
    replacement: str
    tests: tuple[str, ...]


def read(text: str) -> Iterator[Sabotage]:
    """Yield the sabotages of a file.

    Raises:
        ValueError: a line begins with another mark, or a name or file is not given once.
    """
    for block in text.removesuffix("\n").split("\n\n"):
        parts: dict[str, list[str]] = {"==": [], "@": [], "-": [], "+": [], "!": []}
        for line in block.split("\n"):
            mark, _, rest = line.partition(" ")
            if mark not in parts:
                raise ValueError(f"no mark of a sabotage: {line!r}")
            parts[mark].append(rest)
        (name,), (file,) = parts["=="], parts["@"]
        yield Sabotage(name, file, *map("\n".join, (parts["-"], parts["+"])), tuple(parts["!"]))


ALL = tuple(
    item
    for path in sorted(Path(__file__).with_name("sabotages").glob("*.txt"))
    for item in read(path.read_text(encoding="utf-8"))
)
"""All of them, in the order in which they are tried."""
