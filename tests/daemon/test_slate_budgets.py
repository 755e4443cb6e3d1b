"""No slate is larger than what was asked for, whatever was asked, once it went through a daemon."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.model.request import SearchRequest
from ggrep.model.slate import Budgets, SlateRequest
from ggrep.protocol.wire.messages import Ask
from ggrep.search.slate.levels import MIN_SLATE_BYTES
from tests.fakes.hosts import CLOCK, Served, served
from tests.fakes.repos import write_tree

LINE = "order refund card stock price customer invoice retry queue token limit report"
WORDS = tuple(LINE.split())
SECTIONS = {
    "src/{}.py": 'def {0}_now(card):\n    """Settle the {0} of a card."""\n    return {0}(card)\n',
    "docs/{}.md": "# The {0}\n\nHow a {0} is settled, and by whom.\n\n`{0}_now` does it.\n",
    "config/{}.toml": '[{0}]\nlimit = 3\n{0}_retry = "twice"\n',
    "tests/test_{}.py": "from src.{0} import {0}_now\n\n\ndef test_{0}():\n    assert {0}_now(1)\n",
    "diagrams/{}.mmd": 'graph TD\n  a["{0} \\" quoted"] --> b[settled]\n',
}


@pytest.fixture
def host(tmp_path: Path, home: Path) -> Iterator[Served]:
    """Return a daemon over sixty files that all say much the same."""
    root = tmp_path / "shop"
    files = {
        path.format(word): text.format(word) * (1 + len(word) % 4)
        for path, text in SECTIONS.items()
        for word in WORDS
    }
    write_tree(root, files)
    with served(root.resolve(), home) as daemon:
        daemon.settled()
        yield daemon


def asked(seed: int) -> SlateRequest:
    """Return one of many questions, the same for a seed."""
    chance = random.Random(seed)
    words = chance.sample(WORDS, chance.randint(1, 5))
    small = chance.random() < 0.5
    return SlateRequest(
        SearchRequest(
            " ".join(words),
            keep_weak=True,
            deterministic=True,
            timeout_ms=chance.randint(5_000, 60_000),
        ),
        level=chance.randint(0, 3),
        budgets=Budgets(
            total_bytes=chance.randint(MIN_SLATE_BYTES, 8_000 if small else 200_000),
            file_bytes=chance.choice([0, 1, 150, 400, 2_000, 50_000]),
            files=chance.choice([0, 1, 2, 7, 20, 60, 100]),
            evidence_per_file=chance.choice([0, 1, 2, 9, 50]),
        ),
        anchors=chance.random() < 0.7,
        graph=chance.random() < 0.7,
    )


def size(value: Any) -> int:
    return len(stable_json.dumps(value))


@pytest.mark.slow
@pytest.mark.parametrize(
    "seeds", [range(40), pytest.param(range(40, 10_000), marks=pytest.mark.deep)]
)
def test_no_budget_is_exceeded_through_a_daemon(host: Served, seeds: range) -> None:
    """A caller that gives so many bytes has room for no more."""
    link = host.link()
    for seed in seeds:
        reply = link.ask(Ask(asked(seed)), Deadline.after(CLOCK, 60_000))
        document = reply.body["response"]
        assert isinstance(document, dict)
        slate: Any = document["slate"]
        limits = slate["limits"]
        packs = [pack for section in slate["sections"] for pack in section["files"]]

        assert size(slate) == slate["total_bytes"] <= limits["max_slate_bytes"]
        assert limits["max_slate_bytes"] == asked(seed).budgets.total_bytes
        assert len(packs) <= limits["max_slate_files"]
        for pack in packs:
            assert size(pack) <= limits["max_slate_file_bytes"]
            ours = [item for item in pack.get("evidence", ()) if "reason" not in item]
            named = pack.get("outline", ())
            assert len(ours) + len(named) <= limits["max_evidence_per_file"]
