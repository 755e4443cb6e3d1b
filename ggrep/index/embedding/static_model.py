"""The static encoder's model: a folder of plain files, written by training.

    words.txt    one feature per line, UTF-8, sorted by bytes
    vectors.npy  int8 (V, D): a row for each feature, quantised with a scale of its own
    weights.npy  uint16 (2, V): each row's weight in documents and in queries, times its scale,
                 normalised so that the largest weight of each kind is 65,535
    card.json    revision, digest, dimension, vocabulary, and keys that training adds

The digest is the SHA-256 of the first three files, one after the other. The card is written last.
If writing was interrupted, the digest does not match and the folder is rejected.
"""

import hashlib
import operator
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base.errors import InvalidRequest
from ggrep.index.embedding.identity import CARD, MODEL_FAULT, EncoderIdentity, static_identity
from ggrep.index.embedding.quantise import MAX_DIMENSION, Int8

WORDS: Final = "words.txt"
VECTORS: Final = "vectors.npy"
WEIGHTS: Final = "weights.npy"
MAX_VOCABULARY: Final = 1 << 22
"""Maximum number of features, so that all features of a block of texts have numbers of 32 bits."""

Weights = npt.NDArray[np.uint16]


class StaticModel(Struct, frozen=True):
    """The verified content of a model's folder.

    Attributes:
        row_of: the row of each feature.
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
    """Return the model in a folder, with verified digest; takes some 15 ms for 24,000 rows.

    Raises:
        InvalidRequest: there is no model, or it is damaged or inconsistent.
    """
    identity = static_identity(folder)
    if identity.dimension > MAX_DIMENSION:
        raise InvalidRequest(f"{MODEL_FAULT}dimension {identity.dimension} exceeds {MAX_DIMENSION}")
    try:
        if model_digest(folder) != identity.digest:
            raise InvalidRequest(f"{MODEL_FAULT}the files in {folder.name!r} do not match {CARD}")
        words = _words((folder / WORDS).read_bytes())
        vectors = np.asarray(np.load(folder / VECTORS, mmap_mode="r", allow_pickle=False))
        weights = np.load(folder / WEIGHTS, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InvalidRequest(f"{MODEL_FAULT}cannot read {folder.name!r}: {error}") from error
    _require_array(VECTORS, vectors, np.int8, (len(words), identity.dimension))
    _require_array(WEIGHTS, weights, np.uint16, (2, len(words)))
    rows = {word: row for row, word in enumerate(words)}
    return StaticModel(identity, rows, vectors, weights[0], weights[1])


def _words(data: bytes) -> list[str]:
    words = data.decode("utf-8").split("\n")
    if words.pop():
        raise InvalidRequest(f"{MODEL_FAULT}{WORDS} does not end with a newline")
    require_words(words)
    return words


def require_words(words: list[str]) -> None:
    """Raise if the words cannot be those of a model.

    Raises:
        InvalidRequest: there are too many words, none, duplicates or words out of order.
    """
    if not 0 < len(words) <= MAX_VOCABULARY:
        raise InvalidRequest(
            f"{MODEL_FAULT}{WORDS} has {len(words)} words; 1 to {MAX_VOCABULARY} are allowed"
        )
    # Code points sort as their UTF-8 does.
    if not all(map(operator.lt, words, words[1:])):
        raise InvalidRequest(f"{MODEL_FAULT}{WORDS} is not sorted or repeats a word")
    if not words[0] or "\n" in "".join(words):
        raise InvalidRequest(f"{MODEL_FAULT}a word in {WORDS} is empty or contains a newline")


def _require_array(
    name: str, array: npt.NDArray[np.generic], dtype: type, shape: tuple[int, ...]
) -> None:
    if array.dtype != dtype or array.shape != shape or not array.flags.c_contiguous:
        raise InvalidRequest(
            f"{MODEL_FAULT}{name} has type and shape {array.dtype} {array.shape}, not "
            f"{np.dtype(dtype)} {shape}"
        )


def model_digest(folder: Path) -> str:
    """Return the digest of the model in a folder."""
    digest = hashlib.sha256()
    for name in (WORDS, VECTORS, WEIGHTS):
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()
