"""Any sentence-transformers model, from a local folder; needs the `[transformers]` extra."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ggrep.embedding.encoder import EncoderIdentity, Vectors
from ggrep.errors import InvalidRequest


class TransformerEncoder:
    """A sentence-transformers model.

    Texts are encoded one at a time: a padded batch changes the last bits of its members, and a
    vector must not depend on its batch.
    """

    weight = 0.5

    def __init__(self, folder: Path) -> None:
        """Load the model in `folder`; nothing is ever fetched.

        Raises:
            InvalidRequest: the extra is not installed, or the folder is not a model.
        """
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise InvalidRequest(
                "encoder sentence-transformers needs the extra: pip install 'ggrep[transformers]'"
            ) from error
        if not folder.is_dir():
            raise InvalidRequest(f"encoder: no model folder {folder.name!r}")
        self._model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        dimension = len(self._encode("dimension"))
        self.identity = EncoderIdentity(
            "sentence-transformers", "1", _weights_digest(folder), dimension, pooling="model"
        )

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (len(texts), dimension), rows of unit length."""
        rows = [self.encode_query(text) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.identity.dimension), dtype=np.float32)

    def encode_query(self, text: str) -> Vectors:
        """Return float32 (dimension,), of unit length."""
        return self._encode(text)

    def _encode(self, text: str) -> Vectors:
        vectors = self._model.encode(
            [text], normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
        )
        return np.asarray(vectors[0], dtype=np.float32)


def _weights_digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in {".safetensors", ".bin", ".json", ".txt"}:
            digest.update(str(path.relative_to(folder)).encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
