"""Promise P2 for slates: they depend on the files as they are, not on how they came to be so."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.base import stable_json
from ggrep.model.request import SearchRequest
from ggrep.model.slate import Budgets, SlateRequest
from ggrep.render.answer_json import answer_json
from ggrep.search.engine.engine import Engine
from tests.fakes.effort import examples
from tests.fakes.repos import open_engine, write_tree
from tests.properties.trees import PATHS, bodies, content

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
    found = []
    for request in REQUESTS:
        response = engine.ask(request)
        document = answer_json(response)
        for key in ("snapshot_id", "request_id", "git"):
            del document[key]
        found.append(stable_json.dumps(document) + repr(response.facts).encode())
    return found


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
@settings(max_examples=examples(3, 150))
@given(first=firsts, then=edits)
def test_history_does_not_matter_to_slates(
    first: list[list[str]], then: list[tuple[str, list[str]]]
) -> None:
    """A client that asks a kept index gets what it would get of a new one."""
    with TemporaryDirectory() as base:
        live(Path(base).resolve(), first, then)


@pytest.mark.slow
def test_segments_do_not_matter_where_very_many_files_match(root: Path, home: Path) -> None:
    """What is looked at is bounded for the whole snapshot, and not for each part of it."""
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
