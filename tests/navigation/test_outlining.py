"""Outlines of files and folders, from the index alone."""

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.model.outline import OutlineRequest, PathOutline, outline_lines, size_of
from ggrep.search.engine.engine import Engine
from tests.fakes.mentions import InProcessMentions
from tests.fakes.repos import IndexOf

CODE = '''"""Money."""

LIMIT = 3


class Till:
    """Holds money."""

    rate: int = 1
    name: str = ""

    def add(self, amount: int) -> int:
        return amount * self.rate

    def _round(self, amount: int) -> int:
        return amount


def weigh(item: str, *, rate: float = 1.0) -> float:
    return rate


def test_weigh() -> None:
    assert weigh("a") == 1.0
'''
TREE = {
    "src/till.py": CODE,
    "src/pay/__init__.py": "",
    "src/pay/card.py": "class Card:\n    pass\n\n\ndef charge(card):\n    return card\n",
    "tests/test_till.py": "def test_a():\n    assert True\n",
    "docs/a.md": "# One\n\nText.\n\n## Two\n\nMore.\n\n# Three\n\nLast.\n",
    "old.awk": "{ print $1 }\n\nfunction f(x) { return x }\n",
    "app.toml": '[server]\nport = 1\n\n[client]\nname = "a"\n',
}


@pytest.fixture
def engine(index_of: IndexOf) -> Engine:
    """Return an engine over the small tree."""
    return index_of(TREE, encoder="none")


def ask(engine: Engine, *targets: str, depth: int = 0, max_bytes: int = 4_096) -> list[PathOutline]:
    request = OutlineRequest(targets, depth, max_bytes, deterministic=True)
    return list(engine.ask(request).outlines)


def lines(engine: Engine, target: str, **given: int) -> list[str]:
    (answer,) = ask(engine, target, **given)
    return outline_lines(answer, answer.path)


def test_a_file_is_a_tree_of_its_definitions_with_line_ranges(engine: Engine) -> None:
    """What an agent reads in place of the file; fields that follow each other are one line."""
    assert lines(engine, "src/till.py") == [
        "src/till.py  python, 24 lines",
        "3 constant LIMIT = 3",
        "6-16 class Till",
        "  9-10 field rate, name",
        "  12-13 method add(self, amount: int) -> int",
        "  15-16 method _round(self, amount: int) -> int",
        "19-20 function weigh(item: str, *, rate: float = 1.0) -> float",
        "23-24 function test_weigh() -> None",
    ]


def test_what_does_not_fit_goes_members_before_types_and_tests_first(engine: Engine) -> None:
    """The line at the end says what is missing and how to see it."""
    (answer,) = ask(engine, "src/till.py", max_bytes=190)

    assert [entry.name for entry in answer.entries] == ["Till", "weigh"]
    assert outline_lines(answer, "t.py")[-1] == (
        "left out: 2 fields, 2 methods, 1 constant, 1 test; to see more: t.py:LINE, --max-bytes"
    )


def test_what_is_cut_stands_in_the_limits(engine: Engine) -> None:
    """Nothing partial is silent."""
    few = engine.ask(OutlineRequest(("src/till.py",), max_bytes=230, deterministic=True))
    shallow = engine.ask(OutlineRequest(("src/till.py",), 1, deterministic=True))

    (cut,) = few.limits_hit
    assert (cut.code, cut.limit, cut.path_key) == ("max_outline_bytes", 230, "src/till.py")
    assert [each.code for each in shallow.limits_hit] == ["max_outline_depth"]
    assert {entry.depth for entry in shallow.outlines[0].entries} == {0}


@pytest.mark.parametrize("max_bytes", [200, 300, 400, 700, 4_096])
@pytest.mark.parametrize("target", ["src/till.py", ".", "src"])
def test_an_outline_keeps_to_its_bytes(engine: Engine, target: str, max_bytes: int) -> None:
    """Whatever is asked for."""
    assert size_of(lines(engine, target, max_bytes=max_bytes)) <= max_bytes


def test_a_line_leads_to_the_definition_around_it(engine: Engine) -> None:
    """With what encloses it, and its own members."""
    assert lines(engine, "src/till.py:13")[1:] == [
        "6-16 class Till",
        "  12-13 method add(self, amount: int) -> int",
    ]
    assert len(lines(engine, "src/till.py:6")) == 5


def test_the_headings_of_a_document_are_its_tree(engine: Engine) -> None:
    """A section ends where the next of its level begins."""
    assert lines(engine, "docs/a.md") == [
        "docs/a.md  markdown, 11 lines",
        "1-7 One",
        "  5-7 Two",
        "9-11 Three",
    ]


def test_a_language_without_a_grammar_says_so(engine: Engine) -> None:
    """An empty outline would be taken for a file without definitions."""
    answer = engine.ask(OutlineRequest(("old.awk",), deterministic=True))

    assert answer.outlines[0].reading == "none"
    assert [each.code for each in answer.warnings] == ["unread_language"]
    assert (
        "no definitions, as there is no parser" in outline_lines(answer.outlines[0], "old.awk")[0]
    )


def test_a_file_that_no_parser_reads_is_outlined_by_its_chunks(
    engine: Engine, pool: InProcessMentions
) -> None:
    """And the answer says why."""
    pool.hanging.add("src/till.py")
    answer = engine.ask(OutlineRequest(("src/till.py",), deterministic=True))

    assert [each.code for each in answer.warnings] == ["parse_exhausted"]
    assert answer.outlines[0].reading == "structure"
    assert "Till" in answer.outlines[0].entries[1].name


def test_a_folder_lists_files_with_their_definitions_and_subfolders_with_counts(
    engine: Engine,
) -> None:
    """In the order of paths; more levels where they fit, though not those of tests."""
    assert lines(engine, ".", depth=1) == [
        "./  7 files, 52 lines, python",
        "app.toml  5: server, client",
        "docs/  1 file, markdown",
        "old.awk  3",
        "src/  3 files, python",
        "tests/  1 file, python",
    ]
    deep = lines(engine, "")
    assert "    card.py  6: Card, charge()" in deep
    assert "  till.py  24: LIMIT, Till, weigh(), test_weigh()" in deep
    assert "  test_till.py  2" not in deep


def test_a_folder_keeps_code_longest(index_of: IndexOf) -> None:
    """The most important have their places first, however late their paths come."""
    files = {f"a{number}.json": "{}\n" for number in range(40)}
    engine = index_of({**files, "z.py": "def run():\n    return 1\n"}, encoder="none")
    (answer,) = ask(engine, ".", max_bytes=400)

    assert answer.listed[-1].name == "z.py"
    assert answer.listed[-1].holds == ("run()",)
    assert answer.left_out["file"] == 41 - len(answer.listed)


def test_several_paths_share_the_bytes_by_what_they_need(engine: Engine) -> None:
    """What one does not need the others have; their order is that of the request."""
    both = ask(engine, "docs/a.md", "src/till.py", max_bytes=700)

    assert [each.path for each in both] == ["docs/a.md", "src/till.py"]
    assert not any(each.left_out for each in both)


@pytest.mark.parametrize("target", ["nothing.py", "src/till", "src/till.py:99", "docs:3"])
def test_what_is_not_there_is_refused_with_the_nearest(engine: Engine, target: str) -> None:
    """As everywhere."""
    with pytest.raises(InvalidRequest, match="target"):
        ask(engine, target)


def test_one_wrong_path_takes_nothing_from_the_others(engine: Engine) -> None:
    """Agents name five files from memory, and one of them has moved."""
    answer = engine.ask(OutlineRequest(("docs/a.md", "gone.py", "src/till.py")))

    assert [each.path for each in answer.outlines] == ["docs/a.md", "src/till.py"]
    assert [notice.code for notice in answer.warnings] == ["no_such_place"]
    assert "'gone.py'" in answer.warnings[0].message


@pytest.mark.parametrize(
    ("request_", "reported"),
    [
        (OutlineRequest(()), "1 to 32 are allowed"),
        (OutlineRequest(("a\0",)), "is not a valid path"),
        (OutlineRequest(("a",), -1), "depth"),
        (OutlineRequest(("a",), max_bytes=0), "max_bytes"),
        (OutlineRequest(("a",), timeout_ms=-1), "timeout_ms"),
    ],
)
def test_a_request_that_means_nothing_is_refused(
    engine: Engine, request_: OutlineRequest, reported: str
) -> None:
    """Before anything is read."""
    with pytest.raises(InvalidRequest, match=reported):
        engine.ask(request_)


def test_the_same_question_has_the_same_answer(engine: Engine) -> None:
    """Byte for byte, whatever is asked in between."""
    first = ask(engine, ".", "src/till.py")
    ask(engine, "docs/a.md")

    assert ask(engine, ".", "src/till.py") == first
