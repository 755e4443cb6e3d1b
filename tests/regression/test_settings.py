"""Defects of settings and paths that came once and must not come again."""

from pathlib import Path

import pytest

from ggrep.config.home import Home
from tests.fakes.repos import write_tree
from tests.journeys.command import Command

pytestmark = pytest.mark.slow


def test_two_roots_in_one_process_each_use_their_own_configuration(
    ggrep: Command, root: Path, tmp_path: Path
) -> None:
    """The first root's configuration once held for the rest of the process.

    A workspace asks many roots in one process: it would have indexed one by another's rules and
    looked for it in a store that is not its own.
    """
    other = tmp_path.resolve() / "other"
    other.mkdir()
    large = {"small.py": "needle = 1\n", "large.py": f"needle = '{'x' * 300}'\n"}
    write_tree(root, large | {".ggrep.toml": "max_file_size_bytes = 100\n"})
    write_tree(other, large)
    documents = []
    for place in (root, other, root, other):
        assert ggrep("index", place).status == 0
        document = ggrep("needle", place, "--json", "--keep-weak").document
        documents.append(
            (document["config_fingerprint"], {hit["path"] for hit in document["results"]})
        )

    assert documents[:2] == documents[2:]
    assert [shown for _, shown in documents[:2]] == [{"small.py"}, {"small.py", "large.py"}]
    assert documents[0][0] != documents[1][0]


@pytest.mark.parametrize("whose", ["user", "repository"])
def test_an_unparsable_configuration_is_an_error(
    ggrep: Command, repo: Path, home: Path, whose: str
) -> None:
    """It once meant all defaults, silently: another store, other bounds, nobody the wiser."""
    home.mkdir(mode=0o700)
    file = home / "config.toml" if whose == "user" else repo / ".ggrep.toml"
    file.write_text("max_segments = \n")
    outcomes = [ggrep("index", "--json"), ggrep("needle", "--json")]

    for outcome in outcomes:
        assert (outcome.status, outcome.error()["code"]) == (2, "invalid_request")
        assert file.name in outcome.error()["message"]
    assert not Home(home).data.exists()


@pytest.mark.parametrize(
    "line", ['encoder = "sentence-transformers:/tmp/model"', "query_timeout_ms = 3600000"]
)
def test_a_repositorys_own_file_chooses_no_encoder_and_lifts_no_bound(
    ggrep: Command, repo: Path, home: Path, line: str
) -> None:
    """It comes with a clone, from strangers.

    It could once choose any model to fetch and load, lengthen timeouts and raise all but eight
    bounds.
    """
    write_tree(repo, {".ggrep.toml": f"{line}\n"})
    refused = ggrep("index", "--json")

    assert (refused.status, refused.error()["code"]) == (2, "invalid_request")
    assert line.partition(" ")[0] in refused.error()["message"]
    assert not Home(home).data.exists()


def found(ggrep: Command) -> list[str]:
    outcome = ggrep("needle", "--json", "--deterministic")
    assert outcome.status == 0
    assert [w for w in outcome.document["warnings"] if w["code"] == "snapshot_fallback"] == []
    return sorted({hit["path"] for hit in outcome.document["results"]})


def test_an_ignore_edit_never_bricks_a_store(ggrep: Command, indexed: Path) -> None:
    """Snapshots were once held against the ignore files of today, not of their own day.

    After an edit of an ignore file neither a query nor a sync could open any of them, and only
    starting over helped.
    """
    store = ggrep("status", "--json").document["store_id"]
    for text, expected in (
        ("docs/\n", ["a.py"]),
        ("docs/\n*.py\n", []),
        ("", ["a.py", "docs/b.md"]),
    ):
        before = found(ggrep)
        write_tree(indexed, {".ggignore": text})
        assert found(ggrep) == before, "what is published answers until the next sync"
        assert ggrep("index").status == 0
        assert found(ggrep) == expected
        assert ggrep("health").status == 0

    assert ggrep("status", "--json").document["store_id"] == store


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
        ours = "".join(lines[start - 1 : end])
        assert hit["content_start_line"] == start
        assert hit["content"].rstrip("\n") == ours.rstrip("\n"), hit
    code = next(hit for hit in results if hit["path"] == "queue.py")
    assert CODE.splitlines()[code["start_line"] - 1] == "class Queue:"
    assert f"queue.py:{code['start_line']}" in ggrep("needle", "--keep-weak", "--plain").out
