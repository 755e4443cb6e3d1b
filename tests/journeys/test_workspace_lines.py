"""A workspace's question is coordinated by a daemon that runs, in the bytes of the command line."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ggrep.interfaces.cli import app
from tests.journeys.household import Household, household
from tests.journeys.test_fast_path import IMPORTS, imported, own_words

pytestmark = pytest.mark.slow

LINES = (
    "search invoice --workspace ws.jsonc",
    "search invoice --workspace ws.jsonc --json --deterministic",
    "search invoice --workspace ws.jsonc --only two --scores",
    "search invoice --workspace ws.jsonc --only nosuch",
    "search zzyzx_qwfp --workspace ws.jsonc --exit-status",
    "search invoice --workspace ws.jsonc --format slate",
    "slate invoice --workspace ws.jsonc",
    "slate invoice --workspace ws.jsonc --json --deterministic",
    "slate invoice --workspace ws.jsonc --graph mermaid",
    "symbol settle_invoice --workspace ws.jsonc",
    "refs settle_invoice --workspace ws.jsonc --json --deterministic",
    "expand one:src/pay.py:1 --workspace ws.jsonc",
)


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Household, Path]]:
    """Return a home whose workspace of two repositories is served by two processes."""
    with household() as house:
        for name in ("one", "two"):
            root = house.repo(name)
            house.serve_apart(root)
        init = ("workspace", "init", "ws.jsonc", "one", "two")
        assert house.run(*init, cwd=house.base).status == 0
        assert len(house.hosts()) == 2
        yield house, house.base


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("variables", [{}, {"FORCE_COLOR": "1", "COLUMNS": "60"}], ids=["", "tty"])
def test_a_workspace_is_asked_in_the_bytes_of_the_whole_command_line(
    served: tuple[Household, Path], line: str, variables: dict[str, str]
) -> None:
    """Nothing of that is loaded; results, notes and exit status are the same."""
    house, base = served

    fast = house.run_light(*line.split(), cwd=base, **variables)

    assert fast == house.run_here(app.run, *line.split(), cwd=base, **variables)


def test_files_are_seen_from_where_one_stands(served: tuple[Household, Path]) -> None:
    """The daemon reads the workspace's file from the client's directory."""
    house, base = served
    words = ("slate", "invoice", "--workspace", "../ws.jsonc")

    fast = house.run(*words, cwd=base / "one", python=IMPORTS)

    assert "--repo .  " in fast.out
    assert own_words(fast) == house.run_here(app.run, *words, cwd=base / "one")
    assert "ggrep.interfaces.cli" not in imported(fast.err)


def test_a_daemon_that_is_missing_is_started_by_the_command_line(
    served: tuple[Household, Path],
) -> None:
    """No daemon starts others, or reads an index in the place of one."""
    house, base = served
    assert house.run("stop", "--path", "two", cwd=base).status == 0
    words = ("search", "invoice", "--workspace", "ws.jsonc", "--json", "--deterministic")

    first = house.run(*words, cwd=base)
    again = house.run_light(*words, cwd=base)

    assert {Path(record.root).name for record in house.records()} == {"one", "two"}
    assert (first.status, again.out) == (0, first.out)
