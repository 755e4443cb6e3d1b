"""Words weigh by the share of pieces of text that hold them, each repository alike."""

from ggrep.search.query.common_words import FULL, general_weight, table_text
from training.confidence.common_words import shares, weighed


def test_a_word_of_every_text_weighs_nothing_and_one_of_few_weighs_all() -> None:
    repos = [shares(["return rare" if place == 0 else "return"]) for place in range(5)]
    repos += [shares(["return other\n" * 80])]

    assert weighed(repos) == {"return": 0}
    assert shares(["zebra Zebra", "x\n" * 41]) == {"zebra": 1 / 3}


def test_the_table_holds_a_line_for_each_weight() -> None:
    assert table_text({"b": 1, "a": 1}).splitlines() == ["", "a b", *[""] * (FULL - 2)]


def test_everyday_words_weigh_less_than_those_of_a_domain() -> None:
    """The table that ships: `return` is everywhere, a zebra hardly is."""
    weights = [general_weight(word) for word in ("return", "happen", "zebra")]

    assert weights == sorted(weights)
    assert weights[0] < 0.3
    assert weights[-1] == 1.0
