"""The encoder that a setting names."""

from pathlib import Path

from ggrep.embedding.encoder import Encoder
from ggrep.embedding.hashed import HashedEncoder
from ggrep.embedding.identity import STATIC, STATIC_FOLDER, TRANSFORMER, identity_of, static_folder
from ggrep.embedding.static_encoder import StaticEncoder
from ggrep.embedding.static_model import read_model


def open_encoder(name: str) -> Encoder | None:
    """Return the encoder called `name`; None for `none` (lexical and structure only).

    Raises:
        InvalidRequest: no such encoder, or it cannot be loaded.
    """
    identity_of(name)
    if name == "none":
        return None
    if name == "hashed":
        return HashedEncoder()
    if name == STATIC or name.startswith(STATIC_FOLDER):
        return StaticEncoder(read_model(static_folder(name)))
    from ggrep.embedding.transformer import TransformerEncoder

    return TransformerEncoder(Path(name.removeprefix(TRANSFORMER)))
