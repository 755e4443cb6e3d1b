"""Our marked lines at the beginning of what a key of a YAML file holds.

Places come from a syntax tree, so a key inside of a string is none; what has an error is refused.
"""

from typing import TYPE_CHECKING, Final

from ggrep.interfaces.agents.block_edit import find_block
from ggrep.interfaces.agents.pieces import NAME, Found, Refused, Splice, YamlPart, newline_of

if TYPE_CHECKING:
    from ggrep.parse.languages.yaml_keys import Held

_EMPTY: Final = ("{}", "[]")


def find(text: str, piece: YamlPart) -> Found | None:
    """Return our lines, or a key of our name.

    Raises:
        Refused: the text cannot be understood, or something else stands where ours belong.
    """
    entry = _held(text, piece).entries.get(NAME)
    found = find_block(text, "# ")
    if found is not None or entry is None:
        return found
    # A client that writes its file anew loses comments, and our markers with them.
    start = text.rfind("\n", 0, entry.start) + 1
    end = text.find("\n", entry.end) + 1 or len(text)
    alone = f"{piece.key}:\n" + _block(piece, "  ", "\n")
    is_ours = _held(alone, piece).entries[NAME].value == entry.value
    is_ours = is_ours and "#" not in text[start:end] and not text[start : entry.start].strip()
    return Found(start, end, piece.spelled if is_ours else "")


def insert(text: str, piece: YamlPart) -> Splice:
    """Return the change that adds our lines.

    Raises:
        Refused: as of `find`.
    """
    held, newline = _held(text, piece), newline_of(text)
    wanted = "block_sequence" if piece.is_list else "block_mapping"
    if held.kind == "absent":
        return _appended(text, piece, newline)
    if held.kind == wanted:
        at = held.start - held.column
        if text[at : held.start].strip(" "):
            raise Refused(f"`{piece.key}` does not begin on a line of its own")
        return Splice(at, "", _block(piece, " " * held.column, newline))
    line_end = _line_end(text, held.end)
    behind = text[held.end : line_end].strip()
    if held.kind == "" and (not behind or behind.startswith("#")):
        ended = text[line_end : line_end + len(newline)] == newline
        at = line_end + len(newline) if ended else line_end
        block = _block(piece, "  ", newline)
        return Splice(at, "", block if ended else newline + block)
    shown = text[held.start : held.end]
    if shown in _EMPTY and not behind:
        colon = text.rindex(":", 0, held.start) + 1
        block = _block(piece, "  ", newline).removesuffix(newline)
        return Splice(colon, text[colon : held.end], newline + block)
    kind = "list" if piece.is_list else "mapping"
    raise Refused(f"`{piece.key}` is not a {kind} with a line for each entry")


def remove(text: str, found: Found, piece: YamlPart, opened: int) -> Splice:
    """Return the change that takes our lines out, the key too if it was made for them."""
    start = found.start
    line = text.rfind("\n", 0, max(start - 1, 0)) + 1
    is_key = text[line:start].strip() == f"{piece.key}:"
    if opened and is_key and not _held(text[:start] + text[found.end :], piece).kind:
        start = line
    return Splice(start, text[start : found.end], "")


def _block(piece: YamlPart, indent: str, newline: str) -> str:
    lines = piece.spelled.splitlines()
    return "".join(f"{indent}{line}{newline}" for line in lines)


def _appended(text: str, piece: YamlPart, newline: str) -> Splice:
    before = "" if not text or text.endswith("\n") else newline
    if before and _held(text, piece).is_open:
        raise Refused("its last line has no end")
    lines = piece.spelled.splitlines()
    inside = [f"{piece.key}:", *(f"  {line}" for line in lines)]
    inserted = before + "".join(f"{line}{newline}" for line in inside)
    return Splice(len(text), "", inserted, opened=1)


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    if end < 0:
        return len(text)
    return end - text[offset:end].endswith("\r")


def _held(text: str, piece: YamlPart) -> "Held":
    # Late: only files of two clients need a parser.
    from ggrep.parse.languages.yaml_keys import YamlError, held_by

    try:
        return held_by(text, piece.key)
    except YamlError as error:
        raise Refused(str(error)) from error
