"""Files that a request rules out by their paths are not even read."""

import pytest

from ggrep.model.corpus import Corpus
from ggrep.model.filters import Filter
from ggrep.model.request import SearchRequest
from ggrep.search.scan.scan_files import PathEligibility

PATHS = ("src/a.py", "src/b.h", "tests/test_a.py", "docs/a.md", "data/x.json")


def let_through(*filters: Filter, **wanted: object) -> list[str]:
    request = SearchRequest("x", filters=filters, **wanted)  # type: ignore[arg-type] # varied
    return [path for path in PATHS if PathEligibility(request).has(path)]


@pytest.mark.parametrize(
    ("filters", "left"),
    [
        ((), PATHS),
        ((Filter("path", "src"),), ("src/a.py", "src/b.h")),
        ((Filter("path", "*/A.*"),), ("src/a.py", "docs/a.md")),
        ((Filter("path", "src", negated=True), Filter("ext", ".md")), ("docs/a.md",)),
        ((Filter("ext", "py"), Filter("test", "false")), ("src/a.py",)),
        ((Filter("lang", "python"),), ("src/a.py", "src/b.h", "tests/test_a.py")),
        ((Filter("lang", "c", negated=True), Filter("kind", "class")), PATHS),
        ((Filter("corpus", "prose"),), ("docs/a.md",)),
    ],
)
def test_filters_about_files_are_applied(
    filters: tuple[Filter, ...], left: tuple[str, ...]
) -> None:
    """But a language that only the content tells, and kinds of chunks, are left to the ranking."""
    assert let_through(*filters) == list(left)


@pytest.mark.parametrize("path", ["lib/b.m", "lib/B.PL", "a.v", "bin/run"])
def test_a_language_that_the_text_tells_keeps_the_file(path: str) -> None:
    """Whoever asks for one language would miss it, and nothing would say so."""
    wanted = PathEligibility(SearchRequest("x", filters=(Filter("lang", "prolog"),)))

    assert wanted.has(path)
    assert not wanted.has("a.py")


def test_scope_and_corpora_narrow_too() -> None:
    """Diagrams are cut out of documents, so those stay where diagrams are wanted."""
    assert let_through(scope="src/a.py") == ["src/a.py"]
    assert let_through(scope="src") == ["src/a.py", "src/b.h"]
    assert let_through(scope="src/b.h\0src/a.py") == ["src/a.py", "src/b.h"]
    assert let_through(corpora=(Corpus.CODE,)) == ["src/a.py", "src/b.h", "tests/test_a.py"]
    assert let_through(corpora=(Corpus.EXTRACTED_PROSE,)) == list(PATHS)


def test_only_directories_that_lead_to_the_scope_are_entered() -> None:
    """A question about one directory of a large tree costs that directory."""
    wanted = PathEligibility(SearchRequest("x", scope="src/deep\0lib"))
    places = (b"src/", b"src/deep/", b"src/deep/more/", b"src/deeper/", b"docs/")

    assert [place for place in places if wanted.leads(place)] == list(places[:3])
