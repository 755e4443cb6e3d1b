"""Selects the lines of code that are most relevant to a query.

Lines with words of the query are most relevant, then lines with names from such lines. Each line is
shown with the heads of its enclosing blocks, which contain the conditions and the signature.
"""

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, product, takewhile
from typing import Final, NamedTuple

from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.model.line_numbers import FOLD, fold_line
from ggrep.parse.languages.inner_tests import LineRange
from ggrep.search.reading.bare_text import bare_text
from ggrep.search.reading.folding import IMPORT, LOGGING, Fold, Source, with_folds
from ggrep.search.reading.question_words import Terms, terms_by_line

_CONDITION: Final = re.compile(
    r"\b(?:if|else|switch|case|when|unless|elif|elsif|while|return|throw|raise|match|catch|except"
    r"|assert)\b|\?|&&|\|\|"
)
SHORT: Final = 40
"""Maximum number of lines of a body that is always shown whole."""
_SHORT_PART: Final = 12
"""Maximum number of lines of a definition that is shown whole if one of its lines is shown."""
_LEAST: Final = 0.2
"""Minimum score of a shown line, relative to the best line."""
_LEADS: Final = 0.4
"""Weight of a name, relative to the words of the query on another line with the name."""
_ASIDE: Final = 0.3
"""Factor of the scores of comments and logging."""
_MOST_USES: Final = 12
"""Maximum number of lines with a name; more frequent names do not count."""
_GAP: Final = 2
"""Maximum number of lines of a gap that is shown, because a fold takes as much space."""
_MOST_HEAD: Final = 8
_IDENTIFIER: Final = re.compile(r"[^\W\d]\w{3,}")
_ENDS: Final = re.compile(r"\s*(?:return|throw|raise|break|continue|goto)\b")
_HEAD_END: Final = re.compile(r"[:{;=]\s*(?:#.*|//.*)?$")


def decisiveness(snippet: str, lines: int) -> float:
    """Return a factor for the priority of a piece of code; it is highest for conditions.

    Comments, logging and long lines lower the factor. `lines` is the number of lines of the whole
    piece, including comments. The constants were fitted together with the exponents of a row's
    priority.
    """
    bare = map(str.strip, snippet.split("\n"))
    shown = [line for line in bare if line and not line.startswith(FOLD)]
    if not shown:
        return 1.0
    text = "\n".join(shown)
    conditions, logging = len(_CONDITION.findall(text)), len(LOGGING.findall(text))
    each = (conditions - 3.0 * logging - 0.01 * sum(map(len, shown))) / len(shown)
    return math.exp(each - 0.8 * (1.0 - len(shown) / lines))


class DecidingText(NamedTuple):
    """The relevant lines of a source; `is_cut` if some of them did not fit."""

    text: str
    is_cut: bool


def deciding_text(
    source: Source,
    terms: Terms,
    room: int,
    deadline: Deadline,
    parts: Iterable[LineRange] = (),
    hidden: Sequence[LineRange] = (),
) -> DecidingText:
    """Return the text of a source; lines that are not relevant to the query are folded.

    Args:
        source: lines that begin with the head of a definition, or of a file.
        terms: words of the query in their indexed form.
        room: maximum bytes of the text; the head is always shown.
        deadline: checked between attempts to fit the lines into the bytes.
        parts: line ranges of definitions; short definitions are shown whole.
        hidden: line ranges that are always folded, such as tests.

    Raises:
        DeadlineExceeded: time ran out.
    """
    lines, first = source.lines, source.first
    plan = _plan(source, terms, parts, hidden)
    left = room
    while True:
        deadline.check("choosing lines")
        kept, is_cut = _kept(plan, left)
        groups = groupby(range(len(lines)), key=kept.__contains__)
        runs = [list(group) for is_kept, group in groups if not is_kept]
        folds = [run for run in runs if any(lines[at].strip() for at in run)]
        text = with_folds(source, (Fold(first + run[0], first + run[-1]) for run in folds))
        size = len(text.encode())
        if size <= room or left <= 0:
            return DecidingText(text, is_cut)
        left = min(left * room // size, left - 1)  # folds are longer where lines are indented


class _Plan(Struct, frozen=True):
    """The lines of a source, as indices, in the order in which they are added to the shown text.

    Attributes:
        order: the relevant lines, best first.
        parents: the head of the block around each line; -1 if there is none.
        parts: for each line in a short definition, all lines of the definition.
        hidden: the lines that are never shown.
        head: the lines that are always shown.
    """

    lines: Sequence[str]
    comments: Collection[int]
    order: Sequence[int]
    parents: Sequence[int]
    parts: Mapping[int, set[int]]
    hidden: Collection[int]
    head: Collection[int]
    fold_bytes: int


def _plan(
    source: Source, terms: Terms, parts: Iterable[LineRange], hidden: Sequence[LineRange]
) -> _Plan:
    lines, first = source.lines, source.first
    comments = bare_text(source.text, source.language).comment_lines
    of_parts: dict[int, set[int]] = {}
    for low, high in parts:
        part = range(max(low - first, 0), min(high - first + 1, len(lines)))
        for at in part if high - low < _SHORT_PART else ():
            of_parts.setdefault(at, set()).update(part)
    out = {at for low, high in hidden for at in range(low - first, high - first + 1)}
    scores = _scores(lines, comments, terms)
    least = _LEAST * max(scores, default=0.0)
    deciding = (at for at, score in enumerate(scores) if score > least and at not in out)
    order = sorted(deciding, key=lambda at: (-scores[at], at))
    head = set(_head(lines, comments)) - out
    fold_bytes = len(fold_line(first, first + len(lines), "").encode()) + 1
    return _Plan(lines, comments, order, _parents(lines), of_parts, out, head, fold_bytes)


def _kept(plan: _Plan, room: int) -> tuple[set[int], bool]:
    """Return the indices of the lines that fit, and whether relevant lines did not fit."""
    lines, hidden = plan.lines, plan.hidden
    sizes = [len(line.encode()) + 1 for line in lines]
    shown = {*plan.head, -1, len(lines)}
    left = room - sum(sizes[at] for at in plan.head) - plan.fold_bytes
    is_cut = False
    for at in plan.order:
        if at not in shown and sizes[at] > left:
            is_cut = True
            continue
        wanted = {at, *_statement(lines, at), *_around(plan.parents, at)}
        wanted.update(_comment(plan.comments, at), plan.parts.get(at, ()))
        wanted = {each for each in wanted if each not in shown and each not in hidden}
        added = sorted(wanted | set(_gaps(lines, wanted, shown, hidden)))
        size = sum(sizes[each] for each in added)
        for each in added:  # each line splits, shortens or removes a fold
            folds = (each - 1 not in shown) + (each + 1 not in shown) - 1
            size += folds * plan.fold_bytes
            shown.add(each)
        if size <= left:
            left -= size
        else:
            shown.difference_update(added)
            is_cut = True
    return shown - {-1, len(lines)}, is_cut


def _scores(lines: Sequence[str], comments: Collection[int], terms: Terms) -> list[float]:
    """Return the score of each line; lines with the score 0 are shown only with other lines."""
    matching = terms_by_line(lines, terms)
    counts = Counter(term for each in matching for term in each)
    weights = {term: math.log(1.0 + len(lines) / count) for term, count in counts.items()}
    total = sum(weights.values()) or 1.0
    scores = [sum(weights[term] for term in each) / total for each in matching]
    names = [set(_IDENTIFIER.findall(line)) for line in lines]
    uses = Counter(name for each in names for name in each)
    leads: dict[str, float] = {}
    for score, each in zip(scores, names, strict=True):
        for name in each if score > 0.0 else ():
            if 1 < uses[name] <= _MOST_USES:
                leads[name] = max(leads.get(name, 0.0), score / math.log2(1.0 + uses[name]))
    by_words = any(scores)
    for at, line in enumerate(lines):
        decides = bool(_CONDITION.search(line)) and at not in comments
        if by_words:
            scores[at] += _LEADS * max((leads.get(name, 0.0) for name in names[at]), default=0.0)
            scores[at] *= 1.5 if decides else 1.0
        else:
            scores[at] = float(decides)
        scores[at] *= _ASIDE if at in comments or LOGGING.match(line.strip()) else 1.0
    return scores


def _head(lines: Sequence[str], comments: Collection[int]) -> Iterator[int]:
    """Yield the lines of the signature of a definition."""
    code = [at for at, line in enumerate(lines) if line.strip() and at not in comments]
    for count, at in enumerate(code, 1):
        if IMPORT.match(lines[at].strip()):
            return
        yield at
        decorates = lines[at].lstrip().startswith(("@", "#["))
        if count == _MOST_HEAD or (_HEAD_END.search(lines[at]) and not decorates):
            return


def _statement(lines: Sequence[str], at: int) -> Iterator[int]:
    """Yield a statement's continuation lines, and the first line of its block or the line after it.

    The line after the statement counts only if it leaves the block, such as `return`.
    """
    width = _width(lines[at])
    for below in range(at + 1, min(at + 4, len(lines))):
        if not lines[below].strip() or _width(lines[below]) < width:
            return
        if _width(lines[below]) == width:
            if _ENDS.match(lines[below]):
                yield below
            return
        yield below
        if _HEAD_END.search(lines[below - 1]):
            return


def _comment(comments: Collection[int], at: int) -> Iterator[int]:
    """Yield the other lines of a comment, at most a few, and the line after the comment."""
    if at in comments:
        yield from takewhile(comments.__contains__, range(at - 1, at - _MOST_HEAD, -1))
        below = list(takewhile(comments.__contains__, range(at + 1, at + _MOST_HEAD)))
        yield from (*below, at + len(below) + 1)


def _parents(lines: Sequence[str]) -> list[int]:
    """Return, for each line, the index of the head of its block; -1 if there is none."""
    parents, heads = list[int](), list[tuple[int, int]]()
    for at, line in enumerate(lines):
        place = bisect_left(heads, (_width(line), -1))
        parents.append(heads[place - 1][1] if place else -1)
        text = line.strip()
        is_closing = text[:1] in {"}", ")", "]"} and not text.endswith(("{", ":"))
        if text and not is_closing:
            heads[place:] = [(_width(line), at)]
    return parents


def _around(parents: Sequence[int], at: int) -> Iterator[int]:
    """Yield the heads of the blocks around a line, innermost first."""
    while (at := parents[at]) >= 0:
        yield at


def _gaps(
    lines: Sequence[str], wanted: Collection[int], shown: Collection[int], hidden: Collection[int]
) -> Iterator[int]:
    """Yield the lines of small gaps between wanted lines and shown lines, or an end of the text."""
    for at, step in product(wanted, (-1, 1)):
        gap, code, beyond = list[int](), 0, at + step
        while code <= _GAP and not (beyond in shown or beyond in wanted or beyond in hidden):
            gap.append(beyond)
            code += bool(lines[beyond].strip())
            beyond += step
        if code <= _GAP and beyond not in hidden:
            yield from gap


def _width(line: str) -> int:
    return len(line) - len(line.lstrip())
