"""What agents read: ranges, lines and cuts, and no id."""

import re
from typing import Any

import pytest

from ggrep.model.line_numbers import with_numbers
from ggrep.render.agent_text import MERGED_BY_RANK, AgentView, agent_text
from ggrep.render.answer_json import answer_json
from tests.fakes.slates import ANSWER

ID = re.compile(r"[0-9a-f]{64}")


def mention(path: str, line: int, content: str, container: str = "") -> dict[str, Any]:
    return {"path": path, "line": line, "content": content, "container": container}


def test_usages_stand_by_file_before_tests_and_imports() -> None:
    document = {
        "name": "retry",
        "files": 3,
        "references": [
            {**mention("src/a.py", 1, "from queue import retry"), "role": "import"},
            mention("src/b.py", 9, "  retry(message)", "Worker.run"),
            mention("src/b.py", 12, "  retry(other)", "Worker.stop"),
            {**mention("tests/test_a.py", 4, "retry(1)", "test_retry"), "test": True},
        ],
        "limits_hit": [{"code": "max_references", "limit": 4, "observed": 40}],
        "warnings": [{"code": "stale", "message": "a file changed"}],
    }
    assert agent_text(document).split("\n") == [
        "warning: a file changed",
        "4 usages in 3 files; 40 in all; more: --max 40",
        "src/b.py",
        " 9: retry(message)  in Worker.run",
        " 12: retry(other)  in Worker.stop",
        "tests/test_a.py (test): 4",
        "imported once at src/a.py:1",
    ]


def test_cuts_of_many_repositories_are_counted() -> None:
    """One line of a kind each would fill the answer of a workspace."""
    cuts = [{"code": "max_graph_nodes", "limit": 1, "repoId": f"r{n}"} for n in range(3)]
    document = {"results": [], "limits_hit": [*cuts, {"code": "max_hits", "limit": 2}]}

    assert (
        agent_text(document).split("\n")[-1]
        == "cut: 1 files of the graph, max_hits 2; more: --max-bytes N"
    )


def test_lines_are_numbered_where_a_place_is_opened() -> None:
    document = {
        "boundary": "definition",
        "path": "a.py",
        "start_line": 9,
        "end_line": 10,
        "file_lines": 40,
        "breadcrumb": ["Worker", "run"],
        "language": "python",
        "content": "def run():\n    pass",
        "neighbours": [{"side": "behind", "start_line": 12, "end_line": 20, "name": "stop"}],
    }
    assert agent_text(document).split("\n") == [
        "a.py:9-10 definition in Worker > run, of 40 lines",
        "9\tdef run():",
        "10\t    pass",
        "around: 12-20 stop",
    ]


def test_every_fifth_line_and_one_behind_a_gap_has_its_number() -> None:
    """The others can be counted; a tab keeps all of them aligned."""
    lines = [(at, f"{at}") for at in (3, 4, 5, 6, 8, 9)] + [(10, ""), (11, ""), (12, "12")]
    reports = ["3\t3", "\t4", "5\t5", "\t6", "8\t8", "\t9", "10\t", "", "\t12"]
    assert list(with_numbers(lines)) == reports


LONG = (
    "/**\n * Says.\n *\n * @return it\n */\nint f() {\n  // why\n  // and how\n  // and when\n"
    "  return 1; // one\n" + "  // a\n" * 7 + "\n}"
)


def opened(content: str, language: str = "java", boundary: str = "definition") -> dict[str, Any]:
    where = {"path": "A.java", "start_line": 3, "end_line": 21, "file_lines": 40}
    rest: dict[str, Any] = {"boundary": boundary, "breadcrumb": [], "neighbours": []}
    return {"language": language, "content": content, **where, **rest}


def test_long_comments_are_left_out_of_an_opened_place_and_counted() -> None:
    assert agent_text(opened(LONG)).split("\n") == [
        "A.java:3-21 definition, of 40 lines",
        "8\tint f() {",
        "\t  // why",
        "10\t  // and how",
        "\t  // and when",
        "\t  return 1; // one",
        "20\t",
        "\t}",
        "folded: 12 lines; expand A.java:13-19 shows the longest",
    ]
    assert len(agent_text(opened(LONG), AgentView(comments=True)).split("\n")) == 20
    assert len(agent_text(opened(LONG, boundary="lines")).split("\n")) == 20


@pytest.mark.parametrize(("lines", "is_long"), [(119, False), (120, True)])
def test_a_long_range_says_how_to_see_less(lines: int, is_long: bool) -> None:
    *_, last = agent_text(opened("f();\n" * lines, boundary="lines")).split("\n")

    assert ("--focus" in last) is is_long


CODE = "\n    a = 1\n    b = 2\n    c = 3"


@pytest.mark.parametrize(
    ("content", "language"),
    [
        ("# one\n# two\n# three", "markdown"),
        ("/*\n * b\n * c\n */", "java"),
        (f'    more\n    """{CODE}\n    """\n    Says.\n    """\n    d = 4', "python"),
        (f'run(\n    """{CODE}\n    """\n)', "python"),
        (f"x = /[/*]/;{CODE}", "javascript"),
        (f"/*{CODE}\n*/", "c"),
        ("*a = 1;\n*b = 2;\n*c = 3; /* c */", "c"),
        (" * a\n * b\n * c\nint d; /* e */", "c"),
        ("// #include <a.h>\n" * 9 + 'import "C"', "go"),
        ("#[Route(1)]\n" * 9, "php"),
        ("#SBATCH --time=1\n" * 9, "bash"),
    ],
)
def test_what_may_be_code_or_stands_alone_is_shown(content: str, language: str) -> None:
    reported = agent_text(opened(content, language))

    assert "folded" not in reported
    assert all(line in reported for line in content.split("\n"))


def test_what_was_left_out_is_told_and_shown_on_request() -> None:
    text = 'def f(\n    a,\n) -> int:\n    """Says.\n\n    More.\n    """\n    return a'

    assert "folded: 4 lines; expand A.java:6-9 shows the longest" in agent_text(
        opened(text, "python")
    )

    whole, inside = opened(LONG), {**opened("/**\n * Says.\n *"), "end_line": 5}
    text = agent_text({"answers": [whole, inside, whole]})

    assert "3\t/**\n\t * Says.\n5\t *\n" in text
    assert text.endswith("\nabove: A.java:3-21")


def test_of_several_opened_places_each_head_stands_once() -> None:
    def placed(first: int, last: int) -> dict[str, Any]:
        where = {"path": "a.py", "start_line": first, "end_line": last, "file_lines": 40}
        rest = {"boundary": "lines", "breadcrumb": ["Worker"], "neighbours": [{"name": "stop"}]}
        return {"target": "a.py:9", "language": "python", "content": "pass", **where, **rest}

    assert agent_text({"answers": [placed(9, 9), placed(12, 12), placed(9, 9)]}).split("\n") == [
        "## a.py:9 lines in Worker, of 40 lines",
        "9\tpass",
        "## a.py:12 lines in Worker, of 40 lines",
        "12\tpass",
        "above: a.py:9 Worker",
    ]


def test_relations_of_a_diagram_have_no_numbers() -> None:
    piece = {"start_line": 1, "end_line": 5, "chunk_type": "block", "snippet": "A -> B\nB -> C"}
    sections = [{"kind": "diagrams", "files": [{"path": "a.mmd", "evidence": [piece]}]}]

    text = agent_text({"slate": {"sections": sections}})
    assert text.split("\n")[2:] == ["a.mmd", " 1-5 block", "\tA -> B", "\tB -> C"]


def test_lines_that_an_opened_place_shares_with_one_above_are_not_shown_again() -> None:
    def placed(first: int, last: int) -> dict[str, Any]:
        text = "\n".join(f"x{number}()" for number in range(first, last + 1))
        return {**opened(text, "python", "lines"), "start_line": first, "end_line": last}

    assert agent_text({"answers": [placed(6, 8), placed(5, 9)]}).split("\n")[4:] == [
        "## A.java:5-9 lines, of 40 lines",
        "5\tx5()",
        "9\tx9()",
        "above: A.java:6-8",
    ]


def test_a_failure_says_what_to_do_where_it_was_asked() -> None:
    failure = {"error": {}, "code": "busy", "message": "too many", "hint": "ask again"}
    assert agent_text(failure) == "busy: too many\nhint: ask again"

    digits = "0123456789abcdef" * 4
    failure = {"code": "invalid_request", "message": f"no row {digits}"}
    assert agent_text(failure) == f"invalid_request: no row {digits[:12]}"

    failed = [{"error": {"code": "busy", "message": "ask again"}}, {"code": "x", "message": "y"}]

    text = agent_text({"answers": failed}, asked=["one", "two"])
    assert text.split("\n") == ["## one", "busy: ask again", "## two", "x: y"]

    state = {"store": "x", "key": "a" * 64, "all": ["b" * 64, "c"]}
    assert agent_text(state) == '{"all":["c"],"store":"x"}'


def test_a_slate_is_shorter_than_its_document_and_shows_its_lines() -> None:
    document: Any = answer_json(ANSWER)
    text = agent_text(document)
    slate = document["slate"]
    assert not ID.search(text)
    assert len(text.encode()) <= slate["limits"]["max_slate_bytes"]
    for section in slate["sections"]:
        for file in section["files"]:
            assert file["path"] in text
            for piece in file.get("evidence", ()):
                begins = piece.get("snippet_start_line", piece["start_line"])
                assert f"\n{begins}\t" in text
                for line in piece["snippet"].split("\n"):
                    bare = line.strip("\u2026 ")
                    assert not bare or re.search(rf"\t *{re.escape(bare)}\n", f"{text}\n")


def test_notes_stand_behind_what_the_document_says() -> None:
    document = {"confidence": "strong", "results": [], "warnings": [{"code": "w", "message": "m"}]}
    assert agent_text(document, notes=(MERGED_BY_RANK,)).split("\n") == [
        "warning: m",
        "strong, 0 hits",
        'note: merged by rank only, because no merge strategy is set; "global" ranks better',
    ]


def test_a_count_of_one_has_a_singular_noun() -> None:
    matches = {"lines": 1, "files": 1, "by_file": [{"path": "a.py", "lines": 1}]}

    assert agent_text({"results": [], "matches": matches}).split("\n")[0] == (
        "1 line matches in 1 file"
    )


def test_of_several_answers_each_line_stands_once() -> None:
    shared = {"path": "a.py", "line": 3, "start_line": 3, "end_line": 9, "name": "run"}
    other = {**shared, "line": 20, "start_line": 20, "end_line": 21}
    document = {
        "schema_version": 1,
        "answers": [
            {"name": "A.run", "definitions": [shared]},
            {"name": "run", "definitions": [shared, other]},
            {"error": {}, "code": "invalid_request", "message": "no"},
        ],
    }

    assert agent_text(document) == (
        "## A.run\na.py:3-9  run\n## run\na.py:20-21  run\nabove: a.py:3\ninvalid_request: no"
    )


def test_places_of_a_workspace_are_told_as_expand_takes_them() -> None:
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
    reported = agent_text({"name": "run", "references": [used, bare], "files": 2})
    assert reported.split("\n") == [
        "2 usages in 2 files",
        "api-000000000000:src/a.py import",
        " 4: run()",
        "web:src/a.py guess",
        " 4: run()",
    ]


def test_usages_of_a_workspace_are_told_by_what_they_are_for() -> None:
    """Files with calls first, then reads, guesses, tests; imports in one line with their ties."""
    web = {"repoId": "web-000000000000", "repoAlias": "web", "container": ""}
    api = {**web, "repoId": "api-000000000000", "repoAlias": "api", "tie": "import"}
    mentions = [
        {**api, **mention("a.py", 1, "from pay import run"), "role": "import"},
        {**api, **mention("b.py", 1, "from run import it"), "role": "import", "tie": "guess"},
        {**web, **mention("a.py", 2, "x = run"), "role": "read"},
        {**api, **mention("a.py", 7, "run()"), "role": "call"},
        {**api, **mention("a.py", 9, "it.run()"), "role": "call", "guess": True},
        {**api, **mention("test_a.py", 3, "run()"), "role": "call", "test": True},
    ]
    at = {"path": "a.py", "start_line": 3, "end_line": 4, "qualified_name": "A.run"}
    defined = [{**web, **at, "relation": "definition", "guess": False}]
    document = {"name": "run", "references": mentions, "files": 4, "defined": defined}

    assert agent_text(document).split("\n") == [
        "6 usages in 4 files",
        "defined at web:a.py:3-4 A.run",
        "api:a.py import",
        " 7: run()",
        "web:a.py",
        " 2: x = run",
        "api:a.py (maybe) import",
        " 9: it.run()",
        "api:test_a.py (test) import: 3",
        "imported 2 times, first at api:a.py:1",
    ]


def test_usages_of_a_constant_stand_below_its_value() -> None:
    """Which thresholds there are is answered by one call."""
    at = {"path": "a.py", "start_line": 3, "end_line": 6, "qualified_name": "TIMES"}
    reported = {"kind": "constant", "signature": "TIMES = { 'read': 3, }"}
    defined = [{**at, **reported, "relation": "definition", "guess": False}]
    used = [{**mention("b.py", 2, "x = TIMES"), "role": "read"}]
    document = {"name": "TIMES", "references": used, "files": 1, "defined": defined}

    assert agent_text(document).split("\n")[:3] == [
        "1 usage in 1 file",
        "defined at a.py:3-6 TIMES",
        "  TIMES = { 'read': 3, }",
    ]


def test_many_uses_that_are_guesses_are_listed_by_their_places() -> None:
    """`refs A.open` is not worth a hundred lines of dialogs that are opened."""
    sure = {**mention("a.py", 2, "a.open()"), "role": "call"}
    guesses = [
        {**mention("b.py", line, "it.open()"), "role": "call", "guess": True}
        for line in range(1, 12)
    ]
    document = {"name": "A.open", "references": [sure, *guesses], "files": 2}

    first, *rest = agent_text(document).split("\n")
    assert (first, rest[:2]) == ("12 usages in 2 files", ["a.py", " 2: a.open()"])
    (reported,) = rest[2:]
    assert reported == "maybe: 11 more, first at b.py:1; refs open shows them"


def test_a_line_with_several_uses_stands_once() -> None:
    """It is read once, and that it sets the name is not lost."""
    first = {**mention("a.py", 3, "x.limit = limit", "A.run"), "role": "write"}
    document = {"name": "limit", "files": 1, "references": [first, {**first, "role": "read"}]}

    assert agent_text(document) == "2 usages in 1 file\na.py\n 3 set: x.limit = limit  in A.run"


def test_warnings_of_a_workspace_stand_first_and_name_their_repositories() -> None:
    warnings = [{"code": "unseen_files", "message": "m", "repoId": repo} for repo in ("a-1", "b-2")]
    repos = [{"repoId": "a-1", "alias": "a"}, {"repoId": "b-2"}, {"repoId": "c", "status": "busy"}]
    document = {
        "ok": True,
        "error": None,
        "confidence": "weak",
        "results": [],
        "diagnostics": {"warnings": warnings},
        "repos": repos,
        "limits_hit": [{"code": "max_repos", "limit": 2, "observed": 3}],
    }

    assert agent_text(document).split("\n") == [
        "warning: a, b-2: m",
        "busy: c",
        "weak, 0 hits",
        "cut: 2 of 3 repositories; more: --max-repos 0",
    ]
