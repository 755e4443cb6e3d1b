"""The results of discovering and reading files."""

from msgspec import Struct

from ggrep.base.ids import PathKey


class SourceFile(Struct, frozen=True):
    """An eligible file as the walk saw it; its bytes have not been read.

    Attributes:
        mtime_ns: last modification, nanoseconds.
        ctime_ns: last change of the inode, nanoseconds.
    """

    path_key: PathKey
    size_bytes: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Skip(Struct, frozen=True):
    """A file that will not be indexed, and why.

    Attributes:
        reason: a stable code: `too_large`, `binary`, `special`, `out_of_root`,
            `symlink_loop`, `unreadable`, `read_failed`, `unstable`, `vanished`, `bad_name`,
            `secret`, `submodule`, `lfs_pointer`, `dataset_budget`.
        detail: one line for people; never holds file content or an absolute path.
    """

    path_key: str
    reason: str
    detail: str


class FileText(Struct, frozen=True):
    """The whole content of one file, read in one piece while it did not change.

    Attributes:
        data: its text as UTF-8, secrets masked.
        digest: SHA-256 of the file's own bytes, lower-case hex.
        encoding: what it was written in; empty for UTF-8.
        traits: what its content told, see `ggrep.model.traits.CONTENT_TRAITS`.
        file: the file as it was when read (its stat after the read).
    """

    path_key: PathKey
    data: bytes
    digest: str
    file: SourceFile
    encoding: str = ""
    traits: int = 0
