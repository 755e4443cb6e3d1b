"""Stages of container files and targets of makefiles, by lines."""

import re
from typing import Final

from ggrep.parse.chunking.keys import MAX_KEYS, Key, key_name
from ggrep.parse.line_table import LineTable

_LINE_BYTES: Final = 2000
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
    """Return stages, named by alias or image, and the instructions in them."""
    found: list[Key] = []
    continued = False
    closing = b""
    for start in table.starts:
        if len(found) > MAX_KEYS:
            break
        line = _line(table, start)
        text = line.strip()
        if closing:
            closing = b"" if text == closing else closing
            continue
        if text.startswith(b"#") or not text:
            continue
        if not continued:
            found += _instruction(start, text)
        heredoc = _HEREDOC.search(text)
        closing = heredoc[1] if heredoc is not None else b""
        continued = text.endswith((b"\\", b"`"))
    return found


def _instruction(start: int, text: bytes) -> list[Key]:
    stage = _FROM.match(text)
    if stage is not None:
        name = key_name(stage[2] or stage[1])
        return [Key(start, 1, name, (), (key_name(stage[1]),) if stage[2] else ())]
    return [Key(start, 2)] if _INSTRUCTION.match(text) else []


def make_keys(table: LineTable) -> list[Key]:
    """Return targets, variables and definitions; `.PHONY` goes with the target below it."""
    found: list[Key] = []
    continued, inside_define = False, False
    special: int | None = None
    for start in table.starts:
        if len(found) > MAX_KEYS:
            break
        line = _line(table, start)
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
            found.append(Key(opens, 1, key.name, (), key.more_names))
            special = None
            inside_define = _DEFINED.match(line.lstrip(b" ")) is not None
    return found


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


def _line(table: LineTable, start: int) -> bytes:
    return table.data[start : start + _LINE_BYTES].split(b"\n", 1)[0]
