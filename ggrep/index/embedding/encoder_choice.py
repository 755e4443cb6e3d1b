"""Opens the encoder that the setting names."""

from functools import lru_cache
from pathlib import Path

from ggrep.base.errors import InvalidRequest
from ggrep.index.embedding.encoder import Encoder
from ggrep.index.embedding.hashed import HashedEncoder
from ggrep.index.embedding.identity import (
    MODEL_FAULT,
    STATIC,
    STATIC_FOLDER,
    TRANSFORMER,
    identity_of,
    static_folder,
)
from ggrep.index.embedding.static_encoder import StaticEncoder
from ggrep.index.embedding.static_model import read_model


def open_encoder(name: str) -> Encoder | None:
    """Return the encoder called `name`; None for `none` (lexical and structure only).

    Raises:
        InvalidRequest: there is no such encoder, or it cannot be loaded.
    """
    identity = identity_of(name)
    if name == "none":
        return None
    if name == "hashed":
        return HashedEncoder()
    if name == STATIC or name.startswith(STATIC_FOLDER):
        return _static(static_folder(name), identity.digest)
    from ggrep.index.embedding.transformer import TransformerEncoder

    return TransformerEncoder(Path(name.removeprefix(TRANSFORMER)))


@lru_cache(maxsize=2)
def _static(folder: Path, digest: str) -> StaticEncoder:
    """Return the encoder of a model; all stores of this process share it."""
    model = read_model(folder)
    if model.identity.digest != digest:
        raise InvalidRequest(
            f"{MODEL_FAULT}the model folder {folder.name!r} was replaced a moment ago; try again"
        )
    return StaticEncoder(model)
