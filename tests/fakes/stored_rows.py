"""What lies in a segment's table, read back."""

from collections.abc import Iterable
from pathlib import Path

from ggrep.base.ids import SegmentName
from ggrep.index.store.rows import ChunkRow
from ggrep.index.store.tables import count_rows, take_rows

_BATCH_ROWS = 4096


def scan_rows(store: Path, segment: SegmentName) -> Iterable[ChunkRow]:
    """Yield all rows of a segment in their order, a batch in memory at a time."""
    for start in range(0, (total := count_rows(store, segment)), _BATCH_ROWS):
        yield from take_rows(store, segment, range(start, min(start + _BATCH_ROWS, total)))
