"""Where a file of a slate says to begin, and which opening lines it has."""

from msgspec.structs import replace

from ggrep.model.confidence import Confidence
from ggrep.model.slate import Budgets, Pack
from ggrep.model.slate_material import PackMaterial
from ggrep.search.slate.levels import effective
from ggrep.search.slate.overview import SlatePlan
from ggrep.search.slate.pack_draft import drawn
from tests.fakes.slate_files import material, piece

WEAK = piece("def restart():", 40, 1.0)
BEST = piece("class Arbiter:", 10, 2.0)


def pack_of(chosen: PackMaterial) -> Pack:
    """Return the only file of a slate."""
    budgets, _ = effective(Budgets(), 1)
    slate = drawn([chosen], SlatePlan(1, budgets, Confidence.STRONG, graph=False)).slate
    return slate.sections[0][1][0]


def test_a_file_is_placed_at_its_best_evidence() -> None:
    """That is the line which a reader opens first."""
    assert pack_of(material("arbiter.py", BEST, WEAK)).line == 10


def test_a_file_that_was_asked_for_at_a_line_is_placed_there() -> None:
    """The hint that follows opens what was asked for, not what matches better beside it."""
    chosen = material("arbiter.py", BEST, WEAK)
    asked = replace(chosen, pick=replace(chosen.pick, reason="expand_target", lines=(40,)))

    assert pack_of(asked).line == 40


def test_opening_lines_that_are_all_hidden_are_no_anchor() -> None:
    """Its ids and line numbers alone would cost bytes in every file with a licence."""
    hidden = piece("# Copyright", snippet="", hidden_lines=1, reason="anchor_for_context")
    shown = piece("import os", reason="anchor_for_context")

    assert pack_of(material("arbiter.py", BEST, anchor=hidden)).anchor is None
    assert pack_of(material("arbiter.py", BEST, anchor=shown)).anchor is not None
