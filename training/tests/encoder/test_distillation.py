"""Rows taken from a transformer."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from training.encoder import distillation
from training.encoder.distillation import distilled_rows, principal_components

Floats = npt.NDArray[np.float32]


def scattered(seed: int = 1) -> Floats:
    """Return 50 rows that differ most along a few directions."""
    chance = np.random.default_rng(seed)
    rows = chance.normal(size=(50, 8)) * np.arange(8, 0, -1) + 3.0
    turn, _ = np.linalg.qr(chance.normal(size=(8, 8)))
    return np.asarray(rows @ turn, dtype=np.float32)


def test_components_equal_an_eigen_decomposition_up_to_signs() -> None:
    """The directions are those of the covariances' largest eigenvalues."""
    rows = scattered()
    centred = rows.astype(np.float64) - rows.mean(axis=0, dtype=np.float64)
    values, directions = np.linalg.eigh(centred.T @ centred)
    wanted = centred @ directions[:, np.argsort(-values)[:3]]
    found = principal_components(rows, 3)
    signs = np.sign(np.sum(found * wanted, axis=0))

    assert found.dtype == np.float32
    np.testing.assert_allclose(found, wanted * signs, atol=1e-4)


def test_components_are_centred_and_differ_most_first() -> None:
    """Those that are cut off are the least."""
    found = principal_components(scattered(), 8)

    np.testing.assert_allclose(found.mean(axis=0), np.zeros(8), atol=1e-4)
    assert (np.diff(found.std(axis=0)) < 0).all()


class FakeEncoder:
    """Reads words as random vectors; remembers what it was given."""

    asked: tuple[str, ...] = ()
    folder: Path | None = None

    def __init__(self, folder: Path) -> None:
        FakeEncoder.folder = folder

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        FakeEncoder.asked = tuple(texts)
        return scattered()[: len(texts)]


def test_rows_are_what_a_transformer_makes_of_each_word(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Stems are read as they are mostly written, and rows are as long as random ones."""
    monkeypatch.setattr(distillation, "TransformerEncoder", FakeEncoder)
    words = [f"word{at}" for at in range(39)] + ["pars"]
    found = distilled_rows(words, {"pars": "parse", "other": "unasked"}, tmp_path, 4)
    components = principal_components(scattered()[:40], 4)

    assert FakeEncoder.folder == tmp_path
    assert FakeEncoder.asked == (*words[:-1], "parse")
    assert found.shape == (40, 4)
    assert found.dtype == np.float32
    assert np.linalg.norm(found, axis=1).mean() == pytest.approx(1.0, rel=1e-5)
    np.testing.assert_allclose(found / found[0, 0], components / components[0, 0], rtol=1e-3)
