"""Slates read and show the same whatever a file's history and whatever is left unread."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.base import stable_json
from ggrep.model.request import SearchRequest
from ggrep.model.slate import Budgets, Pack, SlateRequest, SlateResponse
from ggrep.render.answer_json import answer_json
from ggrep.search.engine.engine import Engine
from tests.fakes.effort import examples
from tests.fakes.repos import IndexOf, open_engine, write_tree
from tests.properties.trees import PATHS, bodies, content

STEPS = 9
BODY = "".join(f"    total = total + order.part_{n} * {n}\n" for n in range(12))


def step(file: int, place: int) -> str:
    """Return a function that speaks the more of refunds the earlier its file and its place are."""
    words = "refund order " * max(1, 12 - file // 3 - place)
    return (
        f"def refund_{file}_{place}(order):\n    # {words}{file} {place}\n{BODY}    return {file}\n"
    )


def module(file: int) -> str:
    return "\n\n".join(step(file, place) for place in range(STEPS))


TWIN = f"{step(0, 0)}\n\n" + "\n\n".join(step(40, place) for place in range(1, STEPS))
TREE = {**{f"src/module_{n:02d}.py": module(n) for n in range(24)}, "src/twin.py": TWIN}
ASKED = SlateRequest(SearchRequest("refund order", keep_weak=True, deterministic=True), graph=False)


@pytest.fixture(scope="module")
def refunds(shared_index: IndexOf) -> Engine:
    """Return an engine over files of many functions each, which no test changes."""
    return shared_index(TREE, encoder="none")


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
    answer = refunds.ask(asked)
    monkeypatch.setattr("ggrep.search.slate.levels._LEAST_PIECES", 10_000)
    whole = refunds.ask(asked)

    assert lines_shown(answer) == lines_shown(whole)
    assert packs(answer).keys() == packs(whole).keys()
    for path, pack in packs(answer).items():
        every = packs(whole)[path]
        assert pack.more_evidence + len(pack.evidence) == every.more_evidence + len(every.evidence)


def test_a_file_read_as_a_copy_stays(refunds: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggrep.search.slate.levels._LEAST_PIECES", 1)
    monkeypatch.setattr("ggrep.search.slate.levels._LEAST_BYTES", 1 << 30)
    answer = refunds.ask(ASKED)

    assert "src/twin.py" in packs(answer)
    assert packs(answer)["src/twin.py"].more_evidence >= STEPS - 2


QUERIES = ("how does the retry queue work?", "load_config", "cache token parser")
REQUESTS = [
    SlateRequest(
        SearchRequest(query, deterministic=True, keep_weak=True),
        level,
        Budgets(files=files),
        facts=True,
    )
    for query in QUERIES
    for level, files in ((1, 0), (2, 4))
]
PART = 7
"""Files that each publish writes; three leave segments enough for all of PATHS."""


def slates(engine: Engine) -> list[bytes]:
    """Return the slates and facts of all requests, without what may differ between equal stores."""
    results = []
    for request in REQUESTS:
        response = engine.ask(request)
        document = answer_json(response)
        for key in ("snapshot_id", "request_id", "git"):
            del document[key]
        results.append(stable_json.dumps(document) + repr(response.facts).encode())
    return results


def live(base: Path, first: list[list[str]], then: list[tuple[str, list[str]]]) -> None:
    """Compare a store that followed edits with one that is built of what they came to."""
    root = base / "repo"
    root.mkdir()
    kept = open_engine(root, base / "kept", encoder="none")
    for start in range(0, len(PATHS), PART):
        part = PATHS[start : start + PART]
        texts = zip(part, first, strict=False)
        write_tree(root, {path: content(path, ["retry", *body]) for path, body in texts})
        if start:
            write_tree(root, {PATHS[start - 1]: content(PATHS[start - 1], ["queue", *first[0]])})
        kept.sync()
    assert len(kept.view().segments) >= 3
    for path, body in then:
        write_tree(root, {path: content(path, body) if body else None})
    kept.sync()
    fresh = open_engine(root, base / "fresh", encoder="none")
    fresh.sync()

    assert len(fresh.view().segments) <= 1
    assert slates(kept) == slates(fresh)


firsts = st.lists(bodies, min_size=PART, max_size=PART)
edits = st.lists(st.tuples(st.sampled_from(PATHS), bodies), min_size=1, max_size=6)


@pytest.mark.slow
@settings(max_examples=examples(2, 150))
@given(first=firsts, then=edits)
def test_history_does_not_matter_to_slates(
    first: list[list[str]], then: list[tuple[str, list[str]]]
) -> None:
    """A client that asks a kept index gets what it would get of a new one."""
    with TemporaryDirectory() as base:
        live(Path(base).resolve(), first, then)


@pytest.mark.slow
def test_segments_do_not_matter_where_very_many_files_match(root: Path, home: Path) -> None:
    names = [f"src/retry_{n:03d}.py" for n in range(120)]
    late = "lib/application.py"  # an entry point that matches least of all
    texts = {name: f"def retry_{n}(queue):\n    return {n}\n" for n, name in enumerate(names)}
    texts[late] = "def run(queue):\n" + "    other = more + words\n" * 9 + "    return queue\n"
    kept = open_engine(root, home / "kept", encoder="none")
    for some in (names[:60], names[60:], [late]):
        write_tree(root, {name: texts[name] for name in some})
        kept.sync()
    fresh = open_engine(root, home / "fresh", encoder="none")
    fresh.sync()

    assert len(kept.view().segments) == 3
    assert slates(kept) == slates(fresh)
