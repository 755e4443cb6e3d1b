"""The static encoder: exact sums of known rows, whatever surrounds a text."""

from collections.abc import Sequence
from itertools import chain
from math import log1p, sqrt
from pathlib import Path
from random import Random
from threading import Barrier, Thread

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.index.embedding import static_encoder
from ggrep.index.embedding.encoder_choice import open_encoder
from ggrep.index.embedding.features import (
    FEATURES,
    MAX_WORD_FEATURES,
    MAX_WORDS,
    features,
    text_words,
)
from ggrep.index.embedding.quantise import MAX_DIMENSION, quantise
from ggrep.index.embedding.static_encoder import LOGS, StaticEncoder
from ggrep.index.embedding.static_model import StaticModel, read_model
from tests.fakes.effort import examples
from training.encoder.model_file import write_model

WORDS = ("parse", "pars", "retry", "queue", "http", "serv", "größe", "字", "été", "x", "2", "token")
WRITTEN = (*WORDS, "HTTPServer2", "parser", "Größe", "unheard", "retryQueue", "ÉTÉ", "\n", "字 字")
texts = st.lists(st.lists(st.sampled_from(WRITTEN), max_size=12).map(" ".join), max_size=9)


def tiny_model(folder: Path, words: Sequence[str] = WORDS, dimension: int = 16) -> StaticModel:
    """Return a model of random rows, read back from its folder."""
    chance = np.random.default_rng(7)
    rows = chance.normal(size=(len(words), dimension)).astype(np.float32)
    weights = 0.5 + chance.random((2, len(words)))
    write_model(folder, words, rows, weights[0], weights[1], {"revision": "tiny"})
    return read_model(folder)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> StaticModel:
    return tiny_model(tmp_path_factory.mktemp("static") / "model")


def bits(encoder: StaticEncoder, given: Sequence[str]) -> list[bytes]:
    return [row.tobytes() for row in encoder.encode_documents(given)]


@settings(max_examples=examples(15, 40))  # each makes a dozen encoders
@given(texts, st.randoms(use_true_random=False))
def test_batches_change_no_vector(model: StaticModel, given: list[str], chance: Random) -> None:
    """A file's vectors must be the same whatever was indexed beside it, and before."""
    encoder, half = StaticEncoder(model), len(given) // 2
    order = list(range(len(given)))
    chance.shuffle(order)
    whole = bits(encoder, given)

    assert bits(encoder, given[:half]) + bits(encoder, given[half:]) == whole
    assert [bits(StaticEncoder(model), [text])[0] for text in given] == whole
    assert bits(encoder, [given[place] for place in order]) == [whole[place] for place in order]


def test_blocks_and_pieces_do_not_show(model: StaticModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are there for speed: sums are exact, however they are cut."""
    given = [" ".join(WRITTEN[place:] * (place + 1)) for place in range(len(WRITTEN))]
    usual = bits(StaticEncoder(model), given)
    monkeypatch.setattr(static_encoder, "_BLOCK_TEXTS", 3)
    monkeypatch.setattr(static_encoder, "_PIECE_ROWS", 2)

    assert bits(StaticEncoder(model), given) == usual


@given(st.lists(st.sampled_from(WRITTEN), min_size=1), st.randoms(use_true_random=False))
def test_equal_bags_give_equal_bytes(model: StaticModel, words: list[str], chance: Random) -> None:
    """Order is nothing to a bag."""
    encoder = StaticEncoder(model)
    shuffled = list(words)
    chance.shuffle(shuffled)

    assert bits(encoder, [" ".join(words)]) == bits(encoder, ["\t".join(shuffled)])


@given(st.lists(st.sampled_from(WRITTEN), min_size=1).map(" ".join))
def test_a_vector_is_the_sum_that_the_formula_says(model: StaticModel, text: str) -> None:
    """Slowly, in fractions, word by word."""
    results = [name for word in text_words(text) for name in features(word) if name in model.row_of]
    sums = np.zeros(model.identity.dimension)
    for name in set(results):
        row = model.row_of[name]
        factor = float(model.query_weights[row]) * log1p(results.count(name))
        sums += factor * model.vectors[row].astype(np.float64)
    length = sqrt(float(sums @ sums)) or 1.0

    assert StaticEncoder(model).encode_query(text) == pytest.approx(sums / length, abs=2e-4)


@given(texts)
def test_vectors_have_unit_length_or_none(model: StaticModel, given: list[str]) -> None:
    for vector in StaticEncoder(model).encode_documents(given):
        length = float(np.linalg.norm(vector.astype(np.float64)))

        assert length == pytest.approx(1.0, abs=1e-6) or not vector.any()


def test_queries_and_documents_weigh_words_differently(model: StaticModel) -> None:
    encoder = StaticEncoder(model)
    text = "retry the http queue"
    document, query = encoder.encode_documents([text])[0], encoder.encode_query(text)

    assert document.tobytes() != query.tobytes()
    assert document @ query > 0.7


def test_unknown_words_have_no_direction(model: StaticModel) -> None:
    encoder = StaticEncoder(model)
    alone, with_known, known = encoder.encode_documents(["unheard of", "unheard x", "x"])

    assert not alone.any()
    assert not encoder.encode_query("").any()
    assert with_known.tobytes() == known.tobytes()


def test_no_texts_give_no_rows(model: StaticModel) -> None:
    """An empty file has no chunks to encode."""
    assert StaticEncoder(model).encode_documents([]).shape == (0, 16)


def test_words_of_any_script_count(model: StaticModel) -> None:
    """Case is folded as it is in the lexical index."""
    encoder = StaticEncoder(model)
    upper, lower = encoder.encode_documents(["GRÖSSE Größe 字", "größe gröSSe 字"])

    assert upper.any()
    assert upper.tobytes() == lower.tobytes()
    assert encoder.encode_query("字").any()
    assert not encoder.encode_query("\ud800").any()


def test_of_a_huge_text_the_first_words_count(model: StaticModel) -> None:
    """The sums stay exact, and a generated file costs no more than a large one."""
    encoder = StaticEncoder(model)
    head = "parse x " * (MAX_WORDS // 2)
    cut, whole = encoder.encode_documents([head, head + "queue " * 200_000])

    assert cut.tobytes() == whole.tobytes()


def test_more_than_255_times_counts_as_255(model: StaticModel) -> None:
    """The table of logarithms ends there."""
    encoder = StaticEncoder(model)
    more, most = encoder.encode_documents(["x queue " + "x " * (n - 1) for n in (255, 4000)])

    assert more.tobytes() == most.tobytes()


@given(st.text(max_size=200))
def test_a_word_has_no_more_features_than_the_bound_allows(text: str) -> None:
    """Else sums could leave the whole numbers."""
    for word in text_words(text):
        assert len(features(word)) <= MAX_WORD_FEATURES


def test_the_largest_sums_are_still_exact() -> None:
    """Every factor at its most, as the module's docstring multiplies them."""
    logs = LOGS.tolist()

    assert all(value == int(value) <= count * logs[1] for count, value in enumerate(logs))
    assert 65_535 * logs[1] * 128 * MAX_WORDS * MAX_WORD_FEATURES < 2**53
    assert len(features("a1" * 200)) <= MAX_WORD_FEATURES
    assert static_encoder._UNIT_STEPS**2 * MAX_DIMENSION < 2**53


def test_sums_are_whole_numbers_at_the_extreme(tmp_path: Path) -> None:
    """The largest weights and rows, in every piece: checked with unbounded integers."""
    words = [f"w{number}" for number in range(3000)]
    ones = np.ones(len(words))
    rows = np.where(np.arange(3000 * 8).reshape(3000, 8) % 7, 1.0, 0.3).astype(np.float32)
    write_model(tmp_path, words, rows, ones, ones, {"revision": "full"})
    full = read_model(tmp_path)
    text = " ".join(chain(words, words[:1000]))
    result = StaticEncoder(full)._text_sums([text], full.document_weights)
    counts = {word: 2 if number < 1000 else 1 for number, word in enumerate(words)}
    exact = [
        sum(
            int(full.document_weights[row])
            * int(LOGS[counts[word]])
            * int(full.vectors[row, place])
            for word, row in full.row_of.items()
        )
        for place in range(8)
    ]

    assert [int(each) for each in result[0]] == exact
    assert full.document_weights.max() == 65_535


def test_a_long_word_is_looked_up_and_not_kept(model: StaticModel) -> None:
    """Runs of data are as long as a line, and thousands of them would fill the memory."""
    encoder = StaticEncoder(model)
    long = "x" * 81

    encoder.encode_documents([f"{long} {WRITTEN[0]}"])

    assert long not in encoder._rows_of_words
    assert WRITTEN[0] in encoder._rows_of_words


def test_threads_may_share_an_encoder(model: StaticModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """A daemon's searches do, and a full memory is begun anew under them."""
    monkeypatch.setattr(static_encoder, "_REMEMBERED", 3)
    given = [" ".join(WRITTEN[place:]) for place in range(len(WRITTEN))]
    expected = bits(StaticEncoder(model), given)
    shared, start = StaticEncoder(model), Barrier(4)
    results: list[list[bytes]] = []

    def encode() -> None:
        start.wait()
        results.extend(bits(shared, given) for _ in range(20))

    threads = [Thread(target=encode) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(results) == 80
    assert all(each == expected for each in results)
    assert len(shared._rows_of_words) <= 3 + len(threads)


def test_a_setting_opens_it(model: StaticModel, tmp_path: Path) -> None:
    tiny_model(tmp_path)
    encoder = open_encoder(f"static:{tmp_path}")

    assert isinstance(encoder, StaticEncoder)
    assert encoder.identity == model.identity
    assert encoder.dimension == 16
    assert quantise(encoder.encode_documents(["parse x"]))[0].shape == (1, 16)


def test_a_model_is_read_once_until_another_lies_there(tmp_path: Path) -> None:
    """A daemon of many stores holds it once, and a new model is not mistaken for the old one."""
    tiny_model(tmp_path)
    name = f"static:{tmp_path}"
    first = open_encoder(name)

    assert open_encoder(name) is first
    tiny_model(tmp_path, WORDS[1:])
    assert open_encoder(name) is not first


def test_features_are_those_of_their_revision() -> None:
    shown = {
        word: features(word)
        for word in ("HTTPServers2", "parse_requests", "validated", "__init__", "Größe_字")
    }

    assert FEATURES == "features-2"
    assert shown == {
        "HTTPServers2": ("httpservers2", "http", "serv", "2"),
        "parse_requests": ("parse_requests", "pars", "request"),
        "validated": ("validated", "valid"),
        "__init__": ("init",),
        "Größe_字": ("grösse_字", "grösse", "字"),
    }
