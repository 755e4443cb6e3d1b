"""Every kind of finding over a workspace answers as over one store of all its files."""

from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.model.request import Find, SearchRequest
from tests.fakes.union import build_union
from tests.properties.test_federation_loses_nothing import Federation, assert_equal_answers
from tests.properties.workspaces import write_trees

REPOS = [
    {
        "queue.py": "def drain(queue):\n    return queue.pop()\n",
        "pump.py": "from queue import drain\n\n\ndef fill(queue):\n    drain(queue)\n",
        "notes.md": "# Queues\n\nCall drain(queue) at the end.\n",
    },
    {
        "other.py": "import queue\n\n\ndef Drain(box):\n    return drain(box)  # -> box\n",
        "c.json": '{"drain": "->"}\n',
    },
    {"a.rb": "def drain\n  queue.pop\nend\n" * 3, "b.txt": "drains\n"},
]
ASKED = [
    ("drain(", Find.EXACT_TEXT),
    ("rain", Find.EXACT_TEXT),
    ("->", Find.EXACT_TEXT),
    (r"drain\(\w+\)$", Find.REGEX),
    ("drain", Find.DEFINITION),
    ("drain", Find.USAGE),
    ("drain queue", Find.CONCEPT),
    ("def drain(queue):\n    return queue.pop()", Find.SIMILAR_CODE),
]


@pytest.mark.slow
def test_every_kind_of_finding_answers_as_one_store_over_all_files(tmp_path: Path) -> None:
    """What may be shown and how the query is read depend on no repository."""
    roots = write_trees(tmp_path, REPOS)
    federation = Federation(tmp_path, roots, "static")
    union = build_union(tmp_path, roots, "static")

    for query, find in ASKED:
        for vectors in (True, False):
            request = SearchRequest(
                query, find=find, vectors=vectors, deterministic=True, keep_weak=True
            )
            assert assert_equal_answers(federation, union, request).hits


@pytest.mark.slow
def test_a_place_is_refused_where_there_are_several_repositories(tmp_path: Path) -> None:
    """The same path is another file in each of them."""
    roots = write_trees(tmp_path, REPOS)
    federation = Federation(tmp_path, roots, "none")

    answer = federation.search(SearchRequest("queue.py:1", find=Find.SIMILAR_CODE))

    assert not answer.hits
    assert answer.error is not None
    with pytest.raises(InvalidRequest, match=r"queue\.py:1"):
        raise answer.error
