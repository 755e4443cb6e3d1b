"""What a query is looked for as."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest
from ggrep.model.request import Find, SearchRequest
from ggrep.model.response import Hit
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import IndexOf, answer, answer_bytes, indexed, open_engine, write_tree

TREE = {
    "src/queue.py": (
        "class Queue:\n"
        "    def drain(self):\n"
        "        return self.items.pop()\n"
        "\n"
        "    def fill(self, item):\n"
        "        self.items.append(item)\n"
    ),
    "src/pump.py": "from queue import Queue\n\n\ndef run(queue):\n    queue.drain()\n",
    "src/other.py": "def Drain(box):\n    return box.empty()\n\n\ndef drained(x):\n    return x\n",
    "docs/drain.md": "# Drain the queue\n\nHow a queue is drained, in words.\n",
}


def found(engine: Engine, query: str, find: Find, **more: object) -> tuple[Hit, ...]:
    request = SearchRequest(query, find=find, deterministic=True, **more)  # type: ignore[arg-type] # varied
    return engine.search(request).hits


def test_a_definition_is_what_defines_the_name_its_own_spelling_first(index_of: IndexOf) -> None:
    """Whoever jumps to a definition wants no mention of it."""
    engine = index_of(TREE, encoder="none")

    hits = found(engine, "drain", Find.DEFINITION)

    assert [hit.path for hit in hits] == ["src/queue.py", "src/other.py"]
    assert hits[0].score > 5 * hits[1].score


@pytest.mark.parametrize("name", ["Queue.drain", "Queue::drain", "Queue#drain", "Queue.drain()"])
def test_a_qualified_name_leads_to_the_definition_in_that_container(
    index_of: IndexOf, name: str
) -> None:
    """Names are written as every language writes them."""
    engine = index_of(
        {**TREE, "src/tank.py": TREE["src/queue.py"].replace("Q", "T")}, encoder="none"
    )

    assert [hit.path for hit in found(engine, name, Find.DEFINITION)] == ["src/queue.py"]


def test_a_usage_holds_the_name_as_a_word_and_does_not_define_it(index_of: IndexOf) -> None:
    """Neither do longer names, nor another spelling of it, use it."""
    engine = index_of(TREE, encoder="none")

    (hit,) = found(engine, "drain", Find.USAGE)

    assert hit.path == "src/pump.py"
    assert "queue.drain()" in hit.content
    assert [hit.path for hit in found(engine, "Queue.drain", Find.USAGE)] == ["src/pump.py"]


@pytest.mark.parametrize("find", [Find.DEFINITION, Find.USAGE])
def test_what_is_no_name_is_not_looked_up_as_one(root: Path, home: Path, find: Find) -> None:
    """A sentence has no definition."""
    with pytest.raises(InvalidRequest, match="not a valid name"):
        found(open_engine(root, home), "how is it drained", find)


@pytest.mark.parametrize(
    ("find", "query", "missing"),
    [
        (Find.DEFINITION, "drain", "nowhere"),
        (Find.USAGE, "drain", "nowhere"),
        (Find.EXACT_TEXT, "(self)", "(it)"),
        (Find.REGEX, r"\bdef \w+", r"\bdefine \w+"),
    ],
)
def test_verified_hits_are_strong_and_none_is_none(
    index_of: IndexOf, find: Find, query: str, missing: str
) -> None:
    """What holds the text is no guess, however common its words."""
    engine = index_of(TREE, encoder="none")

    output = answer(engine, SearchRequest(query, find=find, deterministic=True))
    nothing = answer(engine, SearchRequest(missing, find=find, deterministic=True))

    assert (output["confidence"], output["limits_hit"], output["warnings"]) == ("strong", [], [])
    assert (nothing["confidence"], nothing["results"]) == ("none", [])


def test_a_concept_is_read_as_a_description_though_it_is_a_name(index_of: IndexOf) -> None:
    """`drain` may be what is done, not what it is called."""
    engine = index_of(TREE, encoder="none")
    request = SearchRequest("drain", explain=True, deterministic=True, keep_weak=True)

    plain = engine.search(request)
    concept = engine.search(replace(request, find=Find.CONCEPT))

    assert plain.explanation is not None
    assert concept.explanation is not None
    assert (plain.explanation.kind, concept.explanation.kind) == ("symbol", "question")
    assert dict(plain.hits[0].components)["symbol"] > 0
    assert all(dict(hit.components)["symbol"] == 0 for hit in concept.hits)


def test_similar_code_of_a_place_is_never_the_place_itself(index_of: IndexOf) -> None:
    """Everybody knows that it is like itself."""
    body = "def {}(items):\n    total = weigh(items)\n    return total / count(items)\n"
    files = {f"{name}.py": body.format(name) for name in ("one", "two")}
    engine = index_of(files | {"z.py": "def far(x):\n    return x\n"}, encoder="none")

    hits = found(engine, "one.py:2", Find.SIMILAR_CODE, keep_weak=True)
    by_id = found(engine, hits[0].row_id, Find.SIMILAR_CODE, keep_weak=True)

    assert hits[0].path == "two.py"
    assert "one.py" not in {hit.path for hit in hits}
    assert by_id[0].path == "one.py"
    assert "two.py" not in {hit.path for hit in by_id}


def test_similar_code_may_be_pasted(index_of: IndexOf) -> None:
    """It need not be in the index."""
    hits = found(
        index_of(TREE, encoder="none"), "items.append(thing)\nreturn items", Find.SIMILAR_CODE
    )

    assert hits[0].path == "src/queue.py"


def test_of_long_code_the_rarest_words_count(index_of: IndexOf) -> None:
    """Words that stand everywhere would crowd out those that tell."""
    common = " ".join(f"common{i}" for i in range(70))
    files = {f"f{i:02}.txt": f"{common}\n" for i in range(30)}
    files |= {"sample.txt": f"{common}\nzebra\n", "wanted.txt": "zebra here\n"}
    engine = index_of(files, encoder="none")
    request = SearchRequest("sample.txt:1", find=Find.SIMILAR_CODE, explain=True, keep_weak=True)

    output = engine.search(request)

    assert output.hits[0].path == "wanted.txt"
    assert output.explanation is not None
    assert len(output.explanation.terms) == 64
    assert "max_query_terms" in {cut.code for cut in output.limits_hit}


def test_similar_code_by_words_alone_says_so(index_of: IndexOf) -> None:
    """An answer without vectors is a weaker one."""
    words = index_of(TREE, encoder="none")
    vectors = index_of(TREE, encoder="hashed")
    request = SearchRequest("src/queue.py:2", find=Find.SIMILAR_CODE, deterministic=True)

    def codes(engine: Engine, request: SearchRequest) -> set[str]:
        return {notice.code for notice in engine.search(request).warnings}

    assert "no_vectors" in codes(words, request)
    assert "no_vectors" in codes(vectors, replace(request, vectors=False))
    assert "no_vectors" not in codes(vectors, request)


@pytest.mark.parametrize("place", ["nowhere.py:3", "src/queue.py:99", "f" * 64])
def test_a_place_that_is_not_there_is_refused(index_of: IndexOf, place: str) -> None:
    """Silence would read as code that nothing is like."""
    with pytest.raises(InvalidRequest, match="target"):
        found(index_of(TREE, encoder="none"), place, Find.SIMILAR_CODE)


def test_without_vectors_a_store_answers_as_one_that_has_none(root: Path, home: Path) -> None:
    """Hit for hit and score for score."""
    request = SearchRequest("drain the queue", deterministic=True, keep_weak=True)
    bare = found(
        indexed(root, home, TREE, encoder="none"), "drain the queue", Find.AUTO, keep_weak=True
    )
    engine = indexed(root, home, TREE, encoder="hashed")

    without = engine.search(replace(request, vectors=False)).hits

    assert [(hit.row_id, hit.score) for hit in without] == [(hit.row_id, hit.score) for hit in bare]
    assert [hit.score for hit in engine.search(request).hits] != [hit.score for hit in bare]


@pytest.mark.slow
def test_how_a_store_came_to_hold_its_files_changes_nothing(root: Path, home: Path) -> None:
    """Rows that are hidden by now are neither found nor counted."""
    engine = indexed(root, home, {**TREE, "src/gone.py": TREE["src/queue.py"]}, encoder="none")
    for step in range(4):
        write_tree(root, {"src/queue.py": f"x = {step}\n\n\ndef drain():\n    pass\n"})
        engine.sync()
    write_tree(root, {**TREE, "src/gone.py": None})
    engine.sync()
    fresh = open_engine(root, home.parent / "fresh", encoder="none")
    fresh.sync()

    assert len(engine.view().segments) > 1
    for query, find in (
        ("dr", Find.EXACT_TEXT),
        (r"\w+\(", Find.REGEX),
        ("drain", Find.DEFINITION),
        ("drain", Find.USAGE),
        ("src/queue.py:2", Find.SIMILAR_CODE),
    ):
        request = SearchRequest(query, find=find, deterministic=True, explain=True)
        assert answer_bytes(engine, request) == answer_bytes(fresh, request), find
