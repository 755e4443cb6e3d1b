"""What only asks is answered by the daemon that runs, in the bytes of the whole command line."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.interfaces.cli import app
from tests.journeys.command import Outcome
from tests.journeys.household import Household, household

pytestmark = pytest.mark.slow

LINES = (
    "symbol settle_invoice",
    "symbol settle_invoice --json --deterministic",
    "symbol settle_invoice src/",
    "symbol settle_invoice ./src/pay.py -m 1",
    "symbol setle_invoice --exit-status",
    "symbol settle_invoice --filter kind:class --exit-status",
    "symbol settle_invoice --repo .",
    "symbol settle_invoice invoice settle_invoice",
    "symbol settle_invoice nosuch_name --json --deterministic",
    "symbol settle_invoice nosuch_name --format agent",
    "refs settle_invoice invoice --format agent --budget 512",
    "expand src/pay.py:1 src/pay.py:2",
    "expand src/pay.py:2 --format agent",
    "slate invoice --format agent",
    "refs settle_invoice",
    "refs invoice --strings --comments",
    "references invoice --json --deterministic",
    "refs nosuch_name --exit-status",
    "expand src/pay.py:2",
    "expand src/pay.py",
    "expand src/pay.py:2 --boundary chunk --json --deterministic",
    "slate invoice",
    "slate invoice --json --deterministic",
    "slate invoice --level 3 --no-anchors",
    "slate invoice src --max-files 1",
    "slate invoice --graph mermaid",
    "slate zzyzx_qwfp --exit-status",
    "search invoice --format slate --level 0",
    "search invoice --no-vectors --scores",
    "search invoice --find usage --json --deterministic",
    "search invoice src docs --no-vectors",
)
TERMINAL = {"FORCE_COLOR": "1", "COLUMNS": "60"}
COLOURED = {"symbol settle_invoice", "refs settle_invoice", "expand src/pay.py:2", "slate invoice"}
"""Lines that are tried as on a terminal by default."""

ODD = (
    "expand nosuch.py",
    "expand nosuch.py --json",
    "expand nosuch.py --repo .",
    "symbol",
    "symbol settle_invoice -m -1",
    "symbol settle_invoice ./nosuch",
    "refs settle_invoice --filter colour:blue --json",
    "expand src",
    "slate invoice --level 9",
    "slate invoice --op refine",
    "symbol settle_invoice --nosuch",
)


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Household, Path]]:
    """Return a repository whose daemon runs and has indexed it."""
    with household() as house:
        root = house.repo()
        house.index(root)
        assert house.run("settle invoice", cwd=root).status == 0
        house.settle(root)
        yield house, root


@pytest.mark.parametrize(
    ("line", "variables"),
    [
        *((line, {}) for line in LINES),
        *(
            pytest.param(line, TERMINAL, marks=[] if line in COLOURED else pytest.mark.deep)
            for line in LINES
        ),
    ],
)
def test_a_line_is_answered_in_the_bytes_of_the_whole_command_line(
    served: tuple[Household, Path], line: str, variables: dict[str, str]
) -> None:
    """Nothing of that is loaded; results, notes and exit status are the same."""
    house, root = served

    fast = house.run_light(*line.split(), cwd=root, **variables)

    assert fast == house.run_here(app.run, *line.split(), cwd=root, **variables)


def without_request(outcome: Outcome) -> Outcome:
    return replace(outcome, out=re.sub(r'"request_id":"[-0-9a-f]+"', "", outcome.out))


@pytest.mark.parametrize("line", ODD)
def test_odd_lines_get_the_commands_words(served: tuple[Household, Path], line: str) -> None:
    """The daemon declines it."""
    house, root = served

    fast = house.run(*line.split(), cwd=root)

    whole = house.run_here(app.run, *line.split(), cwd=root)
    assert without_request(fast) == without_request(whole)
    assert fast.status != 0


def test_paths_are_seen_from_where_one_stands(served: tuple[Household, Path]) -> None:
    """In a directory below, and from beside the repository."""
    house, root = served

    below = house.run("symbol", "settle_invoice", cwd=root / "src")
    beside = house.run("expand", "r/src/pay.py:1", cwd=root.parent)

    assert below.out.startswith("pay.py:1")
    assert below == house.run_here(app.run, "symbol", "settle_invoice", cwd=root / "src")
    assert beside.out.startswith("r/src/pay.py:1")
    assert beside == house.run_here(app.run, "expand", "r/src/pay.py:1", cwd=root.parent)


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_the_status_is_told_by_the_daemon(served: tuple[Household, Path], flags: list[str]) -> None:
    """But for figures of the moment it is that of the whole command line."""
    house, root = served

    fast = house.run_light("status", *flags, cwd=root)
    whole = house.run_here(app.run, "status", *flags, cwd=root)

    assert re.sub(r"\d+", "0", fast.out) == re.sub(r"\d+", "0", whole.out)
    assert (fast.status, fast.err) == (whole.status, whole.err)


def test_a_repository_below_another_is_its_own(served: tuple[Household, Path]) -> None:
    """The hint leads to the one above; its daemon sees that it is not meant."""
    house, root = served
    inner = house.repo("r/inner", {"b.py": "def inner_name():\n    return 1\n"})

    result = house.run("symbol", "inner_name", "./inner/b.py", cwd=root)

    assert result.out.startswith("inner/b.py:1")
    assert {record.root for record in house.records()} == {str(root), str(inner)}
    house.settle(inner)
