"""Rows taken from a transformer: what it makes of each feature on its own, in fewer dimensions.

That is a distillation to a static model without training, which the trained one is compared with:
word by word through the transformer, then principal components.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ggrep.index.embedding.transformer import TransformerEncoder
from training.encoder.contrast import Matrix, unit


def distilled_rows(
    words: Sequence[str], written: Mapping[str, str], model: Path, dimension: int
) -> Matrix:
    """Return float32 (len(words), dimension) of unit length on the mean.

    Args:
        words: features; a stem is no word.
        written: feature to how it is mostly written, which the transformer reads instead.
        model: folder of a sentence-transformers model.
        dimension: at most the model's own, and the number of words.

    Raises:
        InvalidRequest: the extra is not installed, or the folder is not a model.
    """
    encoder = TransformerEncoder(model)
    vectors = encoder.encode_documents([written.get(word, word) for word in words])
    rows = principal_components(vectors, dimension)
    scaled: Matrix = rows / np.mean(unit(rows)[1])
    return scaled


def principal_components(vectors: Matrix, dimension: int) -> Matrix:
    """Return float32 (n, dimension): centred and turned so that the first figures differ most."""
    centred = vectors - vectors.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    turned: Matrix = (centred @ directions[:dimension].T).astype(np.float32)
    return turned
