"""Simplifies shell scripts that their grammar fails at: what is no command becomes a word.

The grammar trips over quotes and brackets in strings, expansions, patterns and here-documents, and
takes all that follows for a string. So strings and substitutions are blanked between their quotes,
expansions become variables, patterns words, and here-documents blank. Every byte that is kept
stays where it is.
"""

import re
from collections.abc import Iterator
from typing import Final

MAX_DEPTH: Final = 100
"""Strings and substitutions inside of each other; deeper ones are left as they are."""

_TOKEN: Final = re.compile(
    rb"\\(?s:.)"
    rb"|(?P<comment>(?:^|(?<=[\s;(]))#[^\n]*+)"
    rb"|(?P<single>\$'(?:[^'\\]|\\(?s:.))*+'|'[^']*+')"
    rb"|(?P<here><<-?[ \t]*+(?P<mark>[\"'\\]?)(?P<word>[A-Za-z_]\w*+)[\"']?(?!<))"
    rb"|(?P<opens>\$\{|\$?\(\(|\$?\(|[<>]\(|\$?\")|(?P<closes>[)}])|`|\n",
    re.MULTILINE,
)
_CLOSING: Final = {b"{": b"}", b"(": b")", b'"': b'"'}
_GROUP: Final = rb"\((?:[^()\n]|\([^()\n]*+\))*+\)"
_CLASS: Final = rb"\[[!^]?+\]?+(?:\[:\w+:\]|\\.|[^\]\\\s\"';])*+\]"
_PATTERN: Final = re.compile(
    rb"(?P<keep>(?:^|(?<=[\s;(]))#[^\n]*+|\"[^\"]*+\")"
    rb"|=~[ \t\\]*+\n?[ \t]*+(?P<regex>(?:\\.|\"[^\"\n]*+\"|"
    + _CLASS
    + rb"|"
    + _GROUP
    + rb"|[^\s\\\"\[(])++)"
    rb"|(?P<glob>[?*+@!]" + _GROUP + rb")"
    rb"|(?<=[(\s])(?P<key>\[[^\]\n]*+\]\+?=)"
    rb"|^[ \t]*+(?P<choice>[^\s()#\"]*+[\[\\{}<>?*~^][^\s()\"]*+)(?=[ \t]*+\)[ \t]*+(?:$|#))"
    rb"|(?P<group>(?<![\w$}])(?:-|!)?" + _CLASS + rb"(?=[\s)|*}]))"
    rb"|(?P<line>\\\n)|(?P<falls>;;?&)",
    re.MULTILINE,
)
_KEPT: Final = re.compile(rb"[^\n]")


def with_plain_words(data: bytes) -> bytes:
    """Return the text to parse, as long as `data`."""
    parts, at = list[bytes](), 0
    for start, end in _literals(data):
        parts += [data[at:start], _plain(data[start:end])]
        at = end
    return _PATTERN.sub(_word, b"".join((*parts, data[at:])))


def _literals(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the outermost strings, substitutions and here-documents."""
    closing: list[bytes] = []
    words: list[re.Match[bytes]] = []
    start = at = 0
    while (token := _TOKEN.search(data, at)) is not None:
        text, at = token[0], token.end()
        code = not closing or closing[-1] == b")"
        if text == b"\n":
            if code and words:
                end = _end_of_bodies(data, at, words)
                if not closing:
                    yield from ((word.start(), word.end()) for word in words)
                    yield at, end
                words, at = [], end
        elif closing and text == closing[-1]:
            closing.pop()
            if not closing:
                yield start, at
        elif token["single"]:
            if closing and closing[-1] == b'"':
                at = token.start() + 1
            elif not closing:
                yield token.span()
        elif token["here"]:
            if code:
                words.append(token)
        elif (text == b"`" or token["opens"]) and len(closing) < MAX_DEPTH:
            inside = closing[-1] if closing else b""
            if inside in {b'"', b"}"} and text[:1] not in (b"$", b"`", b'"'):
                continue
            if not closing and text in {b"(", b"(("}:
                continue
            start = start if closing else token.start()
            closing.append(_CLOSING.get(text[-1:], b"`"))
            if text.endswith(b"(("):
                closing.append(b")")


def _end_of_bodies(data: bytes, at: int, words: list[re.Match[bytes]]) -> int:
    """Return where the here-documents end that begin at the line at `at`."""
    for word in words:
        end = re.compile(rb"^\t*" + word["word"] + rb"$", re.MULTILINE).search(data, at)
        if end is None:
            return at
        at = end.end()
    return at


def _plain(literal: bytes) -> bytes:
    if literal.startswith(b"<<"):
        return _KEPT.sub(b" ", literal)
    if literal.startswith(b"${") and b"\n" not in literal:
        return b"$" + b"a" * (len(literal) - 1)
    if literal[:1] in b"\"'`$<>" and len(literal) > 1:
        return b'"' + _KEPT.sub(b" ", literal[1:-1]) + b'"'
    return _KEPT.sub(b" ", literal)


def _word(match: re.Match[bytes]) -> bytes:
    name = match.lastgroup
    if name is None or name == "keep":
        return match[0]
    if name == "line":
        return b"  "
    if name == "falls":
        return b";;".ljust(len(match[0]))
    start, end = (at - match.start() for at in match.span(name))
    whole = match[0]
    before = b"=~".ljust(start) if name == "regex" else whole[:start]
    return before + b"a" * (end - start) + whole[end:]
