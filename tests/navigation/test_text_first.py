"""Names are looked up in the index; files are parsed for what is shown, with the same answers."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base.clock import Deadline, SystemClock
from ggrep.index.store.segment_image import SegmentImage
from ggrep.model.navigation import Reference, ReferencesRequest, SymbolRequest
from ggrep.search.engine.engine import Engine
from ggrep.search.navigation import name_answers
from ggrep.search.navigation.mentions import Mentions
from ggrep.search.navigation.name_candidates import (
    defining_files,
    mentioning_files,
    searched,
    split_name,
)
from ggrep.search.navigation.name_reading import Reading
from ggrep.search.query.segments import open_segments
from tests.fakes.mentions import InProcessMentions
from tests.fakes.repos import IndexOf

SAMPLES = Path(__file__).parent / "names"
NUMBERS = range(30)
MADE = {
    **{
        f"src/use{number:02}.c": f"int u{number}(void) {{ return step({number}); }}\n"
        for number in NUMBERS
    },
    **{f"doc/note{number}.md": "The step, STEP and steps.\n" for number in range(4)},
    "src/zz.c": 'int step(int n) { return n; }\n/* step */\nchar *s = "step";\n',
    "src/yy.py": "def outer():\n    def step():\n        return step\n    return step\n",
    "tests/test_step.py": "from yy import step\n\n\ndef test_it():\n    step()\n",
}
NAMES = ["step", "STEP", "run", "Box", "Box.open", "open", "MAX", "n", "main", "x", "a.step", "zz"]


@pytest.fixture(scope="module")
def engine(shared_index: IndexOf) -> Engine:
    """Return an index of samples of many languages, and of a name that many files use."""
    samples = {f"samples/{file.name}": file.read_text() for file in sorted(SAMPLES.iterdir())}
    return shared_index({**samples, **MADE}, encoder="none")


def parse_everything(engine: Engine, request: ReferencesRequest) -> Mentions:
    """Return what the syntax of every file that may hold the name says."""
    deadline = Deadline.never(SystemClock())
    with engine.pin(deadline) as view:
        kept = searched(view, open_segments(view), request.scope, request.filters, deadline)
        reading = Reading(kept, InProcessMentions(), deadline, True, True)  # type: ignore[arg-type]
        asked = split_name(request.name)
        files = mentioning_files(kept, asked, deadline)
        mentions = Mentions(request, asked)
        for any_case in (False, True):
            for file in reading.read(files, asked.typed, any_case=any_case):
                mentions.take(kept, file.text, file.places)
            if mentions.totals:
                break
        return mentions


@pytest.mark.parametrize("kinds", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_pages_are_the_answer_of_parsing_everything(
    engine: Engine, name: str, *, kinds: bool
) -> None:
    """Places, definitions and, with the mentions beyond the page, all counts are equal."""
    asked = ReferencesRequest(name, limit=12, strings=kinds, comments=kinds)
    every = parse_everything(engine, replace(asked, limit=2_000))
    expected = [reference for _, reference in every.answer().without_doubts().shown]
    places: list[Reference] = []
    page = engine.ask(asked)
    defined = page.defined
    while True:
        places += page.references
        assert page.defined == defined
        assert sum(dict(page.totals).values()) + page.mentions == every.totals.total()
        if not page.next_cursor:
            break
        page = engine.ask(replace(asked, cursor=page.next_cursor))

    assert places == expected
    assert (page.mentions, page.mention_files) == (0, 0)
    assert dict(page.totals) == {kind: every.totals[kind] for kind, _ in page.totals}
    whole = engine.ask(replace(asked, limit=0))
    assert (list(whole.references), whole.defined) == (expected, defined)


LONG = {
    "color.c": "enum color {\n" + "".join(f"    RED{n} = {n},\n" for n in range(600)) + "};\n",
    "big.h": "typedef struct {\n"
    + "".join(f"    int *at{n}[3];\n" for n in range(600))
    + "} big_t;\n",
    "local.c": "int f(void)\n{\n    struct {\n"
    + "".join(f"        int in{n};\n" for n in range(600))
    + "    } x;\n}\n",
    "kind.rs": "pub enum Kind {\n" + "".join(f"    Var{n}(u32),\n" for n in range(600)) + "}\n",
    "use.c": "int g(void) { return RED599 + at599 + in599 + Var599; }\n",
}


@pytest.mark.parametrize("structure", [True, False])
def test_members_of_a_long_type_are_found_in_each_of_its_chunks(
    index_of: IndexOf, *, structure: bool
) -> None:
    """The chunks in its middle show no keyword; without structure no chunk is named either."""
    engine = index_of(LONG, encoder="none", structure=structure)
    places = ("RED", "color.c", 2), ("at", "big.h", 2), ("in", "local.c", 4), ("Var", "kind.rs", 2)
    for name, path, first in places:
        for number in (0, 150, 300, 450, 599):
            (answer,) = engine.ask(SymbolRequest(f"{name}{number}")).definitions
            assert (answer.path, answer.line) == (path, number + first)


def test_files_behind_a_page_are_counted_and_not_parsed(
    engine: Engine, pool: InProcessMentions
) -> None:
    """Only files of the page, the usage that follows it and definitions are parsed."""
    pool.asked.clear()
    page = engine.ask(ReferencesRequest("step", limit=2))

    assert [each.path for each in page.references] == ["src/use00.c", "src/use01.c"]
    assert {"src/yy.py", "src/zz.c"} < set(pool.asked)
    assert len([path for path in pool.asked if path.startswith("src/use")]) == 3
    assert page.mention_files == len(NUMBERS) - 3 + 1
    assert page.mentions == len(NUMBERS) - 3 + 2
    (cut,) = [cut for cut in page.limits_hit if cut.code == "max_references"]
    assert cut.observed is None, "usages among the mentions are not known"


@pytest.mark.parametrize(("name", "looks"), [("step", 1), ("STEP_NOWHERE", 1), ("Base.step", 0)])
def test_defining_files_are_looked_up_once(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, name: str, looks: int
) -> None:
    """They are those of any letter case; of a qualified name all files are parsed."""
    looked: list[str] = []

    def counted(held: Any, asked: Any, deadline: Any) -> Any:
        looked.append(name)
        return defining_files(held, asked, deadline)

    monkeypatch.setattr(name_answers, "defining_files", counted)
    engine.ask(ReferencesRequest(name, limit=1))

    assert len(looked) == looks


def test_definitions_inside_of_functions_are_found_without_a_look_at_texts(
    engine: Engine, pool: InProcessMentions
) -> None:
    """The image says which files may define a name that no chunk is called."""
    pool.asked.clear()
    answer = engine.ask(SymbolRequest("step"))

    assert [each.path for each in answer.definitions] == ["src/yy.py", "src/zz.c"]
    assert set(pool.asked) == {"src/yy.py", "src/zz.c"}


@pytest.mark.parametrize("name", NAMES)
def test_images_of_earlier_builds_answer_alike(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """They lack the keys of possible definitions: texts are read instead."""
    asked, used = SymbolRequest(name, limit=0), ReferencesRequest(name, limit=3)
    expected = engine.ask(asked), engine.ask(used)
    monkeypatch.setattr(SegmentImage, "definition_keys", None)

    answers = engine.ask(asked), engine.ask(used)
    assert answers[0].definitions == expected[0].definitions
    assert (answers[1].references, answers[1].totals) == (
        expected[1].references,
        expected[1].totals,
    )
