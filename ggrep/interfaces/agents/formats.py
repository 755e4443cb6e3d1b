"""One way to ask of a text and a piece of any kind: find it, insert it, take it out, compare."""

from ggrep.interfaces.agents import block_edit, json_edit, toml_edit
from ggrep.interfaces.agents.json_places import value_of
from ggrep.interfaces.agents.pieces import (
    Found,
    JsonEntry,
    Piece,
    Refused,
    Section,
    Splice,
    TomlTable,
    WholeFile,
)


def find(text: str, piece: Piece) -> Found | None:
    """Return our entry of a text, or what has its place.

    Raises:
        Refused: the text cannot be understood.
    """
    match piece:
        case JsonEntry():
            return json_edit.find(text, piece)
        case TomlTable():
            return toml_edit.find(text, piece)
        case Section():
            return block_edit.find_block(text, *piece.marks)
        case WholeFile():
            return Found(0, len(text), text.replace("\r\n", "\n"))


def insertion(text: str, piece: Piece, *, is_there: bool) -> Splice:
    """Return the change that adds a piece to a text.

    Raises:
        Refused: the text cannot be understood, or the piece has no place in it.
    """
    match piece:
        case JsonEntry():
            return json_edit.insert(text, piece)
        case TomlTable():
            return toml_edit.insert(text, piece)
        case Section():
            return block_edit.append(text, piece.spelled)
        case WholeFile():
            if is_there:
                raise Refused("another file has its name")
            return Splice(0, "", piece.text)


def removal(text: str, piece: Piece, found: Found, opened: int) -> Splice:
    """Return the change that takes out what was found, and what was opened for it if empty."""
    match piece:
        case JsonEntry():
            return json_edit.remove(text, piece, opened)
        case TomlTable():
            return toml_edit.remove(text, found)
        case Section():
            return block_edit.remove(text, found)
        case WholeFile():
            return Splice(0, text, "")


def require_same(before: str, after: str, piece: Piece, *, is_there: bool) -> None:
    """Do nothing when two texts say the same but for our entry.

    Raises:
        Refused: they do not, or our entry is not as it has to be.
    """
    match piece:
        case JsonEntry():
            same = _rest(json_edit.rest_of(before, piece)) == _rest(json_edit.rest_of(after, piece))
        case TomlTable():
            same = toml_edit.rest_of(before, piece) == toml_edit.rest_of(after, piece)
        case _:
            same = True
    found = None if isinstance(piece, WholeFile) and not after else find(after, piece)
    fits = found is not None and found.spelled == piece.spelled if is_there else found is None
    if not same or not fits:
        raise Refused("ggrep's entry cannot be separated from the rest")


def _rest(value: object) -> object:
    """Return a value that is the same for no text, and for an empty object."""
    return value or None


def says_something(text: str, piece: Piece) -> bool:
    """Return whether a text holds anything that somebody may miss."""
    if isinstance(piece, JsonEntry):
        return bool(value_of(text)) or "//" in text or "/*" in text
    return bool(text.strip())
