"""What agents read: ranges, lines and cuts, and no id."""

import re
from typing import Any

from ggrep.render.agent_text import agent_text
from ggrep.render.slate_json import slate_success
from tests.fakes.slates import ANSWER

ID = re.compile(r"[0-9a-f]{64}")


def mention(path: str, line: int, content: str, container: str = "") -> dict[str, Any]:
    return {"path": path, "line": line, "content": content, "container": container}


def test_usages_stand_by_file_before_tests_and_imports() -> None:
    document = {
        "name": "retry",
        "files": 3,
        "references": [
            mention("src/a.py", 1, "from queue import retry"),
            mention("src/b.py", 9, "  retry(message)", "Worker.run"),
            mention("src/b.py", 12, "  retry(other)", "Worker.stop"),
            mention("tests/test_a.py", 4, "retry(1)", "test_retry"),
        ],
        "limits_hit": [{"code": "max_references", "limit": 4, "observed": 40}],
        "warnings": [{"code": "stale", "message": "a file changed"}],
    }
    assert agent_text(document).split("\n") == [
        "4 mentions of retry in 3 files",
        "src/b.py",
        " 9: retry(message)  in Worker.run",
        " 12: retry(other)  in Worker.stop",
        "tests/test_a.py (test)",
        " 4: retry(1)  in test_retry",
        "imported at src/a.py:1",
        "cut: max_references 4 of 40",
        "warning: stale: a file changed",
    ]


def test_lines_are_numbered_where_a_place_is_opened() -> None:
    document = {
        "boundary": "definition",
        "path": "a.py",
        "start_line": 9,
        "end_line": 10,
        "file_lines": 40,
        "breadcrumb": ["Worker", "run"],
        "content": "def run():\n    pass",
        "neighbours": [{"side": "behind", "start_line": 12, "end_line": 20, "name": "stop"}],
    }
    assert agent_text(document).split("\n") == [
        "a.py:9-10 definition in Worker > run, of 40 lines",
        "9 def run():",
        "10     pass",
        "behind 12-20 stop",
    ]


def test_a_failure_says_what_to_do() -> None:
    failure = {"error": {}, "code": "busy", "message": "too many", "hint": "ask again"}
    assert agent_text(failure) == "busy: too many\nhint: ask again"


def test_a_state_has_no_ids() -> None:
    state = {"store": "x", "key": "a" * 64, "all": ["b" * 64, "c"]}
    assert agent_text(state) == '{"all":["c"],"store":"x"}'


def test_a_slate_is_shorter_than_its_document_and_shows_its_lines() -> None:
    document: Any = slate_success(ANSWER)
    text = agent_text(document)
    slate = document["slate"]
    assert not ID.search(text)
    assert len(text.encode()) <= slate["limits"]["max_slate_bytes"]
    for section in slate["sections"]:
        for file in section["files"]:
            assert file["path"] in text
            assert all(piece["snippet"].rstrip("\n") in text for piece in file.get("evidence", ()))


def test_places_of_a_workspace_are_told_as_expand_takes_them() -> None:
    """And usages with how they are tied to a definition elsewhere."""
    place = {"repoId": "web-000000000000", "repoAlias": "web", "path": "src/a.py"}
    used = {**place, "line": 4, "content": "run()", "tie": "guess"}
    bare = {**used, "repoId": "api-000000000000", "repoAlias": None, "tie": "import"}
    defined = {
        **place,
        "line": 1,
        "start_line": 1,
        "end_line": 3,
        "name": "run",
        "kind": "function",
    }

    assert agent_text({"definitions": [defined]}) == "web:src/a.py:1-3 function run"
    told = agent_text({"name": "run", "references": [used, bare], "files": 2})
    assert told.split("\n") == [
        "2 mentions of run in 2 files",
        "api-000000000000:src/a.py import",
        " 4: run()",
        "web:src/a.py guess",
        " 4: run()",
    ]
