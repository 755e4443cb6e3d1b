"""A search as agents read it."""

from typing import Any

from ggrep.interfaces.surfaces.agent_search import (
    MAX_BODY_BYTES,
    AgentTextOptions,
    hits_to_open,
    search_text,
)


def hit(path: str, first: int, last: int, **more: Any) -> dict[str, Any]:
    """Return a hit of a method that shows a line."""
    return {
        "row_id": f"{first:064x}",
        "path": path,
        "start_line": first,
        "end_line": last,
        "chunk_type": "method",
        "name": "run",
        "qualified_name": "A.run",
        "signature": "def run(self)",
        "content": "a line",
        "content_start_line": first,
        **more,
    }


def found(*hits: dict[str, Any], snippet: str = "short", **more: Any) -> dict[str, Any]:
    """Return an answer that is sure of itself."""
    return {
        "confidence": "strong",
        "limits": {"snippet": snippet},
        "results": list(hits),
        **more,
    }


def body(path: str, first: int, text: str, hidden: int = 0) -> dict[str, Any]:
    return {
        "path": path,
        "boundary": "definition",
        "start_line": first,
        "end_line": first + text.count("\n"),
        "breadcrumb": ["A", "run"],
        "language": "python",
        "content": text,
        "hidden_lines": hidden,
    }


def text_of(
    document: dict[str, Any], bodies: list[dict[str, Any]], wish: AgentTextOptions
) -> list[str]:
    return search_text(document, list(enumerate(bodies)), wish, "--budget {}").split("\n")


def test_a_heading_is_told_by_its_end_and_without_marks() -> None:
    """Anchors and the headings above it were longer than the line that matched."""
    heading = "Manual > " * 9 + '<a id="limits"></a> Limits'
    lines = [{"line": 3, "text": "a limit", "columns": [[3, 8]]}]
    document = found(
        {**hit("a.md", 3, 3, lines=lines), "qualified_name": heading},
        matches={"lines": 1, "files": 1},
    )

    (line,) = text_of(document, [], AgentTextOptions())[2:]
    assert line.startswith(" 3: a limit  in ...")
    assert line.endswith(" > Manual > Limits")
    assert len(line) < 90


def test_an_exact_text_is_answered_by_the_lines_that_match() -> None:
    lines = [
        {"line": 8, "text": "    x = limit", "columns": [[9, 14]]},
        {"line": 9, "text": "    y = 1", "columns": []},
        {"line": 10, "text": "    limit = 2", "columns": [[5, 10]]},
    ]
    other = [{"line": 2, "text": "LIMIT", "columns": [[1, 6]]}]
    document = found(
        hit("b.py", 7, 10, lines=lines),
        hit("a.py", 1, 2, lines=other),
        hit("b.py", 10, 12, lines=lines[2:]),
        matches={"lines": 4, "files": 3},
    )

    assert hits_to_open(document, AgentTextOptions(), 0) == []
    assert text_of(document, [], AgentTextOptions()) == [
        "4 lines match in 3 files",
        "b.py",
        " 8: x = limit  in A.run",
        " 9- y = 1",
        " 10: limit = 2  in A.run",
        "a.py",
        " 2: LIMIT  in A.run",
    ]


def test_files_that_match_are_listed_on_request() -> None:
    listed = [{"path": "a.py", "lines": 2}, {"path": "b.py", "lines": 1}]
    document = found(hit("a.py", 1, 2), matches={"lines": 3, "files": 2, "by_file": listed})

    assert text_of(document, [], AgentTextOptions()) == [
        "3 lines match in 2 files",
        "a.py: 2",
        "b.py: 1",
    ]


def test_a_hit_is_one_line_and_the_best_are_opened_where_they_fit() -> None:
    """The next call would have been for that text."""
    document = found(hit("a.py", 3, 4), hit("b.py", 9, 12))

    assert text_of(document, [body("a.py", 3, "def run(self):\n    pass")], AgentTextOptions()) == [
        "strong, 2 hits",
        "a.py:3-4 method A.run(self)",
        "b.py:9-12 method A.run(self)",
        "## a.py:3-4 A.run",
        "3\tdef run(self):",
        "\t    pass",
    ]


def test_what_would_be_cut_is_not_opened_unless_asked_for() -> None:
    """A window cut by guess is what the text is to save."""
    document = found(hit("a.py", 3, 400))
    long = body("a.py", 3, "x = 1\n" * 40 + "y = 2", hidden=300)

    assert not any(line.startswith("## ") for line in text_of(document, [long], AgentTextOptions()))
    asked = text_of(document, [long], AgentTextOptions(bodies=1))
    assert asked[2] == "## a.py:3-43 A.run"
    assert asked[-1].startswith("cut: 300 more lines of this definition; expand a.py:44 goes on")


def test_a_definition_is_opened_once_and_two_hits_at_most_unasked() -> None:
    document = found(hit("a.py", 3, 4), hit("a.py", 4, 4))
    same = body("a.py", 3, "def run(self):\n    pass")

    assert text_of(document, [same, same], AgentTextOptions(bodies=2)).count("\t    pass") == 1

    document = found(*[hit(f"{name}.py", 3, 4) for name in "abc"])
    bodies = [body(f"{name}.py", 3, "x\ny") for name in "abc"]

    assert (
        sum(line.startswith("## ") for line in text_of(document, bodies, AgentTextOptions())) == 2
    )


def test_the_budget_cuts_the_last_hits_and_says_how_to_see_them() -> None:
    hits = [hit(f"directory/file{number}.py", 1, 9) for number in range(200)]

    lines = text_of(found(*hits), [], AgentTextOptions(bodies=0))
    assert sum(len(line) + 1 for line in lines[:-1]) <= 4_096
    assert lines[-1].startswith("cut: ")
    needed = int(lines[-1].split("--budget ")[1].split()[0])
    assert len(text_of(found(*hits), [], AgentTextOptions(bodies=0, budget=needed))) == 201


def test_hits_are_opened_unasked_only_where_that_helps() -> None:
    sure = found(hit("a.py", 3, 4), hit("b.py", 3, 4), hit("c.py", 3, 4))

    assert [place for place, _ in hits_to_open(sure, AgentTextOptions(), 9)] == [0, 1, 2]
    assert hits_to_open(sure, AgentTextOptions(bodies=0), 9) == []
    assert hits_to_open({**sure, "limits": {"snippet": "long"}}, AgentTextOptions(), 9) == []
    assert hits_to_open({**sure, "confidence": "none"}, AgentTextOptions(), 9) == []
    assert hits_to_open({**sure, "partial": "scan"}, AgentTextOptions(bodies=3), 9) == []
    asked = hits_to_open(sure, AgentTextOptions(bodies=3), 9)
    assert [request.max_bytes for _, request in asked] == [MAX_BODY_BYTES] * 3


def test_chunks_of_one_line_have_handles() -> None:
    document = found(hit("a.js", 1, 1, row_id="ab" * 32), hit("a.js", 1, 1, row_id="cd" * 32))

    lines = text_of(document, [], AgentTextOptions(bodies=0))
    assert lines[1] == "a.js:1 method A.run(self) #abababa"
    assert "cdcdcdc" in lines[2]


def test_the_head_of_a_definition_that_does_not_fit_is_passed_over() -> None:
    part = hit("a.py", 3, 4, definition={"start_line": 3, "end_line": 400})
    document = found(part, hit("b.py", 3, 4))

    lines = text_of(
        document,
        [body("a.py", 3, "def run(\n    self"), body("b.py", 3, "x\ny")],
        AgentTextOptions(),
    )
    assert lines[1] == "a.py:3-4 in 3-400 method A.run(self)"
    assert [line for line in lines if line.startswith("## ")] == ["## b.py:3-4 A.run"]
