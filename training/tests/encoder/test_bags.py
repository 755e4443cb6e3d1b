"""Pairs as matrices of the features that the encoder sees."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from ggrep.base.errors import UsageError
from ggrep.index.embedding.features import features, text_words
from training.encoder.bags import (
    Bag,
    BaggedPair,
    PackageBags,
    Vocabulary,
    bag_of,
    bagged,
    matrix_of,
    pairs_of,
    vocabulary_of,
)
from training.encoder.pairs import Pair, write_pairs

TEXT = "def parseHTTPRequests(parse, größe):\n    return parse_requests(größe2) + MAX__retries"


def package(name: str, *pairs: tuple[Bag, Bag]) -> PackageBags:
    return PackageBags(name, tuple(BaggedPair(query, text, "doc", "c") for query, text in pairs))


def words(*every: str) -> Bag:
    return dict.fromkeys(every, 1)


def test_a_text_is_split_as_the_encoder_splits_it() -> None:
    """What is trained would not be what is used."""
    bag = bag_of(TEXT)

    assert bag == Counter(name for word in text_words(TEXT) for name in features(word))
    assert bag["parse"] == 1
    assert bag["grösse"] == 2
    assert bag["request"] == 2
    assert bag_of("") == {}


def test_words_that_the_encoder_cuts_off_do_not_count() -> None:
    """It reads 4,096 of a text."""
    assert bag_of("a " * 5000 + "tail") == {"a": 4096}


def test_the_vocabulary_is_sorted_and_shared_by_three_packages() -> None:
    """Names of one project alone teach nothing about others."""
    found = vocabulary_of(
        [
            package("a", (words("put", "own"), words("own", "two", "get"))),
            package("b", (words("two"), words("put", "get")), (words("own2"), words("get"))),
            package("c", (words("get"), words("put", "ab" * 13))),
            package("d", (words("ab" * 13), words("ab" * 12))),
            package("e", (words("ab" * 13), words("ab" * 12))),
            package("f", (words("own3"), words("ab" * 12))),
        ],
        10,
    )

    assert found.words == ("ab" * 12, "get", "put")
    assert found.texts.tolist() == [3, 4, 3]
    assert found.total == 14
    np.testing.assert_allclose(found.idf, np.log(1 + 14 / np.array([3, 4, 3])), rtol=1e-6)
    assert found.idf.dtype == np.float32


def test_a_full_vocabulary_keeps_what_most_texts_hold_and_breaks_ties_by_name() -> None:
    """The same pairs give the same vocabulary, in whichever order words come."""
    bags = [package(name, (words("z", "y", "x", "often"), words("often"))) for name in "abc"]

    assert vocabulary_of(bags, 3).words == ("often", "x", "y")
    assert vocabulary_of(bags[::-1], 3).words == ("often", "x", "y")
    assert vocabulary_of(bags, 1).words == ("often",)


def test_one_large_package_does_not_decide_the_vocabulary() -> None:
    """Its favourite word is no better known than its packages are many."""
    large = [(words("pet"), words("pet"))] * 150
    packages = [package("a", *large), package("b", (words("pet"), {})), package("c", ({}, {}))]
    few = [package(name, *[(words("wide"), words("wide"))] * 26) for name in "defg"]
    found = vocabulary_of([*packages, package("h", (words("pet"), {})), *few], 1)

    assert found.words == ("wide",)


def test_matrices_equal_a_dense_count() -> None:
    """Features without a place are left out, and empty texts stay as rows."""
    bags: list[Bag] = [{"b": 2, "gone": 3, "a": 1}, {}, {"gone": 1}, {"c": 300}]
    found = matrix_of(bags, {"a": 0, "b": 1, "c": 2})

    assert found.dtype == np.float32
    assert found.toarray().tolist() == [[1, 2, 0], [0, 0, 0], [0, 0, 0], [0, 0, 300]]


def test_pairs_know_their_packages_and_kinds() -> None:
    """A package without pairs keeps its place among the names."""
    packages = [
        package("a", (words("x"), words("y", "y2")), ({}, words("x"))),
        package("none"),
        PackageBags("b", (BaggedPair({"y": 2}, {"x": 3}, "section", "md"),)),
    ]
    found = pairs_of(packages, Vocabulary(("x", "y"), np.array([1, 1]), 6))

    assert len(found) == 3
    assert found.names == ("a", "none", "b")
    assert found.packages.tolist() == [0, 0, 2]
    assert found.kinds.tolist() == ["doc", "doc", "section"]
    assert found.queries.toarray().tolist() == [[1, 0], [0, 0], [0, 2]]
    assert found.texts.toarray().tolist() == [[0, 1], [1, 0], [3, 0]]


def write(folder: Path, name: str, *pairs: tuple[str, str]) -> None:
    folder.mkdir(exist_ok=True)
    every = [Pair(query, text, "doc", name, "a.c", "c") for query, text in pairs]
    write_pairs(folder / f"{name}.jsonl", every)


def test_files_are_read_by_name_and_short_pairs_left_out(tmp_path: Path) -> None:
    """One word asks for anything, and a few answer anything."""
    text = "a b c d e f"
    write(
        tmp_path,
        "b",
        ("ask it", text),
        ("ask", text),
        ("ask it", "a b c d e e e"),
        ("ask ask ask", text),
    )
    write(tmp_path, "a", ("ask me", text))
    (tmp_path / "report.json").write_text("no pairs")
    found = bagged(tmp_path, 1)

    assert [each.name for each in found] == ["a", "b"]
    assert [each.pairs[0].query for each in found] == [words("ask", "me"), words("ask", "it")]
    assert [len(each.pairs) for each in found] == [1, 1]
    assert found[0].pairs[0] == BaggedPair(words("ask", "me"), bag_of(text), "doc", "c")


def test_a_line_that_is_no_pair_is_refused_from_a_worker_too(tmp_path: Path) -> None:
    """The message crosses the processes."""
    (tmp_path / "a.jsonl").write_text("{}\n")

    with pytest.raises(UsageError, match=r"a\.jsonl:1: not a pair"):
        bagged(tmp_path, 1)


def test_a_folder_without_files_holds_no_pairs(tmp_path: Path) -> None:
    """Nor does one that is not there."""
    assert bagged(tmp_path, 1) == bagged(tmp_path / "none", 1) == []
