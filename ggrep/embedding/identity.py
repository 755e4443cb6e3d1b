"""Which encoder made a vector, told without loading the encoder.

Clients name stores by it, and clients load neither numpy nor a model.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ggrep.errors import InvalidRequest

TRANSFORMER: Final = "sentence-transformers:"
"""What the setting of a model's folder begins with."""

_WEIGHTS = frozenset({".safetensors", ".bin", ".json", ".txt"})


@dataclass(frozen=True, slots=True)
class EncoderIdentity:
    """All that decides whether two vectors can be compared.

    Attributes:
        digest: SHA-256 of the weights, empty where there are none.
        dimension: 0 where there is no encoder, or where the weights decide it.
    """

    name: str
    revision: str
    digest: str
    dimension: int
    pooling: str = ""
    query_prefix: str = ""
    document_prefix: str = ""

    @property
    def key(self) -> str:
        """Return one line that differs whenever vectors cannot be compared."""
        parts = (
            self.name,
            self.revision,
            self.digest,
            str(self.dimension),
            self.pooling,
            self.query_prefix,
            self.document_prefix,
        )
        return "|".join(parts)


NO_ENCODER: Final = EncoderIdentity("none", "1", "", 0)
"""Retrieval is lexical and structural only."""

HASHED: Final = EncoderIdentity("hashed", "4", "", 256, pooling="sum-sqrt")


def identity_of(name: str) -> EncoderIdentity:
    """Return the identity of the encoder that a setting names.

    Raises:
        InvalidRequest: there is no such encoder.
    """
    if name == "none":
        return NO_ENCODER
    if name == "hashed":
        return HASHED
    if name.startswith(TRANSFORMER):
        return transformer_identity(Path(name.removeprefix(TRANSFORMER)))
    raise InvalidRequest(
        f"encoder: unknown value {name!r}; use none, hashed or {TRANSFORMER}<model folder>"
    )


def transformer_identity(folder: Path) -> EncoderIdentity:
    """Return the identity of the model in a folder.

    Raises:
        InvalidRequest: there is no such folder.
    """
    if not folder.is_dir():
        raise InvalidRequest(f"encoder: no model folder {folder.name!r}")
    digest = _weights_digest(folder)
    return EncoderIdentity("sentence-transformers", "2", digest, 0, pooling="model")


def _weights_digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in _WEIGHTS:
            digest.update(str(path.relative_to(folder)).encode() + b"\0")
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
