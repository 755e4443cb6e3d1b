"""The files that are ranked are chosen so that none of the best is lost."""

from ggrep.domain.corpus import Mode
from ggrep.domain.ids import PathKey
from ggrep.domain.source import SourceFile
from ggrep.query.understand import parse_query
from ggrep.scan.needles import needles_of
from ggrep.scan.sighting import Sightings, promise_of, sightings_for

FILLER = "word " * 40


def seen(query: str, files: dict[str, str], *, matched: bool | None = None) -> Sightings:
    """Return what was seen of some files."""
    parsed = parse_query(query)
    sightings = sightings_for(parsed, needles_of(parsed))
    for name, text in files.items():
        data = text.encode()
        sightings.look(SourceFile(PathKey(name), len(data), 0, 0, 0), data, matched=matched)
    return sightings


def best(query: str, files: dict[str, str]) -> list[str]:
    found = seen(query, files).best(parse_query(query), Mode.BALANCED)
    return [one.file.path_key for one in found]


def test_files_without_any_word_are_not_found() -> None:
    """In their paths neither."""
    files = {"a.py": "retry", "retry/b.py": "x", "c.py": "nothing"}

    assert sorted(best("retry", files)) == ["a.py", "retry/b.py"]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    """And a file that is full of the common one does not push the other out."""
    files = {f"f{number}.py": f"queue {FILLER}" for number in range(9)}
    files |= {"rare.c": f"backoff {FILLER}", "many.c": "queue " * 40}

    assert best("backoff queue", files)[0] == "rare.c"


def test_the_file_that_defines_a_name_comes_before_those_that_use_it() -> None:
    """`kmalloc` stands in thousands of files."""
    files = {f"use{number}.c": "\tp = kmalloc(1);\n" * 5 for number in range(5)}
    files |= {
        "slab.c": f"{FILLER}\nvoid *kmalloc(size_t size)\n{{\n{FILLER}",
        "slab.h": f"{FILLER}\nvoid *kmalloc(size_t size);\n{FILLER}",
        "deep.py": f"{FILLER}\n    def kmalloc(self):\n{FILLER}",
    }

    assert set(best("kmalloc", files)[:2]) == {"slab.c", "deep.py"}


def test_tests_stand_behind_unless_they_are_asked_for() -> None:
    """As in the ranking itself."""
    files = {"tests/test_retry.py": "retry", "src/retrying.py": "retry"}

    assert best("retry", files)[0] == "src/retrying.py"
    assert best("retry test", files)[0] == "tests/test_retry.py"


def test_equal_files_are_ordered_by_their_paths() -> None:
    """The same tree gives the same answer, however it was walked."""
    files = {"b/x.py": "retry", "a/x.py": "retry"}

    assert best("retry", files) == ["a/x.py", "b/x.py"]
    assert best("retry", dict(reversed(files.items()))) == ["a/x.py", "b/x.py"]


def test_what_has_to_match_and_does_not_is_no_answer() -> None:
    """A regular expression may hold no word at all: then its matches alone decide."""
    assert not seen("retry", {"a.py": "retry"}, matched=False).found
    assert seen("retry", {"a.py": "x"}, matched=True).found


def test_directories_promise_what_the_best_path_below_them_does() -> None:
    """A tree too large to be seen whole is entered there first."""
    needles = needles_of(parse_query("sched deadline"))
    paths = [b"kernel/sched/deadline.c", b"kernel/sched/rt.c", b"net/sched/x.c", b"fs/a.c"]
    promise = promise_of(paths, needles)

    assert promise[b"kernel/"] == promise[b"kernel/sched/"] > promise[b"net/sched/"] > 0.0
    assert b"fs/" not in promise
