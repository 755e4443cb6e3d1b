"""Limits that shape chunks and enter the store's identity, and limits on a file's cost."""

from msgspec import Struct
from msgspec.structs import replace

from ggrep.model.files import MINIFIED


class ChunkLimits(Struct, frozen=True):
    """How large a chunk may be.

    Attributes:
        max_lines: most lines of one chunk.
        max_bytes: most bytes of one chunk's text; at least 16.
        max_chunks_per_file: most chunks of one file, its anchor included; at least 2.
        structure: cut where the language does; false cuts every file by lines alone.
    """

    max_lines: int = 60
    max_bytes: int = 2400
    max_chunks_per_file: int = 2000
    structure: bool = True

    def of_file(self, traits: int) -> "ChunkLimits":
        """Return them for a file; names in minified code nobody gave, and nobody looks for."""
        return replace(self, structure=False) if traits & MINIFIED else self


class Allowance(Struct, frozen=True):
    """The processor time that one file may take in the process that reads it.

    A guard against parsers that hang, many times what any real file was seen to take, so that no
    machine and no company on it decides how a file is read (docs/performance.md has the figures).

    Attributes:
        base_ms: for a file of any size.
        mib_ms: and for each mebibyte of it.
    """

    base_ms: int = 10_000
    mib_ms: int = 4_000

    def cpu_ms(self, size_bytes: int) -> int:
        """Return what a file of that size may take."""
        return self.base_ms + self.mib_ms * size_bytes // 2**20
