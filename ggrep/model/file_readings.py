"""How the files of an answer were read, where that bears on the text or the lines it shows."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from ggrep.model.limits import Notice
from ggrep.model.traits import CELL_LINES, GUESSED, REPLACED

DECLARE: Final = "declare the encoding in the file or as charset in .editorconfig"
_NAMED: Final = 3
_NOTICES: Final = (
    (GUESSED, "guessed_encoding", f"encoding guessed: {{files}}; {DECLARE}"),
    (REPLACED, "replaced_characters", "U+FFFD stands for bytes that are not text: {files}"),
    (CELL_LINES, "cell_lines", "lines count within the cells, joined in order: {files}"),
)


class FileReading(Struct, frozen=True):
    """How one file was read.

    Attributes:
        path: the file's path key.
        encoding: as `Hit.encoding`.
        traits: as `Hit.traits`.
    """

    path: str
    encoding: str
    traits: int


def reading_notices(readings: Iterable[FileReading]) -> tuple[Notice, ...]:
    """Return one notice for each way of reading that an answer has to tell of, naming files."""
    files = sorted({(one.path, one.encoding, one.traits) for one in readings if one.traits})
    notices = []
    for trait, code, message in _NOTICES:
        shown = [_name(path, encoding, trait) for path, encoding, traits in files if traits & trait]
        if shown:
            more = f" and {len(shown) - _NAMED} more" if len(shown) > _NAMED else ""
            notices.append(Notice(code, message.format(files=", ".join(shown[:_NAMED]) + more)))
    return tuple(notices)


def _name(path: str, encoding: str, trait: int) -> str:
    return path if trait == CELL_LINES else f"{path} ({encoding or 'utf-8'})"
