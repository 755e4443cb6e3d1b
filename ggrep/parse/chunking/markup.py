"""Finds the elements of XML files, and the headings and structural elements of HTML files."""

import re
from collections.abc import Iterator
from html import unescape
from itertools import islice
from typing import Final

from ggrep.parse.chunking.keyed import MAX_KEYS, Key, key_name

_TAG: Final = re.compile(
    rb"""
    <!--(?:[^-]|-(?!->))*+(?:-->)?
    | <!\[CDATA\[(?:[^\]]|\](?!\]>))*+
    | <\?[^<>]*+
    | <(?P<close>/?)(?P<tag>[A-Za-z_][\w:.-]*+)(?P<rest>(?:[^<>"']|"[^"<]*+"|'[^'<]*+')*+)>
    """,
    re.VERBOSE,
)
_IDENTITY: Final = re.compile(
    rb"""\b(id|name|key|Include|title|ref)\s*+=\s*+"""
    rb"""(?:"([^"<]*+)"|'([^'<]*+)'|([\w.:/-]++))"""
)
_IDENTITIES: Final = (b"id", b"name", b"key", b"Include", b"title", b"ref")
_NAMING: Final = (b"artifactId", b"name", b"id", b"key", b"title")
_MOST_UNCLOSED: Final = 8
_HTML_PARTS: Final = frozenset(
    b"head body header footer main nav section article aside form table template script style"
    b" dialog details figure div dl dt ul ol tr".split()
)
_RAW: Final = frozenset({b"script", b"style"})
_HEADING: Final = re.compile(rb"[hH]([1-6])\Z")
_CLOSING: Final = re.compile(rb"</(?:[hH][1-6]|[tT][iI][tT][lL][eE])")
_TITLE_BYTES: Final = 600
_PART_LEVEL: Final = 7


def xml_keys(data: bytes) -> list[Key]:
    """Return the elements; an element is named by its id or name, or by the text of a child."""
    scan = _Elements(data)
    for tag in _TAG.finditer(data):
        if tag["tag"] is not None:
            scan.tag(tag)
        if scan.count > MAX_KEYS:
            break
    return scan.keys()


class _Elements:
    """The state of a scan; `_open` has tag, index in `_marks` and text offset of open elements."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._open: list[tuple[bytes, int, int]] = []
        self._marks: list[tuple[int, int, bytes]] = []
        self._titles: dict[int, str] = {}
        self._ranks: dict[int, int] = {}

    @property
    def count(self) -> int:
        return len(self._marks)

    def tag(self, tag: re.Match[bytes]) -> None:
        if tag["close"]:
            self._close(tag["tag"], tag.start())
            return
        number = len(self._marks)
        self._marks.append((tag.start(), len(self._open) + 1, tag["tag"]))
        title = identity(tag["rest"])
        if title:
            self._titles[number] = title
            self._ranks[number] = -1
        if not tag["rest"].endswith(b"/"):
            self._open.append((tag["tag"], number, tag.end()))

    def _close(self, name: bytes, start: int) -> None:
        for back in range(1, 1 + min(_MOST_UNCLOSED, len(self._open))):
            if self._open[-back][0] == name:
                _, number, text = self._open[-back]
                del self._open[-back:]
                if name in _NAMING and number == len(self._marks) - 1 and self._open:
                    self._named(self._open[-1][1], name, text, start)
                return

    def _named(self, number: int, by: bytes, start: int, end: int) -> None:
        rank = _NAMING.index(by)
        title = key_name(self._data[start : min(end, start + _TITLE_BYTES)])
        if title and rank < self._ranks.get(number, len(_NAMING)):
            self._titles[number], self._ranks[number] = unescape(title), rank

    def keys(self) -> list[Key]:
        keys: list[Key] = []
        for number, (start, level, tag) in enumerate(self._marks):
            title = self._titles.get(number)
            name = key_name(tag)
            keys.append(Key(start, level, title, (name,)) if title else Key(start, level, name))
        return keys


def identity(attributes: bytes) -> str:
    """Return the id or name of an element; empty if it has neither."""
    values = {
        match[1]: match[2] or match[3] or match[4] for match in _IDENTITY.finditer(attributes)
    }
    value = next((values[word] for word in _IDENTITIES if values.get(word)), b"")
    return unescape(key_name(value))


def html_keys(data: bytes) -> list[Key]:
    """Return headings and structural elements such as `table`; skip scripts and styles."""
    return list(islice(_html(data), MAX_KEYS + 1))


def _html(data: bytes) -> Iterator[Key]:
    position = 0
    while True:
        tag = _TAG.search(data, position)
        if tag is None:
            return
        position = tag.end()
        if tag["tag"] is None or tag["close"]:
            continue
        name = tag["tag"].lower()
        heading = _HEADING.match(name)
        if heading is not None:
            yield Key(tag.start(), int(heading[1]), _heading_title(data, tag), notable=True)
        elif name == b"title":
            yield Key(tag.start(), _PART_LEVEL + 1, _heading_title(data, tag), notable=True)
        elif name in _HTML_PARTS:
            yield Key(tag.start(), _PART_LEVEL, identity(tag["rest"]), notable=True)
        if name in _RAW:
            closing = data.find(b"</" + tag["tag"], position)
            position = len(data) if closing < 0 else closing


def _heading_title(data: bytes, tag: re.Match[bytes]) -> str:
    limit = tag.end() + _TITLE_BYTES
    closing = _CLOSING.search(data, tag.end(), limit)
    end = data.find(b"<", tag.end(), limit) if closing is None else closing.start()
    words = _TAG.sub(b" ", data[tag.end() : max(end, tag.end())]).decode("utf-8", "replace")
    return key_name(unescape(words).encode()).rstrip("¶# ") or identity(tag["rest"])
