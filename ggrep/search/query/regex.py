"""Regular expressions by RE2, so that matching takes time linear in the text.

A search is line by line: nothing matches a line end, and `^` and `$` mean the ends of a line. A
line of more than 256 KB is searched in pieces, and matches across two pieces are not found.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.base.errors import InvalidRequest
from ggrep.base.scripts import UNSPACED, WORD
from ggrep.search.query.line_matches import CHECKED_BYTES, LONGEST_LINE

MAX_PATTERN_CHARACTERS: Final = 1000
"""Longest accepted expression; the time of a search can be proportional to this length."""
_BY_LINES: Final = "(?m)"
_UNICODE: Final = {
    "w": r"\p{L}\p{M}\p{N}\p{Pc}",
    "d": r"\p{Nd}",
    "s": r"\t\n\v\f\r\x{85}\p{Z}",
}
"""Unicode members of the character classes that are ASCII only in RE2."""
_NO_WORD: Final = f"[^{_UNICODE['w']}]"
"""A character outside of words."""
_PART: Final = re.compile(
    r"\\Q.*?(?:\\E|\Z)|\\[pPx]\{[^}]*\}|\\.|\[:\^?\w+:\]|\[\^?\]?|.", re.DOTALL
)
"""One token: quoted text, an escape, a named class, the beginning of a class or a character."""
_WORD: Final = re.compile(rf"(?![{UNSPACED}])[{WORD}]")
"""A character of a word in a script with spaces. In other scripts words have no borders."""
_OF_TEXT: Final = re.compile(r"\\[Az]|\(\?\w*-\w*m")
"""Anchors at the ends of a text, or a flag that turns line anchors into these."""
_LINE_FEED: Final = 0x0A
_REPEAT: Final = re.compile(r"\{\d+(?:,\d*)?\}")
_PLAIN_ESCAPES: Final = frozenset("abBAzdDsSwWfnrtv")
"""Letters that make a complete escape."""


class Regex(Struct, frozen=True):
    """A compiled expression.

    Attributes:
        needs: texts that every match contains, in any letter case.
        compiled: the expression compiled by RE2.
        inside: the expression preceded by a character that cannot be in a word, for a search that
            starts inside a line; None unless whole words are matched.
        group: number of the group that is reported as the match; 0 for the whole match.
        over_lines: a match may contain line ends.
        by_line: whether the matches in a line depend on that line only.
    """

    needs: tuple[str, ...]
    compiled: Any
    inside: Any
    group: int
    over_lines: bool = False
    by_line: bool = True

    def first(self, text: bytes, start: int, deadline: Deadline) -> tuple[int, int] | None:
        """Return the first match at or after `start`.

        Raises:
            DeadlineExceeded: time ran out.
        """
        if self.inside is not None and start and text[start - 1] != _LINE_FEED:
            # The character before the match can be the last character of the previous match.
            before = start - 1
            while text[before] & 0xC0 == 0x80:
                before -= 1
            end = text.find(b"\n", start)
            end = len(text) if end < 0 or self.over_lines else end
            if (match := self.inside.search(text, before, end)) is not None:
                first, end = match.span(1)
                return int(first), int(end)
            start = end + 1
        return next(self.firsts(text, start, deadline), None)

    def firsts(self, text: bytes, start: int, deadline: Deadline) -> Iterator[tuple[int, int]]:
        """Yield the first match in the line that begins at `start`, and in each line after it."""
        search, group = self.compiled.search, self.group
        unchecked = start
        while start <= len(text):
            if start >= unchecked:
                deadline.check("matching")
                unchecked = start + CHECKED_BYTES
            end = -1 if self.over_lines else text.find(b"\n", min(start + CHECKED_BYTES, len(text)))
            end = len(text) if end < 0 else end
            is_cut = end - start > LONGEST_LINE and not self.over_lines
            end = start + LONGEST_LINE if is_cut else end
            if (match := search(text, start, end)) is not None:
                span = match.span(group)
                yield span
                end = text.find(b"\n", span[0])
                end, is_cut = len(text) if end < 0 else end, False
            start = end if is_cut else end + 1


_LINE_FEEDS: Final = ("n", "x0a", "x0A", "x{a}", "x{A}", "x{0a}", "x{0A}", "012")
"""Escapes of a line feed, without the backslash."""


def compile_regex(pattern: str, *, ignore_case: bool = False, whole_words: bool = False) -> Regex:
    """Return an expression in RE2's syntax; `^` and `$` mean line ends.

    Args:
        pattern: the expression, compared in NFC.
        ignore_case: letters match in both cases.
        whole_words: a match has no letter, digit or underscore directly before or after it.

    Raises:
        InvalidRequest: the pattern is empty, too long or not valid, or contains a line end.
    """
    if not pattern:
        raise InvalidRequest("query: the regular expression is empty; enter at least one character")
    if len(pattern) > MAX_PATTERN_CHARACTERS:
        raise InvalidRequest(
            f"query: the regular expression has {len(pattern)} characters, more than"
            f" {MAX_PATTERN_CHARACTERS}"
        )
    if needs_line_end(pattern):
        raise InvalidRequest(
            "query: a regular expression matches within one line, so it cannot contain a line end"
        )
    pattern = unicodedata.normalize("NFC", pattern)
    edges = (whole_words, whole_words)
    compiled = _compiled(pattern, ignore_case=ignore_case, edges=edges)
    by_line = _OF_TEXT.search(pattern) is None
    return Regex(required_texts(pattern), *compiled, by_line=by_line)


def compile_text(text: str, *, ignore_case: bool, whole_words: bool) -> Regex:
    """Return an expression that matches a text literally.

    Args:
        text: the text in NFC; may contain line feeds.
        ignore_case: as in `compile_regex`.
        whole_words: as in `compile_regex`.
    """
    edges = (whole_words, whole_words)
    compiled = _compiled(re.escape(text), ignore_case=ignore_case, edges=edges, over_lines=True)
    is_over = "\n" in text
    return Regex((_within(text, edges),), *compiled, over_lines=is_over, by_line=not is_over)


def compile_phrase(text: str) -> Regex:
    """Return an expression for the words of a text, in any letter case and with any blanks between.

    The first and the last word match only whole words, except in scripts without spaces.
    """
    text = " ".join(unicodedata.normalize("NFC", text).split())
    edges = (bool(_WORD.match(text)), bool(_WORD.match(text[-1:])))
    pattern = r"\s+".join(map(re.escape, text.split(" ")))
    compiled = _compiled(pattern, ignore_case=True, edges=edges, over_lines=True)
    is_over = " " in text
    return Regex((_within(text, edges),), *compiled, over_lines=is_over, by_line=not is_over)


def _within(text: str, edges: tuple[bool, bool]) -> str:
    """Return a text; a blank is added at its start or end if a word must begin or end there."""
    return " " * edges[0] + text + " " * edges[1]


def _in_unicode(pattern: str) -> str:
    r"""Return the pattern with classes extended to letters, digits and blanks of all scripts.

    `\b` stays a boundary of ASCII words, and negated classes within brackets stay as they are.
    """
    parts: list[str] = []
    in_class = False
    for part in _PART.findall(pattern):
        members = _UNICODE.get(part[1:].lower()) if part[0] == "\\" else None
        if part[0] == "[" and not part.startswith("[:"):
            in_class = True
        elif part == "]":
            in_class = False
        if members is None or (in_class and part[1].isupper()):
            parts.append(part)
        elif in_class:
            parts.append(members)
        else:
            parts.append(f"[{'^' if part[1].isupper() else ''}{members}]")
    return "".join(parts)


def _compiled(
    pattern: str, *, ignore_case: bool, edges: tuple[bool, bool], over_lines: bool = False
) -> tuple[Any, Any, int]:
    """Return the fields `compiled`, `inside` and `group` of a `Regex`.

    `edges`: whether a match must begin at the border of a word, and whether it must end there.
    """
    import re2  # imported here, because no other kind of search needs it

    options = re2.Options()
    options.never_nl = not over_lines
    options.never_capture = not any(edges)
    options.case_sensitive = not ignore_case
    options.log_errors = False
    uniform = _in_unicode(pattern)
    wrapped = f"({uniform})" if any(edges) else uniform
    wrapped += f"(?:$|{_NO_WORD})" if edges[1] else ""
    try:
        re2.compile(pattern.encode(), options)  # an error must quote the typed expression
        fronts = (f"(?:^|{_NO_WORD})", _NO_WORD) if edges[0] else ("",)
        outer, *inner = (
            re2.compile(f"{_BY_LINES}{front}{wrapped}".encode(), options) for front in fronts
        )
        return outer, inner[0] if inner else None, int(any(edges))
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        message = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise InvalidRequest(
            f"query: {pattern!r} is not a valid regular expression: {message}"
        ) from error


def required_texts(pattern: str) -> tuple[str, ...]:
    """Return texts that all matches contain, in any letter case; none if they are not obvious.

    Texts in groups and classes are ignored.
    """
    reader = _Reader(pattern)
    while reader.place < len(pattern):
        if not reader.step():
            return ()
    reader.end_run()
    return tuple(dict.fromkeys(reader.runs)) if not reader.depth else ()


def needs_line_end(pattern: str) -> bool:
    """Return whether all matches obviously contain a line feed."""
    reader = _Reader(pattern)
    while reader.place < len(pattern):
        if not reader.step():
            return False
    return reader.line_feeds > 0


class _Reader:
    """Reads an expression from left to right, one construct per step.

    Attributes:
        runs: runs of consecutive plain characters.
        depth: number of open groups.
        line_feeds: number of required line feeds outside of groups.
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._run = ""
        self.place = 0
        self.depth = 0
        self.line_feeds = 0
        self._after_feed = False
        self.runs: list[str] = []

    def end_run(self) -> None:
        """Start another run, because the next characters need not directly follow the last ones."""
        if self._run:
            self.runs.append(self._run)
        self._run = ""

    def step(self) -> bool:
        """Read one construct; return False if no text must occur in every match of the pattern."""
        character = self._pattern[self.place]
        self.place += 1
        after_feed, self._after_feed = self._after_feed, False
        if after_feed and character in "*?{":
            self.line_feeds -= 1
        match character:
            case "\\":
                return self._escape()
            case "[":
                self._class()
            case "(" | ")":
                self.depth += 1 if character == "(" else -1
                self.end_run()
            case "|" if not self.depth:
                return False
            case "*" | "?" | "{":
                self._optional(character)
            case "+" | "." | "^" | "$" | "|":
                self.end_run()
            case _:
                self._plain(character)
        return True

    def _plain(self, character: str) -> None:
        if character == "\n":
            self._line_feed()
        elif not self.depth:
            self._run += character

    def _optional(self, character: str) -> None:
        """Drop the last character, which the repetition makes optional."""
        if character == "{":
            repeat = _REPEAT.match(self._pattern, self.place - 1)
            if repeat is None:
                self._plain(character)
                return
            self.place = repeat.end()
        self._run = self._run[:-1]
        self.end_run()

    def _line_feed(self) -> None:
        self.end_run()
        if not self.depth:
            self.line_feeds += 1
            self._after_feed = True

    def _escape(self) -> bool:
        feed = next((x for x in _LINE_FEEDS if self._pattern.startswith(x, self.place)), "")
        if feed:
            self.place += len(feed)
            self._line_feed()
            return True
        letter = self._pattern[self.place : self.place + 1]
        self.place += 1
        if letter in _PLAIN_ESCAPES:
            self.end_run()
        elif letter.isalnum() or not letter:
            return False
        else:
            self._plain(letter)
        return True

    def _class(self) -> None:
        """Skip a class; a `]` at its beginning or after a backslash does not end the class."""
        self.end_run()
        pattern, place = self._pattern, self.place
        place += pattern.startswith("^", place)
        place += pattern.startswith("]", place)
        while place < len(pattern) and pattern[place] != "]":
            named = pattern.find(":]", place) if pattern.startswith("[:", place) else -1
            place = named + 2 if named >= 0 else place + 1 + (pattern[place] == "\\")
        self.place = place + 1
