"""An answer before there is an index, as the engine gives it."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import SystemClock
from ggrep.base.errors import InvalidRequest, NoIndex
from ggrep.model.corpus import Corpus
from ggrep.model.filters import Filter
from ggrep.model.request import Find, SearchRequest
from ggrep.model.response import QueryResponse
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.source import priority_walk
from ggrep.render.answer_json import answer_json
from tests.fakes.git import Git
from tests.fakes.repos import StalledPool, open_engine, write_tree

pytestmark = pytest.mark.usefixtures("unhurried")

TREE = {
    "src/retry.py": "def retry(queue):\n    '''Try again.'''\n    return queue\n",
    "src/queues.py": "class Queue:\n    def push(self, item):\n        return retry(item)\n",
    "tests/test_retry.py": "def test_retry():\n    assert retry([])\n",
    "docs/guide.md": "# Retrying\n\nThe queue is tried again.\n",
    "src/other.py": "def other():\n    return 1\n",
}


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give scans all the time there is: the machine may be busy."""
    monkeypatch.setattr("ggrep.search.scan.scan_files.SCAN_MS", 1e9)
    monkeypatch.setattr("ggrep.search.scan.scanner.WHOLE_MS", 1e9)


@pytest.fixture
def tree(root: Path) -> Path:
    write_tree(root, TREE)
    return root


def scan(root: Path, home: Path, query: str, **wanted: object) -> QueryResponse:
    request = SearchRequest(query, **wanted)  # type: ignore[arg-type] # varied
    return open_engine(root, home).scan(request)


def places(response: QueryResponse) -> list[tuple[str, int, str]]:
    return [(hit.path, hit.start_line, hit.name) for hit in response.hits]


def test_hits_come_with_places_names_and_text(tree: Path, home: Path) -> None:
    """In the shape of any answer; nothing is written."""
    response = scan(tree, home, "retry", limit=3)

    assert places(response)[0] == ("src/retry.py", 1, "retry")
    assert response.hits[0].content.startswith("def retry(queue)")
    assert response.hits[0].score > response.hits[1].score > 0.0
    assert not home.exists()


@pytest.mark.parametrize("query", ["retry", "push an item to the queue", "how is it tried again"])
def test_the_order_is_that_of_the_index_where_all_of_it_was_ranked(
    tree: Path, home: Path, query: str
) -> None:
    """The same ranking over the same chunks; only figures of the collection are guesses."""
    scanned = places(scan(tree, home, query))
    engine = open_engine(tree, home)
    engine.sync()

    assert scanned == places(engine.search(SearchRequest(query, vectors=False)))


@pytest.mark.parametrize("most_at_once", [0, 2])
def test_the_shipped_encoder_has_its_say(tree: Path, home: Path, most_at_once: int) -> None:
    """It is quick enough; so the order is the index's own, and without vectors another."""
    engine = open_engine(tree, home, encoder="static", max_embed_global=most_at_once)
    request = SearchRequest("attempt the queue once more", explain=True, limit=3)
    scanned = engine.scan(request)
    engine.sync()

    assert places(scanned) == places(engine.search(request))
    plain = engine.scan(replace(request, vectors=False))
    with_vectors, without = (
        {name for name, _ in answer.hits[0].components if not name.startswith("learned.")}
        for answer in (scanned, plain)
    )
    assert with_vectors > without


def test_it_says_that_it_is_a_scan_and_how_much_it_saw(tree: Path, home: Path) -> None:
    """Whoever reads it has to know that an index would find more."""
    response = scan(tree, home, "retry")
    output = answer_json(response)
    size = sum(len(text) for text in TREE.values())

    assert (output["partial"], output["snapshot_id"]) == ("scan", None)
    assert output["scan"] == {
        "files": 5,
        "listed_files": 5,
        "bytes": size,
        "matching_files": 4,
        "ranked_files": 4,
        "complete": True,
    }
    assert [(notice.code, "all 5 files" in notice.message) for notice in response.warnings] == [
        ("scan", True)
    ]
    assert not response.limits_hit


def test_a_scan_says_in_plain_words_how_little_there_was(root: Path, home: Path) -> None:
    """That all 0 files were seen is no sentence, and that they were 1 MiB is not true."""
    empty = scan(root, home, "retry").warnings[-1].message
    write_tree(root, {"a.py": "retry = 1\n"})
    alone = scan(root, home, "retry").warnings[-1].message

    assert (
        empty == "there is no index yet: there are no files; to index the repository: ggrep index"
    )
    assert "there is no index yet: the only file (under 1 MiB) was scanned; to index" in alone


def test_the_same_tree_gives_the_same_answer(tree: Path, home: Path) -> None:
    """But for its name and its times."""

    def told() -> bytes:
        document = answer_json(scan(tree, home, "retry queue"))
        return stable_json.dumps({**document, "request_id": "", "timings_ms": {}})

    assert told() == told()


def test_what_would_not_be_indexed_is_not_shown(root: Path, home: Path) -> None:
    """Ignored files, secrets, binaries, what is too large, and what links lead out to."""
    write_tree(root, TREE)
    outside = root.parent / "outside.py"
    outside.write_text("retry = 1\n")
    (root / "link.py").symlink_to(outside)
    hidden = {
        ".gitignore": "ignored.py\n",
        "ignored.py": "retry = 1\n",
        ".env": "retry=1\n",
        "id_rsa": "retry\n",
        "binary.py": b"retry\0retry",
        "large.py": "retry = 1\n" * 200,
        "node_modules/m/index.js": "retry()\n",
    }
    write_tree(root, hidden)
    engine = open_engine(root, home, max_file_size_bytes=1000)
    result = engine.scan(SearchRequest("retry", limit=50, per_file=0, keep_weak=True))
    engine.sync()

    indexed = set(engine.view().live_files())
    assert {hit.path for hit in result.hits} == {path for path in indexed if path in TREE} - {
        "src/other.py"
    }


def test_git_says_what_belongs_to_a_work_tree(root: Path, home: Path, git: Git) -> None:
    """A tracked file that is ignored is part of it, an untracked one is not."""
    git(root, "init")
    write_tree(root, {".gitignore": "*.gen.py\n", "a.gen.py": "retry = 1\n"})
    git(root, "add", "--force", ".")
    write_tree(root, {"b.gen.py": "retry = 2\n", "c.py": "retry = 3\n"})

    assert {hit.path for hit in scan(root, home, "retry").hits} == {"a.gen.py", "c.py"}


def test_filters_scope_and_kinds_narrow_a_scan_too(tree: Path, home: Path) -> None:
    """A filter that a scan forgot would look like one that found something."""

    def paths(**wanted: object) -> set[str]:
        return {hit.path for hit in scan(tree, home, "retry queue", **wanted).hits}

    assert paths(scope="docs") == {"docs/guide.md"}
    assert paths(filters=(Filter("test", "true"),)) == {"tests/test_retry.py"}
    assert paths(filters=(Filter("kind", "class"),)) == {"src/queues.py"}
    assert paths(corpora=(Corpus.PROSE,)) == {"docs/guide.md"}


def test_letters_expressions_and_definitions_are_found(tree: Path, home: Path) -> None:
    """Each promises something of every hit, and keeps it."""

    def found(query: str, find: Find) -> list[str]:
        return sorted(hit.path for hit in scan(tree, home, query, find=find).hits)

    assert found("retry(item)", Find.EXACT_TEXT) == ["src/queues.py"]
    assert found(r"\d$", Find.REGEX) == ["src/other.py"]
    assert found("retry", Find.DEFINITION) == ["src/retry.py"]
    assert found("retry", Find.USAGE) == ["src/queues.py", "tests/test_retry.py"]


def test_nothing_found_is_said_as_ever(root: Path, home: Path) -> None:
    """In an empty tree, and where no file holds a word."""
    assert not scan(root, home, "retry").hits
    write_tree(root, TREE)
    response = scan(root, home, "zebra")

    assert (response.hits, response.confidence.value) == ((), "none")
    assert response.provenance.scan is not None
    assert response.provenance.scan.complete


def test_only_the_best_files_are_ranked_and_that_is_said(
    tree: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that the name spells is among them."""
    monkeypatch.setattr("ggrep.search.scan.scanner.MOST_FILES", 2)
    response = scan(tree, home, "retry")

    assert response.hits[0].path == "src/retry.py"
    assert len({hit.path for hit in response.hits}) <= 2
    assert [(cut.code, cut.limit, cut.observed) for cut in response.limits_hit] == [
        ("max_scan_files", 2, 4)
    ]


def test_files_without_room_are_counted_among_those_not_ranked(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fewer are ranked than there is place for, so the bound that is named is how many were."""
    monkeypatch.setattr("ggrep.search.scan.scanner.MOST_BYTES", 1000)
    write_tree(root, {**TREE, "src/retry_large.py": "def retry(): ...\n" * 100})
    response = scan(root, home, "retry")

    assert [(cut.code, cut.limit, cut.observed) for cut in response.limits_hit] == [
        ("max_scan_files", 4, 5)
    ]


@pytest.fixture
def no_minimum(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let time alone end scans."""
    monkeypatch.setattr("ggrep.search.scan.scan_files.LEAST_ENTRIES", 0)
    monkeypatch.setattr("ggrep.search.scan.scanner.LEAST_CUT_BYTES", 0)


@pytest.mark.usefixtures("no_minimum")
def test_a_scan_without_time_answers_from_what_it_saw(
    tree: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing at all, even; and it says so."""
    monkeypatch.setattr("ggrep.search.scan.scan_files.SCAN_MS", 0.0)
    response = scan(tree, home, "retry")
    facts = response.provenance.scan

    assert facts is not None
    assert (facts.files, facts.listed_files, facts.complete) == (0, None, False)
    assert "only 0 files" in response.warnings[-1].message
    assert [cut.code for cut in response.limits_hit] == ["max_scan_ms"]


def test_files_that_no_parser_had_time_for_are_cut_by_lines(
    tree: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are found all the same, and the answer says that time was short."""
    stalled = StalledPool(1, ChunkLimits(), SystemClock())
    monkeypatch.setattr("ggrep.search.scan.prefetch_listing.pool_of", lambda *_: stalled)
    response = scan(tree, home, "retry")

    assert "src/retry.py" in {hit.path for hit in response.hits}
    assert [cut.code for cut in response.limits_hit] == ["max_scan_ms"]


class Ticking(SystemClock):
    """A clock that goes on by a millisecond each time it is read."""

    def __init__(self) -> None:
        self._read = 0.0

    def monotonic_ms(self) -> float:
        self._read += 1.0
        return self._read


@pytest.mark.usefixtures("no_minimum")
def test_the_most_promising_directory_is_seen_first(
    root: Path, home: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a tree that is too large for its time the right part is seen."""
    monkeypatch.setattr("ggrep.search.scan.scan_files.SCAN_MS", 20.0)
    git(root, "init")
    files = {f"a{number:02}/x.py": "retry = 1\n" for number in range(40)}
    write_tree(root, {**files, "zebra/deep/retry.py": "def retry():\n    return 1\n"})
    engine = open_engine(root, home)
    engine.clock = Ticking()
    response = engine.scan(SearchRequest("retry", timeout_ms=1_000_000))
    facts = response.provenance.scan

    assert facts is not None
    assert (facts.complete, facts.listed_files) == (False, 41)
    assert facts.files < 41
    assert response.hits[0].path == "zebra/deep/retry.py"
    assert f"{facts.files} of 41 files" in response.warnings[-1].message


@pytest.mark.usefixtures("no_minimum")
def test_time_that_passed_before_a_scan_is_the_scans_too(
    tree: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits counts from the question, not from when a daemon was there to take it."""
    monkeypatch.setattr("ggrep.search.scan.scan_files.SCAN_MS", 30_000.0)
    engine = open_engine(tree, home)
    request = SearchRequest("retry")
    late = engine.scan(request, asked_ms=engine.clock.monotonic_ms() - 60_000.0)

    assert late.provenance.scan is not None
    assert (late.provenance.scan.files, late.provenance.scan.complete) == (0, False)


@pytest.mark.parametrize("late_ms", [0.0, 1e9])
def test_load_changes_neither_the_minimum_nor_its_answer(
    root: Path, home: Path, late_ms: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process without a core for seconds answers from the same files, and cuts them alike."""
    monkeypatch.setattr("ggrep.search.scan.scan_files.SCAN_MS", 1_050.0)
    monkeypatch.setattr("ggrep.search.scan.scanner.WHOLE_MS", 1_500.0)
    files = {f"a{number:02}/x.py": "queue = 1\n" for number in range(40)}
    write_tree(root, {**files, "zebra.py": "queue = 2\n\n\ndef backoff():\n    return queue\n"})
    engine = open_engine(root, home)
    asked_ms = engine.clock.monotonic_ms() - late_ms
    response = engine.scan(SearchRequest("queue backoff"), asked_ms=asked_ms)

    assert response.provenance.scan is not None
    assert response.provenance.scan.files == 41
    assert places(response)[0] == ("zebra.py", 4, "backoff")


@pytest.mark.usefixtures("no_minimum")
def test_the_files_of_the_minimum_are_the_same_each_time(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Directories are entered in a fixed order until enough entries were met."""
    monkeypatch.setattr("ggrep.search.scan.scan_files.SCAN_MS", 0.0)
    monkeypatch.setattr("ggrep.search.scan.scan_files.LEAST_ENTRIES", 50)
    write_tree(root, {f"a{number:02}/x.py": f"retry = {number}\n" for number in range(40)})
    seen = {places(scan(root, home, "retry", per_file=0, limit=50))[0] for _ in range(2)}
    facts = scan(root, home, "retry").provenance.scan

    assert len(seen) == 1
    assert facts is not None
    assert 0 < facts.files < 40


def test_a_file_with_a_rare_word_is_among_the_hits(root: Path, home: Path) -> None:
    """One mention in a long file scores less than short files that are full of common words."""
    files = {
        f"queue{number}/worker_pool.py": "def worker_pool(queue): ...\n" for number in range(20)
    }
    lines = [f"value_{number} = {number}\n" for number in range(500)]
    lines[300] = "# zebra\n"
    write_tree(root, {**files, "long.py": "".join(lines)})
    hits = scan(root, home, "worker pool queue zebra", limit=4, keep_weak=True).hits

    assert [hit.path for hit in hits].index("long.py") == 3


def test_what_only_a_snapshot_can_answer_is_refused(tree: Path, home: Path) -> None:
    """A deterministic answer is one of a snapshot."""
    with pytest.raises(NoIndex, match="ggrep index"):
        scan(tree, home, "retry", deterministic=True)
    with pytest.raises(NoIndex):
        scan(tree, home, "src/retry.py:1", find=Find.SIMILAR_CODE)
    with pytest.raises(InvalidRequest, match="the query is empty"):
        scan(tree, home, "   ")


def test_a_file_that_cannot_be_read_does_not_count_as_searched(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that misses it says so."""
    write_tree(root, {"a.py": "retry = 1\n", "b.py": "retry = 22\n"})
    read = priority_walk.read_descriptor

    def refused(descriptor: int, *, most_bytes: int) -> bytes:
        if most_bytes == len("retry = 22\n"):
            raise PermissionError
        return read(descriptor, most_bytes=most_bytes)

    monkeypatch.setattr(priority_walk, "read_descriptor", refused)

    assert "1 of 2 files" in scan(root, home, "retry").warnings[-1].message
