"""The languages that a filter can name."""

import pytest

from ggrep.base.errors import UsageError
from ggrep.config import languages
from ggrep.config.endings import ENDINGS
from ggrep.config.languages import LANGUAGES, check_languages, language_named
from ggrep.model.filters import Filter
from ggrep.parse.languages import by_content
from ggrep.parse.languages.registry import GRAMMARS, language_of


def test_every_language_that_a_file_can_be_of_may_be_asked_for() -> None:
    """One that is left out could not be filtered by."""
    by_bytes = {*by_content._INTERPRETERS.values(), *by_content._MODES.values()}
    by_bytes |= {*by_content._KERNELS.values()}
    by_bytes |= {name for clues in by_content._BY_ENDING.values() for name, _ in clues}

    assert by_bytes | {*GRAMMARS} | {*ENDINGS.values()} <= LANGUAGES
    assert {language_of("x"), language_of("Dockerfile.dev"), language_of("go.mod")} <= LANGUAGES


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("pyhton", "python"), ("h", "c"), (".m", "matlab"), ("typscript", "typescript")],
)
def test_what_is_no_name_leads_to_the_nearest(typed: str, meant: str) -> None:
    """Misspelt, or an ending of several languages."""
    with pytest.raises(UsageError, match=f"did you mean: lang:{meant}$"):
        check_languages([Filter("lang", typed)])


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("PY", "python"), (".rs", "rust"), ("golang", "go"), ("c++", "cpp"), ("ts", "typescript")],
)
def test_other_names_and_endings_mean_the_language(typed: str, meant: str) -> None:
    """As people type them elsewhere."""
    check_languages([Filter("lang", typed)])

    assert language_named(typed) == meant
    assert {*languages._OF_SEVERAL} < {*by_content._BY_ENDING}


def test_capitals_do_not_matter() -> None:
    """As when files are filtered."""
    check_languages([Filter("lang", "Python"), Filter("path", "qwerty"), Filter("ext", "qwerty")])
