"""A static model that was not trained: its rows are what a transformer makes of each word.

It knows the same features as the shipped one and weighs them by how common they are in the texts
that are searched, so that only the rows say what training was worth.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from bench.encoders import minilm_folder
from ggrep.index.embedding.features import features, text_words
from ggrep.index.embedding.static_model import StaticModel
from training.encoder.bags import Vocabulary
from training.encoder.distillation import distilled_rows
from training.encoder.model_file import write_model
from training.encoder.training import first_weights


def transformer() -> Path | None:
    """Return the folder of the model that words are read with; None where it cannot be had."""
    return minilm_folder() if find_spec("sentence_transformers") else None


def write_untrained(folder: Path, shipped: StaticModel, texts: Iterable[str], model: Path) -> None:
    """Write the model of the shipped one's features.

    Args:
        folder: where it is written to.
        shipped: names the features and the dimension.
        texts: that are searched.
        model: of the transformer.
    """
    words = sorted(shipped.row_of, key=shipped.row_of.__getitem__)
    vocabulary, written = counted(words, texts)
    rows = distilled_rows(words, written, model, shipped.identity.dimension)
    weights = np.exp(first_weights(vocabulary)).astype(np.float64)
    write_model(folder, words, rows, weights, weights, {"revision": "untrained"})


def counted(words: Sequence[str], texts: Iterable[str]) -> tuple[Vocabulary, Mapping[str, str]]:
    """Return how many of the texts hold each feature, and how a stem is mostly written."""
    holding: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    total = 0
    for text in texts:
        found = Counter(text_words(text))
        holding.update({feature for word in found for feature in features(word)})
        seen.update(found)
        total += 1
    forms: dict[str, Counter[str]] = {}
    for word, count in seen.items():
        # The whole, and its stem if that is another word: of more parts none is written alone.
        if len(parts := features(word)) == 2:
            forms.setdefault(parts[1], Counter())[parts[0]] += count
    written = {
        root: min(found, key=lambda form: (-found[form], form))
        for root, found in forms.items()
        if max(found.values()) > seen[root]
    }
    held = np.array([holding[word] for word in words], dtype=np.int64)
    return Vocabulary(tuple(words), held, total), written
