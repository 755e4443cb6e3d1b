"""Identifies the encoder that made a vector, without loading the encoder.

The identity is part of a store's id. Clients compute the identity, but load neither numpy nor a
model.
"""

import hashlib
import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.index.embedding.features import FEATURES

TRANSFORMER: Final = "sentence-transformers:"
"""Prefix of a setting that names the folder of a sentence-transformers model."""

STATIC: Final = "static"
"""The setting of the encoder that is part of ggrep."""
STATIC_FOLDER: Final = f"{STATIC}:"
"""Prefix of a setting that names the folder of another static model."""
CARD: Final = "card.json"
"""The file in a static model's folder that describes the model."""
MODEL_FAULT: Final = f"encoder {STATIC}: "
"""Beginning of the message about an unusable folder."""

_STATIC_DATA: Final = Path(__file__).with_name("static_data")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_WEIGHTS = frozenset({".safetensors", ".bin", ".json", ".txt"})


class EncoderIdentity(Struct, frozen=True):
    """The values that determine whether two vectors can be compared.

    Attributes:
        digest: SHA-256 of the weights; empty without weights.
        dimension: 0 without an encoder, or if the weights determine the dimension.
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
        """Return a line of text that is equal only for comparable vectors."""
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

_STATIC_POOLING: Final = f"log-sum-1/{FEATURES}"
"""Version of the features, and of the computation of a vector from a static model's rows."""

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
    if name == STATIC:
        return _shipped_identity()
    if name.startswith(STATIC_FOLDER):
        return static_identity(static_folder(name))
    if name.startswith(TRANSFORMER):
        return transformer_identity(Path(name.removeprefix(TRANSFORMER)))
    raise InvalidRequest(
        f"encoder: unknown value {name!r}; use none, {STATIC}, {STATIC_FOLDER}<model folder>, "
        f"hashed or {TRANSFORMER}<model folder>"
    )


def static_folder(name: str) -> Path:
    """Return the folder of the static model that a setting names."""
    return _STATIC_DATA if name == STATIC else Path(name.removeprefix(STATIC_FOLDER))


def static_identity(folder: Path) -> EncoderIdentity:
    """Return the identity in a static model's card; `read_model` verifies the card.

    Raises:
        InvalidRequest: there is no such folder, or its card is invalid.
    """
    try:
        card = stable_json.loads((folder / CARD).read_bytes())
    except (OSError, ValueError) as error:
        raise InvalidRequest(
            f"{MODEL_FAULT}{CARD} in {folder.name!r} is missing or cannot be read"
        ) from error
    match card:
        case {"features": str(known)} if known != FEATURES:
            raise InvalidRequest(
                f"{MODEL_FAULT}the model in {folder.name!r} computes vectors from "
                f"{known}; this build needs {FEATURES}"
            )
        case {"revision": str(revision), "digest": str(digest), "dimension": int(dimension)}:
            sound = revision and "|" not in revision and _SHA256.fullmatch(digest)
            if sound and type(dimension) is int and dimension > 0:
                return EncoderIdentity(STATIC, revision, digest, dimension, _STATIC_POOLING)
        case _:
            pass
    raise InvalidRequest(
        f"{MODEL_FAULT}{CARD} in {folder.name!r} has no valid revision, digest or dimension"
    )


@lru_cache(maxsize=1)
def _shipped_identity() -> EncoderIdentity:
    # Cached, because every search needs the version, and it does not change while a process runs.
    return static_identity(_STATIC_DATA)


def transformer_identity(folder: Path) -> EncoderIdentity:
    """Return the identity of the sentence-transformers model in a folder.

    Raises:
        InvalidRequest: there is no such folder.
    """
    if not folder.is_dir():
        raise InvalidRequest(f"encoder: the model folder {folder.name!r} does not exist")
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
