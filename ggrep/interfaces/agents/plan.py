"""Computes the new bytes of a file from the old bytes, or refuses; reads and writes no file."""

import hashlib
from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ggrep.interfaces.agents import json_edit, text_edit
from ggrep.interfaces.agents.json_edit import value_of
from ggrep.interfaces.agents.text_edit import (
    FoundEntry,
    JsonEntry,
    Piece,
    Refused,
    Section,
    Splice,
    TomlTable,
    WholeFile,
)


def find(text: str, piece: Piece) -> FoundEntry | None:
    """Return ggrep's entry in a text, or a foreign entry with the same name."""
    match piece:
        case JsonEntry():
            return json_edit.find(text, piece)
        case TomlTable():
            return text_edit.find_table(text, piece)
        case Section():
            return text_edit.find_block(text, *piece.marks)
        case WholeFile():
            return FoundEntry(0, len(text), text.replace("\r\n", "\n"))


def insertion(text: str, piece: Piece, *, is_there: bool) -> Splice:
    """Return the change that adds ggrep's entry to a text."""
    match piece:
        case JsonEntry():
            return json_edit.insert(text, piece)
        case TomlTable():
            return text_edit.append_block(text, piece.block)
        case Section():
            return text_edit.append_block(text, piece.spelled)
        case WholeFile():
            if is_there:
                raise Refused("a file with this name already exists")
            return Splice(0, "", piece.text)


def removal(text: str, piece: Piece, entry: FoundEntry, opened: int) -> Splice:
    """Return the change that removes an entry, and emptied objects that were created for it."""
    match piece:
        case JsonEntry():
            return json_edit.remove(text, piece, opened)
        case TomlTable():
            return text_edit.remove_table(text, entry)
        case Section():
            return text_edit.remove_block(text, entry)
        case WholeFile():
            return Splice(0, text, "")


def require_same(before: str, after: str, piece: Piece, *, is_there: bool) -> None:
    """Raise `Refused` unless two texts differ only in ggrep's entry."""
    match piece:
        case JsonEntry():
            # An empty text equals an empty object.
            rests = (json_edit.rest_of(text, piece) or None for text in (before, after))
            same = next(rests) == next(rests)
        case TomlTable():
            same = text_edit.rest_of(before, piece) == text_edit.rest_of(after, piece)
        case _:
            same = True
    entry = None if isinstance(piece, WholeFile) and not after else find(after, piece)
    fits = entry is not None and entry.spelled == piece.spelled if is_there else entry is None
    if not same or not fits:
        raise Refused("the entry of ggrep cannot be separated from the rest of the file")


def says_something(text: str, piece: Piece) -> bool:
    """Return whether a text has any content besides ggrep's entry."""
    if isinstance(piece, JsonEntry):
        return bool(value_of(text)) or "//" in text or "/*" in text
    return bool(text.strip())


State: TypeAlias = Literal["written", "unchanged", "differs", "removed", "absent", "changed"]
"""`differs`: an entry of our name has other content. `changed`: our entry was edited, so it is not
removed."""

MAX_BYTES: Final = 16 * 2**20
MAX_OPENED: Final = 8
"""An upper bound on the number of objects around an entry."""

_BOM: Final = "\ufeff"


class Edit(Struct, frozen=True):
    """The record of a change of a file, sufficient to restore its earlier bytes.

    Attributes:
        spelled: ggrep's entry as it was written, comparable to `spelled` of a piece.
        created: the file did not exist before.
        digest: SHA-256 of the file after the change.
    """

    splice: Splice
    spelled: str
    created: bool
    digest: str


class Planned(Struct, frozen=True):
    """The planned content of a file.

    Attributes:
        data: new bytes of the file; None to remove the file.
        edit: the change to record; None if the file has no entry of ggrep.
    """

    state: State
    data: bytes | None
    edit: Edit | None


def install(
    old: bytes | None, piece: Piece, mine: Edit | None = None, *, refresh: bool = False
) -> Planned:
    """Return the planned file with ggrep's entry.

    Args:
        old: current bytes of the file; None if it does not exist.
        piece: the entry to write.
        mine: the recorded earlier change.
        refresh: replace an earlier entry of ggrep if it differs.
    """
    mark, text = _text(old or b"")
    entry = find(text, piece) if old is not None else None
    if entry is None:
        splice = insertion(text, piece, is_there=old is not None)
        after = splice.applied(text)
        require_same(text, after, piece, is_there=True)
        data = (mark + after).encode()
        edit = Edit(splice, piece.spelled, old is None, digest_of(data))
        return Planned("written", data, edit)
    if entry.spelled == piece.spelled:
        return Planned("unchanged", old, mine)
    if refresh and mine is not None and entry.spelled == mine.spelled:
        bare = uninstall(old, piece, mine)
        again = install(bare.data, piece)
        if again.edit is None or again.data is None:
            raise AssertionError(again)
        return replace(again, edit=replace(again.edit, created=mine.created))
    return Planned("differs", old, mine)


def uninstall(old: bytes | None, piece: Piece, mine: Edit | None = None) -> Planned:
    """Return the planned file without ggrep's entry; its earlier bytes if nothing else changed."""
    mark, text = _text(old or b"")
    if mine is not None and digest_of(old or b"") == mine.digest:
        bare = mine.splice.undone(text)
        return Planned("removed", None if mine.created else (mark + bare).encode(), None)
    entry = find(text, piece) if old is not None else None
    if entry is None:
        return Planned("absent", old, None)
    if entry.spelled not in {piece.spelled, "" if mine is None else mine.spelled} - {""}:
        return Planned("changed", old, mine)
    bare = _taken_out(text, piece, entry, mine)
    # Without a record the origin is unknown; an empty file can go.
    was_made = mine is None or mine.created
    is_needless = was_made and not says_something(bare, piece)
    return Planned("removed", None if is_needless else (mark + bare).encode(), None)


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def _text(data: bytes) -> tuple[str, str]:
    """Return the byte order mark, empty if missing, and the text after it."""
    if len(data) > MAX_BYTES:
        raise Refused(f"the file is larger than {MAX_BYTES // 2**20} MiB")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Refused("the file is not UTF-8") from error
    return (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)


def _taken_out(text: str, piece: Piece, entry: FoundEntry, mine: Edit | None) -> str:
    """Return the text without ggrep's entry; undo the recorded change if possible."""
    ways: list[Callable[[], Splice]] = []
    if mine is not None and mine.splice.inserted and text.count(mine.splice.inserted) == 1:
        at, splice = text.index(mine.splice.inserted), mine.splice
        ways.append(lambda: Splice(at, splice.inserted, splice.removed))
    opened = MAX_OPENED if mine is None else mine.splice.opened
    ways.append(lambda: removal(text, piece, entry, opened))
    for number, way in enumerate(ways, start=1):
        try:
            after = way().applied(text)
            require_same(text, after, piece, is_there=False)
        except Refused:
            if number == len(ways):
                raise
        else:
            return after
    raise AssertionError(ways)
