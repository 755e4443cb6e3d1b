"""Expands the most common macros of large C projects in C and C++ before parsing.

The grammars of C do not expand macros. Macros that only mark a declaration, such as `__init`, are
blanked. `SYSCALL_DEFINE2(read, ...)` with a body becomes a function `read`, and
`DEFINE_MUTEX(lock);` becomes a variable `lock`. Every remaining byte keeps its offset, and every
line keeps its number.
"""

import re
from typing import Final

from ggrep.parse.languages.c_branches import with_one_branch
from ggrep.parse.languages.c_marks import without_marks

_MARKS: Final = re.compile(
    rb"__(?<!\w__)(?:(?:acquires|acquired_by|aligned|alloc_align|alloc_size"
    rb"|assume_aligned|cleanup|cond_acquires|counted_by|counted_by_be|counted_by_le|diagnose_as"
    rb"|free|guarded_by|must_hold|no_sanitize|nonstring|printf|realloc_size|releases|scanf|section"
    rb"|sized_by)[ \t]{0,8}\([^()\n]{0,80}\)"
    rb"|(?:always_inline|always_unused|assume_[a-z_]{1,40}|attribute_const__|bitwise"
    rb"|cacheline_aligned|cold|cpuinit|deprecated|device__|devexit|devinit|exit|exitdata|flatten"
    rb"|force|forceinline__|global__|host__|hot"
    rb"|init|initconst|initdata|init_or_module|initdata_or_meminit|iomem|kernel|kprobes"
    rb"|latent_entropy|lockfunc|malloc|maybe_unused|meminit|must_check|naked|net_exit|net_init"
    rb"|net_initdata|no_kasan_or_inline|no_kcsan|no_randomize_layout|no_sanitize_address"
    rb"|no_sanitize_or_inline|noclone|noreturn|nosave|packed|percpu|private|pure|randomize_layout"
    rb"|rcu|read_mostly|ref|refconst|refdata|ro_after_init|safe|sched|sched_core|section|unused"
    rb"|used|user|visible|weak)\b(?!\())"
)
_BARE_MARKS: Final = tuple(
    (word, re.compile(rb"%s(?<!\w%s)\b(?!\()" % (word, word)))
    for word in (b"asmlinkage", b"noinline", b"notrace")
)
"""Each expression begins with its word.

With a word boundary before the word, the expression would be tried at every byte.
"""
_ENUMS: Final = re.compile(
    rb"(?:\btypedef[ \t]{1,8})?\b(?:NS|CF)_(?:CLOSED_|ERROR_)?(?:ENUM|OPTIONS)\("
    rb"[^,()]{1,80},\s*(\w{1,200})\s*\)"
)
"""Macros in Apple's headers for `enum name`."""
_OBJC_NOISE: Final = re.compile(
    rb"\n[ \t]{0,80}(?:#[ \t]{0,80}(?:if|ifdef|ifndef|elif|else|endif)\b(?:[^\n\\]|\\\n|\\)*"
    rb"|[A-Z][A-Z0-9]*_[A-Z0-9_]{1,80}(?:\([^()\n]{0,200}\))?[ \t]{0,80};?[ \t]{0,80}(?=\n))"
    rb"|\b(?=[A-Z]{2,8}_)[A-Z0-9_]{3,80}"
    rb"(?:[ \t]?\((?:[^()\n]|\([^()\n]{0,200}\)){0,400}\))?(?=\s{0,80};)"
)
"""Conditional directives, and marks that are alone in a line or before `;`."""
_TEXT: Final = rb"\"(?:[^\"\\\n]|\\.){0,400}\"|/\*(?:[^*]|\*(?!/)){0,8000}\*/"
_PLAIN: Final = rb"[^(){};\"/]|" + _TEXT
_CALLED: Final = re.compile(
    rb"\n(?:(?=[A-Zes])|[ \t]{1,8}(?=[A-Z_]{0,20}(?:TEST|SCENARIO)))"
    rb"(?:(?:static|extern)[ \t]{1,40}){0,2}(?P<macro>[A-Z][A-Z0-9_]{2,80}[ \t]?\()"
    rb"(?P<given>(?:" + _PLAIN + rb"|\((?:" + _PLAIN + rb"|\((?:" + _PLAIN + rb"){0,200}\))"
    rb"{0,200}\)){0,2000})\)(?P<more>\s{0,80}\([^(){};\"]{0,400}\))?"
    rb"(?P<then>\s{0,80}\{|[ \t]*(?:=[^;{}\n]{0,200})?;|(?=[ \t]*\n#[ \t]*(?:elif|else|endif)\b))"
)
_VARIABLES: Final = re.compile(rb"DEFINE|\ADECLARE|LIST_HEAD|NOTIFIER_HEAD|ATTR")
"""Words in macros that define a variable with the name in their first argument."""
_TESTS: Final = re.compile(rb"TEST|SCENARIO")
_CALLS: Final = re.compile(rb"SYSCALL_DEFINE")
"""Words in macros that are heads of a function; conditionals can select one of several heads."""
_BRACKETS: Final = re.compile(
    rb"^[ \t]{0,80}(?:[A-Z][A-Z0-9]{0,40}_){1,8}(?:BEGIN|END)(?:_[A-Z0-9]{1,40}){0,4}[ \t\r]*$",
    re.MULTILINE,
)
"""Macros for the head and the end of a namespace or of an `extern "C"` block."""
_MOST_LINE: Final = 4_096
"""Maximum bytes before a mark that are searched for the beginning of its line."""
_DIRECTIVE: Final = re.compile(rb"[ \t]{0,80}#")
_BEFORE_MACRO: Final = re.compile(rb"[ \t]{1,8}[A-Z][A-Z0-9_]{2,80}\(")
_TYPED: Final = re.compile(rb"PER_CPU|PERCPU")
"""Words in macros whose first argument is the variable's type."""
_FIRST: Final = re.compile(rb"\s*([A-Za-z_]\w{0,200})\s*(?:,|\Z)")
_SECOND: Final = re.compile(rb"[^,()]{1,200},\s*([A-Za-z_]\w{0,200})\s*(?:,|\Z)")
_NOT_SPACE: Final = re.compile(rb"\S")
_NESTED: Final = rb"\((?:[^(){};]|\((?:[^(){};]|\([^(){};]{0,200}\)){0,200}\)){0,400}\)"
_MOCKS: Final = re.compile(
    rb"MOCK_(?:CONST_)?METHOD(?P<old>\d{1,2}(?:_T)?)?\((?P<given>(?:[^(){};]|"
    + _NESTED
    + rb"){1,800})"
    rb"\)[ \t]{0,8};"
)
_AFTER_TYPE: Final = re.compile(
    rb"(?:[^(),<>]|<(?:[^<>();]|<[^<>();]{0,200}>){0,200}>|" + _NESTED + rb"){1,200},"
    rb"\s*([A-Za-z_]\w{0,200})\s*(?:,|\Z)"
)


def expanded(data: bytes) -> bytes:
    """Return the text to parse, of the same length as `data`."""
    return without_marks(_expanded(data))


def expanded_objc(data: bytes) -> bytes:
    """Return the text to parse of an Objective-C file."""
    return _OBJC_NOISE.sub(_without_text, _expanded(data))


def _expanded(data: bytes) -> bytes:
    data = _MARKS.sub(_blanked, with_one_branch(data))
    data = _without_bare_marks(data)
    if b"BEGIN" in data:
        data = _BRACKETS.sub(_without_text, data)
    if b"S_ENUM(" in data or b"S_OPTIONS(" in data:
        data = _ENUMS.sub(_enum, data)
    if b"MOCK_" in data:
        data = _MOCKS.sub(_mocked, data)
    return _CALLED.sub(_definition, b"\n" + data)[1:]


def _without_bare_marks(data: bytes) -> bytes:
    marks = [mark for word, form in _BARE_MARKS if word in data for mark in form.finditer(data)]
    parts, at = list[bytes](), 0
    for mark in sorted(marks, key=re.Match.start):
        parts += [data[at : mark.start()], _blanked(mark)]
        at = mark.end()
    return b"".join((*parts, data[at:])) if parts else data


def _without_text(match: re.Match[bytes]) -> bytes:
    return _NOT_SPACE.sub(b" ", match[0])


def _blanked(match: re.Match[bytes]) -> bytes:
    text, start = match.string, match.start()
    near = max(start - _MOST_LINE, 0)
    line = text.rfind(b"\n", near, start) + 1 or near
    if _DIRECTIVE.match(text, line):
        return match[0]
    if line == start and _BEFORE_MACRO.match(text, match.end()):
        return b"static".ljust(match.end() - start)  # a definition begins in the first column
    return b" " * (match.end() - start)


def _enum(match: re.Match[bytes]) -> bytes:
    before = match.start(1) - match.start()
    return b"enum".ljust(before) + match[1] + b" " * (match.end() - match.end(1))


def _definition(match: re.Match[bytes]) -> bytes:
    """Return the definition to which a macro call expands."""
    macro, given = match["macro"], match["given"]
    whole, start = match[0], match.start()
    body = match["then"].endswith(b"{")
    typed = _TYPED.search(macro) is not None
    if body and _TESTS.search(macro):
        return _test(match)
    named = (_SECOND if typed else _FIRST).match(given)
    if named is None or (not body and _VARIABLES.search(macro) is None):
        return whole
    low, high = (match.start("given") - start + at for at in named.span(1))
    after = match.end("given") - start
    if body and high >= after:
        return whole  # without further arguments it already has the form of a function
    out = bytearray(_NOT_SPACE.sub(b" ", whole))
    head = match.start("macro") - start
    out[:head] = whole[:head]
    out[low:high] = whole[low:high]
    tail = match.start("then") - start
    out[tail:] = whole[tail:]
    if not match["then"]:
        if _CALLS.search(macro) is None or high + 1 >= after:
            return whole
        out[head : head + 4] = b"void"
        out[high], out[after - 1], out[after] = b"();"
    elif body:
        out[head : head + 4] = b"void"
        out[high], out[after] = 0x28, 0x29  # replaces the comma and the closing bracket
    else:
        out[head : head + 3] = b"int"
    return bytes(out)


def _test(match: re.Match[bytes]) -> bytes:
    """Return a test macro as the head of a function with at most two names as arguments."""
    given = match["given"]
    first = _FIRST.match(given)
    named = first and ((b"CASE" not in match["macro"] and _SECOND.match(given)) or first)
    if named is first and first and given[first.end() :].lstrip()[:1] == b'"':
        named = None  # a fixture and a string
    kept = named.end(1) if named else 0
    low, high = (at - match.start() for at in match.span("given"))
    rest = match.end("more") - match.start() if match["more"] else high + 1
    whole = match[0]
    blank = _NOT_SPACE.sub(b" ", whole[low + kept : rest - 1])
    return whole[: low + kept] + blank + b")" + whole[rest:]


def _mocked(match: re.Match[bytes]) -> bytes:
    """Return the method that `MOCK_METHOD(int, size, (), (const));` defines."""
    named = (_FIRST if match["old"] else _AFTER_TYPE).match(match["given"])
    if named is None:
        return match[0]
    low, high = (match.start("given") - match.start() + at for at in named.span(1))
    out = bytearray(_NOT_SPACE.sub(b" ", match[0]))
    out[:4] = b"void"
    out[low:high] = named[1]
    out[high : high + 1] = b"("
    out[-2:] = b");"
    return bytes(out)
