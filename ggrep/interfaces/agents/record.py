"""What was written into which file, kept in the ggrep home so that it can be taken out again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.durable import make_directory, replace_file
from ggrep.base.errors import InvalidRequest
from ggrep.base.stable_json import Json
from ggrep.interfaces.agents.pieces import Splice
from ggrep.interfaces.agents.plan import Edit

VERSION: Final = 1
"""1: the first."""


class Written(Struct, frozen=True):
    """One file.

    Attributes:
        clients: those that it was written for; the last to go takes our entry out.
        directories: those that were made for it, the outermost first.
    """

    edit: Edit
    clients: tuple[str, ...]
    directories: tuple[str, ...] = ()


Record = Mapping[str, Written]
"""By the path of the file as a client names it."""


def read_record(file: Path) -> dict[str, Written]:
    """Return the record; empty where there is none.

    Raises:
        InvalidRequest: the file cannot be understood.
    """
    try:
        document = stable_json.loads(file.read_bytes())
        if document["schema_version"] != VERSION:
            raise InvalidRequest(f"{file}: written by another build of ggrep")
        return {path: _written(each) for path, each in document["files"].items()}
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidRequest(
            f"{file}: not in the form that ggrep writes; delete or rename it"
        ) from error


def write_record(file: Path, record: Record) -> None:
    """Replace the record, durably; an empty one goes."""
    if not record:
        file.unlink(missing_ok=True)
        return
    make_directory(file.parent)
    files: Json = {path: _json(record[path]) for path in record}
    replace_file(file, stable_json.dumps_pretty({"schema_version": VERSION, "files": files}))


def _written(document: Mapping[str, Any]) -> Written:
    splice = Splice(
        int(document["offset"]),
        str(document["removed"]),
        str(document["inserted"]),
        int(document["opened"]),
    )
    edit = Edit(
        splice, str(document["spelled"]), bool(document["created"]), str(document["sha256"])
    )
    return Written(edit, tuple(document["clients"]), tuple(document["directories"]))


def _json(written: Written) -> Json:
    edit = written.edit
    return {
        "clients": written.clients,
        "created": edit.created,
        "directories": written.directories,
        "inserted": edit.splice.inserted,
        "offset": edit.splice.offset,
        "opened": edit.splice.opened,
        "removed": edit.splice.removed,
        "sha256": edit.digest,
        "spelled": edit.spelled,
    }
