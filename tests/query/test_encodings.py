"""An answer names what a file was written in, where that is not UTF-8."""

from pathlib import Path

from ggrep.model.request import SearchRequest
from tests.fakes.repos import open_engine, write_tree


def test_a_hit_names_the_encoding_of_its_file(root: Path, home: Path) -> None:
    """An editor that is to open the place has to know it."""
    write_tree(
        root, {"old.py": "# retry by André\nretry = 1\n".encode("cp1252"), "new.py": "retry = 2\n"}
    )
    engine = open_engine(root, home)
    engine.sync()

    hits = engine.search(SearchRequest("retry", deterministic=True)).hits

    assert {hit.path: hit.encoding for hit in hits} == {"old.py": "cp1252", "new.py": ""}
    assert "André" in next(hit.content for hit in hits if hit.encoding)
