"""The part of a chunk that is shown, within byte caps."""

from collections.abc import Sequence
from dataclasses import dataclass

from ggrep.domain.hit import Hit, shortened
from ggrep.domain.limits import LimitHit
from ggrep.domain.request import SnippetMode
from ggrep.domain.sanitise import sanitise
from ggrep.lexical.tokens import word_terms, words


@dataclass(frozen=True, slots=True)
class Snippet:
    """Lines of a chunk.

    Attributes:
        first_line: offset of the first shown line inside the chunk.
        hidden_lines: lines of the chunk below the last shown one.
    """

    text: str
    first_line: int
    hidden_lines: int


def cut_snippet(text: str, terms: frozenset[str], mode: SnippetMode) -> Snippet:
    """Return the lines of `text` to show.

    They begin at its start, unless more distinct query terms stand together further down.
    """
    lines = sanitise(text).rstrip("\n").split("\n")
    most = mode.lines
    if most is None:
        return Snippet("\n".join(lines), 0, 0)
    if most == 0:
        return Snippet("", 0, len(lines))
    start = _best_window(lines, terms, most) if len(lines) > most else 0
    shown = lines[start : start + most]
    return Snippet("\n".join(shown), start, len(lines) - start - len(shown))


def cap_snippets(
    hits: Sequence[Hit], *, per_result: int, total: int
) -> tuple[tuple[Hit, ...], tuple[LimitHit, ...]]:
    """Return the hits with their content cut to the byte caps, and the cuts that were made."""
    limits: list[LimitHit] = []
    left, wanted, capped = total, 0, []
    for hit in hits:
        size = len(hit.content.encode())
        allowed = min(size, per_result)
        if size > per_result:
            limits.append(LimitHit("max_snippet_bytes_per_result", per_result, size, hit.path))
        wanted += allowed
        given = min(allowed, left)
        left -= given
        capped.append(hit if given == size else shortened(hit, given))
    if wanted > total:
        limits.append(LimitHit("max_total_snippet_bytes", total, wanted))
    return tuple(capped), tuple(limits)


def _best_window(lines: Sequence[str], terms: frozenset[str], size: int) -> int:
    """Return the earliest start whose `size` lines hold the most distinct terms.

    The chunk's own start wins unless another window holds at least two terms more: a signature
    says more than one further word.
    """
    found = [terms & {term for word in words(line) for term in word_terms(word)} for line in lines]
    best, best_count = 0, len(frozenset().union(*found[:size])) + 1
    for start in range(1, len(lines) - size + 1):
        count = len(frozenset().union(*found[start : start + size]))
        if count > best_count:
            best, best_count = start, count
    return best
