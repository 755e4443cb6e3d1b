"""Blanks macros that only mark a declaration, before C and C++ are parsed.

A macro is recognised as a mark by its position. The grammars of C do not expand macros: at
`class EXPORTED Name {` or `void f() GUARDED(lock) {` the parser loses the definition, and often all
later definitions.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, TypeAlias

_Span: TypeAlias = tuple[int, int]
_Position: TypeAlias = Literal["start", "behind", "within", ""]
"""Position of a mark: before a declaration, after a parameter list, or inside a declaration."""

_TEXT: Final = rb"\"(?:[^\"\\\n]|\\.){0,400}+\""
_RUN: Final = rb"[^(){};\"]{1,2000}+|" + _TEXT
_GIVEN: Final = (
    rb"\((?:" + _RUN + rb"|\((?:" + _RUN + rb"|\((?:" + _RUN + rb"){0,40}+\)){0,80}+\)){0,80}+\)"
)
_ANGLES: Final = rb"<(?:[^<>;{}]{1,400}+|<(?:[^<>;{}]{1,400}+|<[^<>;{}]{0,400}+>){0,20}+>){0,20}+>"
_TYPES_GIVEN: Final = rb"<[^;{}()]{0,200}>"
_TYPE: Final = rb"(?:::)?[A-Za-z_][\w:]{0,120}(?:<[^;{}]{0,200}>(?:::\w{1,80})?)?"
_NAME: Final = (
    rb"(?:[A-Za-z_]\w{0,80}(?:" + _TYPES_GIVEN + rb")?::){0,6}"
    rb"(?:~?[A-Za-z_]\w{0,120}(?:" + _TYPES_GIVEN + rb")?|operator\s{0,8}[^\w\s]{1,3})"
)

_MACRO: Final = re.compile(rb"[A-Z_][A-Z0-9_](?<=[\s)>}:;]..)[A-Z0-9_]{1,80}(?=\(|\s|[;{]|:(?!:))")
"""A word that can be a mark, by the characters before and after it."""
_MORE: Final = re.compile(rb"\s{1,80}[A-Z_][A-Z0-9_]{2,80}(?!\w)(?:[ \t]?" + _GIVEN + rb")?")
_ARGUMENTS: Final = re.compile(rb"[ \t]{0,4}" + _GIVEN)
_NOT_BLANK: Final = re.compile(rb"\S")

_DECLARES: Final = re.compile(
    rb"\s{1,80}(?:(?:class|const|constexpr|enum|explicit|extern|friend|inline|namespace|static"
    rb"|struct|template|typedef|typename|union|unsigned|using|virtual|volatile)\b(?!\s{0,8}[=,;.(])"
    rb"|operator\s{1,8}[A-Za-z]|~|\[\["
    # a constructor with its member initialisers
    rb"|" + _NAME + rb"\s?\([^;{}]{0,400}\)\s{0,80}(?:noexcept\s{0,80})?:[^:]"
    # a type and a name
    rb"|(?!(?:operator|return|else)\b)(?:(?:long|short|signed|auto)\s{1,8}){0,3}"
    + _TYPE
    + rb"[\s*&]{1,40}(?:(?:const|constexpr|inline|static|unsigned)[\s*&]{1,8}){0,2}"
    rb"(?:[A-Z][A-Z0-9_]{2,40}\s{1,80})?" + _NAME + rb"\s{0,8}[(;=\[{])"
)
"""Text that follows a mark before a declaration."""
_ENDS_HEAD: Final = re.compile(
    rb"\s{0,80}(?:(?:const|final|noexcept|override)\b\s{0,80}){0,3}(?:[{;=]|:[^:]|->)"
)
"""Text that follows the last mark after a parameter list."""
_ALONE: Final = re.compile(
    rb"[ \t]{0,80}(?://[^\n]{0,400}|/\*[^\n]{0,400}\*/[ \t]{0,8})?\r?\n\s{0,400}"
    rb"(?:(?P<end>\}|\Z)|[A-Za-z_~#@]|//|/\*|\[\[)"
)
"""Text that follows a mark alone in its line."""
_CALLED: Final = re.compile(rb"\s{0,8}[\w:~]{1,120}\s?\(")
_CLOSED: Final = re.compile(_TEXT + rb"|/\*(?:[^*]|\*(?!/)){0,400}\*/")
_MEMBER: Final = re.compile(rb"\s{0,8}[;=]")
_ENUMERATOR: Final = re.compile(rb"\s{0,8}[,=}]")
_OUTDATED: Final = re.compile(rb"AVAILAB|DEPRECATED|ENUMERATOR")
"""Words in marks after the names of enumerators."""
_ENDED: Final = re.compile(rb"[ \t]{0,80};[ \t]{0,80}(?=(?://[^\n]{0,400})?(?:\r?\n|\Z))")

_SPECIFIERS: Final = frozenset(
    b"consteval constexpr constinit explicit extern friend inline static virtual".split()
)
_BEHIND: Final = frozenset(b"const final noexcept override".split())
_RECORDS: Final = frozenset(b"class enum namespace struct typename union".split())
_STATEMENTS: Final = frozenset(
    b"case catch co_await co_return co_yield delete do else for goto if new return sizeof switch"
    b" throw typedef using while".split()
)
_TYPES: Final = frozenset(
    b"auto bool char double float int long short signed unsigned void".split()
)
_BLANK: Final = 0x20
_OPERATORS: Final = b"=(|+?!-/"
"""Characters that precede a macro if it is a constant and not a mark."""
_NO_CODE: Final = (b"#", b"//", b"*", b"/*")
"""First characters of preprocessor lines and comments."""
_LAST_WORD: Final = re.compile(rb"(?<!\w)[A-Za-z_]\w{0,80}\Z")
_FIRST_WORD: Final = re.compile(rb"[A-Za-z_]\w{0,80}")
_TYPED: Final = re.compile(rb"[\w\s:<>,*&\[\]]+")
_MOST_MARKS: Final = 4
"""Maximum number of consecutive marks that are read."""
_MOST_LINE: Final = 400
"""Maximum bytes before a mark that are read to determine its position."""
_HEADS: Final = tuple(
    (
        word,
        re.compile(
            word
            + rb"\b(?P<head>(?:[\w\s&*~\[\],-]{1,400}+|::|"
            + _ANGLES
            + rb"|//[^\n]{0,400}\n|"
            + _GIVEN
            + rb"){1,40}+)"
            rb"(?:\{|:(?!:)(?=[^;{}]{0,800}\{))"
        ),
    )
    for word in (b"class", b"enum", b"namespace", b"struct", b"union")
)
"""Each expression begins with its word, so that the search is fast."""
_HEAD_WORD: Final = re.compile(
    rb"(?P<attribute>\[\[[^\[\]]{0,200}\]\]|(?:alignas|__attribute__|__declspec)\s?"
    + _GIVEN
    + rb")"
    rb"|(?P<comment>//[^\n]{0,400}\n)"
    rb"|(?P<word>[A-Za-z_]\w{0,120}(?:\s?::\s?\w{1,120}){0,8})"
    rb"(?P<given>\s?" + _GIVEN + rb")?(?P<types>\s?<[^;{}]{0,400}>)?"
    rb"|(?P<bases>,\s{0,80}(?:public|private|protected|virtual)\b[^;{}()]{0,400})"
    rb"|(?P<other>\S)"
)
_EXPORTS: Final = re.compile(rb"(?i)_(?:api|dll|export)\Z")
_PARAMETERS: Final = re.compile(rb"\w\s+[\w*&]|[*&]")
_CAPITALS: Final = re.compile(rb"[A-Z_][A-Z0-9_]+")
_TRAILING: Final = re.compile(rb"(?:[A-Z0-9]{1,20}_){0,4}(?:FINAL|SEALED)(?:_[A-Z0-9]{1,20}){0,2}")
_SECTIONS: Final = tuple(
    (word, re.compile(word + rb"[ \t]{0,8}:(?!:)"), before)
    for word, before in (
        (b"Q_SIGNALS", False),
        (b"Q_SLOTS", True),
        (b"signals", False),
        (b"slots", True),
    )
)
"""Access sections that Qt adds to those of C++, and whether an access word precedes them."""
_ACCESS: Final = frozenset({b"private", b"protected", b"public"})


def without_marks(data: bytes) -> bytes:
    """Return the text to parse, of the same length as `data`."""
    parts, at = list[bytes](), 0
    for start, end in sorted([*_in_heads(data), *_in_text(data), *_sections(data)]):
        if start >= at:
            parts += [data[at:start], _NOT_BLANK.sub(b" ", data[start:end])]
            at = end
    return b"".join((*parts, data[at:])) if parts else data


def _in_heads(data: bytes) -> Iterator[_Span]:
    """Yield the marks in the heads of classes and namespaces: `class MARK Name MARK : Base {`."""
    for word, form in _HEADS:
        at = 0
        while head := form.search(data, at) if word in data else None:
            start, at = head.span("head")
            near = max(0, start - _MOST_LINE)
            line = data[data.rfind(b"\n", near, start) + 1 or near : start]
            if b"//" in line and b"//" in _CLOSED.sub(b"", line):
                at = data.find(b"\n", start, at) + 1 or at
            elif len(head["head"].split(None, 2)) > 1 or b"[" in head["head"]:
                yield from _head_marks(data, start, at)


def _head_marks(data: bytes, start: int, end: int) -> list[_Span]:
    words, hidden = list[re.Match[bytes]](), list[_Span]()
    for item in _HEAD_WORD.finditer(data, start, end):
        word = item["word"]
        if item["attribute"] or (item["bases"] and words):
            hidden.append(item.span())
        elif word and word not in _RECORDS:
            if word != b"final":
                words.append(item)
        elif not item["comment"] and (words or word not in {b"class", b"struct"}):
            return []
    named = len(words) - 1
    while named > 0 and _is_trailing(words, named):
        named -= 1
    if named < 0 or (named > 0 and words[named]["given"]):
        return []  # `struct point origin(int x) {`
    return hidden + [item.span() for place, item in enumerate(words) if place != named]


def _is_trailing(words: Sequence[re.Match[bytes]], place: int) -> bool:
    """Return whether the word at `place` in a class's head is a mark after the class's name."""
    word, given = words[place]["word"], words[place]["given"]
    if not _CAPITALS.fullmatch(word) or (given and _PARAMETERS.search(given)):
        return False
    before = [item["word"] for item in words[:place] if not _EXPORTS.search(item["word"])]
    plain = any(not _CAPITALS.fullmatch(each) for each in before)
    return plain or _TRAILING.fullmatch(word) is not None


def _in_text(data: bytes) -> Iterator[_Span]:
    """Yield the macros that are marks before declarations, after parameters or alone in lines."""
    text, last = b"\n" + data, 0
    place: _Position = ""
    for macro in _MACRO.finditer(text):
        start = macro.start()
        if start < last or (text[start - 1] == _BLANK and text[start - 2] in _OPERATORS):
            continue
        low = text.rfind(b"\n", max(0, start - _MOST_LINE), start) + 1 or max(0, start - _MOST_LINE)
        lead = text[low:start].strip()
        if not last or not text[last:start].isspace():
            place = _place(text, low, lead)
        last = _end(text, macro, place, low, lead) if place else 0
        if last:
            yield start - 1, last - 1


def _place(text: bytes, low: int, lead: bytes) -> _Position:
    """Return the kind of a macro's position, from the text before; empty if it cannot be a mark."""
    first = not lead
    if first:
        lead = _line_above(text, low)
        if not lead:
            return "start"
    elif lead.startswith(_NO_CODE):
        return ""
    opening = _FIRST_WORD.match(lead)
    if opening and opening[0] in _STATEMENTS and not lead.endswith((b";", b"{", b"}")):
        return ""
    return _place_behind(lead, first=first)


def _line_above(text: bytes, low: int) -> bytes:
    """Return the line of code above; empty if a declaration can begin after it."""
    above = text[max(0, low - _MOST_LINE) : low]
    before = above.rstrip()
    line = before[before.rfind(b"\n") + 1 :].strip()
    if line.endswith(b"\\"):
        return b"\\"
    if line.startswith(_NO_CODE) or line.endswith(b"*/"):
        return b""
    line = line.partition(b"//")[0].rstrip()
    apart = above.count(b"\n", len(before)) > 1  # after the body of a macro definition
    return b"" if apart and line.endswith(b")") else line


def _place_behind(lead: bytes, *, first: bool) -> _Position:
    ending, last = lead[-1:], _LAST_WORD.search(lead)
    word = last[0] if last else b""
    template = ending == b">" and (first or lead.startswith(b"template"))
    if template or ending in b";{}:" or word in _SPECIFIERS:
        return "start"
    if ending == b")" or (word in _BEHIND and b")" in lead):
        return "behind"
    return "within" if word not in _RECORDS and _TYPED.fullmatch(lead) else ""


def _end(text: bytes, macro: re.Match[bytes], place: _Position, low: int, lead: bytes) -> int:
    """Return the end of a mark with its arguments; 0 for a macro that is not a mark."""
    start, stop = macro.span()
    given = _ARGUMENTS.match(text, stop)
    if given:
        stop = given.end()
    elif text[stop : stop + 4].lstrip(b" \t")[:1] == b"(":
        return 0
    if place == "within":
        return _within(text, start, stop, lead, given=given is not None)
    end = _behind_parameters(text, stop) if place == "behind" else 0
    if end or (place == "behind" and lead):
        return end
    return _before_declaration(text, low, start, stop, lead)


def _before_declaration(text: bytes, low: int, start: int, stop: int, lead: bytes) -> int:
    """Return the end of a mark before a declaration or alone in a line; 0 for other macros."""
    last = stop
    for _ in range(_MOST_MARKS):
        if _DECLARES.match(text, last):
            return last
        more = _MORE.match(text, last)
        if more is None:
            break
        last = more.end()
    if lead:
        return 0
    alone = _ALONE.match(text, stop)
    called = text[stop - 1 : stop] == b")"
    if alone:
        bare = alone["end"] == b"}" and text[:start].rstrip().endswith((b"{", b","))
        return stop if called or (b"_" in text[start:stop] and not bare) else 0
    ended = _ENDED.match(text, stop) if called and low == start else None
    return ended.end() if ended else 0


def _behind_parameters(text: bytes, stop: int) -> int:
    """Return the end of the marks after a parameter list; 0 for other macros."""
    while more := _MORE.match(text, stop):
        stop = more.end()
    return stop if _ENDS_HEAD.match(text, stop) else 0


def _within(text: bytes, start: int, stop: int, lead: bytes, *, given: bool) -> int:
    """Return the end of a mark inside a declaration: `int MARK f(`, `int size MARK(lock);`."""
    words = lead.split(None, 1)
    if len(words) == 1 and _OUTDATED.search(text, start, stop) and _ENUMERATOR.match(text, stop):
        return stop
    if not given:
        return stop if _CALLED.match(text, stop) else 0
    named = _LAST_WORD.search(lead)
    lower = named is not None and named[0][:1].islower() and named[0] not in _TYPES
    several = lower and len(words) > 1 and not lead.endswith(b"_t")
    return stop if several and _MEMBER.match(text, stop) else 0


def _sections(data: bytes) -> Iterator[_Span]:
    for word, form, accessed in _SECTIONS:
        for section in form.finditer(data) if word in data else ():
            start, end = section.span()
            lead = data[data.rfind(b"\n", max(0, start - _MOST_LINE), start) + 1 : start].strip()
            if lead in _ACCESS if accessed else not lead:
                yield start, end - accessed
