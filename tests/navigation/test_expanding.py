"""What stands around a place."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import DeadlineExceeded, InvalidRequest, NoIndex
from ggrep.model.line_numbers import FOLD, shown_lines
from ggrep.model.navigation import Boundary, ExpandRequest, ExpandResponse
from ggrep.model.request import SearchRequest, SnippetMode
from ggrep.model.slate import SlateRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import IndexOf, open_engine, write_tree

STEPS = "".join(f"        total += weigh({i}, self.rate)\n" for i in range(150))
CODE = (
    '"""Money."""\n\nimport rates\n\n\n'
    "class Till:\n"
    '    """Holds money."""\n\n'
    "    def add(self):\n"
    "        total = 0\n" + STEPS + "        return total\n\n"
    "    def take(self):\n" + STEPS.replace("+=", "-=") + "        return 0\n\n\n"
    "def weigh(item, rate):\n" + STEPS.replace("        total", "    total") + "    return rate\n"
)
LINES = CODE.split("\n")
ADD, TAKE, WEIGH = (
    LINES.index(f"{head}:") + 1
    for head in ("    def add(self)", "    def take(self)", "def weigh(item, rate)")
)
TREE = {"src/till.py": CODE, "docs/a.md": "# One\n\nText.\n\n## Two\n\nMore.\n"}


@pytest.fixture(scope="module")
def engine(shared_index: IndexOf) -> Engine:
    """Return an engine over the tree."""
    return shared_index(TREE, encoder="none")


def ask(
    engine: Engine, target: str, boundary: Boundary = "auto", max_bytes: int = 0
) -> ExpandResponse:
    return engine.ask(ExpandRequest(target, boundary, max_bytes, deterministic=True))


def span(found: ExpandResponse) -> tuple[str, int, int]:
    return found.boundary, found.start_line, found.end_line


def test_each_boundary_reaches_further_than_the_one_before(engine: Engine) -> None:
    """A long method is cut into chunks; asked for the method, all of it is returned."""
    place = f"src/till.py:{ADD + 100}"

    chunk, whole = ask(engine, place, "chunk"), ask(engine, place, "file", 1 << 20)
    definition = ask(engine, place, "definition")

    assert ADD < chunk.start_line <= ADD + 100 <= chunk.end_line < TAKE
    assert span(definition) == ("definition", ADD, TAKE - 2)
    assert span(ask(engine, place, "container", 1 << 20)) == ("container", 6, WEIGH - 3)
    assert span(whole) == ("file", 1, len(LINES) - 1)
    assert whole.content == CODE.rstrip("\n")
    assert definition.content.split("\n") == LINES[ADD - 1 : TAKE - 2]
    assert (definition.breadcrumb, definition.hidden_lines) == (("Till", "add"), 0)
    assert definition.file_lines == len(LINES) - 1


def test_what_stands_in_nothing_has_the_file_for_its_container(engine: Engine) -> None:
    """And the answer says what it is rather than what was asked for."""
    assert span(ask(engine, "src/till.py:3", "definition")) == ("chunk", 1, 3)
    assert ask(engine, "src/till.py:3", "container", 1 << 20).boundary == "file"
    assert ask(engine, f"src/till.py:{WEIGH}", "container", 1 << 20).boundary == "file"


@pytest.mark.parametrize(
    ("max_bytes", "boundary"), [(2_000, "chunk"), (6_000, "definition"), (17_000, "definition")]
)
def test_auto_is_the_definition_around_a_place_where_the_bytes_allow_it(
    engine: Engine, max_bytes: int, boundary: str
) -> None:
    """Who asks for a line of a method has no use for the rest of its file."""
    answer = ask(engine, f"src/till.py:{ADD + 40}", "auto", max_bytes)

    assert answer.boundary == boundary
    assert len(answer.content.encode()) <= max_bytes


def test_auto_is_the_whole_of_a_file_that_was_asked_for(engine: Engine) -> None:
    """A caller with room for a file needs no second request."""
    assert ask(engine, "src/till.py", "auto", 17_000).boundary == "file"


@pytest.mark.parametrize("max_bytes", [1, 10, 50, 300, 1000])
@pytest.mark.parametrize("boundary", ["auto", "chunk", "file"])
def test_what_is_too_much_is_cut_around_the_line(
    engine: Engine, max_bytes: int, boundary: Boundary
) -> None:
    """The line that was asked for is the last to go, and what went is said."""
    line = ADD + 100
    answer = ask(engine, f"src/till.py:{line}", boundary, max_bytes)
    (cut,) = answer.limits_hit

    assert answer.start_line <= line <= answer.end_line
    assert len(answer.content.encode()) <= max_bytes
    assert (cut.code, cut.limit, cut.path_key) == ("max_expand_bytes", max_bytes, "src/till.py")
    shown = answer.end_line - answer.start_line + 1
    if boundary == "file":
        assert shown + answer.hidden_lines == answer.file_lines
    if max_bytes >= 50:
        assert answer.content.split("\n") == LINES[answer.start_line - 1 : answer.end_line]
        assert max_bytes - len(answer.content.encode()) <= max(map(len, LINES)) + 1


def test_a_cut_is_never_inside_of_a_character(index_of: IndexOf) -> None:
    """Half of one is no text."""
    engine = index_of({"a.txt": "ééé\n"}, encoder="none")

    assert [ask(engine, "a.txt:1", "chunk", most).content for most in range(1, 7)] == [
        "",
        "é",
        "é",
        "éé",
        "éé",
        "ééé",
    ]


def test_a_range_of_lines_is_shown_whole_unless_bytes_are_named(engine: Engine) -> None:
    """Who names both ends has seen the place; a cut costs another call."""
    whole = ask(engine, f"src/till.py:1-{len(LINES)}")
    cut = ask(engine, f"src/till.py:1-{len(LINES)}", max_bytes=16_384)

    assert whole.content.split("\n") == LINES[: whole.end_line]
    assert (whole.start_line, whole.end_line, whole.limits_hit) == (1, whole.file_lines, ())
    assert len(whole.content.encode()) > len(cut.content.encode())
    assert [hit.code for hit in cut.limits_hit] == ["max_expand_bytes"]


def test_more_than_the_cap_is_clamped_aloud(engine: Engine) -> None:
    """A caller that asked for all must know that there is a bound."""
    answer = ask(engine, "docs/a.md", "file", 1 << 30)

    assert [(cut.code, cut.limit, cut.observed) for cut in answer.limits_hit] == [
        ("max_expand_bytes", 1 << 20, 1 << 30)
    ]
    assert answer.request.max_bytes == 1 << 20


def test_a_row_is_named_by_its_first_digits(engine: Engine) -> None:
    """Answers name rows, and people copy a few digits, as with the hashes of git."""
    (hit,) = engine.search(SearchRequest("weigh item rate", limit=1)).hits

    for target in (hit.row_id, hit.row_id[:9], f"#{hit.row_id[:7]}"):
        shown = ask(engine, target, "chunk")
        assert (shown.path, *span(shown)) == (hit.path, "chunk", hit.start_line, hit.end_line)


def test_digits_that_many_rows_begin_with_are_refused(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal lists the places of the rows."""
    ids = engine.view().segments[0].image.arrays["row_ids"].copy()
    ids[:3, :4] = 0xAB
    monkeypatch.setitem(engine.view().segments[0].image.arrays, "row_ids", ids)

    refusal = r"3 row ids begin with 'abababab'.*docs/a\.md:\d+-\d+"
    for target in ("abababab", "#abababab"):
        with pytest.raises(InvalidRequest, match=refusal):
            ask(engine, target)


def test_a_range_of_lines_shows_all_chunks_it_touches(engine: Engine) -> None:
    """Down to the definition that all of them stand in."""
    place = f"src/till.py:{ADD + 3}-{ADD + 140}"

    chunk, definition = ask(engine, place, "chunk"), ask(engine, place, "definition")
    both = ask(engine, f"src/till.py:{ADD + 3}-{TAKE + 3}", "definition", 1 << 20)

    assert chunk.start_line <= ADD + 3 < ADD + 140 <= chunk.end_line
    assert span(definition) == ("definition", ADD, TAKE - 2)
    assert (both.boundary, both.breadcrumb) == ("definition", ("Till",))


@pytest.mark.parametrize(
    ("target", "reported"),
    [
        ("src/tull.py:3", "the index has no file 'src/tull.py'; the nearest is 'src/till.py'"),
        ("till.py", "the nearest is 'src/till.py'"),
        ("zzz", "the index has no file 'zzz'$"),
        ("src/till.py:9999", "has 46. lines"),
        ("src/till.py:0", "line numbers start at 1"),
        ("src/till.py:9-3", "line numbers start at 1"),
        ("deadbeef", "no row or file 'deadbeef'"),
        (" ", "is not a valid place"),
        ("\ud800", "is not a valid place"),
    ],
)
def test_what_is_no_place_is_refused_by_name(engine: Engine, target: str, reported: str) -> None:
    """With the file that was meant, where there is one like it."""
    with pytest.raises(InvalidRequest, match=reported):
        ask(engine, target)


@pytest.mark.parametrize(
    "request_",
    [
        ExpandRequest("a", max_bytes=-1),
        ExpandRequest("a", boundary="all"),  # type: ignore[arg-type] # what a caller may send
        ExpandRequest("a", timeout_ms=-1),
    ],
)
def test_a_request_that_means_nothing_is_refused(
    root: Path, home: Path, request_: ExpandRequest
) -> None:
    """Before any index is opened."""
    with pytest.raises(InvalidRequest):
        open_engine(root, home).ask(request_)


def test_a_removed_file_is_no_place_any_more(root: Path, home: Path, index_of: IndexOf) -> None:
    """Rows that are hidden have no text for anybody."""
    engine = index_of(TREE, encoder="none")
    row_id = engine.search(SearchRequest("weigh", limit=1)).hits[0].row_id
    write_tree(root, {"src/till.py": None})
    engine.sync()

    for target in ("src/till.py:3", row_id):
        with pytest.raises(InvalidRequest, match="no "):
            ask(engine, target)


def test_neighbours_are_the_next_chunks_that_are_not_shown(engine: Engine) -> None:
    """The next request is one of them."""
    answer = ask(engine, f"src/till.py:{TAKE}", "definition")
    sides = {side: [n for n in answer.neighbours if n.side == side] for side in ("before", "after")}

    assert 1 <= len(sides["before"]) <= 3
    assert [n.end_line for n in sides["before"]] == sorted(n.end_line for n in sides["before"])
    assert all(n.end_line < answer.start_line for n in sides["before"])
    assert sides["after"][0].signature == "def weigh(item, rate)"
    assert sides["after"][0].start_line == WEIGH
    assert ask(engine, sides["after"][0].row_id, "chunk").start_line == WEIGH
    assert ask(engine, "src/till.py", "file", 1 << 20).neighbours == ()


def test_what_is_shown_is_safe_on_a_terminal(index_of: IndexOf) -> None:
    """Escape sequences in a file reach nobody, and its lines keep their numbers."""
    engine = index_of({"a.txt": "one\n\x1b[31mtwo\x07\r\n\n  \nfour\n"}, encoder="none")

    answer = ask(engine, "a.txt:2")

    assert answer.content.split("\n")[:2] == ["one", "two"]
    assert answer.content.split("\n")[4] == "four"


def test_an_empty_file_is_a_place_without_text(root: Path, home: Path, index_of: IndexOf) -> None:
    """It is in the index all the same."""
    answer = ask(index_of({"a.py": "", "b.py": "\n\nx = 1\n"}, encoder="none"), "a.py")

    assert (answer.content, answer.file_lines, answer.neighbours) == ("", 0, ())
    assert ask(open_engine(root, home, encoder="none"), "b.py:1").content == "x = 1"


def test_the_same_question_has_the_same_answer(root: Path, home: Path, index_of: IndexOf) -> None:
    """Its name included, when it is asked for."""
    engine = index_of(TREE, encoder="none")
    first = ask(engine, "src/till.py:40")
    plain = engine.ask(ExpandRequest("src/till.py:40"), request_id="mine")

    assert ask(open_engine(root, home, encoder="none"), "src/till.py:40") == first
    assert first.timings_ms == ()
    assert plain.request_id == "mine"
    assert {stage for stage, _ in plain.timings_ms} == {"admission", "snapshot_read", "expand"}
    assert ask(engine, "src/till.py:41").query_fingerprint != first.query_fingerprint


def test_without_an_index_or_time_there_is_no_answer(
    root: Path, home: Path, index_of: IndexOf
) -> None:
    """The caller learns which."""
    engine = open_engine(root, home, encoder="none")

    with pytest.raises(NoIndex):
        ask(engine, "a")
    index_of(TREE, encoder="none")
    with pytest.raises(DeadlineExceeded):
        engine.ask(ExpandRequest("docs/a.md"), Deadline.after(engine.clock, -1.0))


def test_a_name_opens_its_definition(engine: Engine) -> None:
    """Whoever knows the name need not ask for its place first."""
    method, function = ask(engine, "Till.take", max_bytes=1 << 20), ask(engine, "weigh", "chunk")

    assert span(method)[1] == TAKE
    assert method.request.target == "Till.take"
    assert span(function)[1] == WEIGH


def test_a_file_is_meant_before_a_definition_of_that_name(index_of: IndexOf) -> None:
    """What is a place in the index stays one."""
    files = {"Makefile": "all:\n\tpython run.py\n", "a.py": "class Makefile:\n    pass\n"}
    engine = index_of(files, encoder="none")

    assert ask(engine, "Makefile").path == "Makefile"


def test_source_that_looks_like_a_fold_changes_no_line_numbers(index_of: IndexOf) -> None:
    """Saved output of ggrep and its tests contain such lines."""
    lines = ("def pay():", "    text = '''", f"{FOLD} 3-900 comments", f"    {FOLD} 4 x", "'''")
    engine = index_of({"a.py": "\n".join((*lines, "    return text", ""))}, encoder="none")
    hit = engine.search(SearchRequest("pay", snippet=SnippetMode.FULL)).hits[0]
    slate = engine.ask(SlateRequest(SearchRequest("pay"))).slate
    (piece,) = slate.sections[0][1][0].evidence

    for text in (ask(engine, "a.py", "file").content, hit.content, piece.snippet):
        shown = list(shown_lines(text.split("\n"), 1))
        assert shown[2:] == [
            (3, "... 3-900 comments"),
            (4, "    ... 4 x"),
            (5, "'''"),
            (6, "    return text"),
        ]


@pytest.mark.parametrize(
    ("target", "path", "line"),
    [
        ("Dockerfile", "docker/prod.py", 1),
        ("./Dockerfile", "docker/prod.py", 1),
        ("Dockerfile:4", "docker/prod.py", 4),
        ("Dockerfile:4-5", "docker/prod.py", 4),
        ("Dockerfile:build", "docker/prod.py", 4),
        ("below/prod.py:4", "docker/prod.py", 4),
        ("Outside", "b.py", 1),
        ("Binary", "b.py", 4),
    ],
)
def test_a_link_leads_to_its_file_and_not_to_a_definition_of_its_name(
    index_of: IndexOf, tmp_path: Path, target: str, path: str, line: int
) -> None:
    """An index contains no links; links to files that are not indexed are not followed."""
    engine = index_of(
        {
            "docker/prod.py": "def first():\n    pass\n\ndef build():\n    pass\n",
            "a.py": "class Dockerfile:\n    pass\n",
            "b.py": "class Outside:\n    pass\n\nclass Binary:\n    pass\n",
            "tool.bin": "\0",
        },
        encoder="none",
    )
    (tmp_path / "secret.py").write_text("x = 1\n")
    root = engine.identity.root
    links = {
        "Dockerfile": "docker/prod.py",
        "below": "docker",
        "Binary": "tool.bin",
        "Outside": tmp_path / "secret.py",
    }
    for name, file in links.items():
        (root / name).unlink(missing_ok=True)
        (root / name).symlink_to(file)
    expanded = ask(engine, target)

    assert (expanded.path, expanded.start_line) == (path, line)


@pytest.mark.parametrize("target", ["lib/endpoint.log", "./lib/endpoint.log:3-9"])
def test_a_file_that_is_left_out_for_its_ending_is_said_to_be(
    index_of: IndexOf, target: str
) -> None:
    """Whoever sees it in the folder must not take the index for broken."""
    engine = index_of(
        {"lib/endpoint.hpp": "int a;\n", "lib/endpoint.log": "class E;\n"}, encoder="none"
    )

    with pytest.raises(InvalidRequest, match=r"add the line !\*\.log to \.ggignore"):
        ask(engine, target)
    for elsewhere in ("lib/gone.log", "../x.log", "/etc/passwd", "lib"):
        with pytest.raises(InvalidRequest) as caught:
            ask(engine, elsewhere)
        assert ".ggignore" not in str(caught.value)


def test_other_definitions_of_a_name_are_told(index_of: IndexOf) -> None:
    """The first one is shown, and nobody has to take it for the only one."""
    engine = index_of(
        {"a.py": "def run():\n    pass\n", "b.py": "def run():\n    pass\n"}, encoder="none"
    )

    answer = ask(engine, "run")

    assert answer.path == "a.py"
    assert [(each.code, "b.py:1" in each.message) for each in answer.warnings] == [
        ("more_definitions", True)
    ]


def test_of_a_type_with_a_long_description_the_head_is_opened(index_of: IndexOf) -> None:
    """It is a piece of its own, as is the description, and says nothing."""
    description = "/**\n" + " * It keeps what was paid.\n" * 90 + " */\n"
    body = "".join(f"  int weigh{n}(int n) {{ return n * {n} + 1; }}\n" for n in range(300))
    engine = index_of({"Till.java": f"{description}class Till {{\n{body}}}\n"}, encoder="none")

    answer = ask(engine, "Till")

    assert answer.start_line <= 93 <= answer.end_line
    assert "class Till" in answer.content


def test_of_definitions_that_share_a_name_and_a_file_the_longest_is_opened(
    index_of: IndexOf,
) -> None:
    """A field, or an overload that hands on, is not what a method's name means."""
    source = (
        "class A {\n  int run = 1;\n  void run() { run(1); }\n"
        "  void run(int n) {\n    stop(n);\n    go(n);\n  }\n}\n"
    )
    answer = ask(index_of({"A.java": source}, encoder="none"), "A.run")

    assert "go(n)" in answer.content
    assert answer.warnings == (), "the others are on the screen"


def test_a_declaration_is_no_other_definition(index_of: IndexOf) -> None:
    """Each function of C++ has one, and nobody wants it beside the body."""
    engine = index_of(
        {"a.cpp": "void go(int n)\n{\n  stop(n);\n}\n", "a.hpp": "void go(int n);\n"},
        encoder="none",
    )
    answer = ask(engine, "go")

    assert (answer.path, answer.warnings) == ("a.cpp", ())


def test_of_a_constant_the_chunk_is_opened_not_all_of_its_class(index_of: IndexOf) -> None:
    """A value is wanted, and what is set beside it."""
    body = "".join(f"    def m{number}(self):\n{STEPS}\n" for number in range(3))
    engine = index_of({"a.py": f"class A:\n    LIMIT = 3\n    OTHER = 4\n\n{body}"}, encoder="none")

    answer = ask(engine, "LIMIT", max_bytes=1 << 20)

    assert answer.boundary == "chunk"
    assert "LIMIT = 3" in answer.content


def test_what_is_neither_a_place_nor_a_name_says_what_is_like_it(engine: Engine) -> None:
    """The next call can be right."""
    with pytest.raises(
        InvalidRequest, match=r"the index has no file 'wiegh'.*similar names: weigh"
    ):
        ask(engine, "wiegh")


def test_a_name_in_a_file_is_looked_up_there_alone(index_of: IndexOf) -> None:
    engine = index_of(
        dict.fromkeys(("a.py", "b/c.py"), "def pay():\n    a()\n\n\ndef run(): ...\n")
    )

    shown = ask(engine, "b/c.py:pay")

    assert (shown.path, *span(shown)) == ("b/c.py", "definition", 1, 2)
    assert not shown.warnings
    assert ask(engine, "./b/c.py::run").start_line == 5
    with pytest.raises(InvalidRequest, match=r"'a\.py' does not define 'pai'; similar names: pay"):
        ask(engine, "a.py:pai")


def test_a_range_of_lines_is_shown_as_it_was_named(engine: Engine) -> None:
    """Who names both ends has looked, and does not mean the method around them."""
    few = ask(engine, f"src/till.py:{ADD + 100}-{ADD + 104}")
    around = ask(engine, f"src/till.py:{ADD + 100}")
    line = ask(engine, f"src/till.py:{ADD + 100}", boundary="lines")

    assert (few.boundary, few.start_line, few.end_line) == ("lines", ADD + 100, ADD + 104)
    assert (around.boundary, around.start_line) == ("definition", ADD)
    assert (line.start_line, line.end_line) == (ADD + 100, ADD + 100)


@pytest.mark.parametrize(
    "printed",
    [
        "src/till.py:{line}:5",
        "src/till.py:{line}:5: error: undefined name",
        "src/till.py:{line}: warning: x",
        "src/till.py:{line}:        total = 0",
        "./src/till.py:{line}:5",
        "src/till.py({line},5): error TS2304: x",
        "--> src/till.py:{line}:5",
        "src/till.py:{line}  method Till.add",
    ],
)
def test_a_place_is_taken_as_tools_print_it(engine: Engine, printed: str) -> None:
    """Columns and messages are pasted along with the line."""
    assert span(ask(engine, printed.format(line=ADD + 1))) == span(
        ask(engine, f"src/till.py:{ADD + 1}")
    )


def test_digits_in_a_path_are_no_line(index_of: IndexOf) -> None:
    engine = index_of({"v:1:2/a.py": "def f():\n    return 1\n"}, encoder="none")

    assert ask(engine, "v:1:2/a.py:2:4").path == "v:1:2/a.py"


FOCUSED = (
    "import rates\n\n\ndef pay(cart, card):\n"
    + "".join(f"    step_{at}(cart)\n" for at in range(30))
    + "    if card.expired:\n        refuse(card)\n        return None\n"
    + "".join(f"    step_{at}(card)\n" for at in range(30))
    + "    return card\n\n\ndef test_pay():\n    refuse(pay(1, 2))\n"
)


@pytest.fixture(scope="module")
def focused(shared_index: IndexOf) -> Engine:
    """Return an engine over one long function, with a test beside it."""
    return shared_index({"pay.py": FOCUSED, "short.py": "def f():\n    return 1\n"}, encoder="none")


def focus(engine: Engine, target: str, words: str, **more: int | bool | str) -> ExpandResponse:
    """Return what is shown of a place about some words."""
    asked = ExpandRequest(target, focus=words, deterministic=True)
    return engine.ask(replace(asked, **more))


def test_focus_shows_the_lines_that_decide_about_words(focused: Engine) -> None:
    """The signature, the condition, its consequence; ranges of the others can be opened."""
    shown = focus(focused, "pay", "refuse expired card")

    assert shown.content.split("\n") == [
        "def pay(cart, card):",
        "    … 5-34",
        "    if card.expired:",
        "        refuse(card)",
        "        return None",
        "    … 38-68",
    ]
    assert (shown.start_line, shown.end_line, shown.hidden_lines) == (4, 68, 61)
    assert ask(focused, "pay.py:5-34").hidden_lines == 0


def test_focus_shows_a_short_body_whole(focused: Engine) -> None:
    shown = focus(focused, "short.py", "nothing of it")

    assert shown.content == "def f():\n    return 1"
    assert shown.hidden_lines == 0


def test_focus_on_a_file_leaves_its_tests_out(focused: Engine) -> None:
    """Unless the words ask for tests, or the place is one."""
    whole, tests = (focus(focused, "pay.py", words) for words in ("refuse", "refuse tests"))

    assert "refuse(card)" in whole.content
    assert "test_pay" not in whole.content
    assert "refuse(pay(1, 2))" in tests.content
    assert "refuse(pay(1, 2))" in focus(focused, "test_pay", "refuse").content


@pytest.mark.parametrize("most", [64, 300, 4_096])
def test_focus_stays_within_the_bytes(focused: Engine, most: int) -> None:
    shown = focus(focused, "pay.py", "refuse card", max_bytes=most)

    assert len(shown.content.encode()) <= most
    assert shown.hidden_lines


def test_lines_without_room_are_a_limit_that_was_reached(focused: Engine) -> None:
    """Lines that decide nothing are left out at any size, which is no limit."""
    cut, whole = (focus(focused, "pay", "refuse expired", max_bytes=most) for most in (64, 4_096))

    assert [limit.code for limit in cut.limits_hit] == ["max_expand_bytes"]
    assert whole.hidden_lines
    assert not whole.limits_hit


def test_part_of_a_test_is_known_as_a_test(index_of: IndexOf) -> None:
    """A range shows only some lines of a test; the whole file says that they are part of one."""
    tests = "".join(f"    #[test]\n    fn t{at}() {{\n        pay();\n    }}\n" for at in range(9))
    engine = index_of({"a.rs": f"fn pay() {{}}\n#[cfg(test)]\nmod tests {{\n{tests}}}\n"})

    shown = engine.ask(ExpandRequest("a.rs:1-20", tests=False))

    assert shown.content == "fn pay() {}\n… 2-20 5 tests"


def test_without_tests_they_are_one_line(focused: Engine) -> None:
    shown = focus(focused, "pay.py", "", tests=False)

    assert shown.content.split("\n")[-1] == "… 71-72 tests"
    assert focus(focused, "test_pay", "", tests=False).content.startswith("def test_pay")
