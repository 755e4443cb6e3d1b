"""What each kind of query finds first."""

import pytest

from ggrep.model.request import SearchRequest
from ggrep.model.response import Hit
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import IndexOf, paths


def hits(engine: Engine, query: str) -> tuple[Hit, ...]:
    request = SearchRequest(query, explain=True, deterministic=True, keep_weak=True)
    return engine.search(request).hits


def test_a_phrase_stands_word_for_word_in_what_is_shown(index_of: IndexOf) -> None:
    """Who quotes knows the words; letter case and line ends are not theirs to know."""
    files = {
        "a.txt": "retry retry queue queue\n",
        "b.txt": "the Queue\n   retry is here\n",
        "c.txt": "queue, retry\n",
    }
    engine = index_of(files, encoder="none")

    assert paths(engine, '"queue retry"', keep_weak=True) == ["b.txt"]
    assert paths(engine, 'here "queue retry"', keep_weak=True) == ["b.txt"]
    assert paths(engine, '"retry queue" "queue, retry"', keep_weak=True) == []
    assert paths(engine, 'queue ", "', keep_weak=True) == ["c.txt"]


def test_a_second_word_counts_for_more_than_the_first_ones_spelling(index_of: IndexOf) -> None:
    """`parsers` and its stem are one thing that was asked for, not two."""
    engine = index_of({"a.txt": "parsers bank\n", "b.txt": "parser drain\n"}, encoder="none")

    assert paths(engine, "parsers drain", keep_weak=True) == ["b.txt", "a.txt"]


def test_a_path_leads_to_its_file(index_of: IndexOf) -> None:
    """Other files say its name more often than it does itself."""
    talk = "# core alpha py\n\ncore/alpha.py " * 5
    files = {"src/core/alpha.py": "x = 1\n", "lib/alpha.py": "core = alpha\n", "a.md": talk}
    result = hits(index_of(files, encoder="none"), "core/alpha.py:1")
    locations = {hit.path: dict(hit.components)["location"] for hit in result}

    assert result[0].path == "src/core/alpha.py"
    assert locations == {"src/core/alpha.py": 2.25, "lib/alpha.py": 1.5, "a.md": 0.0}


@pytest.mark.parametrize(
    "message", ["Target queue name already exists.", "error: queue  NAME already exists"]
)
def test_a_pasted_message_leads_to_where_it_stands(index_of: IndexOf, message: str) -> None:
    """Files that speak of nothing else say its words more often."""
    talk = "".join(f"# exists already, target name of queue {i}: error\n" for i in range(20))
    output = "".join(f'fail("{what} queue name already exists")\n' for what in ("error:", "Target"))
    engine = index_of(
        {"src/a.py": output, **{f"queue/name{i}.py": talk for i in range(4)}}, encoder="none"
    )

    result = hits(engine, message)

    assert result[0].path == "src/a.py"
    assert dict(result[0].components)["verbatim"] > 0
    assert all(dict(hit.components).get("verbatim", 0.0) == 0.0 for hit in result[1:])


def test_the_line_behind_a_path_leads_to_the_chunk_that_holds_it(index_of: IndexOf) -> None:
    """Stack traces are pasted with their lines."""
    text = "".join(f"def f{i}(x):\n    return x\n\n\n" for i in range(30))
    engine = index_of({"a.py": text, "b.py": text}, encoder="none")

    result = hits(engine, "a.py:42 f7")

    assert (result[0].path, result[0].start_line) == ("a.py", 41)


def test_a_word_that_documents_counts_for_more_than_one_in_passing(index_of: IndexOf) -> None:
    """It says what the definition is for."""
    body = "def one():\n    {}\n    return 1\n"
    files = {"a.py": body.format("zebra = 1"), "b.py": body.format('"""zebra 1"""')}

    assert [hit.path for hit in hits(index_of(files, encoder="none"), "zebra")] == ["b.py", "a.py"]


def test_a_lone_name_weighs_its_definition_twice(index_of: IndexOf) -> None:
    """Beside other words it is one of them."""
    engine = index_of({"a.py": "def drain(queue):\n    return queue\n"}, encoder="none")

    assert dict(hits(engine, "drain")[0].components)["symbol"] == 2.0
    assert dict(hits(engine, "drain it slowly")[0].components)["symbol"] <= 1.0


def test_tests_are_put_behind_unless_they_are_asked_for(index_of: IndexOf) -> None:
    """Their words are those of the code they test."""
    files = dict.fromkeys(("src/queue.txt", "tests/queue.txt"), "drain the queue\n")
    engine = index_of(files, encoder="none")

    plain = {hit.path: dict(hit.components)["prior"] for hit in hits(engine, "drain queue")}
    asked = {hit.path: dict(hit.components)["prior"] for hit in hits(engine, "drain queue tests")}

    assert plain["tests/queue.txt"] < plain["src/queue.txt"]
    assert asked["tests/queue.txt"] == asked["src/queue.txt"]
