"""Blocks in braces: HCL, style sheets, server configuration and schemas, in one pass."""

import re
from typing import Final

from ggrep.parse.chunking.keys import MAX_KEYS, Key, key_name
from ggrep.parse.line_table import LineTable

_BASIC: Final = rb"""
    (?P<text> "(?:[^"\\\n]|\\.)*+"? )
    | (?P<comment> /\*(?:[^*]|\*(?!/))*+(?:\*/)? | (?<![:(\w])//[^\n]*+ )
    | (?P<mark> [{};] )
"""
_RULE_TOKEN: Final = re.compile(_BASIC, re.VERBOSE | re.DOTALL)
_BLOCK_TOKEN: Final = re.compile(
    _BASIC
    + rb"""
    | (?P<hash> (?<![\w$&.])\#[^\n]*+ )
    | <<[-~]?(?P<heredoc> [A-Za-z_]\w*+)
    | ^[ \t]*+(?P<attribute> [\w.-]++)[ \t]*+=(?![=>~])
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_WORD: Final = re.compile(rb'"([^"\n]*+)"|[^\s"]++')
_LONE_WORD: Final = re.compile(rb"^[ \t]*+(\w++)[ \t\r]*+$", re.MULTILINE)
_HEAD_BYTES: Final = 600
_STATEMENT: Final = re.compile(rb"[@$-]{1,2}[\w-]++[ \t]*+[^\s:;{]{0,80}")


def block_keys(table: LineTable) -> list[Key]:
    """Return blocks headed by words on their line, and attributes: `resource "a" "b" {`."""
    scan = _Scan(table.data, by_line=True)
    return scan.keys


def rule_keys(table: LineTable) -> list[Key]:
    """Return a style sheet's rules, at-rules and outermost variables."""
    return _Scan(table.data, by_line=False).keys


class _Scan:
    """Reads one file; `keys` holds what was found."""

    def __init__(self, data: bytes, *, by_line: bool) -> None:
        self._data = data
        self._by_line = by_line
        self._boundary = 0
        self._depth = 0
        self._naming = False
        self.keys: list[Key] = []
        pattern = _BLOCK_TOKEN if by_line else _RULE_TOKEN
        position = 0
        while len(self.keys) <= MAX_KEYS:
            token = pattern.search(data, position)
            if token is None:
                return
            position = max(self._read(token), token.start() + 1)

    def _read(self, token: re.Match[bytes]) -> int:
        """Take in one token; return where reading goes on."""
        kind, end = token.lastgroup, token.end()
        if kind in {"hash", "comment"}:
            self._boundary = end
        elif kind == "heredoc":
            return self._behind_heredoc(token[kind], end)
        elif kind == "attribute":
            name = key_name(token[kind])
            notable = self._naming and self._depth == 1
            self.keys.append(Key(token.start(kind), 1 + self._depth, name, notable=notable))
        elif kind == "mark":
            self._mark(token[0], token.start())
        return end

    def _mark(self, mark: bytes, start: int) -> None:
        if mark == b"{":
            self._open(start)
            self._depth += 1
        elif mark == b"}":
            self._depth = max(0, self._depth - 1)
        elif not self._by_line and not self._depth:
            self._statement(start)
        self._boundary = start + 1

    def _open(self, brace: int) -> None:
        low = max(self._boundary, brace - _HEAD_BYTES)
        if self._by_line:
            low = max(low, self._data.rfind(b"\n", low, brace) + 1)
        head = self._data[low:brace]
        start = low + len(head) - len(head.lstrip())
        if start >= brace or (self.keys and self.keys[-1].start >= start):
            return
        words: tuple[str, ...] = (key_name(head),)
        if self._by_line:
            found = _WORD.finditer(head)
            words = tuple(key_name(word[1] if word[1] is not None else word[0]) for word in found)
        words = words[:4]
        if not self._depth:
            self._naming = words == ("locals",)  # Terraform's: each of its attributes has a name
        self.keys.append(Key(start, 1 + self._depth, words[-1], words[:-1]))

    def _statement(self, end: int) -> None:
        low = max(self._boundary, end - _HEAD_BYTES)
        text = self._data[low:end]
        match = _STATEMENT.match(text.lstrip())
        if match is not None:
            self.keys.append(Key(low + len(text) - len(text.lstrip()), 1, key_name(match[0])))

    def _behind_heredoc(self, word: bytes, position: int) -> int:
        for line in _LONE_WORD.finditer(self._data, position):
            if line[1] == word:
                return line.end()
        # An unclosed one hides the rest of the file, so that none is looked for twice.
        return len(self._data)
