"""What a documentation comment says first and what it says next, in whatever dialect it is."""

import re
from typing import Final

from msgspec import Struct

from training.encoder.phrases import (
    clipped,
    is_directive,
    is_licence,
    is_phrase,
    is_reminder,
    plain,
    sentences,
    unlabelled,
)

_LEAST_DESCRIPTION_WORDS: Final = 5

_MARKS: Final = re.compile(
    r"^[ \t]*(?:/\*+!?<?|\*+/|\*(?!\*)|//+!?<?|#+!?(?![\[{])|--+(?:\[\[)? ?[|^]?"
    r"|\{-+ ?[|^]?|;+|%+)?[ \t]?",
    re.MULTILINE,
)
_CLOSING: Final = re.compile(r"(?:\*+/|-\}|\]\])[ \t]*$", re.MULTILINE)
_OPENING: Final = re.compile(r"\A\s*(?:@\w+\s+)?[A-Za-z~]{0,2}(?:\"\"\"|'''|\"|')")
_ENDING: Final = re.compile(r"(?:\"\"\"|'''|\"|')\s*\Z")
_XML: Final = re.compile(r"</?(?:summary|remarks?|para|p|inheritdoc)\b[^<>]*>")
_XML_REST: Final = re.compile(
    r"<(?:param|returns|typeparam|exception|example|code|pre|value|seealso)\b"
)
_LEADING_TAG: Final = re.compile(
    r"^[@\\](?:brief|summary|desc|description|short|remarks?|details|comment|doc|moduledoc"
    r"|fileoverview|overview)\b[ \t:]*",
    re.IGNORECASE,
)
_NAMED_TAG: Final = re.compile(
    r"^[@\\](?:file|class|module|name|function|func|fn|method|namespace|struct|typedef|interface"
    r"|enum|var|def|ingroup|internal|private|public|protected|static|async|constructor|api|memberof"
    r"|export|category|group|package|global|alias|hideconstructor|type)\b.*$",
    re.IGNORECASE,
)
_RETURNS: Final = re.compile(r"^[@\\]returns?\s+(?:\{[^{}]*\}\s*)?-?\s*(?=\w)", re.IGNORECASE)
_STOP: Final = re.compile(
    r"^(?:[@\\]\w+\b(?!@)|:\w+[^:]*:(?:\s|$)|\.\. |>>>|```|~~~|In \[\d|\{%|#\+|"
    r"(?:#+\s*)?(?:args|arguments|param(?:eter)?s?|returns?|yields?|raises|throws|exceptions?"
    r"|examples?|usage|notes?|warnings?|see also|see|references|attributes|panics?|errors?|safety"
    r"|keyword args|keyword arguments|options|inputs?|outputs?|synopsis|requires|since|author"
    r"|deprecated|complexity|arity)\s*(?::|$))",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(r"(?:[-*+•]|\d{1,2}[.)])\s")


class Summary(Struct, frozen=True):
    """What a doc comment says.

    Attributes:
        first: its first sentence; empty when it has none worth asking.
        rest: what follows, clipped; empty when there is little.
    """

    first: str
    rest: str


NOTHING: Final = Summary("", "")


def summary_of(raw: str) -> Summary:
    """Return what a comment or documentation string says, its marks still on."""
    return summary_of_prose(without_marks(raw))


def summary_of_prose(text: str) -> Summary:
    """Return what a documentation text without comment marks says."""
    if is_licence(text[:600]):
        return NOTHING
    paragraphs = [plain(each) for each in _paragraphs(text)]
    paragraphs = [each for each in paragraphs if each]
    if not paragraphs:
        return NOTHING
    first, rest = sentences(unlabelled(paragraphs[0]))
    others = " ".join(each + "." for each in (rest, *paragraphs[1:3]) if each).rstrip(".")
    first, others = clipped(first), clipped(others)
    return Summary(
        first if is_phrase(first) else "",
        others if is_phrase(others, _LEAST_DESCRIPTION_WORDS) else "",
    )


def without_marks(raw: str) -> str:
    """Return the comment without the marks of comments and strings; its lines are kept."""
    inner = _OPENING.sub("", raw)
    text = raw if inner == raw else _ENDING.sub("", inner)
    return _MARKS.sub("", _CLOSING.sub("", text))


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs in front of the first section about parameters and the like."""
    found: list[list[str]] = [[]]
    for line in _XML.sub("", text).split("\n"):
        said, ends = _said(line, first=not any(found))
        if ends and any(found):
            break
        if not said.strip("-=*#~_ \t") or _ITEM.match(said):
            found.append([])
        if said and not is_directive(said) and not is_reminder(said):
            found[-1].append(said)
        if _XML_REST.search(line) and any(found):
            break
    return ["\n".join(lines) for lines in found if lines]


def _said(line: str, *, first: bool) -> tuple[str, bool]:
    """Return what a line says, tags aside, and whether a section of another kind begins there."""
    said = _NAMED_TAG.sub("", _LEADING_TAG.sub("", line.strip()))
    tail = _XML_REST.search(said)
    said = said if tail is None else said[: tail.start()].strip()
    if first:
        said = _RETURNS.sub("returns ", said)
    return ("", True) if _STOP.match(said) else (said, False)
