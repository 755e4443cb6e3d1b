"""From a folder of pairs to a model that the encoder uses."""

from pathlib import Path

import numpy as np
import pytest

from ggrep.base import stable_json
from ggrep.base.errors import UsageError
from ggrep.index.embedding.static_encoder import StaticEncoder
from ggrep.index.embedding.static_model import read_model
from training.encoder import train as step
from training.encoder.__main__ import main
from training.encoder.bags import bag_of, bagged, matrix_of, pairs_of, vocabulary_of
from training.encoder.pairs import Pair, read_pairs, write_pairs
from training.encoder.train import REVISION, train_model
from training.encoder.training import Recipe, Trained, train

RECIPE = Recipe(dimension=32, vocabulary=200, batch=60, block=10, rate=1.0, epochs=2)
ASKED = ("remove item", "open file", "parse number", "close socket", "sort list", "copy tree")
WRITTEN = ("deleteEntry", "loadPath", "read_digits", "shutPort", "orderItems", "cloneNodes")


def write_corpus(folder: Path, packages: int = 8, size: int = 24) -> None:
    (folder / "pairs").mkdir(parents=True, exist_ok=True)
    chance = np.random.default_rng(4)
    for number in range(packages):
        pairs = []
        for line in range(size):
            one, other = chance.permutation(len(ASKED))[:2].tolist()
            query = f"{ASKED[one]} and {ASKED[other]}"
            text = f"def {WRITTEN[one]}(self):\n    if self.ready: return {WRITTEN[other]}(self)"
            language = "go" if line % 3 else "python"
            pairs.append(Pair(query, text, "name", f"pypi/{number}", "a.py", language))
        write_pairs(folder / "pairs" / f"pypi-{number}.jsonl", pairs)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of pairs and the model made of them."""
    folder = tmp_path_factory.mktemp("train")
    write_corpus(folder)
    train_model(folder, folder / "model", 1, lambda _: None, RECIPE)
    return folder


def learnt_again(folder: Path) -> tuple[tuple[str, ...], Trained]:
    """Return features and parameters before they are written as whole numbers."""
    packages = bagged(folder / "pairs", 1)
    vocabulary = vocabulary_of(packages, RECIPE.vocabulary)
    pairs = pairs_of(packages, vocabulary)
    return vocabulary.words, train(pairs, vocabulary, RECIPE, lambda: 0.0, lambda _: None)


def test_the_encoder_gives_the_vectors_that_were_learnt(folder: Path) -> None:
    """Training and use see the same of a text; whole numbers cost next to nothing."""
    words, found = learnt_again(folder)
    model = read_model(folder / "model")
    encoder = StaticEncoder(model)
    every = list(read_pairs(folder / "pairs" / "pypi-3.jsonl"))
    texts = [*(pair.text for pair in every), "unheard words", "self " * 200 + "deleteEntry item"]
    queries = [*(pair.query for pair in every), "DELETE the items", "unheard"]
    places = {word: place for place, word in enumerate(words)}
    documents = found.learnt.document_vectors(matrix_of(map(bag_of, texts), places))
    asked = found.learnt.query_vectors(matrix_of(map(bag_of, queries), places))

    assert tuple(model.row_of) == words
    for learnt, used in (
        (documents, encoder.encode_documents(texts)),
        (asked, np.stack([encoder.encode_query(query) for query in queries])),
    ):
        known = np.linalg.norm(learnt, axis=1) > 0.5
        assert known.sum() == len(learnt) - 1
        assert np.sum(learnt * used, axis=1)[known].min() > 0.995
        assert not used[~known].any()


def test_documents_and_queries_have_weights_of_their_own(folder: Path) -> None:
    """They would come out alike if one were written for both, or the other way round."""
    words, found = learnt_again(folder)
    model = read_model(folder / "model")
    place = {word: row for row, word in enumerate(words)}["remov"]
    ratio = np.exp(found.learnt.documents - found.learnt.queries)
    written = model.document_weights / np.maximum(model.query_weights.astype(np.float64), 1.0)

    assert np.ptp(ratio) > 0.01
    assert np.corrcoef(ratio, written)[0, 1] > 0.99
    assert model.query_weights[place] > 0


def test_the_card_says_how_the_model_came_about(folder: Path) -> None:
    """Whoever doubts it can make it again and compare."""
    card = stable_json.loads((folder / "model" / "card.json").read_bytes())

    assert card["revision"] == REVISION
    assert card["recipe"] == RECIPE.to_json()
    assert [point["epoch"] for point in card["curve"]] == [0, 1, 2]
    assert set(card["curve"][0]) == {"epoch", "seconds", "loss", "mrr10"}
    assert card["pairs"]["total"] == 8 * 24
    assert card["pairs"]["packages"] == 8
    assert card["pairs"]["kinds"] == {"name": 192}
    assert card["pairs"]["languages"] == {"go": 128, "python": 64}
    assert len(card["pairs"]["sha256"]) == 64
    assert len(card["kept_back"]) == 4
    assert set(card["kept_back"]) <= {f"pypi-{number}" for number in range(8)}
    assert card["made_with"]["numpy"] == np.__version__
    assert (card["dimension"], card["vocabulary"]) == (32, len(read_model(folder / "model").row_of))


def test_equal_runs_give_equal_models(folder: Path, tmp_path: Path) -> None:
    """Whatever the time they took and wherever they ran."""
    write_corpus(tmp_path)
    told: list[str] = []
    digest = train_model(tmp_path, tmp_path / "model", 2, told.append, RECIPE)
    cards = [
        stable_json.loads((each / "model/card.json").read_bytes()) for each in (folder, tmp_path)
    ]

    assert digest == read_model(folder / "model").identity.digest
    assert cards[0]["pairs"] == cards[1]["pairs"]
    assert [line.split(":")[0] for line in told[1:]] == ["epoch 0", "epoch 1", "epoch 2"]
    assert told[0].startswith("192 pairs of 8 packages, ")


def test_other_pairs_give_another_digest(folder: Path, tmp_path: Path) -> None:
    """The card tells which ones it was."""
    write_corpus(tmp_path)
    first = tmp_path / "pairs" / "pypi-0.jsonl"
    first.rename(first.with_name("pypi-00.jsonl"))
    train_model(tmp_path, tmp_path / "model", 1, lambda _: None, RECIPE)
    cards = [
        stable_json.loads((each / "model/card.json").read_bytes()) for each in (folder, tmp_path)
    ]

    assert cards[0]["pairs"]["sha256"] != cards[1]["pairs"]["sha256"]


def test_without_pairs_nothing_is_written(tmp_path: Path) -> None:
    """Steps were left out, or their folder is another one."""
    (tmp_path / "pairs").mkdir()
    (tmp_path / "pairs" / "npm-a.jsonl").write_text("")

    with pytest.raises(UsageError, match="pairs: no pairs"):
        train_model(tmp_path, tmp_path / "model", 1, lambda _: None)
    assert not (tmp_path / "model").exists()


def test_packages_that_share_no_word_are_refused(tmp_path: Path) -> None:
    """Two are too few for any word to be known."""
    write_corpus(tmp_path, packages=2)

    with pytest.raises(UsageError, match="no word that several packages share"):
        train_model(tmp_path, tmp_path / "model", 1, lambda _: None, RECIPE)


def test_the_command_trains(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It says on the way what it knows, and needs no exclusions: the pairs are clear of them."""
    monkeypatch.setattr(step, "Recipe", lambda: RECIPE)
    status = main(["train", str(folder), str(tmp_path / "model"), "--jobs", "1"])

    assert status == 0
    assert read_model(tmp_path / "model").identity == read_model(folder / "model").identity
    assert "epoch 2: loss" in capsys.readouterr().err


def test_the_command_refuses_a_folder_that_is_too_small(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The usual recipe's batch is larger than all of its pairs."""
    status = main(["train", str(folder), str(tmp_path / "model"), "--jobs", "1"])

    assert status == UsageError.exit_status
    assert "96 pairs to learn from, a batch holds 2048" in capsys.readouterr().err
    assert not (tmp_path / "model").exists()
