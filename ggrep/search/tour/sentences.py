"""Extracts the first sentences of a README, or of a package's documentation."""

import re
from typing import Final, NamedTuple

MOST_CHARACTERS: Final = 320
"""Maximum number of characters quoted from a README; descriptions of folders are shorter."""
_LEAST_WORDS: Final = 4
MOST_HEADINGS: Final = 2
"""Maximum number of headings in a README before its quotation: the title and the first section."""
_SCANNED: Final = 20_000

_TAG: Final = re.compile(r"<!--.*?-->|<[^>\n]{1,400}>", re.DOTALL)
_IMAGE: Final = re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?")
_LINK: Final = re.compile(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_RST_LINK: Final = re.compile(r"`([^`<]+?)\s*<[^>`]+>`_+|`([^`]+)`_+|\|[^|\n]+\|_*")
_ROLE: Final = re.compile(r":[a-z:]+:`~?([^`\n]+)`|\{@\w+\s+(?:[^\s}]+\s+)?([^}]+)\}")
_MARKS: Final = re.compile(r"\*\*|__|``?|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
_STOP: Final = re.compile(r"(?<=[^.\s][.!?])\s+(?=[A-Z\"'(`])")
_UNSAID: Final = re.compile(
    r"copyright|licen[sc]ed? |spdx|all rights reserved|@generated|do not edit|permission is"
    r"|^\W*(?:this (?:readme|document|file)|note\b|warning\b|important\b|(?:please )?see "
    r"|please\b|read the\b"
    r"|if you\b|you (?:will|should|need|must|can)\b|(?:to )?(?:install|build|run|download|use)\b"
    r"|its (?:web|home)|winner of\b"
    r"|(?:for|full|complete|more|further)\b[^.]{0,40}\b(?:docs|documentation|information)\b)",
    re.IGNORECASE,
)
_SKIPPED: Final = re.compile(
    r"^\s*(?:#|=|~|\*{3,}|-{3,}|`{3}|\.\. |\||:[\w-]+:|\[[^\]]+\]:|\+\+|\{|%|!(?!\[))"
)
_TITLE: Final = re.compile(r"#?\s*[\w.`/@-]+(?: -+ |: | [\u2013\u2014] )(?P<tagline>.+)$")
_UNDERLINE: Final = re.compile(r"^\s*([=\-~^*#+\"'`.])\1{2,}\s*$")
_HASHES: Final = re.compile(r"#{1,6}\s")
_BULLET: Final = re.compile(r"^\s*(?:[-*+]|\d+[.)]|[^\w\s\"'(<>\[`*_]{1,8})(?:\s|&nbsp;)")
"""Marks of list items, including emoji."""


class Quotation(NamedTuple):
    """A quotation and its first line number, 1-based."""

    text: str
    line: int


def readme_says(text: str, most: int = MOST_CHARACTERS) -> Quotation | None:
    """Return the text after the name in a README's title, else the README's first sentences.

    None is returned if the README has neither.
    Prose after MOST_HEADINGS headings is not read, because later sections describe only parts.
    """
    lines = _without_blocks(text[:_SCANNED]).split("\n")
    titled = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if title := _TITLE.match(lines[titled]):
        tagline = _plain(title["tagline"])
        if not _few_words(tagline) and not _UNSAID.search(tagline):
            return Quotation(sentences(tagline, most), titled + 1)
    place = headings = 0
    while place < len(lines):
        end = place
        while end < len(lines) and lines[end].strip():
            end += 1
        headings += sum(map(_is_heading, lines[place:end], [*lines[place + 1 : end], ""]))
        if headings > MOST_HEADINGS:
            return None
        opening = not any(map(str.strip, lines[:place]))
        sentence = _paragraph(
            [line.lstrip() for line in lines[place:end]] if opening else lines[place:end]
        )
        if sentence is not None:
            return Quotation(sentences(sentence[1], most), place + sentence[0] + 1)
        place = end + 1
    return None


def _is_heading(line: str, following: str) -> bool:
    return bool(_HASHES.match(line) or (line.strip() and _UNDERLINE.match(following)))


def sentences(text: str, most: int) -> str:
    """Return at most the first two sentences, on one line and cut to `most` characters."""
    line = " ".join(text.split())
    parts = _STOP.split(line)
    kept = parts[0]
    if len(parts) > 1 and len(kept) + len(parts[1]) < most:
        kept = f"{kept} {parts[1]}"
    return kept if len(kept) <= most else kept[: most - 1].rstrip() + "…"


def _paragraph(lines: list[str]) -> tuple[int, str] | None:
    """Return the prose of a paragraph, and the number of its first line within the paragraph."""
    if not lines or lines[0].startswith(("    ", "\t")):
        return None
    kept: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if _UNDERLINE.match(line) or _UNDERLINE.match(following):
            kept.clear()
        elif not _SKIPPED.match(line) and not (_BULLET.match(line) and not kept):
            kept.append((number, line))
    whole = " ".join(line for _, line in kept)
    prose = _plain(whole)
    if _few_words(_LINK.sub("", _IMAGE.sub("", whole))):
        return None  # only links: the description is in another file
    if prose.endswith(":"):
        prose = " ".join(_STOP.split(prose)[:-1])
    amid = prose[:1].islower() and not re.search(r" (?:is|are) ", prose[:60])
    if amid or _UNSAID.search(prose) or not prose:
        return None
    first = prose.split(maxsplit=1)[0]
    return next((number for number, line in kept if first in line), kept[0][0]), prose


def _few_words(text: str) -> bool:
    return len(re.findall(r"[A-Za-z]{2,}", text)) < _LEAST_WORDS


def _plain(text: str) -> str:
    """Return prose on one line, without the markup of links, images and emphasis."""
    text = _IMAGE.sub("", text.replace("&nbsp;", " "))
    text = _LINK.sub(r"\1", text)
    text = _ROLE.sub(lambda match: match[1] or match[2], text)
    text = _RST_LINK.sub(lambda match: match[1] or match[2] or "", text)
    return " ".join(_MARKS.sub("", text).split()).strip(" >|")


def _without_blocks(text: str) -> str:
    """Return a text without tags, comments and fenced code; line numbers stay the same."""
    fenced = re.sub(r"^(```|~~~).*?^\1", _blank, text, flags=re.MULTILINE | re.DOTALL)
    front = re.sub(r"\A---\n.*?\n---\n", _blank, fenced, flags=re.DOTALL)
    return _TAG.sub(_blank, front)


def _blank(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


_COMMENT: Final = re.compile(r"^\s*(?://[/!]?|/?\*+/?|#+)?\s?")
_PYTHON: Final = re.compile(
    r"\A(?:\ufeff)?(?:\s*#[^\n]*\n|\s)*[rRuU]?(\"\"\"|''')(?P<doc>.*?)\1", re.DOTALL
)
_RUST: Final = re.compile(r"\A(?:\s*//[^!\n][^\n]*\n|\s)*(?P<doc>(?:[ \t]*//![^\n]*\n?)+)")
_GO: Final = re.compile(
    r"(?P<doc>(?:^//[^\n]*\n)+|^/\*.*?\*/\s*?\n)package\s+\w+", re.MULTILINE | re.DOTALL
)
_BLOCK: Final = re.compile(r"/\*\*?(?P<doc>.*?)\*/", re.DOTALL)


def source_says(text: str, language: str, most: int) -> Quotation | None:
    """Return the package description at the top of a source file; None if there is none."""
    head = text[:_SCANNED]
    if language == "python":
        match = _PYTHON.search(head)
    elif language == "rust":
        match = _RUST.search(head)
    elif language == "go":
        match = _GO.search(head)
    elif language == "java":
        match = next(
            (comment for comment in _BLOCK.finditer(head) if not _UNSAID.search(comment["doc"])),
            None,
        )
    else:
        match = None
    if match is None:
        return None
    lines = [_COMMENT.sub("", line).strip() for line in match["doc"].split("\n")]
    start = next((place for place, line in enumerate(lines) if line), 0)
    end = next(
        (place for place in range(start, len(lines)) if not _is_prose(lines[place])), len(lines)
    )
    prose = _plain(" ".join(_TAG.sub(" ", " ".join(lines[start:end])).split()))
    if not prose or _UNSAID.search(prose):
        return None
    return Quotation(_first(prose, most), head.count("\n", 0, match.start("doc")) + 1 + start)


def _is_prose(line: str) -> bool:
    return bool(line) and not line.startswith("@") and not _UNDERLINE.match(line)


def _first(text: str, most: int) -> str:
    kept = _STOP.split(text)[0]
    return kept if len(kept) <= most else kept[: most - 1].rstrip() + "…"
