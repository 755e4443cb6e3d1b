"""Common parts of answers as text: width, paths, numbered source lines, coloured syntax."""

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import Final

from msgspec import Struct

from ggrep.base.scripts import spelled_in_any_form
from ggrep.model.line_numbers import collapsed_blanks, line_range
from ggrep.model.sanitise import sanitise, sanitise_line
from ggrep.parse.languages.registry import language_of
from ggrep.render.style import Style, cut


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LINE_COMMENTS: Final = {
    "#": _words(
        "awk bash cmake coffeescript crystal dockerfile elixir fish graphql hcl ini julia just"
        " make nim nix perl php powershell properties python r ruby starlark toml yaml"
    ),
    "//": _words(
        "apex c cpp csharp cuda d dart fsharp glsl go groovy hcl java javascript kotlin objc odin"
        " php proto rust scala scss solidity swift thrift tsx typescript v zig"
    ),
    "--": _words("ada elm haskell lua sql vhdl"),
    ";": _words("assembly clojure commonlisp elisp fennel ini racket scheme"),
    "%": _words("erlang latex matlab prolog"),
}
_BLOCK_COMMENTS: Final = _words(
    "apex c cpp csharp css cuda d dart glsl go groovy hcl java javascript kotlin objc php proto"
    " rust scala scss solidity sql swift thrift tsx typescript"
)
_SINGLE_QUOTES: Final = _words(
    "awk bash coffeescript crystal css dart dockerfile elixir fish graphql groovy hcl javascript"
    " just lua nix perl php powershell python r ruby scss sql starlark toml tsx typescript yaml"
)
_BACKTICKS: Final = _words("go javascript tsx typescript")
_TRIPLES: Final = _words("julia kotlin python scala starlark swift toml")
_KEYWORDS: Final = _words(
    "abstract and as assert async await break case catch class const constexpr continue def"
    " default defer del delete do elif else elsif enum except explicit export extends extern"
    " false False final finally fn for foreach from func function global goto if impl implements"
    " import in inline instanceof interface internal is lambda let match module mutable"
    " namespace new nil None nonlocal not null or override package pass private protected public"
    " raise readonly require rescue return sealed self sizeof static struct super switch then"
    " this throw throws trait true True try type typedef typename typeof union unless until use"
    " using var virtual void volatile when where while with yield"
)
"""Reserved words of many languages."""
_DATA: Final = _words("graphql ini properties toml yaml")
_CONSTANTS: Final = _words("true false null")
_CODE_WORD: Final = r"(?P<word>[A-Za-z_]\w*)"

Spans = Iterable[tuple[int, int]]
"""Start and end offsets of parts of a line."""


def painted(lines: Sequence[str], path: str, style: Style, spans: Iterable[Spans]) -> Iterator[str]:
    """Yield lines of a file with coloured syntax and highlighted `spans`."""
    if not style.colour:
        yield from lines
        return
    for line, roles, matches in zip(lines, _roles(lines, language_of(path)), spans, strict=True):
        for start, end in matches:
            roles[start:end] = ["match"] * (end - start)
        runs = groupby(zip(roles, line, strict=True), key=lambda each: each[0])
        texts = ((role, "".join(mark for _, mark in run)) for role, run in runs)
        yield "".join(style.paint(role, text) if role else text for role, text in texts)


def _roles(lines: Sequence[str], language: str) -> list[list[str]]:
    """Return the colour role of each character of each line; an empty role means no colour."""
    text = "\n".join(lines)
    roles = [""] * len(text)
    pattern = _pattern(language)
    for match in pattern.finditer(text) if pattern else ():
        role = match.lastgroup or ""
        if role == "word":
            known = _CONSTANTS if language in _DATA else _KEYWORDS
            role = "keyword" if match[0] in known else ""
        roles[match.start() : match.end()] = [role] * (match.end() - match.start())
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    return [roles[start : start + len(line)] for start, line in zip(starts, lines, strict=False)]


@cache
def _pattern(language: str) -> re.Pattern[str] | None:
    """Return the pattern of comments, strings and words; None for an unknown language."""
    marks = [mark for mark, names in _LINE_COMMENTS.items() if language in names]
    blocks = language in _BLOCK_COMMENTS
    if not marks and not blocks:
        return None
    comments = [
        *((r"/\*[\s\S]*?(?:\*/|\Z)",) if blocks else ()),
        # A comment mark inside a word does not begin a comment: `$#`, `a#b`, `http://`.
        *(rf"(?<![\w$&:\\]){re.escape(mark)}[^\n]*" for mark in marks),
    ]
    strings = [
        *((r'"""[\s\S]*?(?:"""|\Z)', r"'''[\s\S]*?(?:'''|\Z)") if language in _TRIPLES else ()),
        *((r"`[^`]*(?:`|\Z)",) if language in _BACKTICKS else ()),
        r'"(?:\\.|[^"\\\n])*"?',
        r"'(?:\\.|[^'\\\n])*'?" if language in _SINGLE_QUOTES else r"'(?:\\[^\n']{1,8}|[^'\\\n])'",
    ]
    pattern = f"(?P<comment>{'|'.join(comments)})|(?P<string>{'|'.join(strings)})|{_CODE_WORD}"
    return re.compile(pattern)


_RULE = "─"
_RULE_COLUMNS = 100
_LEAST_ROOM = 20
_WORD = re.compile(r"[^\W_]+")


class SourceLines(Struct, frozen=True):
    """Lines of a file from line `first`, and the number of `hidden` lines; `path` may be empty."""

    text: str
    first: int
    hidden: int = 0
    path: str = ""


class Page(Struct, frozen=True):
    """Width, colours and highlighted words of an answer's text.

    Attributes:
        columns: maximum width of a line; 0 for no bound.
        place: returns a path key in the form that the user would type.
        words: words to highlight in source lines, in their exact spelling.
        stems: word stems; words that contain a stem are highlighted as a whole.
    """

    columns: int
    style: Style
    place: Callable[[str], str]
    words: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()

    def path(self, key: str, line: int = 0, last: int = 0) -> str:
        """Return a path with optional lines, in a form that terminals and editors can open."""
        place = self.place(key)
        shown = self.style.paint("path", sanitise_line(place))
        shown += self.style.paint("line", f":{line_range(line, last)}") if line else ""
        return self.style.link(shown, place, line or 1)

    def muted(self, text: str) -> str:
        """Return text in a less prominent colour."""
        return self.style.paint("muted", sanitise_line(text))

    def rule(self, title: str, figures: str = "") -> str:
        """Return the title line of a section."""
        width = min(self.columns or _RULE_COLUMNS, _RULE_COLUMNS)
        tail = f" {figures}" if figures else ""
        drawn = _RULE * max(width - len(title) - len(tail) - 1, 1)
        return self.style.paint("name", title) + self.style.paint("muted", f" {drawn}{tail}")

    def fitting(self, text: str, taken: int = 0) -> str:
        """Return text as a sanitised line, cut to the page's width minus `taken` columns."""
        return cut(sanitise_line(text), self._room(taken))

    def has_room(self, taken: int) -> bool:
        """Return whether a few more words fit into a line with `taken` used columns."""
        return not self.columns or taken + _LEAST_ROOM <= self.columns

    def wrapped(self, text: str, indent: str = "") -> list[str]:
        """Return text wrapped to the page's width."""
        lines = textwrap.wrap(
            sanitise_line(text),
            width=self.columns or _RULE_COLUMNS,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        return [self.style.paint("muted", line) for line in lines]

    def source(
        self, source: SourceLines, *, indent: str = "", digits: int = 0, shift: bool = False
    ) -> list[str]:
        """Return numbered lines of a source.

        `digits` is the minimum width of a number; `shift` removes the common indentation.
        """
        text = sanitise(source.text).rstrip("\n")
        lines = [line.expandtabs(4).rstrip() for line in text.split("\n")]
        if shift:
            shared = min((len(line) - len(line.lstrip(" ")) for line in lines if line), default=0)
            lines = [line[shared:] for line in lines]
        numbered = list(collapsed_blanks(lines, source.first))
        gutter = max(digits, len(str(numbered[-1][0] if numbered else source.first)))
        room = self._room(len(indent) + gutter + len(" │ "))
        shown = []
        fitting = [cut(line, room) for _, line in numbered]
        lit = painted(fitting, source.path, self.style, map(self._asked, fitting))
        for (number, line), text in zip(numbered, lit, strict=True):
            mark = f"{number:>{gutter}} │ " if line else f"{number:>{gutter}} │"
            shown.append(indent + self.style.paint("gutter", mark) + text)
        if source.hidden:
            more = f"{' ' * gutter} │ (+{plural(source.hidden, 'more line')})"
            shown.append(indent + self.style.paint("gutter", more))
        return shown

    def lit(self, line: str) -> str:
        """Return a line with the page's words highlighted."""
        return next(painted([line], "", self.style, [self._asked(line)]))

    def _asked(self, line: str) -> Spans:
        """Return the spans of the highlighted words in a line."""
        if not self.style.colour:
            return []
        words = any_of(self.words).finditer(line) if self.words else ()
        return [
            *(match.span() for match in words),
            *(
                match.span()
                for match in _WORD.finditer(line)
                if any(stem in match[0].lower() for stem in self.stems)
            ),
        ]

    def _room(self, taken: int) -> int:
        return max(self.columns - taken, _LEAST_ROOM) if self.columns else 0


def plural(count: int, noun: str) -> str:
    """Return a count with its noun."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def any_of(words: Sequence[str], flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that matches any of the words, longer words first."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return re.compile("|".join(map(spelled_in_any_form, longest_first)), flags)
