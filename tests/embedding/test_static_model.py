"""The folder of a static model: equal input gives equal bytes, damage is named."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError, Incompatible, InvalidRequest
from ggrep.index.embedding import identity
from ggrep.index.embedding.identity import identity_of, static_identity
from ggrep.index.embedding.static_model import model_digest, read_model
from training.encoder.model_file import write_model

FILES = ("words.txt", "vectors.npy", "weights.npy", "card.json")
SIZE, DIMENSION = 40, 8


class Parts(Struct, frozen=True):
    """What a model is written from."""

    words: list[str]
    vectors: "np.ndarray[Any, np.dtype[np.float32]]"
    documents: "np.ndarray[Any, np.dtype[np.float64]]"
    queries: "np.ndarray[Any, np.dtype[np.float64]]"

    def write(self, folder: Path, **card: str) -> str:
        card = {"revision": "1"} | card
        return write_model(folder, self.words, self.vectors, self.documents, self.queries, card)


def parts(size: int = SIZE) -> Parts:
    chance = np.random.default_rng(3)
    vectors = chance.normal(size=(size, DIMENSION)).astype(np.float32)
    words = [f"w{number}é" for number in range(size)]
    return Parts(words, vectors, chance.random(size), chance.random(size))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    parts().write(tmp_path / "model")
    return tmp_path / "model"


def change_card(folder: Path, **fields: Any) -> None:
    card = stable_json.loads((folder / "card.json").read_bytes())
    (folder / "card.json").write_bytes(stable_json.dumps(card | fields))


def sealed(folder: Path) -> None:
    change_card(folder, digest=model_digest(folder))


def test_what_was_written_is_read(folder: Path) -> None:
    """Up to the steps of eight and of sixteen bits."""
    given, model = parts(), read_model(folder)
    rows = [model.row_of[word] for word in given.words]
    documents = model.vectors[rows] * model.document_weights[rows][:, None].astype(float)
    wanted = given.vectors * given.documents[:, None]
    factor = np.abs(documents).max() / np.abs(wanted).max()

    assert list(model.row_of) == sorted(given.words)
    assert documents == pytest.approx(wanted * factor, abs=np.abs(documents).max() / 100)
    assert model.document_weights.max() == model.query_weights.max() == 65_535
    assert not model.vectors.flags.writeable


def test_the_order_of_the_words_leaves_no_trace(tmp_path: Path) -> None:
    """A model that is trained again is the same file."""
    given = parts()
    back = Parts(given.words[::-1], given.vectors[::-1], given.documents[::-1], given.queries[::-1])
    first, second = given.write(tmp_path / "a"), back.write(tmp_path / "b")

    assert first == second
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_the_card_says_what_it_is_and_what_training_adds(folder: Path) -> None:
    """Where a model came from must be known as long as it is used."""
    digest = parts().write(folder, revision="2", licences="MIT")
    card = stable_json.loads((folder / "card.json").read_bytes())

    assert card == {
        "revision": "2",
        "licences": "MIT",
        "digest": digest,
        "dimension": DIMENSION,
        "vocabulary": SIZE,
        "features": "features-2",
    }


def test_the_identity_needs_the_card_alone(folder: Path) -> None:
    """Clients name stores by it, and load no arrays."""
    for name in FILES[:-1]:
        (folder / name).unlink()
    result = identity_of(f"static:{folder}")

    assert (result.name, result.revision, result.dimension) == ("static", "1", DIMENSION)
    assert result.pooling == "log-sum-1/features-2"


def test_the_shipped_card_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every search asks for it."""
    monkeypatch.setattr(identity, "_STATIC_DATA", folder)
    identity._shipped_identity.cache_clear()
    try:
        first = identity_of("static")
        (folder / "card.json").unlink()

        assert identity_of("static") is first
    finally:
        identity._shipped_identity.cache_clear()


def test_a_model_of_other_features_is_refused(folder: Path) -> None:
    """Its rows would be looked up by words that they were not learnt for."""
    change_card(folder, features="features-0")

    with pytest.raises(
        InvalidRequest, match="computes vectors from features-0; this build needs features-"
    ):
        read_model(folder)


def test_another_model_is_another_encoder(folder: Path, tmp_path: Path) -> None:
    """Their vectors are never compared."""
    parts(SIZE - 1).write(tmp_path / "other")

    assert static_identity(folder).key != static_identity(tmp_path / "other").key


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named_as_the_encoder_s_fault(folder: Path, name: str) -> None:
    """A typing error in a setting must not read like a broken installation."""
    (folder / name).unlink()

    with pytest.raises(InvalidRequest, match="encoder static"):
        read_model(folder)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("left", [0.0, 0.02, 0.5, 0.9])
def test_a_cut_file_is_refused(folder: Path, name: str, left: float) -> None:
    """With the digest of before, and with one that fits the damage."""
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[: int(len(data) * left)])

    with pytest.raises(InvalidRequest, match="encoder static"):
        read_model(folder)
    if name != "card.json":
        sealed(folder)
        with pytest.raises(InvalidRequest, match="encoder static"):
            read_model(folder)


@pytest.mark.parametrize("name", FILES[:-1])
def test_one_flipped_bit_is_noticed(folder: Path, name: str) -> None:
    """Vectors of a damaged model would look like any others."""
    data = bytearray((folder / name).read_bytes())
    data[-2] ^= 1
    (folder / name).write_bytes(data)

    with pytest.raises(InvalidRequest, match=r"do not match card\.json"):
        read_model(folder)


def spoil_array(name: str, change: Callable[[Any], Any]) -> Callable[[Path], None]:
    return lambda folder: np.save(folder / name, change(np.load(folder / name)))


def spoil_words(change: Callable[[list[str]], list[str]]) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        words = (folder / "words.txt").read_text().split("\n")[:-1]
        (folder / "words.txt").write_text("".join(f"{word}\n" for word in change(words)))

    return spoil


DAMAGE = {
    "rows are floats": spoil_array("vectors.npy", lambda rows: rows.astype(np.float32)),
    "a row too few": spoil_array("vectors.npy", lambda rows: rows[1:]),
    "a column too few": spoil_array("vectors.npy", lambda rows: rows[:, 1:].copy()),
    "columns first": spoil_array("vectors.npy", np.asfortranarray),
    "rows without columns": spoil_array("vectors.npy", np.ravel),
    "objects": spoil_array("vectors.npy", lambda rows: rows.astype(object)),
    "signed weights": spoil_array("weights.npy", lambda rows: rows.astype(np.int16)),
    "weights of one kind": spoil_array("weights.npy", lambda rows: rows[:1]),
    "a weight too few": spoil_array("weights.npy", lambda rows: rows[:, 1:].copy()),
    "words unsorted": spoil_words(lambda words: words[::-1]),
    "a word twice": spoil_words(lambda words: [words[0], *words[:-1]]),
    "a word missing": spoil_words(lambda words: words[1:]),
    "a word too many": spoil_words(lambda words: [*words, "zzz"]),
    "an empty word": spoil_words(lambda words: ["", *words[1:]]),
    "no words": spoil_words(lambda words: []),
    "not UTF-8": lambda folder: (folder / "words.txt").write_bytes(b"\xff\n") and None,
    "no last line end": lambda folder: (folder / "words.txt").write_bytes(b"a\nb") and None,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_what_does_not_agree_is_refused(folder: Path, damage: Callable[[Path], None]) -> None:
    """Even with a digest that fits: a wrong row would be silent."""
    damage(folder)
    sealed(folder)

    with pytest.raises(InvalidRequest, match="encoder static"):
        read_model(folder)


@pytest.mark.parametrize(
    "change",
    [
        {"digest": "0" * 64},
        {"digest": "short"},
        {"digest": None},
        {"dimension": DIMENSION + 1},
        {"dimension": 0},
        {"dimension": "8"},
        {"dimension": True},
        {"dimension": 5000},
        {"revision": 1},
        {"revision": ""},
        {"revision": "a|b"},
    ],
)
def test_a_card_that_says_something_else_is_refused(folder: Path, change: dict[str, Any]) -> None:
    change_card(folder, **change)

    with pytest.raises(InvalidRequest, match="encoder static"):
        read_model(folder)


def test_a_dimension_that_is_not_exact_is_refused(folder: Path) -> None:
    np.save(folder / "vectors.npy", np.ones((SIZE, 1041), np.int8))
    change_card(folder, dimension=1041, digest=model_digest(folder))

    with pytest.raises(InvalidRequest, match="dimension 1041"):
        read_model(folder)


@pytest.mark.parametrize("card", [b"", b"[]", b"{}", b"\xff"])
def test_what_is_no_card_is_refused(folder: Path, card: bytes) -> None:
    """A file of that name may be anything."""
    (folder / "card.json").write_bytes(card)

    with pytest.raises(InvalidRequest, match="encoder static"):
        static_identity(folder)


def wrong_parts() -> dict[str, Parts]:
    first = parts()
    nan = np.full(SIZE, np.nan)
    return {
        "a word twice": Parts(["a"] * SIZE, first.vectors, first.documents, first.queries),
        "a line end": Parts(
            ["a\nb", *first.words[1:]], first.vectors, first.documents, first.queries
        ),
        "no words": Parts([], first.vectors[:0], first.documents[:0], first.queries[:0]),
        "too few rows": Parts(first.words, first.vectors[1:], first.documents, first.queries),
        "rows that are no numbers": Parts(
            first.words, first.vectors * np.float32(np.inf), first.documents, first.queries
        ),
        "negative weights": Parts(first.words, first.vectors, -first.documents, first.queries),
        "weights that are no numbers": Parts(first.words, first.vectors, first.documents, nan),
        "too few weights": Parts(first.words, first.vectors, first.documents[1:], first.queries),
        "too wide": Parts(
            first.words, np.ones((SIZE, 1041), np.float32), first.documents, first.queries
        ),
    }


@pytest.mark.parametrize("name", wrong_parts())
def test_what_makes_no_model_is_not_written(tmp_path: Path, name: str) -> None:
    """Training learns it before anything is replaced."""
    with pytest.raises(GgrepError) as refused:
        wrong_parts()[name].write(tmp_path / "model")

    assert isinstance(refused.value, InvalidRequest | Incompatible)
    assert not (tmp_path / "model").exists()


def test_a_row_of_zeros_weighs_nothing(tmp_path: Path) -> None:
    """A feature that was never trained says nothing."""
    given = parts(3)
    given.vectors[:] = 0.0
    given.write(tmp_path)
    model = read_model(tmp_path)

    assert not model.vectors.any()
    assert not model.document_weights.any()
