"""What is installed where, and what would be written; nothing is changed."""

from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from ggrep.interfaces.agents import plan
from ggrep.interfaces.agents.clients import Client, Target
from ggrep.interfaces.agents.json_edit import document_of
from ggrep.interfaces.agents.pieces import JsonEntry, Piece, Refused, TomlTable
from ggrep.interfaces.agents.places import Places
from ggrep.interfaces.agents.writing import bytes_of

Presence: TypeAlias = Literal["installed", "absent", "differs", "refused"]


class FileState(Struct, frozen=True):
    """Whether our entry is in a file.

    Attributes:
        said: why the file cannot be edited.
    """

    path: Path
    presence: Presence
    said: str = ""


def states_of(client: Client, places: Places, command: str) -> list[FileState]:
    """Return the state of each file of a client."""
    pasted = [
        FileState(
            places.path_of(target),
            "installed" if is_pasted(target, places, command) else "absent",
        )
        for target in client.pasted_at(places.scope)
    ]
    return pasted + [_state(target, places, command) for target in client.targets(places.scope)]


def is_pasted(target: Target, places: Places, command: str) -> bool:
    """Return whether a file that the user edits has the first line of our entry."""
    entry = target.make(command).spelled.splitlines()[1].strip()
    with suppress(OSError):
        lines = (bytes_of(places.path_of(target)) or b"").decode(errors="replace").splitlines()
        return any(line.strip() == entry for line in lines)
    return False


def _state(target: Target, places: Places, command: str) -> FileState:
    path, piece = places.path_of(target), target.make(command)
    try:
        planned = plan.install(bytes_of(places.real(path)), piece)
    except Refused as error:
        return FileState(path, "refused", str(error))
    except OSError as error:
        return FileState(path, "refused", error.strerror or str(error))
    match planned.state:
        case "unchanged":
            return FileState(path, "installed")
        case "differs":
            return FileState(path, "differs")
        case _:
            return FileState(path, "absent")


def snippet_of(piece: Piece) -> str:
    """Return what would be written, as it stands in a file of its own."""
    match piece:
        case JsonEntry():
            return document_of(piece)
        case TomlTable():
            return piece.block
        case _:
            return piece.spelled
