"""Writes configuration files one after another, and records each change to undo it later."""

import stat
from collections.abc import Callable, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.durable import make_directory, replace_file, sync_directory
from ggrep.base.errors import InvalidRequest
from ggrep.base.stable_json import Json
from ggrep.config.home import Home
from ggrep.interfaces.agents.clients import Client, ConfigFile
from ggrep.interfaces.agents.config_files import ConfigFiles
from ggrep.interfaces.agents.plan import Edit, Planned
from ggrep.interfaces.agents.text_edit import Refused, Splice
from ggrep.model.machine import FileOutcome

VERSION: Final = 1
"""Version of the record's format. 1 is the first version."""


class Written(Struct, frozen=True):
    """The record of one configuration file that ggrep has changed.

    Attributes:
        clients: clients that need the entry; the entry is removed with the last client.
        directories: directories that were created for the file, the outermost first.
    """

    edit: Edit
    clients: tuple[str, ...]
    directories: tuple[str, ...] = ()


Record = Mapping[str, Written]
"""Records by the client's path of the file."""


def read_record(file: Path) -> dict[str, Written]:
    """Return the record of changed files, by path; empty if there is no record.

    Raises:
        InvalidRequest: the record is not valid, or has another version.
    """
    try:
        document = stable_json.loads(file.read_bytes())
        if document["schema_version"] != VERSION:
            raise InvalidRequest(f"file {file} was written by another build of ggrep")
        return {path: _written_of(each) for path, each in document["files"].items()}
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidRequest(
            f"file {file} does not have the format that ggrep writes; delete or rename it"
        ) from error


def write_record(file: Path, record: Record) -> None:
    """Replace the record durably; remove its file if the record is empty."""
    if not record:
        file.unlink(missing_ok=True)
        return
    make_directory(file.parent)
    files: Json = {path: _json(record[path]) for path in record}
    replace_file(file, stable_json.dumps_pretty({"schema_version": VERSION, "files": files}))


def _written_of(document: Mapping[str, Any]) -> Written:
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


_REASONS: Final[Mapping[str, str]] = {
    "differs": "an entry with this name has other content, so it was not changed",
    "changed": "the entry of ggrep was edited by hand, so it was not changed",
}
_TRIES: Final = 3


class Done(Struct, frozen=True):
    """The result of changing one configuration file.

    Attributes:
        message: why the file was not changed; for a file that only the user edits, the lines to add
        or remove.
        diff: a unified diff of the change, also in a dry run.
    """

    client: str
    path: Path
    outcome: FileOutcome
    message: str = ""
    diff: str = ""


class Run(Struct, frozen=True):
    """One installation or removal of ggrep's entries.

    Attributes:
        dry: only report changes.
        record: the current record.
        is_wanted: entries are written; if False, they are removed.
        drawn: contents that files would have after a dry run.
    """

    home: Home
    places: ConfigFiles
    dry: bool
    record: dict[str, Written]
    is_wanted: bool
    drawn: dict[Path, bytes | None] = field(default_factory=dict)

    def done(
        self,
        client: Client,
        target: ConfigFile,
        act: Callable[[bytes | None, Edit | None], Planned],
    ) -> Done:
        """Change one configuration file; return the result, which may be a refusal."""
        path = self.places.path_of(target)
        try:
            others = self._others(client, path)
            if others:
                return Done(client.name, path, "kept", f"{', '.join(others)} still uses this entry")
            return self._changed(client, path, act)
        except Refused as error:
            return Done(client.name, path, "refused", str(error))
        except OSError as error:
            return Done(client.name, path, "refused", error.strerror or str(error))

    def _others(self, client: Client, path: Path) -> tuple[str, ...]:
        """Remove this client from a file's record; return the clients that still need the entry."""
        mine = self.record.get(str(path))
        if self.is_wanted or mine is None:
            return ()
        left = tuple(name for name in mine.clients if name != client.name)
        if left:
            self._remember(path, replace(mine, clients=left))
        return left

    def _changed(
        self, client: Client, path: Path, act: Callable[[bytes | None, Edit | None], Planned]
    ) -> Done:
        real, mine = self.places.real(path), self.record.get(str(path))
        for _ in range(_TRIES):
            old = self._read(real)
            planned = act(old, None if mine is None else mine.edit)
            # Recorded before the file is written: after a crash between both steps the file has no
            # entry, and its record does no harm.
            made = _made(real) if old is None else ()
            self._remember(
                path, _record_of(planned, mine, client if self.is_wanted else None, made)
            )
            if planned.data == old or self._read(real) == old:
                self._write(real, old, planned.data, () if mine is None else mine.directories)
                diff = _diff(path, old, planned.data)
                return Done(client.name, path, planned.state, _REASONS.get(planned.state, ""), diff)
        raise Refused("another program is writing to the file")

    def _remember(self, path: Path, written: Written | None) -> None:
        before = dict(self.record)
        if written is not None:
            self.record[str(path)] = written
        else:
            self.record.pop(str(path), None)
        if not self.dry and self.record != before:
            write_record(self.home.agents, self.record)

    def _hand_over(self, directories: Sequence[str]) -> None:
        """Record each directory with a file in it; that file's removal then also removes it."""
        for directory in directories:
            for path, written in self.record.items():
                if path.startswith(f"{directory}/"):
                    more = (*written.directories, directory)
                    self._remember(Path(path), replace(written, directories=more))
                    break

    def _read(self, real: Path) -> bytes | None:
        return self.drawn[real] if real in self.drawn else bytes_of(real)

    def _write(
        self, real: Path, old: bytes | None, new: bytes | None, directories: Sequence[str]
    ) -> None:
        if self.dry:
            self.drawn[real] = new
        elif new is None and old is not None:
            real.unlink()
            sync_directory(real.parent)
            self._hand_over(_remove_directories(directories))
        elif new is not None and new != old:
            is_private = self.places.scope == "user"
            make_directory(real.parent, mode=0o700 if is_private else 0o755)
            usual = 0o600 if is_private else 0o644
            mode = usual if old is None else stat.S_IMODE(real.stat().st_mode)
            replace_file(real, new, mode=mode)


def bytes_of(real: Path) -> bytes | None:
    """Return the content of a file; None if it does not exist."""
    try:
        return real.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _made(real: Path) -> tuple[str, ...]:
    """Return the directories to create for a file, the outermost first."""
    return tuple(str(each) for each in reversed(real.parents) if not each.exists())


def _record_of(
    planned: Planned, mine: Written | None, client: Client | None, made: tuple[str, ...]
) -> Written | None:
    if planned.edit is None:
        return None
    clients = () if mine is None else mine.clients
    if client is not None and client.name not in clients:
        clients = (*clients, client.name)
    return Written(planned.edit, clients, (made if mine is None else mine.directories))


def _remove_directories(directories: Sequence[str]) -> list[str]:
    """Remove empty directories, the innermost first; return directories with content."""
    left = []
    for directory in sorted(directories, key=len, reverse=True):
        try:
            Path(directory).rmdir()
        except OSError:
            left.append(directory)
    return left


def _diff(path: Path, old: bytes | None, new: bytes | None) -> str:
    if old == new:
        return ""
    before, after = (
        (data or b"").decode(errors="replace").splitlines(keepends=True) for data in (old, new)
    )
    source, target = (str(path) if data is not None else "/dev/null" for data in (old, new))
    lines = unified_diff(before, after, source, target)
    return "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end\n" for line in lines
    )
