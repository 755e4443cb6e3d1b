"""Masks the secrets in a file's text before any other stage reads the text.

A mask has the length of the secret in bytes, with the same line ends, so all other bytes, lines and
offsets stay the same. RE2 finds the candidate positions in time linear in the file's size. Each
candidate is then judged separately, within a limited number of bytes.
"""

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from ggrep.config import secret_patterns as forms
from ggrep.parse.source.automaton import automaton, ungrouped
from ggrep.parse.source.entropy import (
    is_made_up,
    is_password,
    is_phrase,
    is_signed,
    is_word,
    looks_random,
)
from ggrep.parse.source.secret_literals import LITERAL, MOST_KEYS, OPENERS, key_at
from ggrep.parse.source.secret_positions import MOST_VALUE, Span, find_places

_LEAST_VALUE: Final = 6
_MOST_NAME: Final = 64
"""Maximum bytes of a name that are read to the left of its keyword."""
_MOST_RUN: Final = 16_384
"""Maximum masked bytes of a long value."""
_MOST_SOUGHT: Final = 32
"""Maximum number of masked values, the longest first, that are searched for in their file."""
_MASK: Final = b"*"

_TAIL: Final = rb"s?(?:[_-][A-Za-z0-9_-]{0,24}|[0-9A-Z][A-Za-z0-9_]{0,24})?"
"""The rest of a name after its keyword: a plural `s`, or another word; no further letters."""
_BETWEEN: Final = (
    rb"(?:[ \t][a-z]+=[\"'][a-z0-9]*)?(?:\\?[\"'`\])]){0,3}[ \t]*"
    rb"(?::=|=>|->|<-|\?=|={1,3}|\|\|=?|\?\?=?|\?:|:|,|\(|>|[ \t]value[ \t]*=|[ \t]or[ \t])"
    rb"(?:[ \t]*[|>][+-]?[ \t]*\r?\n)?[ \t(]*"
)
_TYPED: Final = (
    rb"(?:\[[^\]\n]{0,16}\])?"
    rb"(?:(?:[ \t]*:[ \t]*|[ \t]+)[&*\[A-Za-z_][A-Za-z0-9_.<>\[\]?'&* ]{0,30})?"
    rb"[ \t]*:?=\s{0,12}(?:(?:new )?[A-Za-z_\[\]][A-Za-z0-9_.:<>\[\]!]{0,30}\()?[ \t]*"
)
"""Text between name and quoted value, with a type, or with a function around the value."""
_SPACED: Final = rb"(?i:--[a-z-]*(?:%s)|password|bearer)[ \t]+" % forms.WORDS
"""A name that is separated from its value only by blanks: options, and words in some files."""
_STATED: Final = rb"[ \t]+(?:is[ \t]+|was[ \t]+)?"
"""Text between any name and its value, if the value is quoted or contains a digit."""
_SCHEME: Final = rb"(?i:(?:bearer|basic|token|apikey)[ \t]+)?"
_QUOTE: Final = rb"[brufN@]{0,2}\\?(?:\"\"|'')?[\"'`]"
_VALUE: Final = rb"(?:[^\s\"'`]{%d}|[A-Za-z0-9]{2,12} [A-Za-z0-9]{2})" % _LEAST_VALUE
_NAMED: Final = b"|".join(
    (
        rb"(?i:%s)%s(?:%s(?:%s)?|%s%s|%s(?:%s)?)%s()%s"
        % (
            forms.WORDS,
            _TAIL,
            forms.BELOW,
            _QUOTE,
            _TYPED,
            _QUOTE,
            _BETWEEN,
            _QUOTE,
            _SCHEME,
            _VALUE,
        ),
        rb"(?i:%s)%s%s(?:%s()%s|()[^\s\"'`]{0,24}[0-9])"
        % (forms.WORDS, _TAIL, _STATED, _QUOTE, _VALUE),
        rb"%s(?:%s)?%s()%s" % (_SPACED, _QUOTE, _SCHEME, _VALUE),
    )
)
_SOUGHT: Final = ungrouped(_NAMED + b"|" + LITERAL)
_MATCHED: Final = re.compile(_NAMED)
_GIVEN: Final = re.compile(
    rb"(?:(?P<word>(?i:%s))(?P<tail>%s)(?:%s|%s|%s|(?P<stated>%s))|%s)"
    rb"(?:[brufN@]{0,2}\\?(?:\"\"|'')?(?P<quote>[\"'`]))?(?P<scheme>%s)"
    % (forms.WORDS, _TAIL, forms.BELOW, _BETWEEN, _TYPED, _STATED, _SPACED, _SCHEME)
)
_LONG: Final = re.compile(rb"[A-Za-z0-9+/=_.~%%-]{%d}" % (MOST_VALUE + 1))
_RUN: Final = re.compile(rb"[A-Za-z0-9+/=_.~%%-]{1,%d}" % _MOST_RUN)
"""A long value: its beginning is judged, and all of the value is masked."""
_BARE: Final = re.compile(rb"[^\s\"'`,;&<>(){}\[\]]{6,%d}" % MOST_VALUE)
_QUOTED: Final = {
    quote: re.compile(rb"[^%b\n]{6,%d}(?=%b)" % (quote, MOST_VALUE, quote))
    for quote in (b'"', b"'", b"`")
}
_PASSWORDS: Final = (
    b"pas",
    b"pw",
    b"psk",
    b"pepper",
    b"commun",
    b"kenn",
    b"senh",
    b"contr",
    b"mot",
    b"mast",
)
_CODE: Final = (b"(", b"[", b"{", b"<")
"""Characters that occur after a name in a program; the text before them is not a value."""
_VARIABLE: Final = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*(?i:key|token|secret|password|pass)")
"""The name of a variable instead of a value: unquoted, and named like a secret."""
_SETTING: Final = re.compile(rb"[ \t-]*(?:export[ \t]+)?[A-Za-z0-9_.-]+[ \t]*[:= \t][ \t]*")
_PLAIN_TAIL: Final = re.compile(rb"(?i:[_-]?key)?[0-9_]*")
_OWNERS: Final = re.compile(rb"(?i:bind|db|root|user|admin|login|ldap|smtp|mail|wifi|my|pg)\Z")
"""Prefixes that a short keyword can follow directly, as in `bindpw`."""
_CONSTANT: Final = re.compile(rb"[A-Z0-9]+(?:_[A-Z0-9]+)+")
_IN_CODE: Final = (b"(", b",")
"""Characters that occur before a name in a program, in which only a quoted text is a value."""
_NAME: Final = re.compile(rb"[A-Za-z0-9_.$-]*\Z")
_CAPITAL: Final = re.compile(rb"[A-Z0-9]\Z")
_SMALL: Final = re.compile(rb"[a-z0-9]\Z")
_LEAST_ALONE: Final = 4
"""Minimum bytes of a keyword within a word; a shorter keyword can be part of any word."""
_NAME_END: Final = re.compile(rb"[A-Za-z0-9_]\Z")
_PUBLIC: Final = re.compile(forms.PUBLIC_WORDS, re.IGNORECASE)
_TAIL_WORDS: Final = re.compile(rb"s?[_.-]?(?:%s)" % forms.TAIL_WORDS, re.IGNORECASE)
_SIGN: Final = re.compile(rb"(\\[nrt]|[\s\"'`\\])|.")
"""Group 1: characters that show the form of a text and are kept; all others are masked."""


class Masked(Struct, frozen=True):
    """A text with its secrets masked.

    Attributes:
        data: the masked text, as long as the original.
        values: the number of masked values.
        is_key: whether the text was a private key and little else.
    """

    data: bytes
    values: int = 0
    is_key: bool = False


def mask(data: bytes) -> Masked:
    """Return UTF-8 text with its secrets masked."""
    places = find_places(data)
    values = _joined(sorted((*places.spans, *_named(data))))
    if not values:
        return Masked(data)
    spans = _joined(sorted((*values, *_again(data, values))))
    is_key = 2 * sum(end - start for start, end in places.keys) > len(data.strip())
    return Masked(_without(data, spans), len(spans), is_key)


def _named(data: bytes) -> Iterator[Span]:
    """Yield values that are secrets because of the names to which they are assigned."""
    scan, at, keys = automaton(_SOUGHT), 0, list[Span]()
    while (sought := scan.search(data, at)) is not None:
        start, at = sought.span()
        if data[start] in OPENERS:
            at = start + 1  # a name can begin within it
            if (key := key_at(data, start)) is not None:
                keys.append(key)
                at = key[1]
            continue
        if (match := _MATCHED.fullmatch(data, start, at)) is None:
            continue
        # A value can itself be a name: `get("api_key", "...")`.
        at = match.end(match.lastindex or 0)
        if (span := _given(data, start, at)) is not None:
            yield span
            at = span[1]
    if len(keys) <= MOST_KEYS:
        yield from keys


def _given(data: bytes, start: int, at: int) -> Span | None:
    """Return the value at `at` if it is a secret; the keyword of its name begins at `start`."""
    assignment = _GIVEN.fullmatch(data, start, at)
    quote = assignment["quote"] if assignment else None
    form = _QUOTED[quote] if quote else _BARE
    match = _LONG.match(data, at) or form.match(data, at, at + MOST_VALUE + 1)
    if assignment is None or match is None or (not quote and _is_code(data, at, match.end())):
        return None
    value = match[0][:MOST_VALUE].rstrip(b"\\")
    if _is_named_value(data, start, assignment, value) or not _is_secret(data, assignment, value):
        return None
    run = _RUN.match(data, at) if match.re is _LONG else None
    return at, run.end() if run else at + len(value)


def _is_named_value(data: bytes, start: int, assignment: re.Match[bytes], value: bytes) -> bool:
    """Return whether the text after a keyword is a name of a constant or variable, or no value."""
    if _CONSTANT.fullmatch(value) or (assignment["quote"] is None and _VARIABLE.fullmatch(value)):
        return True
    if assignment["stated"] is None:
        return False
    is_verb = assignment["word"].lower() == b"pass" and not _NAME_END.search(
        data, max(start - 1, 0), start
    )
    return is_verb or (assignment["quote"] is None and _is_in_path(data, start))


def _is_secret(data: bytes, assignment: re.Match[bytes], value: bytes) -> bool:
    worded = assignment["scheme"] or (assignment["word"] or b"pwd").lower().startswith(_PASSWORDS)
    if not (
        looks_random(value)
        or (worded and is_password(value))
        or _is_chosen(data, assignment, value)
    ):
        return False
    return not (is_made_up(value) or _names_another(data, assignment))


def _is_chosen(data: bytes, assignment: re.Match[bytes], value: bytes) -> bool:
    """Return whether a value that is assigned to a password or secret looks chosen by a person."""
    word, tail, end = assignment["word"] or b"", assignment["tail"] or b"", assignment.end()
    if not _PLAIN_TAIL.fullmatch(tail) or b"/" in value:
        return False
    assigned = assignment["quote"] is not None or data[end - 1 : end] == b"="
    if word.lower().startswith(_PASSWORDS):
        return _is_chosen_password(data, assignment, value, assigned=assigned)
    if b"secret" not in word.lower():
        return False
    if is_password(value):
        return assigned
    return (assignment["quote"] is not None or (assigned and word.isupper())) and is_phrase(value)


def _is_chosen_password(
    data: bytes, assignment: re.Match[bytes], value: bytes, *, assigned: bool
) -> bool:
    word = assignment["word"]
    if _is_setting(data, assignment.start(), assignment.end(), value):
        return is_phrase(value)
    if word.lower() in {b"pass", b"pw"}:
        called = b"(" in assignment[0] or assignment["stated"] is not None
        return assignment["quote"] is not None and not called and is_phrase(value)
    if assignment["stated"] is None and (is_signed(value) or (word.isupper() and is_word(value))):
        return assigned
    return (assigned or b"-" in value) and is_phrase(value)


def _is_setting(data: bytes, start: int, end: int, value: bytes) -> bool:
    """Return whether a line or an element consists of a name and the value, like a setting."""
    line = data.rfind(b"\n", max(start - _MOST_NAME, 0), start) + 1
    after = data[end + len(value) : end + len(value) + 2]
    if data[end - 1 : end] == b">":
        return after == b"</"
    return after[:1] in {b"", b"\n", b"\r"} and _SETTING.fullmatch(data, line, end) is not None


def _is_code(data: bytes, start: int, end: int) -> bool:
    """Return whether a value without quotes is an expression of a program, not a literal text."""
    before = data[max(start - 8, 0) : start].rstrip()[-1:]
    if before in _IN_CODE or data[max(start - 2, 0) : start] == b"->":
        return True
    return data[end : end + 1] in _CODE and data[end : end + 2] != b"</"


def _is_in_path(data: bytes, start: int) -> bool:
    """Return whether the name before `start` follows a slash, so that it is part of a path."""
    name = _NAME.search(data, max(start - _MOST_NAME, 0), start)
    return name is not None and data[max(name.start() - 1, 0) : name.start()] == b"/"


def _names_another(data: bytes, assignment: re.Match[bytes]) -> bool:
    """Return whether the words around the keyword show that the value is not a secret."""
    word, tail = assignment["word"], assignment["tail"]
    if word is None:
        return False
    if _TAIL_WORDS.match(tail) or (tail and word.lower() == b"pass"):
        return True
    start = assignment.start()
    alike = _CAPITAL if word.isupper() else _SMALL
    if (
        len(word) < _LEAST_ALONE
        and alike.search(data, max(start - 1, 0), start)
        and not _OWNERS.search(data, max(start - _LEAST_ALONE - 1, 0), start)
    ):
        return True  # `8psk`, `bpw`
    if word.isupper() and tail[:1].isupper() and (len(word) <= _LEAST_ALONE or tail != b"S"):
        return True  # `PWRDN`
    name = _NAME.search(data, max(start - _MOST_NAME, 0), start)
    return name is not None and _PUBLIC.search(name[0]) is not None


def _again(data: bytes, spans: list[Span]) -> Iterator[Span]:
    """Yield further occurrences of masked values, for example in a comment."""
    seen = {value for start, end in spans if looks_random(value := data[start:end])}
    for value in sorted(seen, key=len)[-_MOST_SOUGHT:]:
        at = 0
        while (at := data.find(value, at)) >= 0:
            yield at, at + len(value)
            at += len(value)


def _joined(spans: list[Span]) -> list[Span]:
    """Return the spans in ascending order, merged so that they do not overlap."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _without(data: bytes, spans: list[Span]) -> bytes:
    parts, at = [], 0
    for start, end in spans:
        parts += [data[at:start], _SIGN.sub(_masked, data[start:end])]
        at = end
    return b"".join((*parts, data[at:]))


def _masked(sign: re.Match[bytes]) -> bytes:
    return sign[1] or _MASK
