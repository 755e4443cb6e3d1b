"""Which text a slate reads: that of the pieces whose turn to be shown may come."""

import pytest

from ggrep.model.request import SearchRequest
from ggrep.model.slate import Budgets, Pack, SlateRequest, SlateResponse
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import indexed

STEPS = 9
BODY = "".join(f"    total = total + order.part_{n} * {n}\n" for n in range(12))


def step(file: int, place: int) -> str:
    """Return a function that speaks the more of refunds the earlier its file and its place are."""
    words = "refund order " * max(1, 12 - file // 3 - place)
    return (
        f"def refund_{file}_{place}(order):\n    # {words}{file} {place}\n{BODY}    return {file}\n"
    )


def module(file: int) -> str:
    """Return a file of such functions."""
    return "\n\n".join(step(file, place) for place in range(STEPS))


TWIN = f"{step(0, 0)}\n\n" + "\n\n".join(step(40, place) for place in range(1, STEPS))
TREE = {**{f"src/module_{n:02d}.py": module(n) for n in range(24)}, "src/twin.py": TWIN}
ASKED = SlateRequest(SearchRequest("refund order", keep_weak=True, deterministic=True), graph=False)


@pytest.fixture(scope="module")
def refunds(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """Return an engine over files of many functions each, which no test changes."""
    base = tmp_path_factory.mktemp("refunds").resolve()
    root = base / "repo"
    root.mkdir()
    return indexed(root, base / "home", TREE, encoder="none")


def packs(found: SlateResponse) -> dict[str, Pack]:
    return {pack.path: pack for _, some in found.slate.sections for pack in some}


def lines_shown(found: SlateResponse) -> dict[tuple[str, int], str]:
    """Return the text of each piece of which lines are shown."""
    return {
        (path, piece.start_line): piece.snippet
        for path, pack in packs(found).items()
        for piece in pack.evidence
        if piece.snippet
    }


@pytest.mark.parametrize("total", [4_096, 16_384])
@pytest.mark.parametrize("of_text", [False, True])
def test_what_is_not_read_would_not_have_been_shown(
    refunds: Engine, monkeypatch: pytest.MonkeyPatch, total: int, of_text: bool
) -> None:
    """The same lines are shown as of all that matches; what was left out is counted as ever."""
    asked = SlateRequest(ASKED.search, budgets=Budgets(total, of_text=of_text), graph=False)
    found = refunds.ask(asked)
    monkeypatch.setattr("ggrep.search.slate.levels._LEAST_PIECES", 10_000)
    whole = refunds.ask(asked)

    assert lines_shown(found) == lines_shown(whole)
    assert packs(found).keys() == packs(whole).keys()
    for path, pack in packs(found).items():
        every = packs(whole)[path]
        assert pack.more_evidence + len(pack.evidence) == every.more_evidence + len(every.evidence)


def test_a_file_of_which_a_copy_alone_was_read_stays(
    refunds: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it says beside that was not compared with anything."""
    monkeypatch.setattr("ggrep.search.slate.levels._LEAST_PIECES", 1)
    monkeypatch.setattr("ggrep.search.slate.levels._LEAST_BYTES", 1 << 30)
    found = refunds.ask(ASKED)

    assert "src/twin.py" in packs(found)
    assert packs(found)["src/twin.py"].more_evidence >= STEPS - 2
