"""Reads a whole file, unless it changes during the read or is no longer inside the root.

The result is UTF-8, for any encoding of the file, with masked secrets. Minified and data files are
cut to their beginning. Notebooks are reduced to the sources of their cells.
"""

import errno
import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from ggrep.base.ids import PathKey
from ggrep.config.confined import Linked, NotRegular, open_below, read_descriptor
from ggrep.config.declarations import MAX_FILE_SIZE_BYTES
from ggrep.model.files import (
    BULK,
    CELL_LINES,
    GUESSED,
    MASKED,
    RECODED,
    REPLACED,
    SHORTENED,
    UNREAD,
    FileText,
    SkippedFile,
    SourceFile,
)
from ggrep.parse.source.decoding import UTF_8, decode
from ggrep.parse.source.encoding_rules import undeclared
from ggrep.parse.source.file_failures import failure_reason
from ggrep.parse.source.generated import generated_traits
from ggrep.parse.source.masking import mask
from ggrep.parse.source.notebooks import as_script, is_notebook, most_bytes

_TRIES = 3
_PAUSE_S = 0.025
_POINTER = b"version https://git-lfs.github.com/spec/v1\n"
"""First line of a pointer file, with which git LFS replaces a file."""
_MOST_POINTER_BYTES = 1024


def read_file(
    root: Path,
    file: SourceFile,
    *,
    max_bytes: int = MAX_FILE_SIZE_BYTES,
    max_bulk_bytes: int = MAX_FILE_SIZE_BYTES,
    rule: Callable[[PathKey], str] = undeclared,
    sleep: Callable[[float], None] = time.sleep,
) -> FileText | SkippedFile:
    """Return the content of a file, or the reason why there is none.

    A file that changes while it is read is read again, at most three times in all.

    Args:
        root: the canonical path of the root.
        file: the file as the walk listed it; only its path key is used.
        max_bytes: larger files are skipped; for a notebook, the sources of its cells are counted.
        max_bulk_bytes: maximum bytes of a minified or data file that are returned.
        rule: returns the codec that the repository declares for a path, or an empty name.
        sleep: waits for the given seconds between two attempts.
    """
    key = file.path_key
    for attempt in range(_TRIES):
        if attempt:
            sleep(_PAUSE_S)
        try:
            content = _read_once(root, key, most_bytes(key, max_bytes))
        except OSError as error:
            return _failure(key, error)
        if isinstance(content, SkippedFile):
            return content
        if content is not None:
            return _as_text(*content, max_bytes, max_bulk_bytes, lambda: rule(key))
    return SkippedFile(key, "unstable", f"changed during each of {_TRIES} reads")


def read_digest(
    root: Path, file: SourceFile, *, max_bytes: int = MAX_FILE_SIZE_BYTES
) -> tuple[SourceFile, str] | None:
    """Return a file with its current size and times, and the SHA-256 of its bytes.

    Return None if the file cannot be read.
    """
    try:
        content = _read_once(root, file.path_key, most_bytes(file.path_key, max_bytes))
    except OSError:
        return None
    if content is None or isinstance(content, SkippedFile):
        return None
    return content[0], hashlib.sha256(content[1]).hexdigest()


def _read_once(
    root: Path, key: PathKey, max_bytes: int
) -> tuple[SourceFile, bytes] | SkippedFile | None:
    """Return the result of one attempt, or None if the file changed meanwhile."""
    descriptor = open_below(root, key)
    try:
        before = _as_file(key, os.fstat(descriptor))
        if before.size_bytes > max_bytes:
            detail = f"{before.size_bytes} bytes, the limit is {max_bytes}"
            return SkippedFile(key, "too_large", detail)
        # One byte more than the expected size, to detect growth even if the times do not change.
        data = read_descriptor(descriptor, most_bytes=before.size_bytes + 1)
        after = _as_file(key, os.fstat(descriptor))
    finally:
        os.close(descriptor)
    return (after, data) if before == after and len(data) == after.size_bytes else None


def _as_text(
    file: SourceFile,
    data: bytes,
    max_bytes: int,
    max_bulk_bytes: int,
    rule: Callable[[], str],
) -> FileText | SkippedFile:
    key = file.path_key
    if len(data) <= _MOST_POINTER_BYTES and data.startswith(_POINTER):
        return SkippedFile(
            key, "lfs_pointer", "the file is a pointer of Git LFS; git lfs pull fetches the content"
        )
    decoded = decode(data, rule)
    if decoded is None:
        return SkippedFile(key, "binary", "its bytes are not text")
    wanted, layout = decoded.data, 0
    if is_notebook(key):
        script = as_script(wanted)
        if script is None:
            layout = UNREAD * bool(wanted.strip())
        else:
            wanted, layout = script.data, CELL_LINES * (not script.in_file)
        size_bytes = len(wanted) - wanted.count(b"\n")
        if size_bytes > max_bytes:
            return SkippedFile(
                key, "too_large", f"{size_bytes} bytes of text, the limit is {max_bytes}"
            )
    made = generated_traits(key, wanted)
    if made & BULK and len(wanted) > max_bulk_bytes:
        wanted, made = beginning(wanted, max_bulk_bytes), made | SHORTENED
    masked = mask(wanted)
    if masked.is_key:
        return SkippedFile(key, "secret", "a private key")
    encoding = "" if decoded.encoding == UTF_8 else decoded.encoding
    traits = (
        made
        | layout
        | MASKED * bool(masked.values)
        | RECODED * bool(encoding)
        | REPLACED * bool(decoded.replaced)
        | GUESSED * decoded.guessed
    )
    digest = hashlib.sha256(data).hexdigest()
    return FileText(key, masked.data, digest, file, encoding, traits)


def beginning(data: bytes, most_bytes: int) -> bytes:
    """Return at most `most_bytes` of UTF-8, cut at the end of a line if possible.

    Without a line end in the second half, the text is cut at the end of a character.
    """
    part = data[:most_bytes]
    end = part.rfind(b"\n", most_bytes // 2) + 1
    return part[:end] if end else part.decode("utf-8", "ignore").encode()


def _as_file(key: PathKey, status: os.stat_result) -> SourceFile:
    return SourceFile(
        key, status.st_size, status.st_mtime_ns, status.st_ctime_ns, inode=status.st_ino
    )


def _failure(key: PathKey, error: OSError) -> SkippedFile:
    if isinstance(error, Linked) or error.errno == errno.ELOOP:
        return SkippedFile(key, "out_of_root", "it was replaced by a symbolic link")
    if isinstance(error, NotRegular) or error.errno in {errno.ENXIO, errno.ENODEV}:
        return SkippedFile(key, "special", "it is no longer a regular file")
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return SkippedFile(key, "vanished", "it was deleted while files were listed")
    return SkippedFile(key, failure_reason(error), error.strerror or "cannot be read")
