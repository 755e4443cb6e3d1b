"""How far the definition of a hit reaches."""

from ggrep.index.store.definition_extents import Step, widened
from ggrep.model.request import SearchRequest
from ggrep.model.response import Extent, Hit
from tests.fakes.repos import IndexOf

LONG = "".join(f"        total += weigh({number}, self.rate)\n" for number in range(150))
CODE = (
    "class Till:\n"
    "    def add(self):\n"
    f"        total = 0\n{LONG}"
    "        return settle(total)\n\n"
    "    def take(self):\n"
    "        return refuse()\n"
)
ADD_ENDS = CODE.split("\n").index("        return settle(total)") + 1


FILES = {"till.py": CODE, "notes.md": "# Till\n\nText.\n\n## Settle\n\nsettle\n"}


def hits_of(index_of: IndexOf, query: str) -> tuple[Hit, ...]:
    engine = index_of(FILES, encoder="none")
    return engine.search(SearchRequest(query, deterministic=True)).hits


def test_a_part_of_a_long_definition_tells_all_of_its_lines(index_of: IndexOf) -> None:
    """A reader need not guess how far to read."""
    hits = hits_of(index_of, "settle")
    part = next(hit for hit in hits if hit.path == "till.py" and hit.end_line == ADD_ENDS)

    assert part.start_line > 2
    assert part.definition == Extent(2, ADD_ENDS)


def test_what_is_whole_tells_no_other_lines(index_of: IndexOf) -> None:
    """They would be its own; and documents have no definitions."""
    hits, sections = hits_of(index_of, "refuse"), hits_of(index_of, "settle")

    assert [hit.definition for hit in hits if hit.name == "take"] == [None]
    assert {hit.definition for hit in sections if hit.path == "notes.md"} <= {None}


def test_two_definitions_of_one_name_behind_each_other_are_two() -> None:
    """Overloads and conditional definitions are."""
    trail = ("A", "run")
    steps = [Step(trail, begins) for begins in (True, False, True, False)]

    assert widened(steps, (0, 0), trail) == (0, 1)
    assert widened(steps, (3, 3), trail) == (2, 3)
