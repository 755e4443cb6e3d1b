"""Keys of files that are read line by line: blocks in braces, build files, TOML and INI."""

import re
from typing import Final

from ggrep.parse.chunking.keyed import MAX_KEYS, Key, key_name
from ggrep.parse.languages.line_table import LineTable

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
_GIVEN: Final = re.compile(
    rb"(\A\s*(?:@(?:mixin|function)\s+[\w-]++|[.#][\w-]++))\s*\(.*\Z", re.DOTALL
)
"""The parameters of a mixin or a function, which are not part of its name."""
_HEAD_BYTES: Final = 600
_STATEMENT: Final = re.compile(rb"[@$-]{1,2}[\w-]++[ \t]*+[^\s:;{]{0,80}")


def block_keys(table: LineTable) -> list[Key]:
    """Return blocks that begin with words, like `resource "a" "b" {`, and attributes."""
    scan = _Scan(table.data, by_line=True)
    return scan.keys


def rule_keys(table: LineTable) -> list[Key]:
    """Return a style sheet's rules, at-rules and outermost variables."""
    return _Scan(table.data, by_line=False).keys


class _Scan:
    """Reads one file; `keys` are the keys so far."""

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
        """Read one token; return where reading continues."""
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
        words: tuple[str, ...] = (key_name(_GIVEN.sub(rb"\1", head)),)
        if self._by_line:
            matches = _WORD.finditer(head)
            words = tuple(key_name(word[1] if word[1] is not None else word[0]) for word in matches)
        words = words[:4]
        if not self._depth:
            self._naming = words == ("locals",)  # Terraform: each attribute in it is a name
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
        # An unclosed comment extends to the end of the file, so its end is searched for only once.
        return len(self._data)


_BUILD_LINE_BYTES: Final = 2000
_FROM: Final = re.compile(
    rb"FROM[ \t]+(?:--\S+[ \t]+)*+(\S+)(?:[ \t]+AS[ \t]+(\S+))?", re.IGNORECASE
)
_INSTRUCTION: Final = re.compile(rb"([A-Za-z]{3,12})(?=[ \t])")
_HEREDOC: Final = re.compile(rb"<<-?[\"']?([A-Za-z_]\w*)")
_DEFINED: Final = re.compile(rb"(?:override[ \t]+|export[ \t]+)*+define[ \t]+([^\s=:?+]+)")
_ASSIGNED: Final = re.compile(
    rb"(?:override[ \t]+|export[ \t]+|private[ \t]+)*+([^\s:=#?+!()]+)[ \t]*+(?:\?|\+|!|:{1,3})?="
)
_TARGETS: Final = re.compile(rb"([^\s:=#][^:=#\n]*+)::?(?!=)")
_CONDITIONAL: Final = (b"ifeq", b"ifneq", b"ifdef", b"ifndef", b"else", b"endif", b"include")


def dockerfile_keys(table: LineTable) -> list[Key]:
    """Return the stages of a Dockerfile, named by alias or image, and their instructions."""
    keys: list[Key] = []
    continued = False
    closing = b""
    for start in table.starts:
        if len(keys) > MAX_KEYS:
            break
        line = _line(table, start, _BUILD_LINE_BYTES)
        text = line.strip()
        if closing:
            closing = b"" if text == closing else closing
            continue
        if text.startswith(b"#") or not text:
            continue
        if not continued:
            keys += _instruction(start, text)
        heredoc = _HEREDOC.search(text)
        closing = heredoc[1] if heredoc is not None else b""
        continued = text.endswith((b"\\", b"`"))
    return keys


def _instruction(start: int, text: bytes) -> list[Key]:
    stage = _FROM.match(text)
    if stage is not None:
        name = key_name(stage[2] or stage[1])
        return [Key(start, 1, name, (), (key_name(stage[1]),) if stage[2] else ())]
    return [Key(start, 2)] if _INSTRUCTION.match(text) else []


def make_keys(table: LineTable) -> list[Key]:
    """Return targets, variables and definitions; `.PHONY` belongs to the target below it."""
    keys: list[Key] = []
    continued, inside_define = False, False
    special: int | None = None
    for start in table.starts:
        if len(keys) > MAX_KEYS:
            break
        line = _line(table, start, _BUILD_LINE_BYTES)
        skipped = continued or inside_define or line[:1] in {b"\t", b"#", b""}
        if inside_define and line.strip().startswith(b"endef"):
            inside_define = False
        continued = line.rstrip(b"\r").endswith(b"\\")
        if skipped:
            continue
        key = _make_key(start, line.lstrip(b" "))
        if key is None:
            special = None
        elif key.name.startswith(".") and key.name.isupper():
            special = start if special is None else special
        else:
            opens = start if special is None else special
            keys.append(Key(opens, 1, key.name, (), key.more_names))
            special = None
            inside_define = _DEFINED.match(line.lstrip(b" ")) is not None
    return keys


def _make_key(start: int, text: bytes) -> Key | None:
    if text.startswith(_CONDITIONAL):
        return None
    named = _DEFINED.match(text) or _ASSIGNED.match(text)
    if named is not None:
        return Key(start, 1, key_name(named[1]))
    targets = _TARGETS.match(text)
    if targets is None:
        return None
    names = [key_name(word) for word in targets[1].split()[:16]]
    return Key(start, 1, names[0], (), tuple(names[1:]))


_TABLE_LINE_BYTES: Final = 4000
_TABLE: Final = re.compile(rb"[ \t]*\[\[?[ \t]*([^\]\n]{1,300})\]")
_TOML_KEY: Final = re.compile(
    rb"""[ \t]*((?:[\w-]++|"[^"\n]{0,200}"|'[^'\n]{0,200}')"""
    rb"""(?:[ \t]*+\.[ \t]*+(?:[\w-]++|"[^"\n]{0,200}"|'[^'\n]{0,200}')){0,9})[ \t]*+="""
)
_TOML_PART: Final = re.compile(rb"""[\w-]++|"([^"]*+)"|'([^']*+)'""")
_TOML_TOKEN: Final = re.compile(
    rb"""\"\"\"|'''|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'|\#[^\n]*+|[\[\]{}]"""
)
_INI_SECTION: Final = re.compile(rb"[ \t]*\[([^\]\n]{1,300})\]")
_INI_KEY: Final = re.compile(rb"(?:export[ \t]+)?([^\s=:#;\[][^=:\n]{0,200}?)[ \t]*+[=:]")


def toml_keys(table: LineTable) -> list[Key]:
    """Return tables and keys; an element of a list of tables is named by its key `name`."""
    keys: list[Key] = []
    values = _Values()
    level, array = 1, -1
    for start in table.starts:
        if len(keys) > MAX_KEYS:
            break
        line = _line(table, start, _TABLE_LINE_BYTES)
        header = None if values.inside else _TABLE.match(line)
        key = None if values.inside or header else _TOML_KEY.match(line)
        if header is not None:
            keys.append(_dotted(start, 1, header[1]))
            level = 2
            array = len(keys) - 1 if line.lstrip().startswith(b"[[") else -1
        elif key is not None:
            keys.append(_dotted(start, level, key[1]))
            if array >= 0 and key[1] == b"name":
                keys[array] = _titled(keys[array], line[key.end() :])
        if header is None:
            values.read(line if key is None else line[key.end() :])
    return keys


class _Values:
    """Determines whether the next line belongs to a value that began above."""

    def __init__(self) -> None:
        self._quotes = b""
        self._depth = 0

    @property
    def inside(self) -> bool:
        return bool(self._quotes) or self._depth > 0

    def read(self, line: bytes) -> None:
        """Read a line, or its text after `=`."""
        position = 0
        while True:
            if self._quotes:
                position = line.find(self._quotes, position)
                if position < 0:
                    return
                position += 3
                self._quotes = b""
            token = _TOML_TOKEN.search(line, position)
            if token is None:
                return
            position = token.end()
            if token[0] in {b'"""', b"'''"}:
                self._quotes = token[0]
            elif token[0] in b"[{":
                self._depth += 1
            elif token[0] in b"]}":
                self._depth = max(0, self._depth - 1)


def _dotted(start: int, level: int, raw: bytes) -> Key:
    parts = [key_name(m[1] or m[2] or m[0]) for m in _TOML_PART.finditer(raw)]
    return Key(start, level, parts[-1] if parts else "", tuple(parts[:-1]))


def _titled(key: Key, value: bytes) -> Key:
    title = key_name(value.split(b" #", 1)[0].strip().strip(b"\"'"))
    return Key(key.start, key.level, title, (*key.owners, key.name)) if title else key


def ini_keys(table: LineTable) -> list[Key]:
    """Return sections and keys; an indented line continues the line above."""
    keys: list[Key] = []
    level = 1
    for start in table.starts:
        if len(keys) > MAX_KEYS:
            break
        line = _line(table, start, _TABLE_LINE_BYTES)
        section = _INI_SECTION.match(line)
        if section is not None:
            level = 2
            keys.append(Key(start, 1, key_name(section[1])))
            continue
        indented = line[:1] in {b" ", b"\t"}
        key = _INI_KEY.match(line.lstrip(b" \t")) if level == 2 or not indented else None
        if key is not None:
            keys.append(Key(start, level + indented, key_name(key[1])))
    return keys


def _line(table: LineTable, start: int, most: int) -> bytes:
    """Return the beginning of a line, in bytes."""
    return table.data[start : start + most].split(b"\n", 1)[0]
