"""The texts of a pack: what is shown of its rows, in one mapped file beside it.

A table of LanceDB takes milliseconds to give a row, however small it is, and an answer's rows are
of a dozen tables. Here they lie in the pack's order, compressed in blocks of 16:

| array | dtype, shape | |
|---|---|---|
| blocks | u8 | one block behind the other |
| block_offsets | u64 (b + 1,) | where each begins, and where the last one ends |
| block_crcs | u32 (b,) | CRC-32 of each |

A block is a list of rows, as JSON under zlib: of each the list of `TextRow`'s values, or null where
its table could not be read. A block's checksum is looked at when it is read, and a row's text is
the row's own, or it would not give the row id that the pack has. What is not so is left to the
table. Texts are derived, as packs are: whoever deletes them loses nothing.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.errors import CorruptStore, Incompatible
from ggrep.base.formats import TEXTS_FORMAT
from ggrep.base.stable_json import Json
from ggrep.index.store.image import Array, open_image, write_image
from ggrep.index.store.rows import ShownRow, chunk_hash_of, chunk_id_of, row_id_of
from ggrep.index.store.segment_image import SegmentImage

BLOCK_ROWS: Final = 16
"""In blocks of 8 texts take a ninth more room, in blocks of 32 a row takes twice as long."""
_LEVEL: Final = 6


class TextRow(Struct, frozen=True):
    """What a table has of a row that is shown or looked into, or that tells whose it is.

    Attributes:
        names: of all that it defines.
        text: as it is embedded; the file's own lies from `display_start`, in characters.
    """

    name: str
    qualified_name: str
    breadcrumb: Sequence[str]
    signature: str
    encoding: str
    kind: str
    chunker_version: str
    text: str
    display_start: int
    display_length: int
    names: Sequence[str]
    tail: str

    @property
    def own_text(self) -> str:
        """Return the file's own text."""
        return self.text[self.display_start : self.display_start + self.display_length]

    @property
    def chunk_id(self) -> str:
        """Return the chunk's id, which is that of no other text."""
        return chunk_id_of(chunk_hash_of(self.text), self.chunker_version, self.kind)


COLUMNS: Final = TextRow.__struct_fields__
"""What tables call the values of a row."""
_VALUES: Final = attrgetter(*COLUMNS)


class PackTexts(Struct, frozen=True):
    """Opened texts of a pack; whatever is asked of them, they give the rows that they hold whole.

    Attributes:
        image: the pack's.
        blocks: u8, mapped.
        offsets: u64 (blocks + 1,).
        crcs: u32 (blocks,).
    """

    image: SegmentImage
    blocks: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.uint64]
    crcs: npt.NDArray[np.uint32]

    def texts(self, rows: Sequence[int]) -> dict[int, str]:
        """Return the files' own text of ascending rows."""
        return {row: found.own_text for row, found, _ in self._proved(rows)}

    def shown(self, rows: Sequence[int]) -> dict[int, ShownRow]:
        """Return what hits show of ascending rows."""
        return {
            row: ShownRow(
                row_id=self.image.row_id(row).hex(),
                chunk_id=chunk_id,
                name=found.name,
                qualified_name=found.qualified_name,
                breadcrumb=tuple(found.breadcrumb),
                signature=found.signature,
                text=found.own_text,
            )
            for row, found, chunk_id in self._proved(rows)
        }

    def columns(self, rows: Sequence[int], names: Sequence[str]) -> dict[int, tuple[Any, ...]]:
        """Return some of `COLUMNS` of ascending rows; which blocks are whole checksums say."""
        places = [COLUMNS.index(name) for name in names]
        take = itemgetter(*places) if len(places) > 1 else lambda found: (found[places[0]],)
        return {row: take(found) for row, found in self._rows(rows)}

    def are_whole(self) -> bool:
        """Return whether every block is as it was written."""
        return all(self._data(number) is not None for number in range(len(self.crcs)))

    def _proved(self, rows: Sequence[int]) -> Iterator[tuple[int, TextRow, str]]:
        """Yield ascending rows with their chunk ids, which say that the text is the row's."""
        for row, values in self._rows(rows):
            found = TextRow(*values)
            if (chunk_id := _chunk_id(self.image, row, found)) is not None:
                yield row, found, chunk_id

    def _rows(self, rows: Sequence[int]) -> Iterator[tuple[int, Sequence[Any]]]:
        for number, own in groupby(rows, lambda row: row // BLOCK_ROWS):
            block = self._block(number)
            if block is None:
                continue
            for row in own:
                if (values := block[row % BLOCK_ROWS]) is not None:
                    yield row, values

    def _block(self, number: int) -> list[list[Any] | None] | None:
        data = self._data(number)
        if data is None:
            return None
        block: list[list[Any] | None] = stable_json.loads(zlib.decompress(data))
        return block

    def _data(self, number: int) -> bytes | None:
        start, end = self.offsets[number : number + 2].tolist()
        data = self.blocks[start:end].tobytes()
        # Pages that a disk lost are zeros, and zero is the checksum of nothing.
        return data if data and zlib.crc32(data) == self.crcs[number] else None


def write_texts(
    path: Path, image: SegmentImage, rows: Iterable[TextRow | None], digest: str
) -> None:
    """Write the texts of a pack's rows; the caller syncs the directory.

    Args:
        path: a new file.
        image: the pack's.
        rows: in its order; None where one could not be read. One whose text is not the row's is
            left out.
        digest: of the pack.

    Raises:
        OSError: the disk would not take it.
    """
    blocks, offsets, crcs = bytearray(), [0], list[int]()
    placed = enumerate(rows)
    while batch := list(islice(placed, BLOCK_ROWS)):
        held: list[Json] = [
            None if row is None or _chunk_id(image, place, row) is None else _VALUES(row)
            for place, row in batch
        ]
        data = zlib.compress(stable_json.dumps(held), _LEVEL)
        blocks += data
        offsets.append(len(blocks))
        crcs.append(zlib.crc32(data))
    arrays: dict[str, Array] = {
        "blocks": np.frombuffer(blocks, dtype=np.uint8),
        "block_offsets": np.array(offsets, dtype=np.uint64),
        "block_crcs": np.array(crcs, dtype=np.uint32),
    }
    write_image(path, arrays, {"layout": TEXTS_FORMAT, "pack": digest})


def open_texts(path: Path, image: SegmentImage, digest: str) -> PackTexts:
    """Map the texts of the pack with that image and digest.

    Raises:
        CorruptStore: they are another pack's, or not what was written.
        StoreError: they cannot be read now.
        Incompatible: they are of another build's layout.
    """
    found = open_image(path)
    if found.meta.get("layout") != TEXTS_FORMAT:
        raise Incompatible(f"{path.name}: layout {found.meta.get('layout')!r}")
    if found.meta.get("pack") != digest:
        raise CorruptStore(f"{path.name} has not the texts of its pack")
    return PackTexts(
        image,
        found.arrays["blocks"].view(np.uint8),
        found.arrays["block_offsets"].view(np.uint64),
        found.arrays["block_crcs"].view(np.uint32),
    )


def _chunk_id(image: SegmentImage, row: int, found: TextRow) -> str | None:
    """Return the chunk id of a row's text; None where the image's row is another one."""
    chunk_id, file = found.chunk_id, int(image.row_files[row])
    ordinal = row - int(image.file_rows[file])
    same = row_id_of(image.path(file), chunk_id, ordinal) == image.row_id(row).hex()
    return chunk_id if same else None
