"""Encodes with a sentence-transformers model in a local folder; needs the extra `transformers`."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ggrep.base.clock import Deadline
from ggrep.base.errors import InvalidRequest
from ggrep.index.embedding.encoder import Vectors
from ggrep.index.embedding.identity import transformer_identity


class TransformerEncoder:
    """A sentence-transformers model.

    Texts are encoded one at a time, because padding in a batch changes the last bits of vectors,
    and a vector must not depend on its batch.
    """

    def __init__(self, folder: Path) -> None:
        """Load the model in `folder`; nothing is downloaded.

        Raises:
            InvalidRequest: the extra is not installed, or the folder is not a model.
        """
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise InvalidRequest(
                "encoder sentence-transformers needs the extra: pip install 'ggrep[transformers]'"
            ) from error
        self.identity = transformer_identity(folder)
        self._model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        self.dimension = len(self._encode("dimension"))

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (len(texts), dimension), rows of unit length."""
        rows = [self.encode_query(text) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.dimension), dtype=np.float32)

    def encode_query(self, text: str, deadline: Deadline | None = None) -> Vectors:
        """Return float32 (dimension,), of unit length."""
        del deadline  # the deadline is not checked: one text cannot be encoded in parts
        return self._encode(text)

    def _encode(self, text: str) -> Vectors:
        vectors = self._model.encode(
            [text], normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
        )
        return np.asarray(vectors[0], dtype=np.float32)
