"""The model that was not trained: how common its words are and how they are written."""

from bench.untrained_model import counted


def test_a_text_counts_once_for_each_of_its_features() -> None:
    """A word that stands often in few texts is no common one."""
    vocabulary, _ = counted(["pars", "parse", "unseen"], ["parse parse Parse", "parsing", "else"])

    assert vocabulary.texts.tolist() == [2, 1, 0]
    assert vocabulary.total == 3


def test_a_stem_is_read_as_it_is_mostly_written() -> None:
    """A transformer knows words, no stems."""
    _, written = counted(["pars"], ["parsing parsed parse", "parsing parserOptions"])

    assert written["pars"] == "parsing"


def test_a_stem_that_is_written_itself_more_often_is_read_as_it_is() -> None:
    """It is a word then."""
    _, written = counted(["index"], ["index index indexing"])

    assert "index" not in written
