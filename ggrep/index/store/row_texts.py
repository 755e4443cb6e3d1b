"""The texts of a segment's rows and files, as arrays in the image (a file) of the segment.

The text of all files is one stream, cut into blocks of 32 KiB, each compressed by zlib. A file's
part of the stream is the text of its header chunk, then the file's own text, which its other rows
cover without gaps. Details of rows are in blocks of 32 rows, as JSON compressed by zlib:

| array | dtype, shape | |
|---|---|---|
| text_blocks, text_offsets | u8, u64 (b + 1,) | compressed blocks, and the start and end of each |
| file_text_starts, file_text_lengths | u64, u32 (n,) | each file's part of the stream, in bytes |
| row_text_starts, row_text_lengths | u32 (m,) | bytes, from the start of the file's part |
| detail_blocks, detail_offsets | u8, u64 (c + 1,) | lists of `RowDetails` |
| detail_rows | u32 (c,) | first row of each block of details |
| definition_starts, definition_ends | u32 (m,) | `ggrep.index.store.definition_extents` |

Each block has zlib's checksum, and a row's id is a digest of its text, so a wrong text is detected.
Images of earlier builds do not contain these arrays; for them, `table_texts` reads the table.
"""

import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base.errors import CorruptStore
from ggrep.base.ids import PathKey
from ggrep.index.store.definition_extents import Extent, extents_of
from ggrep.index.store.image import Array
from ggrep.index.store.rows import ChunkRow, chunk_hash_of, chunk_id_of, row_id_of
from ggrep.index.store.segment_image import SegmentImage
from ggrep.model.files import ANCHOR, TEXT, Chunk, embedded_text

_Numbers: TypeAlias = npt.NDArray[np.int64]

BLOCK_BYTES: Final = 32 * 1024
"""Bytes of a block: the window of zlib.

With larger blocks, compression is 4 % better, but reading a row takes twice as long.
"""
_DETAIL_ROWS: Final = 32
_LEVEL: Final = 4
_MOST_DETAIL_BYTES: Final = 1 << 26
"""Maximum size of a decompressed block of details; 32 rows are always smaller."""
_TEXTS: Final = "text_blocks"
_OFFSETS: Final = ("text_offsets", "detail_offsets")


class RowDetails(Struct, frozen=True, array_like=True):
    """Fields of a row's `Chunk`, other than its text, that are shown or searched.

    Attributes:
        encoding: the file's encoding; empty for UTF-8.
    """

    name: str
    qualified_name: str
    breadcrumb: tuple[str, ...]
    names: tuple[str, ...]
    signature: str
    encoding: str
    chunker_version: str
    extra: str

    @classmethod
    def of(cls, row: ChunkRow) -> "RowDetails":
        """Return the details of a row."""
        chunk = row.chunk
        return cls(
            name=chunk.name,
            qualified_name=chunk.qualified_name,
            breadcrumb=chunk.breadcrumb,
            names=chunk.names,
            signature=chunk.signature,
            encoding=row.encoding,
            chunker_version=row.chunker_version,
            extra=chunk.extra,
        )


class ShownRow(Struct, frozen=True):
    """Text, details and ids of a row, as a hit shows them.

    Attributes:
        text: the row's part of its file, without breadcrumb and extra words.
    """

    row_id: str
    chunk_id: str
    text: str
    details: RowDetails


class Texts(Protocol):
    """Reads the texts of one segment.

    Raises:
        CorruptStore: the texts are damaged; every method can raise it.
    """

    def texts(self, rows: Sequence[int], *, checked: bool = True) -> list[str]:
        """Return the texts of ascending rows as in their files, without breadcrumb and extra words.

        With `checked` False, checksums of blocks are not compared, because the caller verifies the
        text.
        """

    def tiles(self, rows: Sequence[int]) -> list[tuple[bytes, bytes]]:
        """Return the texts of ascending rows, and the text between each row and the next row.

        All texts are UTF-8. For all rows of a file, these texts, joined in order without the header
        chunk's text, are the file as it was indexed.
        """

    def details(self, rows: Sequence[int]) -> list[RowDetails]:
        """Return the details of ascending rows."""

    def extents(self, rows: Sequence[int]) -> list[Extent | None]:
        """Return, for each row, the lines of the definition of which it is a part, if any."""


class RowTexts(Struct, frozen=True):
    """Reads texts from the arrays of an image; see `Texts`."""

    image: SegmentImage

    def texts(self, rows: Sequence[int], *, checked: bool = True) -> list[str]:
        """Return the texts of ascending rows as in their files; see `Texts`."""
        try:
            starts, lengths, _ = self._spans(rows)
            return [text.decode() for text in self._read(starts, lengths, checked=checked)]
        except UnicodeDecodeError as error:
            raise CorruptStore(f"segment {self.image.name}: a text is not UTF-8") from error

    def tiles(self, rows: Sequence[int]) -> list[tuple[bytes, bytes]]:
        """Return the texts of ascending rows, and the text between each row and the next row."""
        starts, lengths, wholes = self._spans(rows)
        tiles = zip(self._read(starts, wholes), lengths.tolist(), strict=True)
        return [(tile[:length], tile[length:]) for tile, length in tiles]

    def _spans(self, rows: Sequence[int]) -> tuple[_Numbers, _Numbers, _Numbers]:
        """Return the starts of the rows' texts, and their lengths without and with `Chunk.tail`."""
        places = np.asarray(rows, dtype=np.int64)
        arrays, image = self.image.arrays, self.image
        files = image.row_files[places]
        row_starts = arrays["row_text_starts"].view(np.uint32)
        begins = row_starts[places].astype(np.int64)
        lasts = row_starts[np.minimum(places + 1, image.rows - 1)]
        is_last = places + 1 == image.file_rows[files.astype(np.int64) + 1]
        ends = np.where(is_last, arrays["file_text_lengths"].view(np.uint32)[files], lasts)
        starts = arrays["file_text_starts"].astype(np.int64)[files] + begins
        lengths = arrays["row_text_lengths"].view(np.uint32)[places].astype(np.int64)
        return starts, lengths, ends - begins

    def _read(self, starts: _Numbers, lengths: _Numbers, *, checked: bool = True) -> list[bytes]:
        ends = (starts + lengths).tolist()
        stream = _Stream(_Blocks(self.image, "text", BLOCK_BYTES + 1), () if checked else ends)
        spans = zip(starts.tolist(), lengths.tolist(), strict=True)
        return [stream.read(start, length) for start, length in spans]

    def details(self, rows: Sequence[int]) -> list[RowDetails]:
        """Return the details of ascending rows."""
        firsts = self.image.arrays["detail_rows"].view(np.uint32)
        blocks = _Blocks(self.image, "detail", _MOST_DETAIL_BYTES)
        numbers = np.searchsorted(firsts, np.asarray(rows, dtype=np.int64), side="right") - 1
        known: tuple[int, list[msgspec.Raw]] = -1, []
        details = []
        try:
            starts = firsts[numbers].tolist()
            for row, number, first in zip(rows, numbers.tolist(), starts, strict=True):
                if known[0] != number:
                    known = number, _DETAILS.decode(blocks.block(number))
                details.append(_DETAIL.decode(known[1][row - first]))
        except IndexError as error:
            raise CorruptStore(
                f"segment {self.image.name}: the details of a row are missing"
            ) from error
        except msgspec.MsgspecError as error:
            raise CorruptStore("details of rows in an image are damaged") from error
        return details

    def extents(self, rows: Sequence[int]) -> list[Extent | None]:
        """Return, for each row, the lines of the definition of which it is a part, if any."""
        starts = self.image.arrays["definition_starts"][list(rows)].tolist()
        ends = self.image.arrays["definition_ends"][list(rows)].tolist()
        return [(start, end) if end else None for start, end in zip(starts, ends, strict=True)]


def has_texts(image: SegmentImage) -> bool:
    """Return whether an image contains the arrays of texts."""
    return _TEXTS in image.arrays


def shown_of(
    image: SegmentImage, texts: Texts, rows: Sequence[int], *, checked: bool = True
) -> list[ShownRow]:
    """Return the text and details of ascending rows, for hits; for `checked`, see `Texts`.

    Raises:
        CorruptStore: a stored text does not match its row id.
    """
    shown = []
    places = np.asarray(rows, dtype=np.int64)
    files = image.row_files[places].astype(np.int64)
    paths, ordinals = image.paths_of(files), (places - image.file_rows[files]).tolist()
    kinds = [ANCHOR if is_anchor else TEXT for is_anchor in image.row_anchors[places].tolist()]
    file_texts = texts.texts(rows, checked=checked)
    of_rows = zip(rows, file_texts, texts.details(rows), paths, ordinals, kinds, strict=True)
    for row, text, details, path, ordinal, kind in of_rows:
        chunk_hash = chunk_hash_of(embedded_text(details.breadcrumb, text, details.extra))
        chunk_id = chunk_id_of(chunk_hash, details.chunker_version, kind)
        row_id = row_id_of(PathKey(path.decode()), chunk_id, ordinal)
        if bytes.fromhex(row_id) != image.row_id(row):
            raise CorruptStore(
                f"segment {image.name}: the text of row {row} does not match the row id"
            )
        shown.append(ShownRow(row_id, chunk_id, text, details))
    return shown


class _Blocks:
    """Compressed blocks among an image's arrays."""

    def __init__(self, image: SegmentImage, kind: str, most_bytes: int) -> None:
        self._segment = image.name
        self._most_bytes = most_bytes
        self._data = image.arrays[f"{kind}_blocks"].view(np.uint8).data
        self._offsets = image.arrays[f"{kind}_offsets"].view(np.uint64)

    def block(self, number: int, most: int | None = None) -> bytes:
        """Return a decompressed block; with `most`, only its first bytes, without a checksum."""
        if not 0 <= number < len(self._offsets) - 1:
            raise CorruptStore(
                f"segment {self._segment}: the position of a text is outside the image"
            )
        start, end = self._offsets[number : number + 2].tolist()
        stream = zlib.decompressobj()
        try:
            data = stream.decompress(self._data[start:end], most or self._most_bytes)
        except zlib.error as error:
            raise CorruptStore(
                f"segment {self._segment}: the texts in the image are damaged"
            ) from error
        if most is None and not stream.eof:
            raise CorruptStore(f"segment {self._segment}: a block of texts has a wrong size")
        return data


class _Stream:
    """Reads ranges of the text stream, mostly in ascending order.

    Args:
        blocks: the blocks of the stream.
        ends: ascending ends of all ranges to read; empty to compare the blocks' checksums. With
            `ends`, a block is only decompressed up to its last range, on average in half the time.
    """

    def __init__(self, blocks: _Blocks, ends: Sequence[int] = ()) -> None:
        self._blocks = blocks
        self._start, self._block = -1, b""
        self._needed = {(end - 1) // BLOCK_BYTES: (end - 1) % BLOCK_BYTES + 1 for end in ends}

    def read(self, start: int, length: int) -> bytes:
        """Return a range of bytes of the stream."""
        offset = start - self._start
        if offset >= 0 and offset + length <= len(self._block):
            return self._block[offset : offset + length]
        parts, end = [], start + length
        while start < end:
            number, offset = divmod(start, BLOCK_BYTES)
            wanted = min(offset + end - start, BLOCK_BYTES)
            if self._start != number * BLOCK_BYTES or len(self._block) < wanted:
                most = max(wanted, self._needed.get(number, 0)) if self._needed else None
                self._start, self._block = number * BLOCK_BYTES, self._blocks.block(number, most)
            part = self._block[offset : offset + end - start]
            if not part:
                raise CorruptStore("a text in an image ends too early")
            parts.append(part)
            start += len(part)
        return b"".join(parts)


_DETAILS: Final = msgspec.json.Decoder(list[msgspec.Raw])
_DETAIL: Final = msgspec.json.Decoder(RowDetails)
_encode: Final = msgspec.json.Encoder().encode


class TextsPart(Struct, frozen=True, array_like=True):
    """The uncompressed texts of consecutive files.

    Attributes:
        numbers: arrays of u64, as bytes; offsets are relative to the part's first byte.
        details: the `RowDetails` of each row as JSON.
    """

    stream: bytes
    numbers: dict[str, bytes]
    details: list[bytes]


class TextsBuilder:
    """Collects the rows of consecutive files, as compressed blocks or as an uncompressed part."""

    def __init__(self, *, of_part: bool = False) -> None:
        """Begin empty.

        With `of_part`, the builder to which the part is added compresses the texts.
        """
        self._of_part = of_part
        self._texts = _BlocksBuilder()
        self._details = _BlocksBuilder()
        self._stream = bytearray()
        self._streamed = 0
        self._pending: list[bytes] = []
        self._rows = 0
        self._chunks: list[Chunk] = []
        self._numbers = {name: array("Q") for name in _NUMBERS}

    def begin_file(self) -> None:
        """Begin the next file."""
        self._end_file()
        self._numbers["file_text_starts"].append(self._streamed)

    def add(self, rows: Iterable[ChunkRow]) -> None:
        """Add rows of the current file."""
        numbers, start = self._numbers, self._numbers["file_text_starts"][-1]
        details = []
        for row in rows:
            chunk = row.chunk
            text = chunk.text.encode()
            numbers["row_text_starts"].append(self._streamed - start)
            numbers["row_text_lengths"].append(len(text))
            self._append(text + chunk.tail.encode())
            self._chunks.append(chunk)
            details.append(_encode(RowDetails.of(row)))
        self._take_details(details)

    def add_part(self, part: TextsPart) -> None:
        """Add the texts of consecutive files."""
        self._end_file()
        for name, values in part.numbers.items():
            numbers = np.frombuffer(values, dtype=np.uint64)
            if name == "file_text_starts":
                numbers = numbers + np.uint64(self._streamed)
            self._numbers[name].frombytes(numbers.tobytes())
        self._append(part.stream)
        self._take_details(part.details)

    def part(self) -> TextsPart:
        """Return the texts of a part; the builder cannot be used again."""
        self._end_file()
        numbers = {name: values.tobytes() for name, values in self._numbers.items()}
        return TextsPart(bytes(self._stream), numbers, self._pending)

    def finish(self) -> dict[str, Array]:
        """Return the arrays; the builder cannot be used again."""
        self._end_file()
        self._flush_details(len(self._pending))
        if self._stream:
            self._texts.add(bytes(self._stream))
        arrays = self._texts.arrays("text") | self._details.arrays("detail")
        for name, dtype in _NUMBERS.items():
            arrays[name] = np.array(self._numbers[name], dtype=dtype)
        return arrays

    def _end_file(self) -> None:
        numbers = self._numbers
        if len(numbers["file_text_lengths"]) < len(numbers["file_text_starts"]):
            numbers["file_text_lengths"].append(self._streamed - numbers["file_text_starts"][-1])
        extents, self._chunks = extents_of(self._chunks), []
        for start, end in (extent or (0, 0) for extent in extents):
            numbers["definition_starts"].append(start)
            numbers["definition_ends"].append(end)

    def _append(self, data: bytes) -> None:
        self._streamed += len(data)
        self._stream += data
        if self._of_part or len(self._stream) < BLOCK_BYTES:
            return
        whole = len(self._stream) // BLOCK_BYTES * BLOCK_BYTES
        for start in range(0, whole, BLOCK_BYTES):
            self._texts.add(bytes(self._stream[start : start + BLOCK_BYTES]))
        del self._stream[:whole]

    def _take_details(self, details: Sequence[bytes]) -> None:
        self._pending += details
        self._rows += len(details)
        if not self._of_part:
            self._flush_details(len(self._pending) // _DETAIL_ROWS * _DETAIL_ROWS)

    def _flush_details(self, end: int) -> None:
        """Compress the first `end` of the pending details in blocks."""
        first = self._rows - len(self._pending)
        for start in range(0, end, _DETAIL_ROWS):
            self._numbers["detail_rows"].append(first + start)
            block = self._pending[start : start + _DETAIL_ROWS]
            self._details.add(b"[" + b",".join(block) + b"]")
        del self._pending[:end]


class _BlocksBuilder:
    def __init__(self) -> None:
        self._blocks = bytearray()
        self._offsets = [0]

    def add(self, data: bytes) -> None:
        """Add a block."""
        self._blocks += zlib.compress(data, _LEVEL)
        self._offsets.append(len(self._blocks))

    def arrays(self, kind: str) -> dict[str, Array]:
        """Return the blocks and their offsets."""
        return {
            f"{kind}_blocks": np.frombuffer(self._blocks, dtype=np.uint8),
            f"{kind}_offsets": np.array(self._offsets, dtype=np.uint64),
        }


_NUMBERS: Final[Mapping[str, type[np.unsignedinteger]]] = {
    "file_text_starts": np.uint64,
    "file_text_lengths": np.uint32,
    "row_text_starts": np.uint32,
    "row_text_lengths": np.uint32,
    "detail_rows": np.uint32,
    "definition_starts": np.uint32,
    "definition_ends": np.uint32,
}

TEXT_ARRAYS: Final = (*_NUMBERS, _TEXTS, "detail_blocks", *_OFFSETS)


def merge_texts(images: Sequence[SegmentImage], first_rows: Sequence[int]) -> dict[str, Array]:
    """Merge the text arrays of several images; return the arrays of one image.

    Args:
        images: the images in order; all have texts.
        first_rows: the new number of each image's first row.
    """
    arrays: dict[str, Array] = {
        name: np.concatenate([image.arrays[name] for image in images])
        for name in (*_NUMBERS, _TEXTS, "detail_blocks")
    }
    for name in _OFFSETS:
        arrays[name] = _joined_offsets([image.arrays[name] for image in images])
    blocks = [0, *np.cumsum([len(image.arrays["text_offsets"]) - 1 for image in images])]
    arrays["file_text_starts"] = np.concatenate(
        [
            image.arrays["file_text_starts"].view(np.uint64) + np.uint64(block * BLOCK_BYTES)
            for image, block in zip(images, blocks, strict=False)
        ]
    )
    arrays["detail_rows"] = np.concatenate(
        [
            image.arrays["detail_rows"].view(np.uint32) + np.uint32(first)
            for image, first in zip(images, first_rows, strict=False)
        ]
    )
    return arrays


def _joined_offsets(parts: Sequence[Array]) -> npt.NDArray[np.uint64]:
    lengths = np.concatenate([np.diff(part.view(np.uint64)) for part in parts])
    return np.concatenate((np.zeros(1, np.uint64), np.cumsum(lengths, dtype=np.uint64)))
