"""Writes receipts atomically; a file that is not a receipt is replaced only on `--force`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ggrep.base import durable
from ggrep.base.errors import Incompatible, InvalidRequest, UsageError
from ggrep.interfaces.cli.report_file import is_standard_output, require_writable, shown_path
from ggrep.model.receipt import WORKSPACE_KIND, Receipt
from ggrep.render.receipt_json import MAX_RECEIPT_BYTES, open_sealed, receipt_of

if TYPE_CHECKING:
    from ggrep.federation.workspace_receipts import WorkspaceReceipt


_FLAG = "--receipt"
_MODE = 0o600
"""It holds lines of the repository, which others may not be meant to read."""


def require_receipt_place(path: Path, *, force: bool) -> None:
    """Raise, before the search runs, unless a receipt may be written there.

    Args:
        path: where to.
        force: write over any regular file.

    Raises:
        UsageError: it may not, or cannot.
    """
    if str(path) == "-" or is_standard_output(path):
        raise UsageError(f"{_FLAG}: name a file; the answer goes to standard output")
    require_writable({_FLAG: path}, [])
    if not path.exists():
        return
    if not path.is_file():
        raise UsageError(f"{_FLAG}: {shown_path(path)}: not a regular file")
    if not force and path.stat().st_size and not _is_receipt(path):
        raise UsageError(
            f"{_FLAG}: {shown_path(path)} exists and is not a receipt; --force replaces it"
        )


def write_receipt(path: Path, data: bytes, *, force: bool) -> None:
    """Write a receipt atomically, to the target of any links.

    Raises:
        UsageError: it may not be written there, or cannot.
    """
    require_receipt_place(path, force=force)
    try:
        durable.replace_file(Path(os.path.realpath(path)), data, mode=_MODE)
    except OSError as error:
        raise UsageError(f"{_FLAG}: {shown_path(path)}: {error.strerror or error}") from error


def read_receipt(path: Path) -> "Receipt | WorkspaceReceipt":
    """Return the receipt in a file.

    Raises:
        InvalidRequest: there is none, or it was changed.
        Incompatible: another build wrote it, in a version that this one does not read.
    """
    try:
        if path.exists() and not path.is_file():
            raise InvalidRequest(f"{shown_path(path)}: not a regular file")
        with path.open("rb") as file:
            data = file.read(MAX_RECEIPT_BYTES + 1)
    except OSError as error:
        raise InvalidRequest(f"{shown_path(path)}: {error.strerror or error}") from error
    if len(data) > MAX_RECEIPT_BYTES:
        raise InvalidRequest(f"{shown_path(path)}: more than {MAX_RECEIPT_BYTES} bytes")
    try:
        return _parsed(data)
    except InvalidRequest as error:
        raise InvalidRequest(f"{shown_path(path)}: {error}") from error


def _parsed(data: bytes) -> "Receipt | WorkspaceReceipt":
    values = open_sealed(data)
    if values["kind"] != WORKSPACE_KIND:
        return receipt_of(values)
    from ggrep.federation.workspace_receipts_json import workspace_receipt_of

    return workspace_receipt_of(values)


def _is_receipt(path: Path) -> bool:
    try:
        read_receipt(path)
    except Incompatible:
        return True
    except InvalidRequest:
        return False
    return True
