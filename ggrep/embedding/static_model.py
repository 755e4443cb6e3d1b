"""The static encoder's model: a folder of plain files, written by training, read by the encoder.

    words.txt      one feature a line, UTF-8, sorted by its bytes
    vectors.npy    int8 (V, D): a row for each feature, scaled to its own peak
    weights.npy    uint16 (2, V): what the row counts in documents and in queries, its scale
                   folded in; the largest of each kind is 65,535
    card.json      revision, digest, dimension, vocabulary, and whatever training adds

The digest is the SHA-256 of the first three, one after the other. The card is written last, so a
folder that was cut off while it was written is refused by its digest.
"""

import hashlib
import io
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from ggrep import stable_json
from ggrep.durable import replace_file
from ggrep.embedding.features import FEATURES
from ggrep.embedding.identity import CARD, MODEL_FAULT, EncoderIdentity, static_identity
from ggrep.embedding.quantise import MAX_DIMENSION, Int8, quantise
from ggrep.errors import InvalidRequest
from ggrep.stable_json import Json

WORDS: Final = "words.txt"
VECTORS: Final = "vectors.npy"
WEIGHTS: Final = "weights.npy"
MAX_VOCABULARY: Final = 1 << 22
"""So that the encoder can number the features of a whole block of texts in 32 bits."""
MAX_WEIGHT: Final = 65_535
_FILE_MODE: Final = 0o644
"""It is published, not a user's own."""

Weights = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class StaticModel:
    """What a folder holds, checked.

    Attributes:
        row_of: row of each feature.
        vectors: int8 (V, D), memory-mapped.
        document_weights: uint16 (V,).
        query_weights: uint16 (V,).
    """

    identity: EncoderIdentity
    row_of: Mapping[str, int]
    vectors: Int8
    document_weights: Weights
    query_weights: Weights


def read_model(folder: Path) -> StaticModel:
    """Return the model in a folder, its digest checked: some 15 ms for 24,000 rows of 256.

    Raises:
        InvalidRequest: there is none, or it is damaged or does not agree with itself.
    """
    identity = static_identity(folder)
    if identity.dimension > MAX_DIMENSION:
        raise InvalidRequest(f"{MODEL_FAULT}dimension {identity.dimension}, above {MAX_DIMENSION}")
    try:
        if _digest(folder) != identity.digest:
            raise InvalidRequest(f"{MODEL_FAULT}{folder.name!r} is not what its {CARD} says")
        words = _words((folder / WORDS).read_bytes())
        vectors = np.asarray(np.load(folder / VECTORS, mmap_mode="r", allow_pickle=False))
        weights = np.load(folder / WEIGHTS, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InvalidRequest(f"{MODEL_FAULT}cannot read {folder.name!r}: {error}") from error
    _require_array(VECTORS, vectors, np.int8, (len(words), identity.dimension))
    _require_array(WEIGHTS, weights, np.uint16, (2, len(words)))
    rows = {word: row for row, word in enumerate(words)}
    return StaticModel(identity, rows, vectors, weights[0], weights[1])


def write_model(
    folder: Path,
    words: Sequence[str],
    vectors: npt.NDArray[np.float32],
    document_weights: npt.NDArray[np.float64],
    query_weights: npt.NDArray[np.float64],
    card: Mapping[str, Json],
) -> str:
    """Write a model and return its digest; equal arguments give equal bytes.

    Args:
        folder: made if absent; a model that lies in it is replaced.
        words: the features, in any order.
        vectors: (V, D), a row for each feature.
        document_weights: (V,), what the rows count in documents; not below zero.
        query_weights: (V,), what they count in queries; not below zero.
        card: what to say about it, with a `revision`; the figures are added.

    Raises:
        InvalidRequest: the arguments make no model.
        Incompatible: the dimension is too large.
    """
    order = np.array(sorted(range(len(words)), key=words.__getitem__), dtype=np.intp)
    ordered = [words[place] for place in order]
    _require_words(ordered)
    if vectors.shape != (len(words), vectors.shape[-1]) or not np.isfinite(vectors).all():
        raise InvalidRequest(f"{MODEL_FAULT}vectors {vectors.shape}, finite ones for each word")
    whole, scales = quantise(vectors[order])
    both = np.stack(
        [_whole_weights(each, order, scales) for each in (document_weights, query_weights)]
    )
    folder.mkdir(parents=True, exist_ok=True)
    _replace(folder / WORDS, "".join(f"{word}\n" for word in ordered).encode())
    _replace(folder / VECTORS, _npy(whole))
    _replace(folder / WEIGHTS, _npy(both))
    digest = _digest(folder)
    figures = {"digest": digest, "dimension": whole.shape[1], "vocabulary": len(words)}
    _replace(folder / CARD, stable_json.dumps_pretty({**card, **figures, "features": FEATURES}))
    static_identity(folder)
    return digest


def _words(data: bytes) -> list[str]:
    words = data.decode("utf-8").split("\n")
    if words.pop():
        raise InvalidRequest(f"{MODEL_FAULT}{WORDS} does not end with a line end")
    _require_words(words)
    return words


def _require_words(words: list[str]) -> None:
    if not 0 < len(words) <= MAX_VOCABULARY:
        raise InvalidRequest(f"{MODEL_FAULT}{len(words)} words, 1 to {MAX_VOCABULARY} are possible")
    # Code points sort as their UTF-8 does.
    if not all(map(operator.lt, words, words[1:])):
        raise InvalidRequest(f"{MODEL_FAULT}a word stands twice or out of order")
    if not words[0] or "\n" in "".join(words):
        raise InvalidRequest(f"{MODEL_FAULT}a word is empty or holds a line end")


def _require_array(
    name: str, found: npt.NDArray[np.generic], dtype: type, shape: tuple[int, ...]
) -> None:
    if found.dtype != dtype or found.shape != shape or not found.flags.c_contiguous:
        raise InvalidRequest(
            f"{MODEL_FAULT}{name} holds {found.dtype} {found.shape}, not {np.dtype(dtype)} {shape}"
        )


def _whole_weights(
    weights: npt.NDArray[np.float64],
    order: npt.NDArray[np.intp],
    scales: npt.NDArray[np.float64],
) -> Weights:
    """Return uint16 (V,): `weights` in that order, times the scales of the rows."""
    if weights.shape != order.shape or not np.isfinite(weights).all() or (weights < 0.0).any():
        raise InvalidRequest(f"{MODEL_FAULT}weights {weights.shape}, finite ones for each word")
    scaled = weights[order].astype(np.float64) * scales
    peak = scaled.max()
    whole: Weights = np.rint(scaled / (peak or 1.0) * MAX_WEIGHT).astype(np.uint16)
    return whole


def _npy(array: npt.NDArray[np.generic]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _replace(path: Path, data: bytes) -> None:
    replace_file(path, data, mode=_FILE_MODE)


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for name in (WORDS, VECTORS, WEIGHTS):
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()
