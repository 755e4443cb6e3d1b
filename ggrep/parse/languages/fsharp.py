"""Blanks keywords and attributes before F# names, because the grammar takes them for the names.

`let private go` would define `private`, and `module rec M` a module `rec`; attributes after `let`
hide the definition. A unit of measure, a type without a body, is parsed as an `exception`.
"""

import re
from typing import Final

_ATTRIBUTE: Final = rb"\[<[^<>\n]{1,400}>\]"
_MARKED: Final = re.compile(
    rb"//[^\n]*+|\(\*(?!\))(?:[^*]|\*(?!\)))*+(?:\*\))?|\"\"\"(?:[^\"]|\"(?!\"\"))*+(?:\"\"\")?"
    rb"|@\"[^\"]*+\"|\"(?:[^\"\\]|\\.)*+\"|``[^`\n]*+``"
    rb"|(?P<word>\b(?:let|and)\b)(?P<marks>(?:\s{1,8}(?:rec|inline|mutable|private|internal|public)\b"
    rb"(?=\s{1,8}[\w(\[`])|\s{0,8}" + _ATTRIBUTE + rb"){1,6})"
    rb"|(?P<module>\bmodule[ \t]{1,8})(?P<rec>rec)(?=[ \t]{1,8}[\w`])"
    rb"|(?P<static>\bstatic)(?=[ \t]{1,8}member[ \t]{1,8}val\b)"
    rb"|(?P<measure>\btype[ \t]{0,8}\[<Measure>\]|\[<Measure>\]\s{1,20}type\b)"
    rb"(?=[ \t]{1,8}\w{1,200}[ \t]*(?://[^\n]*)?\r?$)",
    re.MULTILINE,
)
_MARK: Final = re.compile(rb"private|internal|public|" + _ATTRIBUTE)


def without_marks(data: bytes) -> bytes:
    """Return the text to parse, of the same length as `data`."""
    return _MARKED.sub(_without_mark, data)


def _without_mark(match: re.Match[bytes]) -> bytes:
    whole = match[0]
    match match.lastgroup:
        case "marks":
            return match["word"] + _MARK.sub(lambda mark: b" " * len(mark[0]), match["marks"])
        case "rec":
            return match["module"] + b"   "
        case "static":
            return b" " * len(whole)
        case "measure":
            return b"exception".ljust(len(whole))
        case _:
            return whole
