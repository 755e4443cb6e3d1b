"""A hit is a place in a file, and its text is what stands there."""

from pathlib import Path

import pytest

from tests.fakes.repos import write_tree
from tests.journeys.command import Command

pytestmark = pytest.mark.slow

CODE = '''"""Module."""


class Queue:
    """Holds work."""

    def retry_needle(self) -> int:
        """Try again."""
        return 7


def other() -> None:
    pass
'''
PROSE = "# Guide\n\nFirst line.\n\n## The needle\n\nText about the needle.\n"


def test_lines_are_counted_from_one_and_text_is_the_files_own(ggrep: Command, repo: Path) -> None:
    """Lines were once stored from 0 and shown as they were, with a range that did not fit.

    And the text shown was what had been embedded: prefixes and summaries that stand in no file.
    """
    write_tree(repo, {"queue.py": CODE, "guide.md": PROSE})
    assert ggrep("index").status == 0
    hits = ggrep("needle", "--json", "--keep-weak", "--content", "--per-file", "9")
    results = hits.document["results"]

    assert {"queue.py", "guide.md"} <= {hit["path"] for hit in results}
    for hit in results:
        lines = (repo / hit["path"]).read_text().splitlines(keepends=True)
        start, end = hit["start_line"], hit["end_line"]
        assert 1 <= start <= end <= len(lines), hit
        own = "".join(lines[start - 1 : end])
        assert hit["content_start_line"] == start
        assert hit["content"].rstrip("\n") == own.rstrip("\n"), hit
    code = next(hit for hit in results if hit["path"] == "queue.py")
    assert CODE.splitlines()[code["start_line"] - 1] == "class Queue:"
    assert f"queue.py:{code['start_line']}" in ggrep("needle", "--keep-weak", "--plain").out
