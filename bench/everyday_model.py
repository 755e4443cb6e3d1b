"""The shipped static encoder as a model that the package `semble` loads from a folder.

Its own model comes from a hub alone; `SEMBLE_MODEL_NAME` may name a folder instead. Its models hold
a row for each token, so each word of the texts gets the sum of its features' rows, weighted as in
documents. What differs from ggrep's use: a word that stands twice counts twice, not log(1 + 2), and
a query's words weigh what a document's do.
"""

import json
import re
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import numpy as np

from ggrep.index.embedding.features import features
from ggrep.index.embedding.static_model import read_model

STATIC: Final = Path(__file__).parents[1] / "ggrep" / "index" / "embedding" / "static_data"
UNKNOWN: Final = "[UNK]"
_WORD: Final = r"\w+"


def export(texts: Iterable[str], folder: Path) -> int:
    """Write a model of the words of some texts, and return how many it knows."""
    model = read_model(STATIC)
    seen = {word for text in texts for word in re.findall(_WORD, text)}
    known: list[str] = []
    sums = []
    for word in sorted(seen):
        rows = [model.row_of[name] for name in features(word) if name in model.row_of]
        if rows:
            known.append(word)
            sums.append(model.document_weights[rows].astype(np.float64) @ model.vectors[rows])
    table = np.vstack([np.zeros_like(sums[0]), *sums])
    folder.mkdir(parents=True, exist_ok=True)
    _write_tensor(folder / "model.safetensors", (table / np.abs(table).max()).astype(np.float32))
    vocabulary = {word: row for row, word in enumerate([UNKNOWN, *known])}
    words_alone = {"type": "Split", "pattern": {"Regex": _WORD}, "behavior": "Removed"}
    tokenizer = {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": words_alone | {"invert": True},
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": UNKNOWN},
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    config = {"model_type": "model2vec", "normalize": True, "hidden_dim": table.shape[1]}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return len(known)


def _write_tensor(path: Path, table: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> None:
    """Write one tensor, named `embeddings`, in the format safetensors."""
    data = np.ascontiguousarray(table).tobytes()
    told = {"dtype": "F32", "shape": list(table.shape), "data_offsets": [0, len(data)]}
    head = json.dumps({"embeddings": told}).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + data)
