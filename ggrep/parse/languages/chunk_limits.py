"""Size limits of chunks, which determine the store's identity, and CPU time limits of files."""

from msgspec import Struct
from msgspec.structs import replace

from ggrep.model.files import MINIFIED


class ChunkLimits(Struct, frozen=True):
    """Size limits of chunks.

    Attributes:
        max_lines: maximum number of lines of one chunk.
        max_bytes: maximum bytes of one chunk's text; at least 16.
        max_chunks_per_file: maximum number of chunks of one file, including its anchor; at least 2.
        structure: whether files are cut by the language's structure; else only by lines.
    """

    max_lines: int = 60
    max_bytes: int = 2400
    max_chunks_per_file: int = 2000
    structure: bool = True

    def of_file(self, traits: int) -> "ChunkLimits":
        """Return the limits for a file; minified code is always cut by lines."""
        return replace(self, structure=False) if traits & MINIFIED else self


class Allowance(Struct, frozen=True):
    """The maximum processor time for one file in the process that parses it.

    The limit stops hanging parsers. The maximum is many times the measured time of any real file,
    so neither the machine nor its load affects how a file is read (docs/performance.md lists the
    measured times).

    Attributes:
        base_ms: milliseconds for a file of any size.
        mib_ms: additional milliseconds for each mebibyte of the file.
    """

    base_ms: int = 10_000
    mib_ms: int = 4_000

    def cpu_ms(self, size_bytes: int) -> int:
        """Return the maximum processor time in milliseconds for a file of `size_bytes`."""
        return self.base_ms + self.mib_ms * size_bytes // 2**20
