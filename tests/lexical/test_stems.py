"""Words of one family meet, others do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.index.lexical.stems import stem
from ggrep.index.lexical.tokens import word_terms

lower = st.text("abcdefghijklmnopqrstuvwxyz", max_size=40)


@pytest.mark.parametrize(
    "family",
    [
        "parse parser parsers parsing parsed parses",
        "validate validates validated validator validators validating validation validations",
        "retry retries retried",
        "query queries",
        "serialize serializer serialized serializing serialization",
        "serialise serialiser serialised serialisation",
        "token tokens tokenize tokenizer",
        "connect connects connected connecting connection connections",
        "class classes",
        "status statuses",
        "config configs",
        "index indexes indexing indexed",
    ],
)
def test_a_family_shares_its_stem(family: str) -> None:
    """A question says `validated` where the code says `RequestValidator`."""
    assert len({stem(word) for word in family.split()}) == 1


@pytest.mark.parametrize(
    "pair",
    [
        "class classic",
        "this the",
        "is i",
        "as a",
        "bus bu",
        "process procure",
        "string strict",
        "import important",
        "test text",
        "node mode",
        "user use",
        "press pres",
    ],
)
def test_words_of_other_meaning_stay_apart(pair: str) -> None:
    """A stem that joins too much finds everything."""
    first, other = pair.split()

    assert stem(first) != stem(other)


@pytest.mark.parametrize("word", ["is", "as", "us", "id", "os", "ids2", "naïve", "größe", "x" * 33])
def test_what_is_no_word_of_the_language_is_its_own_stem(word: str) -> None:
    """Short words, other scripts and encoded runs lose nothing."""
    assert stem(word) == word


@given(lower)
def test_a_stem_is_what_a_word_begins_with_but_for_a_plural(word: str) -> None:
    """Nothing is invented, and nothing shorter than a short word is left."""
    result = stem(word)

    assert word.startswith(result) or (word.endswith("ies") and word.startswith(result[:-1]))
    assert len(result) >= min(len(word), 3)


@given(lower.filter(lambda word: not word.endswith("s")))
def test_a_plain_plural_meets_its_singular(word: str) -> None:
    """The commonest family of all."""
    plural = word + "s"
    if 3 <= len(word) < 32 and not plural.endswith(("ss", "us", "is")) and word[-2:] != "ie":
        assert stem(plural) == stem(word)


@given(lower)
def test_a_word_is_found_by_itself_and_by_its_stem(word: str) -> None:
    """The whole word comes first: spelling is told from family by that."""
    terms = word_terms(word) if word else ("",)

    assert terms[0] == word[:80]
    assert set(terms) == {word[:80], stem(word[:80])}
