"""The encoder that a setting names."""

from pathlib import Path

from ggrep.embedding.encoder import NO_ENCODER, Encoder, EncoderIdentity
from ggrep.embedding.hashed import HashedEncoder
from ggrep.errors import InvalidRequest

_TRANSFORMER = "sentence-transformers:"


def open_encoder(name: str) -> Encoder | None:
    """Return the encoder called `name`; None for `none` (lexical and structure only).

    Raises:
        InvalidRequest: no such encoder, or it cannot be loaded.
    """
    if name == "none":
        return None
    if name == "hashed":
        return HashedEncoder()
    if name.startswith(_TRANSFORMER):
        from ggrep.embedding.transformer import TransformerEncoder

        return TransformerEncoder(Path(name.removeprefix(_TRANSFORMER)))
    raise InvalidRequest(
        f"encoder: unknown value {name!r}; use none, hashed or {_TRANSFORMER}<model folder>"
    )


def identity_of(encoder: Encoder | None) -> EncoderIdentity:
    """Return the encoder's identity, or the one that stands for none."""
    return NO_ENCODER if encoder is None else encoder.identity
