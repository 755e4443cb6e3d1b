"""Images: named arrays in one memory-mapped file, immutable and rebuildable.

Layout: 8 bytes magic, u64 little-endian length of the header, the header (JSON: format, meta,
arrays with dtype, shape and offset, and a digest of these fields), padding, then each array at a
multiple of 64 bytes. All processes that map the file share its pages.
"""

import hashlib
import math
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base import durable, stable_json
from ggrep.base.errors import CorruptStore, Incompatible
from ggrep.base.formats import IMAGE_FORMAT, IMAGE_FORMAT_BEFORE
from ggrep.index.store.mapped_files import map_file
from ggrep.index.store.read_failures import read_failure

Array = npt.NDArray[np.generic]
_MAGIC = b"GGIMAGE\n"
_ALIGN = 64
_READ_BYTES = 16 * 1024
"""Images up to this size are read: a map takes four pages, and the number of maps is limited."""
_DIGEST = "digest"
"""Field of the header with the SHA-256 of the other fields.

A whole image is hashed only if its stamp changed. The header is hashed each time, so that no array
is mistaken for another.
"""


class Image(Struct, frozen=True):
    """An opened image.

    Attributes:
        meta: small JSON values.
        arrays: read-only views into the mapped file.
        mapped: the whole mapped file; None for a small file, which was read.
    """

    meta: Mapping[str, stable_json.Json]
    arrays: Mapping[str, Array]
    mapped: npt.NDArray[np.uint8] | None = None


def write_image(
    path: Path,
    arrays: Mapping[str, Array],
    meta: Mapping[str, stable_json.Json],
    *,
    lasting: bool = True,
) -> None:
    """Write a new image and sync its bytes if `lasting`; the caller syncs the directory."""
    entries: dict[str, stable_json.Json] = {}
    offset = 0
    contiguous = {name: np.ascontiguousarray(arrays[name]) for name in sorted(arrays)}
    for name, values in contiguous.items():
        entries[name] = {
            "dtype": values.dtype.newbyteorder("<").str,
            "shape": list(values.shape),
            "offset": offset,
        }
        offset += _padded(values.nbytes)
    described: dict[str, stable_json.Json] = {
        "format": IMAGE_FORMAT,
        "meta": dict(meta),
        "arrays": entries,
    }
    header = stable_json.dumps(described | {_DIGEST: _digest(described)})
    new_file = durable.new_file(path, lasting=lasting)
    with new_file as descriptor, os.fdopen(os.dup(descriptor), "wb") as file:
        file.write(_MAGIC + len(header).to_bytes(8, "little") + header)
        file.write(b"\0" * (_padded(16 + len(header)) - 16 - len(header)))
        for values in contiguous.values():
            file.write(values.reshape(-1).view(np.uint8).data)
            file.write(b"\0" * (_padded(values.nbytes) - values.nbytes))


def open_image(path: Path) -> Image:
    """Map an image.

    Raises:
        CorruptStore: the file is not an image, or shorter than its header requires.
        StoreError: the file cannot be mapped now.
        Incompatible: the image has another format.
    """
    try:
        is_small = path.stat().st_size <= _READ_BYTES
        data = np.frombuffer(path.read_bytes(), dtype=np.uint8) if is_small else map_file(path)
    except OSError as error:
        raise read_failure(path.name, error) from error
    if not len(data):
        raise CorruptStore(f"the image {path.name} is empty")
    if data[:8].tobytes() != _MAGIC:
        raise CorruptStore(f"the file {path.name} is not an image")
    length = int.from_bytes(data[8:16].tobytes(), "little")
    try:
        header = stable_json.loads(data[16 : 16 + length].tobytes())
    except ValueError as error:
        raise CorruptStore(f"the header of image {path.name} is not JSON") from error
    if not isinstance(header, dict) or not isinstance(header.get("arrays"), dict):
        raise CorruptStore(f"the header of image {path.name} lists no arrays")
    if header.get("format") not in {IMAGE_FORMAT, IMAGE_FORMAT_BEFORE}:
        raise Incompatible(f"image {path.name} has an unknown format: {header.get('format')!r}")
    digest = _digest(header)
    if header.get(_DIGEST, digest) != digest:
        raise CorruptStore(f"the header of image {path.name} does not match its digest")
    base = _padded(16 + length)
    arrays = {
        name: _slice(data, base + entry["offset"], entry, path)
        for name, entry in header["arrays"].items()
    }
    return Image(header["meta"], arrays, None if is_small else data)


def _slice(data: npt.NDArray[np.uint8], start: int, entry: dict[str, object], path: Path) -> Array:
    dtype = np.dtype(str(entry["dtype"]))
    shape = tuple(int(size) for size in entry["shape"])  # type: ignore[attr-defined]  # from JSON
    end = start + dtype.itemsize * math.prod(shape)
    if end > len(data):
        raise CorruptStore(f"the image {path.name} is shorter than its header requires")
    return data[start:end].view(dtype).reshape(shape)


def _digest(header: Mapping[str, stable_json.Json]) -> str:
    """Return the SHA-256 of the header's other fields; images of earlier builds have no digest."""
    rest = {key: value for key, value in header.items() if key != _DIGEST}
    return hashlib.sha256(stable_json.dumps(rest)).hexdigest()


def _padded(size: int) -> int:
    return -(-size // _ALIGN) * _ALIGN
