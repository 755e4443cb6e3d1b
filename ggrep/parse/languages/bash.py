"""Replaces shell syntax that the grammar cannot parse with plain words.

The grammar fails at quotes and brackets in strings, expansions, patterns and here-documents, and
reads the rest of the script as a string. Therefore strings and substitutions are blanked between
their quotes, expansions become variables, patterns become words, and here-documents become blank.
"""

import re
from typing import Final

MAX_DEPTH: Final = 100
"""Maximum depth of nested strings and substitutions; deeper strings stay unchanged."""

_TOKEN: Final = re.compile(
    rb"\\(?s:.)"
    rb"|(?P<comment>(?:^|(?<=[\s;(]))#[^\n]*+)"
    rb"|(?P<single>\$'(?:[^'\\]|\\(?s:.))*+'|'[^']*+')"
    rb"|(?P<here><<-?[ \t]*+(?P<mark>[\"'\\]?)(?P<word>[A-Za-z_]\w*+)[\"']?(?!<))"
    rb"|(?P<opens>\$\{|\$?\(\(|\$?\(|[<>]\(|\$?\"|`)|[)}\n]",
    re.MULTILINE,
)
_CLOSING: Final = {b"{": b"}", b"(": b")", b'"': b'"', b"`": b"`"}
_CODE: Final = frozenset({b"", b")"})
_INSERTS: Final = frozenset({b"$", b"`", b'"'})
"""First bytes of the tokens that are read inside strings and expansions."""
_GROUP: Final = rb"\((?:[^()\n]|\([^()\n]*+\))*+\)"
_CLASS: Final = rb"\[[!^]?+\]?+(?:\[:\w+:\]|\\.|[^\]\\\s\"';])*+\]"
_PATTERN: Final = re.compile(
    rb"(?P<keep>(?:^|(?<=[\s;(]))#[^\n]*+|\"[^\"]*+\")"
    rb"|=~[ \t\\]*+\n?[ \t]*+"
    rb"(?P<regex>(?:\\.|\"[^\"\n]*+\"|" + _CLASS + rb"|" + _GROUP + rb"|[^\s\\\"\[(])++)"
    rb"|(?P<glob>[?*+@!]" + _GROUP + rb")"
    rb"|(?<=[(\s])(?P<key>\[[^\]\n]*+\]\+?=)"
    rb"|^[ \t]*+(?P<choice>[^\s()#\"\[\\{}<>?*~^]*+[\[\\{}<>?*~^][^\s()\"]*+)"
    rb"(?=[ \t]*+\)[ \t]*+(?:$|#))"
    rb"|(?P<group>(?<![\w$}])(?:-|!)?" + _CLASS + rb"(?=[\s)|*}]))"
    rb"|(?P<line>\\\n)|(?P<falls>;;?&)",
    re.MULTILINE,
)
_KEPT: Final = re.compile(rb"[^\n]")


def with_plain_words(data: bytes) -> bytes:
    """Return the text to parse, of the same length as `data`."""
    parts, at = list[bytes](), 0
    for start, end in sorted(_Literals(data).spans):
        parts += [data[at:start], _plain(data[start:end])]
        at = end
    return _PATTERN.sub(_word, b"".join((*parts, data[at:])))


class _Literals:
    """The outermost strings, substitutions and here-documents of a script.

    Attributes:
        spans: their positions; they do not overlap.
    """

    def __init__(self, data: bytes) -> None:
        self.spans: list[tuple[int, int]] = []
        self._data = data
        self._start = 0
        self._closing: list[bytes] = []
        self._heads: list[re.Match[bytes]] = []
        at = 0
        while (token := _TOKEN.search(data, at)) is not None:
            at = self._after(token)

    def _after(self, token: re.Match[bytes]) -> int:
        """Read a token; return the offset at which reading continues."""
        inside = self._closing[-1] if self._closing else b""
        text = token[0]
        if text == b"\n":
            return self._bodies(token.end()) if inside in _CODE else token.end()
        if text == inside:
            self._closing.pop()
            if not self._closing:
                self.spans.append((self._start, token.end()))
        elif token["single"] and inside == b'"':
            return token.start() + 1
        elif token["single"] and not inside:
            self.spans.append(token.span())
        elif token["here"] and inside in _CODE:
            self._heads.append(token)
        elif token["opens"] and len(self._closing) < MAX_DEPTH:
            self._open(token, inside)
        return token.end()

    def _open(self, token: re.Match[bytes], inside: bytes) -> None:
        text = token[0]
        plain = text in {b"(", b"(("} if not inside else text[:1] not in _INSERTS
        if plain and inside in {b"", b'"', b"}"}:
            return
        if not inside:
            self._start = token.start()
        self._closing.append(_CLOSING[text[-1:]])
        if text.endswith(b"(("):
            self._closing.append(b")")

    def _bodies(self, at: int) -> int:
        """Return the end of the here-documents that begin at offset `at`."""
        first = at
        for head in self._heads:
            last = re.compile(rb"^\t*" + head["word"] + rb"$", re.MULTILINE).search(self._data, at)
            at = at if last is None else last.end()
        if not self._closing and at > first:
            self.spans += [*(head.span() for head in self._heads), (first, at)]
        self._heads = []
        return at


def _plain(literal: bytes) -> bytes:
    if literal.startswith(b"<<"):
        return _KEPT.sub(b" ", literal)
    if literal.startswith(b"${") and b"\n" not in literal:
        return b"$" + b"a" * (len(literal) - 1)
    if literal[:1] in b"\"'`$<>" and len(literal) > 1:
        return b'"'.ljust(len(literal) - 1) + b'"'  # the layout stays the same
    return _KEPT.sub(b" ", literal)


def _word(match: re.Match[bytes]) -> bytes:
    whole = match[0]
    match match.lastgroup:
        case None | "keep":
            return whole
        case "line":
            return b"  "
        case "falls":
            return b";;".ljust(len(whole))
        case name:
            start, end = (at - match.start() for at in match.span(name))
            before = b"=~".ljust(start) if name == "regex" else whole[:start]
            return before + b"a" * (end - start) + whole[end:]
