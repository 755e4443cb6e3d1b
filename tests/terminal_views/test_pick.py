"""The picker without a terminal: typed keys, cancelled searches, and what it draws."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest, UsageError
from ggrep.interfaces.cli.queries.pick import Picker, editor_line, typed_key
from ggrep.model.confidence import Confidence
from ggrep.model.request import SearchRequest, ViewOptions
from ggrep.model.response import Hit, HitLine, QueryResponse
from ggrep.render.style import Style
from tests.fakes.hits import hit

NOTHING: Any = None
ROOT = Path("/code/shop")
HELP = "type to search; Enter opens, Escape quits"
HOSTILE = "a\x1b]0;owned\x07b\x1b[2Jc\r\x9b31md\u202ee"


class FakeScreen:
    """A screen that keeps its frames."""

    def __init__(self, tasks: Any, rows: int, columns: int) -> None:
        self.tasks, self.rows, self.columns = tasks, rows, columns
        self.closed = False
        self.lines: Sequence[str] = ()
        self.cursor: int | None = None

    def draw(self, lines: Sequence[str], cursor: int | None = None) -> None:
        self.lines, self.cursor = lines, cursor

    def close(self) -> None:
        self.closed = True
        self.tasks.cancel_scope.cancel()


class FakeSearcher:
    """Answers queries that it has hits for; others run until they are cancelled."""

    def __init__(self, hits: dict[str, Sequence[Hit]]) -> None:
        self.root = ROOT
        self.hits = hits
        self.begun: list[str] = []
        self.cancelled: list[str] = []

    def request(self, query: str) -> SearchRequest:
        if query.startswith("("):
            raise InvalidRequest("unbalanced (")
        return SearchRequest(query)

    async def search(self, request: SearchRequest) -> QueryResponse:
        self.begun.append(request.query)
        try:
            while request.query not in self.hits:  # noqa: ASYNC110 - it waits for its end
                await anyio.sleep(0.001)
        except anyio.get_cancelled_exc_class():
            self.cancelled.append(request.query)
            raise
        return answer(request, self.hits[request.query])

    async def aclose(self) -> None:
        pass


def answer(request: SearchRequest, hits: Sequence[Hit]) -> QueryResponse:
    return QueryResponse(
        request=request,
        request_id="r",
        query_fingerprint="q",
        provenance=NOTHING,
        confidence=Confidence.STRONG,
        hits=tuple(hits),
        limits_hit=(),
        warnings=(),
    )


async def typed(
    searcher: FakeSearcher, *steps: str | tuple[str, ...], colour: bool = False, rows: int = 24
) -> tuple[Picker, FakeScreen]:
    """Return a picker and its screen after some steps: keys, or the note that comes of them.

    Instead of a note there may be a query that is not answered.
    """
    picker = Picker(searcher, ViewOptions(cwd=str(ROOT)), Style(colour=colour), "")
    searcher.begun.clear()
    async with anyio.create_task_group() as group:
        screen: Any = FakeScreen(group, rows, 80)
        for step in steps:
            for key in () if isinstance(step, str) else step:
                picker.press(screen, key)
            shown: Any = lambda: (*searcher.begun, *screen.lines[1:2])  # noqa: E731
            while isinstance(step, str) and step not in shown():  # noqa: ASYNC110
                await anyio.sleep(0.001)
        picker.draw(screen)
        group.cancel_scope.cancel()
    return picker, screen


@pytest.mark.parametrize(
    ("editor", "words"),
    [
        *((name, [name, "+7", "src/a.py"]) for name in ("vi", "vim", "nvim", "emacs", "nano")),
        *((name, [name, "+7", "src/a.py"]) for name in ("micro", "kak")),
        ("emacsclient -nw", ["emacsclient", "-nw", "+7", "src/a.py"]),
        ("/opt/my\\ tools/hx", ["/opt/my tools/hx", "src/a.py:7"]),
        ("subl", ["subl", "src/a.py:7"]),
        ("code --wait", ["code", "--wait", "--goto", "src/a.py:7"]),
        ("", ["vi", "+7", "src/a.py"]),
        (" ", ["vi", "+7", "src/a.py"]),
    ],
)
def test_each_editor_opens_the_line_in_its_own_words(editor: str, words: list[str]) -> None:
    """From their manuals."""
    assert editor_line({"EDITOR": editor}, "src/a.py", 7) == words


def test_a_file_name_is_no_option_of_the_editor() -> None:
    """`+e` is a command of vi."""
    assert editor_line({}, "+e", 1) == ["vi", "+1", "./+e"]
    assert editor_line({"EDITOR": "code"}, "-a.py", 1) == ["code", "--goto", "./-a.py:1"]
    with pytest.raises(UsageError, match=r"EDITOR: .*No closing quotation"):
        editor_line({"EDITOR": "vim 'x"}, "a.py", 1)


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("x", "one twox| three"),
        ("é", "one twoé| three"),
        ("backspace", "one tw| three"),
        ("delete", "one two|three"),
        ("ctrl-w", "one | three"),
        ("ctrl-u", "| three"),
        ("ctrl-k", "one two|"),
        ("left", "one tw|o three"),
        ("right", "one two |three"),
        ("home", "|one two three"),
        ("end", "one two three|"),
    ],
)
def test_a_query_is_edited_as_in_a_shell(key: str, line: str) -> None:
    """`|` is the cursor."""
    text, at = typed_key("one two three", 7, key) or ("", 0)

    assert f"{text[:at]}|{text[at:]}" == line
    assert typed_key("one", 3, "page-up") is None
    assert typed_key("", 0, "backspace") == typed_key("", 0, "ctrl-w") == ("", 0)


async def test_a_changed_query_cancels_the_search_before() -> None:
    """A burst of keys is one search."""
    searcher = FakeSearcher({"card x": [hit("a.py", "card x")]})

    _, screen = await typed(searcher, tuple("card"), "card", tuple(" x"), "1 hit")

    assert (searcher.begun, searcher.cancelled) == (["card", "card x"], ["card"])
    assert screen.lines[0] == "> card x"
    assert screen.lines[1] == "1 hit"
    assert screen.lines[2].startswith("> a.py:1  block")


async def test_enter_waits_for_the_answer_of_what_was_typed() -> None:
    """The hits of the query before are not meant."""
    searcher = FakeSearcher({"a": [hit("old.py", "a")]})

    picker, screen = await typed(searcher, ("a",), "1 hit", ("b", "enter"), "ab")
    assert (picker.picked, screen.closed) == (None, False)
    searcher.hits["ab"] = [hit("new.py", "ab")]
    picker, screen = await typed(searcher, tuple("ab"), ("enter",), "1 hit")

    assert picker.picked is not None
    assert (picker.picked.hit.path, screen.closed) == ("new.py", True)


async def test_an_answer_that_comes_as_the_query_changes_is_dropped() -> None:
    """Its task has ended its wait, so that nothing cancels it."""
    pressed: list[str] = []

    class Late(FakeSearcher):
        async def search(self, request: SearchRequest) -> QueryResponse:
            response = await super().search(request)
            if not pressed:
                pressed.append("b")
                picker.press(screen, "b")
            return response

    searcher = Late({"a": [hit("old.py", "a")]})
    picker = Picker(searcher, ViewOptions(cwd=str(ROOT)), Style(colour=False), "")  # type: ignore[arg-type] # as one
    async with anyio.create_task_group() as group:
        screen: Any = FakeScreen(group, 24, 80)
        picker.press(screen, "a")
        while "ab" not in searcher.begun:  # noqa: ASYNC110
            await anyio.sleep(0.001)
        picker.press(screen, "enter")
        group.cancel_scope.cancel()

    assert picker.picked is None


async def test_a_hit_is_chosen_with_arrows() -> None:
    """They stop at both ends, and the list scrolls with them."""
    searcher = FakeSearcher({"a": [hit(f"f{number}.py", "a") for number in range(30)]})

    first, _ = await typed(searcher, ("a",), "30 hits", ("up", "enter"))
    third, _ = await typed(searcher, ("a",), "30 hits", ("down", "down", "enter"))
    last, screen = await typed(
        searcher, ("a",), "30 hits", ("page-down",) * 5, ("down", "up", "down")
    )

    assert first.picked is not None
    assert third.picked is not None
    assert (first.picked.hit.path, third.picked.hit.path) == ("f0.py", "f2.py")
    assert [line for line in screen.lines if line.startswith("> f")] == ["> f29.py:1  block"]
    assert last.picked is None


async def test_matching_lines_of_exact_text_are_rows_of_their_own() -> None:
    """Each opens at its line; the preview has it in view."""
    content = "\n".join(f"line {number}" for number in range(1, 101))
    lines = (
        HitLine(4, "line 4", ()),
        HitLine(80, "  line 80", ((3, 7),)),
        HitLine(90, "line 90", ((1, 5),)),
    )
    searcher = FakeSearcher({'"line"': [replace(hit("a.py", content), lines=lines)]})

    picker, screen = await typed(searcher, tuple('"line"'), "2 hits", ("down", "enter"))

    assert screen.lines[2:4] == ["  a.py:80  line 80", "> a.py:90  line 90"]
    assert picker.picked is not None
    assert picker.picked.line == 90
    assert "90 │ line 90" in screen.lines


async def test_names_and_contents_cannot_control_the_terminal() -> None:
    """Only colour is left of all escape sequences, and none without colour."""
    bad = replace(hit(f"{HOSTILE}.py", f"{HOSTILE}\nq"), name=HOSTILE, qualified_name=HOSTILE)
    searcher = FakeSearcher({"q": [bad]})

    for colour in (False, True):
        _, screen = await typed(searcher, ("q",), "1 hit", colour=colour)
        text = re.sub(r"\x1b\[[\d;]*m" if colour else "$^", "", "".join(screen.lines))

        assert text.isprintable(), text
        assert "abcde.py:2  block abcde" in text


async def test_a_query_that_is_refused_is_said_above_the_list() -> None:
    """The next key may mend it; an empty query is no search."""
    searcher = FakeSearcher({"(a": [], "a": [hit("a.py", "a")]})

    _, refused = await typed(searcher, tuple("(a"), "error: unbalanced (")
    _, empty = await typed(searcher, ("a",), "1 hit", ("backspace",), HELP)

    assert refused.lines[1] == "error: unbalanced ("
    assert empty.lines[1] == HELP
    assert (searcher.begun, len(empty.lines)) == (["a"], 2 + 8)


async def test_the_end_of_a_long_query_stays_in_view() -> None:
    """The cursor is in the last column at most."""
    _, screen = await typed(FakeSearcher({}), tuple("x" * 90 + "end"))

    assert screen.lines[0] == f"> {'x' * 74}end"
    assert screen.cursor == 79


@pytest.mark.parametrize("rows", [1, 2, 3, 6, 50])
async def test_any_height_is_drawn(rows: int) -> None:
    """Also one that has no room for a list."""
    searcher = FakeSearcher({"a": [hit("a.py", "a\n" * 100)]})

    _, screen = await typed(searcher, ("a",), "1 hit", rows=rows)

    assert screen.cursor == 3
    assert len(screen.lines) <= max(rows, 5)
