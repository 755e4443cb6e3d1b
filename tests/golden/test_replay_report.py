"""Goldens of `ggrep replay --json`."""

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from ggrep.render.receipts import replay_json
from ggrep.search.engine.engine import Engine
from tests.fakes.receipts import AFTER, BEFORE, receipt_of, replayed, without_builds
from tests.fakes.repos import write_tree
from tests.golden.documents import Repos, neutral_bytes


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """Return an engine over the tree before the edit, named as goldens know how to hide."""
    repos = Repos(tmp_path.resolve())
    write_tree(repos.directory / "ledger", BEFORE)
    engine = repos.open_root(repos.directory / "ledger")
    engine.sync()
    return engine


def test_an_answer_that_was_reproduced(
    golden: SnapshotAssertion, repos: Repos, engine: Engine
) -> None:
    """Scripts look at `reproduced` alone."""
    document = replay_json(replayed(engine, receipt_of(engine)))

    assert neutral_bytes(without_builds(document), repos) == golden


def test_an_answer_over_another_ranking(
    golden: SnapshotAssertion, repos: Repos, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each place that differs is named."""
    receipt = receipt_of(engine)
    monkeypatch.setattr("ggrep.search.engine.query_answers.RANKING_REVISION", "ranking-next")
    document = without_builds(replay_json(replayed(engine, receipt)))
    for item in document["differences"]:
        item["was"] = item["now"] = "0"  # they hang on where the copy lies

    assert neutral_bytes(document, repos) == golden


def test_hits_that_moved_were_edited_and_are_gone(
    golden: SnapshotAssertion, repos: Repos, engine: Engine
) -> None:
    """What a reviewer wants to see of an old answer."""
    receipt = receipt_of(engine)
    write_tree(engine.identity.root, AFTER)
    engine.sync()
    document = replay_json(replayed(engine, receipt, today=True))

    assert neutral_bytes(without_builds(document), repos) == golden
