"""What is installed where, and what would be written; nothing is changed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from ggrep.interfaces.agents import plan
from ggrep.interfaces.agents.clients import Client, Target
from ggrep.interfaces.agents.json_edit import document_of
from ggrep.interfaces.agents.pieces import JsonEntry, Piece, Refused, TomlTable, YamlPart
from ggrep.interfaces.agents.places import Places
from ggrep.interfaces.agents.writing import bytes_of

Presence: TypeAlias = Literal["installed", "absent", "differs", "refused"]


@dataclass(frozen=True, slots=True)
class FileState:
    """Whether our entry is in a file.

    Attributes:
        said: why the file cannot be edited.
    """

    path: Path
    presence: Presence
    said: str = ""


def states_of(client: Client, places: Places, command: str) -> list[FileState]:
    """Return the state of each file of a client."""
    return [_state(target, places, command) for target in client.targets(places.scope)]


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
        case YamlPart():
            lines = piece.spelled.splitlines()
            return "".join(f"{line}\n" for line in (f"{piece.key}:", *(f"  {x}" for x in lines)))
        case TomlTable():
            return piece.block
        case _:
            return piece.spelled
