"""Lines of a file as text for agents: without what only documents code.

Licences, histories and documentation are a fifth of what agents read of code, and more of some.
What is left out is told by the form of its lines alone, as no more of a file may be at hand than a
range; what stands in a few lines beside the code says why, and stays.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

MOST_DOCUMENTING: Final = 2
"""Lines of a comment for documentation that is shown whole; of a longer one none is."""
MOST_SAYING_WHY: Final = 6
"""The same of lines that each begin with two slashes."""

_SLASHED_WORDS: Final = (
    "c cpp csharp dart d go groovy java javascript kotlin objc php rust scala swift tsx"
    " typescript zig"
)
_SLASHED: Final = frozenset(_SLASHED_WORDS.split())
"""Languages whose comments are `/* ... */` and `// ...`."""
_INSIDE: Final = re.compile(r"\*(?:\s|$)")
_WORD: Final = re.compile(r"\w")
_MEANT: Final = re.compile(r"//\s*(#|\+build|go:|export |nolint|@ts-)")
"""What stands in a comment and means something to a compiler."""
_OPENS: Final = re.compile(r'[rR]?("""|\'\'\')')
_BEFORE_DOCSTRING: Final = re.compile(r"(class|def|async def)\b.*:|\).*:")


def opened_lines(
    document: Mapping[str, Any], *, comments: bool
) -> tuple[list[tuple[int, str]], list[int]]:
    """Return the numbered lines of an expansion that an agent is shown, and which are left out.

    Args:
        document: of `expand`; its `unseen`, which no schema has, are the ranges that no answer of
            the same call has shown.
        comments: show long ones, too. Where there is nothing else, they are shown.
    """
    content, begins = document["content"], document["start_line"]
    texts = content.split("\n") if content else []
    ranges = document.get("unseen", ((begins, begins + len(texts)),))
    lines = [
        (number, line)
        for number, line in enumerate(texts, begins)
        if any(low <= number <= high for low, high in ranges)
    ]
    if comments:
        return lines, []
    hidden = {begins + at for at in _documenting(texts, document["language"])}
    shown = [one for one in lines if one[0] not in hidden]
    if not any(line.strip() for _, line in shown):
        return lines, []
    return shown, [number for number, _ in lines if number in hidden]


def _documenting(texts: Sequence[str], language: str) -> Iterator[int]:
    """Yield the places of lines that only document."""
    bare = [text.strip() for text in texts]
    at = 0
    while at < len(bare):
        if language in _SLASHED:
            end = _end_of_block(bare, at) or _end_of_slashes(bare, at)
        elif language == "python":
            end = _end_of_docstring(bare, at)
        else:
            return
        yield from range(at, end)
        at = max(end, at + 1)


def _end_of_block(bare: Sequence[str], at: int) -> int:
    """Return where a long `/* ... */` ends, whose further lines begin with stars; 0 for none.

    The lines may begin inside of one.
    """
    opens = bare[at].startswith("/*") or (at == 0 and _INSIDE.match(bare[at]))
    if not opens or "*/" in bare[at]:
        return 0
    for place in range(at + 1, len(bare)):
        line = bare[place]
        if not line.startswith("*") and line:
            return 0
        if "*/" in line:
            is_long = place + 1 - at > MOST_DOCUMENTING
            return place + 1 if is_long and line.endswith("*/") else 0
    return 0


def _end_of_slashes(bare: Sequence[str], at: int) -> int:
    """Return where many lines of `// ...` end; 0 for few, or for what a compiler reads."""
    end = at
    while end < len(bare) and bare[end].startswith("//"):
        end += 1
    run = bare[at:end]
    is_long = sum(bool(_WORD.search(line)) for line in run) > MOST_SAYING_WHY
    return end if is_long and not any(map(_MEANT.match, run)) else 0


def _end_of_docstring(bare: Sequence[str], at: int) -> int:
    """Return where the long docstring of a definition ends; 0 for none."""
    opens = _OPENS.match(bare[at])
    before = next((line for line in reversed(bare[:at]) if line), "")
    if opens is None or not _BEFORE_DOCSTRING.fullmatch(before):
        return 0
    quotes = opens[1]
    if quotes in bare[at][opens.end() :]:
        return 0
    for place in range(at + 1, len(bare)):
        if quotes in bare[place]:
            is_long = place + 1 - at > MOST_DOCUMENTING
            return place + 1 if is_long and bare[place].endswith(quotes) else 0
    return 0
