"""The audit log of a team server: one line of JSON for each request.

The file is opened for each line, so log rotation can rename it at any time. Lines contain the text
of queries only if the configuration enables this.
"""

import errno
import os
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from ggrep.base import stable_json
from ggrep.base.clock import Clock, rfc3339
from ggrep.base.errors import InvalidRequest
from ggrep.base.ids import RepoId
from ggrep.base.stable_json import Document

_TEXTS: Final = ("query", "name", "target", "targets")
"""Request fields that contain the text of a query."""


class AuditEntry(Struct):
    """Data about a request for the log, collected while the request is processed.

    Attributes:
        operation: name of the called tool; empty for other requests.
        subject: name of the user; empty without a valid token.
        allowed: number of repositories that the user may see.
        searched: repositories that answered.
        queries: texts of the queries.
        error: error code of a tool that failed although the HTTP status is 200.
    """

    operation: str = ""
    subject: str = ""
    allowed: int = 0
    searched: set[RepoId] = field(default_factory=set)
    queries: list[str] = field(default_factory=list)
    error: str = ""

    def ask(self, request: Any) -> None:  # noqa: ANN401 - a request of any operation
        """Record the text of a query."""
        inner = getattr(request, "search", request)
        for name in _TEXTS:
            text = getattr(inner, name, ())
            self.queries += [text] if isinstance(text, str) else text


class AuditLog:
    """Appends lines to the audit log."""

    def __init__(self, file: Path, clock: Clock, *, queries: bool) -> None:
        """Create the file if it is missing; only the owner may read it.

        Raises:
            InvalidRequest: the file cannot be written.
        """
        self._file, self._clock, self._queries = file, clock, queries
        try:
            self._append(b"")
        except OSError as error:
            raise InvalidRequest(f"audit: {file}: {error.strerror}") from error

    def write(self, entry: AuditEntry, operation: str, status: int, seconds: float) -> None:
        """Append the line of a finished request.

        Args:
            entry: data about the request.
            operation: name of the request if `entry.operation` is empty.
            status: HTTP status; 0 if the client closed the connection.
            seconds: duration of the request.

        Raises:
            OSError: the line could not be written.
        """
        line: dict[str, Any] = {
            "time": rfc3339(self._clock.now()),
            "subject": _encodable(entry.subject),
            "operation": entry.operation or operation,
            "allowed": entry.allowed,
            "searched": len(entry.searched),
            "status": status,
            "durationMs": round(seconds * 1000),
        }
        if entry.error:
            line["error"] = entry.error
        if self._queries:
            line["queries"] = [*map(_encodable, entry.queries)]
        document: Document = line
        self._append(stable_json.dumps(document) + b"\n")

    def _append(self, data: bytes) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        descriptor = os.open(self._file, flags, 0o600)
        try:
            written = os.write(descriptor, data)
            if written < len(data):  # an incomplete line would corrupt the next one
                os.ftruncate(descriptor, os.fstat(descriptor).st_size - written)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._file))
        finally:
            os.close(descriptor)


def _encodable(text: str) -> str:
    """Replace lone surrogates by `?`: JSON can contain them, but UTF-8 cannot encode them."""
    return text.encode("utf-8", "replace").decode()
