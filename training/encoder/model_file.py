"""Writes the static encoder's model, as `ggrep.index.embedding.static_model` reads it."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from ggrep.base import stable_json
from ggrep.base.durable import replace_file
from ggrep.base.errors import InvalidRequest
from ggrep.base.stable_json import Json
from ggrep.index.embedding.features import FEATURES
from ggrep.index.embedding.identity import CARD, MODEL_FAULT, static_identity
from ggrep.index.embedding.quantise import quantise
from ggrep.index.embedding.static_model import (
    VECTORS,
    WEIGHTS,
    WORDS,
    Weights,
    model_digest,
    require_words,
)

_MAX_WEIGHT: Final = 65_535
_FILE_MODE: Final = 0o644
"""It is published, not a user's own."""


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
    require_words(ordered)
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
    digest = model_digest(folder)
    figures = {"digest": digest, "dimension": whole.shape[1], "vocabulary": len(words)}
    _replace(folder / CARD, stable_json.dumps_pretty({**card, **figures, "features": FEATURES}))
    static_identity(folder)
    return digest


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
    whole: Weights = np.rint(scaled / (peak or 1.0) * _MAX_WEIGHT).astype(np.uint16)
    return whole


def _npy(array: npt.NDArray[np.generic]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _replace(path: Path, data: bytes) -> None:
    replace_file(path, data, mode=_FILE_MODE)
