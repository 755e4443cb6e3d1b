"""What each kind of query finds first."""

from pathlib import Path

import pytest

from ggrep.model.request import SearchRequest
from ggrep.model.response import Hit
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import open_engine, paths, write_tree


def indexed(root: Path, home: Path, files: dict[str, str]) -> Engine:
    write_tree(root, files)
    engine = open_engine(root, home, encoder="none")
    engine.sync()
    return engine


def hits(engine: Engine, query: str) -> tuple[Hit, ...]:
    request = SearchRequest(query, explain=True, deterministic=True, keep_weak=True)
    return engine.search(request).hits


def test_a_phrase_stands_word_for_word_in_what_is_shown(root: Path, home: Path) -> None:
    """Who quotes knows the words; letter case and line ends are not theirs to know."""
    files = {
        "a.txt": "retry retry queue queue\n",
        "b.txt": "the Queue\n   retry is here\n",
        "c.txt": "queue, retry\n",
    }
    engine = indexed(root, home, files)

    assert paths(engine, '"queue retry"', keep_weak=True) == ["b.txt"]
    assert paths(engine, 'here "queue retry"', keep_weak=True) == ["b.txt"]
    assert paths(engine, '"retry queue" "queue, retry"', keep_weak=True) == []
    assert paths(engine, 'queue ", "', keep_weak=True) == ["c.txt"]


def test_a_second_word_counts_for_more_than_the_first_ones_spelling(root: Path, home: Path) -> None:
    """`parsers` and its stem are one thing that was asked for, not two."""
    engine = indexed(root, home, {"a.txt": "parsers bank\n", "b.txt": "parser drain\n"})

    assert paths(engine, "parsers drain", keep_weak=True) == ["b.txt", "a.txt"]


def test_a_path_leads_to_its_file(root: Path, home: Path) -> None:
    """Other files say its name more often than it does itself."""
    talk = "# core alpha py\n\ncore/alpha.py " * 5
    files = {"src/core/alpha.py": "x = 1\n", "lib/alpha.py": "core = alpha\n", "a.md": talk}
    result = hits(indexed(root, home, files), "core/alpha.py:1")
    locations = {hit.path: dict(hit.components)["location"] for hit in result}

    assert result[0].path == "src/core/alpha.py"
    assert locations == {"src/core/alpha.py": 2.25, "lib/alpha.py": 1.5, "a.md": 0.0}


@pytest.mark.parametrize(
    "message", ["Target queue name already exists.", "error: queue  NAME already exists"]
)
def test_a_pasted_message_leads_to_where_it_stands(root: Path, home: Path, message: str) -> None:
    """Files that speak of nothing else say its words more often."""
    talk = "".join(f"# exists already, target name of queue {i}: error\n" for i in range(20))
    output = "".join(f'fail("{what} queue name already exists")\n' for what in ("error:", "Target"))
    engine = indexed(
        root, home, {"src/a.py": output, **{f"queue/name{i}.py": talk for i in range(4)}}
    )

    result = hits(engine, message)

    assert result[0].path == "src/a.py"
    assert dict(result[0].components)["verbatim"] > 0
    assert all(dict(hit.components).get("verbatim", 0.0) == 0.0 for hit in result[1:])


def test_the_line_behind_a_path_leads_to_the_chunk_that_holds_it(root: Path, home: Path) -> None:
    """Stack traces are pasted with their lines."""
    text = "".join(f"def f{i}(x):\n    return x\n\n\n" for i in range(30))
    engine = indexed(root, home, {"a.py": text, "b.py": text})

    result = hits(engine, "a.py:42 f7")

    assert (result[0].path, result[0].start_line) == ("a.py", 41)


def test_a_word_that_documents_counts_for_more_than_one_in_passing(root: Path, home: Path) -> None:
    """It says what the definition is for."""
    body = "def one():\n    {}\n    return 1\n"
    files = {"a.py": body.format("zebra = 1"), "b.py": body.format('"""zebra 1"""')}

    assert [hit.path for hit in hits(indexed(root, home, files), "zebra")] == ["b.py", "a.py"]


def test_a_lone_name_weighs_its_definition_twice(root: Path, home: Path) -> None:
    """Beside other words it is one of them."""
    engine = indexed(root, home, {"a.py": "def drain(queue):\n    return queue\n"})

    assert dict(hits(engine, "drain")[0].components)["symbol"] == 2.0
    assert dict(hits(engine, "drain it slowly")[0].components)["symbol"] <= 1.0


def test_tests_are_put_behind_unless_they_are_asked_for(root: Path, home: Path) -> None:
    """Their words are those of the code they test."""
    files = dict.fromkeys(("src/queue.txt", "tests/queue.txt"), "drain the queue\n")
    engine = indexed(root, home, files)

    plain = {hit.path: dict(hit.components)["prior"] for hit in hits(engine, "drain queue")}
    asked = {hit.path: dict(hit.components)["prior"] for hit in hits(engine, "drain queue tests")}

    assert plain["tests/queue.txt"] < plain["src/queue.txt"]
    assert asked["tests/queue.txt"] == asked["src/queue.txt"]
