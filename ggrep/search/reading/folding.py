"""Folds lines that rarely answer a query: imports, values, logging, tests and comments.

A fold is one line with the line numbers and the kind of the folded lines
(`ggrep.model.line_numbers`). Lines with words of the query are not folded. A comment is not folded
if it contains most words of the query.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from msgspec import Struct

from ggrep.model.line_numbers import COMMENTS, fold_line
from ggrep.parse.languages.inner_tests import LineRange, inner_tests
from ggrep.search.reading.bare_text import bare_text
from ggrep.search.reading.question_words import Terms, terms_by_line


class Source(Struct, frozen=True):
    """Lines of a source file; `first` is the number of the first line.

    Attributes:
        is_test: whether the whole file is a test; then no lines are folded as tests.
    """

    lines: Sequence[str]
    first: int
    language: str
    is_test: bool = False

    @property
    def text(self) -> str:
        """Return the lines as one text."""
        return "\n".join(self.lines)

    @property
    def tests(self) -> list[LineRange]:
        """Return the line ranges of tests; none for a file that consists only of tests."""
        if self.is_test:
            return []
        tests = inner_tests(self.text, self.language)
        starts, ends = (0, *(high for _, high in tests)), (*(low - 1 for low, _ in tests), None)
        beside = (self.lines[start:end] for start, end in zip(starts, ends, strict=True))
        if not any(line.strip() for lines in beside for line in lines):
            return []
        return [(self.first + low - 1, self.first + high - 1) for low, high in tests]


class Folding(Struct, frozen=True):
    """The kinds and sizes of lines that are folded.

    Attributes:
        blocks: minimum number of lines of a folded block comment or docstring.
        lines: minimum number of lines of a folded comment whose lines all begin with a comment
            mark.
        code: whether lists, imports, logging and tests in code are also folded.
    """

    blocks: int = 1
    lines: int = 1
    code: bool = True


SLATE: Final = Folding()
"""Slates show code: all comments are folded."""
COMMENTS_ALONE: Final = Folding(code=False)
"""Configuration is read for its values, so only its comments are folded."""
CODE_ALONE: Final = Folding(blocks=1 << 30, lines=1 << 30)
"""Comments in the opening lines of a file describe the file and are kept."""
OPENED: Final = Folding(blocks=3, lines=7)
"""Short comments give reasons and are kept; long ones are documentation and are folded."""
_DATA_WORDS: Final = (
    "asciidoc css csv diff dockerfile env graphql hcl html ini json jsonc latex less lock make"
    " markdown nix org properties proto rst scss sql svg text toml xml yaml"
)
_DATA: Final = frozenset(_DATA_WORDS.split())
"""Languages in which lists of values are the main content, so values are not folded."""

_LEAST: Final = {"tests": 4, "imports": 4, "values": 10, "logging": 3}
"""Minimum number of consecutive lines of a fold, by kind."""

_DIRECTIVE: Final = re.compile(
    r"//\s*(?:#|\+build|go:|export |nolint|@ts-)|#(?:!|\[|\w+\s+-)|#\s*(?:type:|noqa|pragma)"
)
"""Comments that mean something to a compiler or a program."""
_OPENS_COMMENT: Final = re.compile(r"/\*|//|#|--|;|%|[rR]?\"\"\"|[rR]?'''|<!--|\(\*|\{-")
_MARKED: Final = re.compile(r"//|#|--|;|%")
"""Begins a comment of one line."""
IMPORT: Final = re.compile(
    r"^(?:(?:pub(?:\(\w+\))?\s+)?use\s+[\w:{\\]|import\b(?!\s*\()|from\s+[\w.]+\s+import\b"
    r"|import\s*\($|using\s+[\w.:]+\s*[;=]|#\s*(?:include|import)\b|extern\s+crate\b"
    r"|package\s+[\w.]+;?$|(?:require|require_relative)[\s(][\"']"
    r"|(?:const|let|var|local)\s+[\w{}$,:\s]+=\s*require\s*\(|export\s+.*\bfrom\s*[\"'])",
    re.MULTILINE,
)
_MAY_IMPORT: Final = ("import", "use ", "using ", "include", "extern ", "package ", "require")
_MAY_LOG: Final = (
    "log",
    "Log",
    "LOG",
    "ebug",
    "DEBUG",
    "printf",
    "console",
    "arn",
    "WARN",
    "trac",
    "info!",
    "error!",
)
_VALUE: Final = (
    r"(?:[-+~!&*]?[\w.$:]+(?:\s*(?:<<|\||\*|\+|-|/)\s*[\w.$:]+)*|\"[^\"]*\"|'[^']*'|`[^`]*`"
    r"|\[\]|\{\}|\(\))"
)
_STATEMENT: Final = re.compile(
    r"(?:return|goto|break|continue|yield|raise|throw|del|else|end|pass|if|await|case|default|try"
    r"|finally|fi|done|do|then|begin)\b"
)
_ENTRY: Final = re.compile(
    rf"{_VALUE}\s*,?(?:\s*//.*|\s*#.*)?"
    rf"|(?:[\w$]+\s+)*[\w$.\"'\[\]*&-]+\s*(?::\s*[\w\[\]<>.|?, ]+)?\s*(?::=|=>|=|:)\s*{_VALUE}"
    r"\s*[,;]?(?:\s*//.*|\s*#.*)?"
    rf"|#\s*define\s+\w+(?:\s+\(?{_VALUE}\)?)?"
    r"|(?:[\w:*&<>,\[\]]+\s+)+[*&]*\w+(?:\[\w*\])*(?:\s*:\s*\d+)?;(?:\s*//.*|\s*/\*.*)?"
    r"|(?:pub(?:\(\w+\))?\s+)?\w+\??:\s*[\w<>&:'\[\], ()|]+[,;]"
    r"|\w+\s+[\w.*\[\]]+(?:\s+`[^`]*`)?(?:\s*//.*)?"
)
"""A member of a list or enumeration, an assignment of a plain value, a macro, or a field."""
_MOST_ENTRY: Final = 160
_LEVEL: Final = (
    r"(?:[Dd]ebug|DEBUG|[Ii]nfo|INFO|[Ww]arn(?:ing)?|WARN(?:ING)?|[Ee]rr(?:or)?|ERR(?:OR)?|[Tt]race"
    r"|TRACE|[Ff]atal|[Nn]otice|[Vv]erbose|[Mm]sg|[Mm]essage|[Ee]xception)"
)
LOGGING: Final = re.compile(
    r"^(?:\w+(?:\.|->|::))*_?(?:"
    r"(?:[Ll]og|LOG|[Ll]ogger|LOGGER|logging|logrus|tracing|[gks]log|console)(?:\.|->|::)\w"
    rf"|(?:[Ll]og|LOG)(?:f|ln|_?{_LEVEL}\w*)?[(!]|(?:debug|DEBUG|warn(?:ing)?|WARN(?:ING)?)f?[(!]"
    r"|(?:info|error|trace)!\(|printf\(|fprintf\(stderr\b)",
    re.MULTILINE,
)
"""Begins a statement that logs."""
_MOST_STATEMENT: Final = 80
"""Maximum number of lines of a statement."""
_OPENS: Final = re.compile(r"[(\[{]")
_CLOSES: Final = re.compile(r"[)\]}]")


class Fold(NamedTuple):
    """A range of lines that one line replaces; `kind` is empty if the lines are of any kind."""

    first: int
    last: int
    kind: str = ""


def with_folds(source: Source, folds: Iterable[Fold]) -> str:
    """Return the text of a source with some ranges, in ascending order, folded."""
    lines, shown, at = source.lines, list[str](), 0
    for fold in folds:
        begin, end = fold.first - source.first, fold.last - source.first + 1
        opening = next((line for line in lines[begin:end] if line.strip()), "")
        indent = opening[: len(opening) - len(opening.lstrip())]
        label = _label(fold.kind, lines[begin:end], source.language)
        shown += (*lines[at:begin], fold_line(fold.first, fold.last, label, indent))
        at = end
    return "\n".join((*shown, *lines[at:]))


def folded(source: Source, form: Folding, terms: Terms = frozenset()) -> str:
    """Return the text of a source, folded; a text with only comments is not folded.

    `terms` are words of the query in their indexed form.
    """
    kinds = _kinds(source, form, terms)
    if not any(kinds):
        return source.text
    rest = zip(source.lines, kinds, strict=True)
    if all(kind == COMMENTS or not line.strip() for line, kind in rest):
        return source.text
    folds, at = list[Fold](), source.first
    for kind, group in groupby(kinds):
        end = at + len(list(group))
        folds += [Fold(at, end - 1, kind)] if kind else []
        at = end
    return with_folds(source, folds)


def _kinds(source: Source, form: Folding, terms: Terms) -> list[str]:
    """Return the kind of each line's fold; empty for lines that are not folded."""
    lines, bare = source.lines, [line.strip() for line in source.lines]
    kinds = [""] * len(lines)
    hidden = bare_text(source.text, source.language).comment_lines
    comments = {at for at in hidden if not _DIRECTIVE.match(bare[at])}
    for at, end in _comment_runs(bare, comments, form):
        if not _has_most(lines[at:end], terms):
            kinds[at:end] = [COMMENTS] * (end - at)
    if form.code and len(lines) >= min(_LEAST.values()) and source.language not in _DATA:
        void = [not line or at in comments for at, line in enumerate(bare)]
        for kind, at, end in _code_runs(source, bare, void, terms):
            if end - at - sum(void[at:end]) >= _LEAST[kind]:
                kinds[at:end] = [kind] * (end - at)
    return kinds


def _has_most(lines: Sequence[str], terms: Terms) -> bool:
    """Return whether a comment contains two thirds of the query's words, but at least two words."""
    least = max(-(-2 * len(terms) // 3), 2)
    text = "\n".join(lines).casefold()
    if not terms or sum(term.removesuffix("y") in text for term in terms) < least:
        return False
    return len(Terms().union(*terms_by_line(lines, terms))) >= least


def _code_runs(
    source: Source, bare: Sequence[str], void: Sequence[bool], terms: Terms
) -> Iterator[tuple[str, int, int]]:
    """Yield kind, start and end of consecutive lines to fold; `void` marks lines without code."""
    ends = {
        "values": _entry_ends(bare, void),
        "logging": _ends(bare, _MAY_LOG, LOGGING),
        "imports": _ends(bare, _MAY_IMPORT, IMPORT),
    }
    for kind, ends_of in ends.items():
        for at, end in _runs(void, ends_of) if ends_of else ():
            matching = terms_by_line(source.lines[at:end], terms) if kind != "imports" else ()
            stops = [place for place, item in enumerate(matching, at) if item]
            yield from ((kind, low + 1, high) for low, high in pairwise((at - 1, *stops, end)))
    for low, high in source.tests:
        yield "tests", low - source.first, high - source.first + 1


def _comment_runs(
    bare: Sequence[str], comments: Collection[int], form: Folding
) -> Iterator[tuple[int, int]]:
    """Yield the start and end of comments that are long enough, including inner blank lines."""
    at = 0
    for first in sorted(comments):
        if first < at:
            continue
        at = end = first
        while at in comments or (at < len(bare) and not bare[at]):
            at += 1
            end = at if at - 1 in comments else end
        run = [bare[each] for each in range(first, end) if each in comments]
        if not _OPENS_COMMENT.match(run[0]):
            continue  # the line is code that only contains a comment mark
        if len(run) >= (form.lines if all(map(_MARKED.match, run)) else form.blocks):
            yield first, end


def _runs(void: Sequence[bool], ends: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of consecutive statements with blank lines and comments between.

    `ends` contains, for each line, the end of a statement that begins there, or the line itself.
    """
    begin = end = at = 0
    while at < len(void):
        if ends[at] > at and not void[at]:
            begin, end = (begin if end > begin else at), ends[at]
            at = end
        elif void[at]:
            at += 1
        else:
            if end > begin:
                yield begin, end
            at += 1
            begin = end = at
    if end > begin:
        yield begin, end


def _entry_ends(bare: Sequence[str], void: Sequence[bool]) -> Sequence[int]:
    """Return, for each line, the end of a list entry; empty if too few lines look like entries."""
    may = [
        is_void or (line[-1] not in "{:" and ("(" not in line or line[0] == "#" or "()" in line))
        for line, is_void in zip(bare, void, strict=True)
    ]
    ends, at = list[int](), 0
    for is_run, group in groupby(may):
        begin, at = at, at + len(list(group))
        if is_run and at - begin >= _LEAST["values"]:
            ends = ends or list(range(len(bare)))
            ends[begin:at] = [number + _is_entry(bare[number]) for number in range(begin, at)]
    return ends


def _is_entry(line: str) -> bool:
    return (
        0 < len(line) <= _MOST_ENTRY
        and not _STATEMENT.match(line)
        and not IMPORT.match(line)
        and _ENTRY.fullmatch(line) is not None
    )


def _ends(bare: Sequence[str], may: tuple[str, ...], head: re.Pattern[str]) -> Sequence[int]:
    """Return, for each line, the end of a statement that begins with `head`.

    A text without any of the words in `may` contains no such statement.
    """
    ends, text = list[int](), "\n".join(bare)
    at = offset = 0
    for match in head.finditer(text) if any(map(text.__contains__, may)) else ():
        ends = ends or list(range(len(bare)))
        at, offset = at + text.count("\n", offset, match.start()), match.start()
        depth = 0
        for end in range(at, min(at + _MOST_STATEMENT, len(bare))):
            depth += len(_OPENS.findall(bare[end])) - len(_CLOSES.findall(bare[end]))
            if depth <= 0:
                ends[at] = end + 1
                break
    return ends


_NAME: Final = re.compile(r"[^\W\d][\w$-]*|\"[^\"]*\"|'[^']*'|\d+")
_ASSIGNS: Final = re.compile(r"\s*(?::=|=>|=|:(?!:))")
_SAYS: Final = re.compile(r"\w.*[^\s(]$")
"""A line that is more than a bracket or the head of a block."""
_TEST_HEAD: Final = re.compile(
    r"\s*(?:#\[(?:\w+::)*(?:test|rstest|test_case)\b|(?:async )?def test|func Test"
    r"|(?:it|test)[.(])"
)


def _label(kind: str, run: Sequence[str], language: str) -> str:
    """Return the kind of a fold's content, with the number of entries."""
    match kind:
        case "values":
            names = [_name(line, language) for line in map(str.strip, run) if _is_entry(line)]
            return f"{len(names)} values: {names[0]} to {names[-1]}" if names else kind
        case "imports":
            return f"{sum(bool(_SAYS.search(line)) for line in run)} imports"
        case "tests":
            count = sum(bool(_TEST_HEAD.match(line)) for line in run)
            return f"{count} tests" if count > 1 else "tests"
        case _:
            return kind


def _name(line: str, language: str) -> str:
    head = _ASSIGNS.split(line.removeprefix("#define "), maxsplit=1)[0]
    names: list[str] = _NAME.findall(head) or [line.rstrip(",;")]
    is_first = line.startswith("#") or (language == "go" and head == line)
    return names[0] if is_first else names[-1]
