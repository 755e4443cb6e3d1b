"""Reads, writes, compares-and-swaps, lists and deletes the objects of a remote.

`obstore` accesses S3, Google's and Azure's storage, directories and memory. For directories
`obstore` does not support conditional replacement, so this module uses a lock file.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any, Final
from urllib.parse import urlsplit

import obstore
from msgspec import Struct, field
from obstore import exceptions
from obstore.store import LocalStore, MemoryStore, from_url

from ggrep.base import durable
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.durable import reach
from ggrep.base.errors import NotTrusted, RemoteError
from ggrep.base.locks import Patience, take
from ggrep.config.remotes import Remote
from ggrep.config.settings import environment
from ggrep.model.maintenance import Traffic
from ggrep.model.sanitise import sanitise_line, without_directories

_CONNECT: Final = timedelta(seconds=5)
_SILENCE: Final = timedelta(seconds=20)
"""Maximum time without data in a response."""
_RETRIES: Final = 4
_RETRY: Final = timedelta(seconds=30)
_LOCK_MS: Final = 30_000
_RETRY_MS: Final = 20.0
_AT_ONCE: Final = 8 << 20
"""Objects up to this size are written in one request."""
_MESSAGE_LENGTH: Final = 200
_LOCK: Final = ".lock"
_CREDENTIALS: Final = frozenset(
    {"AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI"}
)
_memories: dict[str, MemoryStore] = {}


class Stat(Struct, frozen=True):
    """Size, time and version of an object.

    Attributes:
        version: the version that a swap compares.
    """

    key: str
    size_bytes: int
    modified: datetime
    version: str


class Objects(Struct):
    """The objects of one remote. Every method raises RemoteError if the remote fails.

    Attributes:
        name: the remote's name, for messages.
        directory: the directory, if the remote is a directory; else None.
        stopped: set to cancel running fetches.
    """

    name: str
    store: Any
    directory: Path | None = None
    wait: Callable[[float], None] = lambda _: None
    traffic: Traffic = field(default_factory=Traffic)
    stopped: Event = field(default_factory=Event)

    def read(self, key: str, most_bytes: int) -> tuple[bytes, str] | None:
        """Return an object and its version; None if there is no such object.

        Raises:
            NotTrusted: the object is larger than `most_bytes`.
        """
        self.traffic.gets += 1
        self._require_plain(key)
        with self._failures(key):
            try:
                reply = obstore.get(self.store, key)
                if int(reply.meta["size"]) > most_bytes:
                    raise NotTrusted(
                        f"remote {self.name}: the object {key} is larger than {most_bytes} bytes"
                    )
                data = bytes(reply.bytes())
                version = str(reply.meta["e_tag"] or "")
            except FileNotFoundError:
                return None
        self.traffic.bytes_down += len(data)
        if len(data) > most_bytes:
            raise NotTrusted(
                f"remote {self.name}: the object {key} is larger than {most_bytes} bytes"
            )
        return data, version

    def fetch(self, key: str, goal: Path, size_bytes: int, sha256: str) -> None:
        """Write an object to a new, synced file, if it has the expected size and digest.

        Raises:
            NotTrusted: the object is missing, or its size or digest is wrong; no file remains.
        """
        self.traffic.gets += 1
        self._require_plain(key)
        digest, seen = hashlib.sha256(), 0
        partial = goal.with_name(f"{goal.name}.{os.getpid()}-{id(goal)}.part")
        partial.unlink(missing_ok=True)
        try:
            with (
                self._failures(key),
                durable.new_file(partial) as descriptor,
                os.fdopen(os.dup(descriptor), "wb") as file,
            ):
                for chunk in obstore.get(self.store, key).stream(min_chunk_size=1 << 20):
                    seen += len(chunk)
                    if seen > size_bytes or self.stopped.is_set():
                        break
                    digest.update(chunk)
                    file.write(chunk)
            self.traffic.bytes_down += seen
            if (seen, digest.hexdigest()) != (size_bytes, sha256):
                raise NotTrusted(
                    f"remote {self.name}: the content of {key} does not match its digest"
                )
            partial.replace(goal)
        except _Missing as error:
            raise NotTrusted(f"remote {self.name}: the object {key} is missing") from error
        finally:
            partial.unlink(missing_ok=True)

    def stat(self, key: str) -> Stat | None:
        """Return size, time and version of an object; None if there is no such object."""
        self.traffic.heads += 1
        with self._failures(key):
            try:
                return _stat(obstore.head(self.store, key))
            except FileNotFoundError:
                return None

    def put(self, key: str, content: bytes | Path) -> None:
        """Write an object, replacing any existing one."""
        size = content.stat().st_size if isinstance(content, Path) else len(content)
        self.traffic.puts += 1
        self.traffic.bytes_up += size
        with self._failures(key):
            obstore.put(self.store, key, content, use_multipart=size > _AT_ONCE)

    def create(self, key: str, data: bytes) -> bool:
        """Write an object unless it exists; return whether it was written."""
        self.traffic.puts += 1
        self.traffic.bytes_up += len(data)
        with self._failures(key):
            try:
                obstore.put(self.store, key, data, mode="create", use_multipart=False)
            except exceptions.AlreadyExistsError:
                return False
        return True

    def swap(self, key: str, data: bytes, version: str | None) -> bool:
        """Replace an object if it still has `version`; return whether it was replaced.

        Create the object if `version` is None.
        """
        if version is None:
            return self.create(key, data)
        if self.directory is not None:
            return self._swap_here(self.directory, key, data, version)
        self.traffic.puts += 1
        self.traffic.bytes_up += len(data)
        with self._failures(key):
            try:
                mode: Any = {"e_tag": version}
                obstore.put(self.store, key, data, mode=mode, use_multipart=False)
            except (exceptions.PreconditionError, FileNotFoundError):
                return False
        return True

    def list(self, prefix: str) -> Iterator[Stat]:
        """Yield all objects in a folder."""
        self.traffic.lists += 1
        with self._failures(prefix):
            for batch in obstore.list(self.store, prefix=prefix):
                yield from (_stat(entry) for entry in batch if entry["path"] != _LOCK)

    def delete(self, key: str) -> None:
        """Delete an object; a missing object is no error."""
        self.traffic.deletes += 1
        with self._failures(key):
            try:
                obstore.delete(self.store, key)
            except FileNotFoundError:
                return

    def require_own_folders(self, folders: Iterable[str]) -> None:
        """Raise if one of the folders is a link, because its target can belong to others."""
        for folder in folders:
            if self.directory is not None and (self.directory / folder).is_symlink():
                raise RemoteError(
                    f"remote {self.name}: the folder {folder} is a symbolic link; nothing "
                    "was deleted"
                )

    def _require_plain(self, key: str) -> None:
        """Raise if the remote is a directory and `key` is no regular file: reading could block."""
        if self.directory is None:
            return
        place = self.directory / key
        if place.exists() and not place.is_file():
            raise NotTrusted(f"remote {self.name}: {key} is not a file")

    def _swap_here(self, directory: Path, key: str, data: bytes, version: str) -> bool:
        with self._locked(directory):
            stat = self.stat(key)
            if stat is None or stat.version != version:
                return False
            self.put(key, data)
            return True

    @contextmanager
    def _locked(self, directory: Path) -> Iterator[None]:
        """Take the directory's lock, which all processes that write to it use."""
        deadline = Deadline.after(SystemClock(), _LOCK_MS)
        patience = Patience(deadline, self.wait, f"{self.name}: it is locked", _RETRY_MS)
        try:
            while (lock := take(directory / _LOCK, open_file=_open_lock)) is None:
                patience.pause()
        except OSError as error:
            raise RemoteError(f"{self.name}: {_LOCK}: {error.strerror}") from error
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def _failures(self, key: str) -> Iterator[None]:
        """Convert errors of obstore to RemoteError."""
        reach("remote.before_request")
        try:
            yield
        except FileNotFoundError as error:
            raise _Missing(f"remote {self.name}: the object {key} is missing") from error
        except (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError) as error:
            raise RemoteError(
                f"remote {self.name}: access to {key} was denied: {_first_line(error)}"
            ) from error
        except (exceptions.BaseError, OSError) as error:
            raise RemoteError(f"{self.name}: {key}: {_first_line(error)}") from error


class _Missing(RemoteError):
    """The object does not exist."""


def open_objects(remote: Remote, wait: Callable[[float], None], *, making: bool = False) -> Objects:
    """Open a remote, without sending a request.

    Args:
        remote: the checked setting of the remote.
        wait: sleeps for a number of seconds.
        making: whether to create the directory, if its parent exists.

    Raises:
        RemoteError: the directory or its parent is missing, or the environment lacks values that
            the provider needs.
    """
    directory = remote.directory
    try:
        if directory is not None:
            if making and directory.parent.is_dir():
                directory.mkdir(exist_ok=True)
            elif making:
                raise RemoteError(
                    f"remote {remote.name}: the directory {directory.parent} does not exist"
                )
            elif not directory.is_dir():
                raise RemoteError(f"remote {remote.name}: the directory {directory} does not exist")
            store: Any = LocalStore(prefix=directory)
        elif remote.url.startswith("memory:"):
            store = _memories.setdefault(remote.url, MemoryStore())
        else:
            store = _of_cloud(remote)
    except (exceptions.BaseError, OSError, ValueError) as error:
        raise RemoteError(f"{remote.name}: {_first_line(error)}") from error
    return Objects(remote.name, store, directory, wait)


def _of_cloud(remote: Remote) -> Any:  # noqa: ANN401 - obstore's stores have no common base
    options: dict[str, Any] = {
        "client_options": {
            "connect_timeout": _CONNECT,
            "read_timeout": _SILENCE,
            "allow_http": remote.plain_http,
        },
        "retry_config": {"max_retries": _RETRIES, "retry_timeout": _RETRY},
    }
    if urlsplit(remote.url).scheme == "s3":
        if remote.endpoint:
            if not _CREDENTIALS & environment().keys():
                # Otherwise obstore would ask the metadata service of a cloud for credentials.
                reason = (
                    "the credentials are missing; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
                )
                raise RemoteError(f"remote {remote.name}: {reason}")
            options |= {"endpoint": remote.endpoint, "virtual_hosted_style_request": False}
        if remote.region:
            options["region"] = remote.region
    return from_url(remote.url, **options)


def _open_lock(file: Path) -> int:
    return os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)


def _stat(entry: Any) -> Stat:  # noqa: ANN401 - a mapping of obstore's
    return Stat(
        str(entry["path"]), int(entry["size"]), entry["last_modified"], str(entry["e_tag"] or "")
    )


def _first_line(error: Exception) -> str:
    """Return an error's message in one line; messages of obstore have further lines with causes."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    lines = [line.strip() for line in str(error).splitlines()]
    message = next((line for line in lines if line), type(error).__name__)
    return sanitise_line(without_directories(message))[:_MESSAGE_LENGTH]
