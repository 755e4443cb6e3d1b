"""What every encoder promises, checked on those that need no model."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.errors import InvalidRequest
from ggrep.index.embedding.encoder_choice import open_encoder
from ggrep.index.embedding.hashed import HashedEncoder
from ggrep.index.embedding.identity import NO_ENCODER, identity_of

texts = st.lists(st.text(st.sampled_from("ab cd9_é\n")), max_size=6)


@given(texts, texts)
def test_a_vector_does_not_depend_on_its_batch(first: list[str], second: list[str]) -> None:
    """A file's vectors must be the same whatever was indexed beside it."""
    together = HashedEncoder().encode_documents([*first, *second])
    apart = [HashedEncoder().encode_query(text) for text in (*first, *second)]

    assert together.shape == (len(apart), 256)
    assert together.tobytes() == b"".join(vector.tobytes() for vector in apart)


@given(st.text(st.sampled_from("ab cd"), min_size=1))
def test_vectors_have_unit_length_or_none(text: str) -> None:
    """Their products are cosines."""
    length = float(np.linalg.norm(HashedEncoder().encode_query(text)))

    assert length == pytest.approx(1.0, abs=1e-6) or length == 0.0


def test_shared_words_bring_texts_together() -> None:
    """That is all a test needs of an encoder."""
    encoder = HashedEncoder()
    query = encoder.encode_query("retry queue")
    near, far = encoder.encode_documents(["the retry queue", "parse a token"])

    assert query @ near > query @ far


def test_none_means_no_encoder() -> None:
    """Retrieval is then lexical and structural."""
    assert open_encoder("none") is None
    assert identity_of("none") is NO_ENCODER


@pytest.mark.parametrize("name", ["magic", "sentence-transformers:/nowhere/at/all"])
def test_an_encoder_that_is_not_there_is_refused(name: str) -> None:
    """A silent fallback would index by other vectors than were asked for."""
    with pytest.raises(InvalidRequest, match="encoder"):
        open_encoder(name)


def test_the_identity_tells_encoders_apart() -> None:
    """Vectors of different encoders are never compared."""
    assert HashedEncoder.identity.key != NO_ENCODER.key
