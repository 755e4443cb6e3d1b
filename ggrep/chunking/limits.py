"""The bounds that shape chunks; all but the time limit enter the store's identity."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """How large a chunk may be, and how much one file may cost.

    Attributes:
        max_lines: most lines of one chunk.
        max_bytes: most bytes of one chunk's text; at least 16.
        max_chunks_per_file: most chunks of one file, its anchor included; at least 2.
        parse_timeout_ms: wall time a worker gets for one file before it is killed.
        structure: cut where the language does; false cuts every file by lines alone.
    """

    max_lines: int = 60
    max_bytes: int = 2400
    max_chunks_per_file: int = 2000
    parse_timeout_ms: int = 5_000
    structure: bool = True
