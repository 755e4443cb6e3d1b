"""Reads the texts of a segment from its table, for images of earlier builds without texts.

Compaction rewrites segments of earlier builds in the background. Before the rewrite, reading a row
takes milliseconds.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.index.store.definition_extents import Extent, extents_of
from ggrep.index.store.row_texts import RowDetails
from ggrep.index.store.rows import ChunkRow
from ggrep.index.store.segment_image import SegmentImage

_BATCH_ROWS: Final = 2048


class TableTexts(Struct, frozen=True):
    """Reads texts from a table; see `ggrep.index.store.row_texts.Texts`.

    Attributes:
        image: the image of the table's segment.
    """

    store: Path
    image: SegmentImage

    def texts(self, rows: Sequence[int], *, checked: bool = True) -> list[str]:
        """Return the texts of ascending rows as in their files."""
        del checked
        return [row.chunk.text for row in self._rows(rows)]

    def tiles(self, rows: Sequence[int]) -> list[tuple[bytes, bytes]]:
        """Return the texts of ascending rows, and the text between each row and the next row."""
        self._require_tails()
        chunks = (row.chunk for row in self._rows(rows))
        return [(chunk.text.encode(), chunk.tail.encode()) for chunk in chunks]

    def details(self, rows: Sequence[int]) -> list[RowDetails]:
        """Return the details of ascending rows."""
        return list(map(RowDetails.of, self._rows(rows)))

    def extents(self, rows: Sequence[int]) -> list[Extent | None]:
        """Return, for each row, the lines of the definition of which it is a part, if any."""
        self._require_tails()
        files = sorted({int(self.image.row_files[row]) for row in rows})
        spans = [range(*self.image.file_rows[file : file + 2].tolist()) for file in files]
        read = iter(self._rows([row for span in spans for row in span]))
        extents: dict[int, Extent | None] = {}
        for span in spans:
            chunks = [next(read).chunk for _ in span]
            extents.update(zip(span, extents_of(chunks), strict=True))
        return [extents[row] for row in rows]

    def _require_tails(self) -> None:
        """Raise if the table does not contain the text between chunks."""
        from ggrep.index.store.tables import read_columns

        read_columns(self.store, self.image.name, range(min(1, self.image.rows)), ("tail",))

    def _rows(self, rows: Sequence[int]) -> list[ChunkRow]:
        from ggrep.index.store.tables import take_rows

        read: list[ChunkRow] = []
        for start in range(0, len(rows), _BATCH_ROWS):
            read += take_rows(self.store, self.image.name, list(rows[start : start + _BATCH_ROWS]))
        return read
