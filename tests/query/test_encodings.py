"""An answer names what a file was written in, where that is not UTF-8."""

from ggrep.model.request import SearchRequest
from tests.fakes.repos import IndexOf


def test_a_hit_names_the_encoding_of_its_file(index_of: IndexOf) -> None:
    """An editor that is to open the place has to know it."""
    old = "# retry by André\nretry = 1\n".encode("cp1252")
    engine = index_of({"old.py": old, "new.py": "retry = 2\n"})

    hits = engine.search(SearchRequest("retry", deterministic=True)).hits

    assert {hit.path: hit.encoding for hit in hits} == {"old.py": "cp1252", "new.py": ""}
    assert "André" in next(hit.content for hit in hits if hit.encoding)
