"""The encoder that a setting names."""

from pathlib import Path

from ggrep.embedding.encoder import Encoder
from ggrep.embedding.hashed import HashedEncoder
from ggrep.embedding.identity import TRANSFORMER, identity_of


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
    from ggrep.embedding.transformer import TransformerEncoder

    return TransformerEncoder(Path(name.removeprefix(TRANSFORMER)))
