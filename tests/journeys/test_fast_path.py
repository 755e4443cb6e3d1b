"""A plain search is answered by the daemon that runs, at once and in the same bytes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ggrep.interfaces.entry import main
from tests.fakes.repos import write_tree
from tests.journeys.command import Outcome, finish, start
from tests.journeys.household import TREE, Household, household

pytestmark = pytest.mark.slow

IMPORTS = ("-X", "importtime")


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Household, Path]]:
    """Return a repository whose daemon runs and has indexed it."""
    with household() as house:
        root = house.repo()
        house.index(root)
        assert house.run("settle invoice", cwd=root).status == 0
        # What a sync that is under way would add to standard error is no part of this.
        house.settle(root)
        yield house, root


def imported(report: str) -> set[str]:
    lines = [line for line in report.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


def own_words(outcome: Outcome) -> Outcome:
    """Return an outcome without the report on imports."""
    lines = outcome.err.splitlines(keepends=True)
    err = "".join(line for line in lines if not line.startswith("import time:"))
    return Outcome(outcome.status, outcome.out, err)


def test_a_plain_search_loads_no_command_line(served: tuple[Household, Path]) -> None:
    house, root = served

    plain = house.run("settle invoice", cwd=root, python=IMPORTS)
    other = house.run("settle invoice", "--offline", cwd=root, python=IMPORTS)

    assert (plain.status, other.status) == (0, 0)
    assert "typer" not in imported(plain.err)
    assert "ggrep.interfaces.cli.app" not in imported(plain.err)
    assert "ggrep.interfaces.cli.app" in imported(other.err)


def test_a_plain_search_outside_git_loads_no_command_line_either(
    served: tuple[Household, Path],
) -> None:
    """A directory without a repository is served as fast."""
    house, _ = served
    root = house.base / "plain"
    write_tree(root, TREE)
    assert house.run("settle invoice", "--yes", cwd=root).status == 0
    house.settle(root)

    plain = house.run("settle invoice", cwd=root, python=IMPORTS)
    inside = house.run("settle invoice", str(root), "--compact", cwd=root / "src")

    assert plain.status == 0
    assert "ggrep.interfaces.cli.queries.one_search" not in imported(plain.err)
    assert inside.out.split()[0] == "pay.py"


@pytest.mark.parametrize(
    ("flags", "variables"),
    [
        ([], {}),
        (["--json", "--deterministic"], {}),
        (["--content", "--scores", "--anchors"], {"FORCE_COLOR": "1", "COLUMNS": "60"}),
    ],
    ids=lambda value: " ".join(value) or "none",
)
def test_the_answer_has_the_bytes_of_a_search_without_a_daemon(
    served: tuple[Household, Path], flags: list[str], variables: dict[str, str]
) -> None:
    """Whether a daemon runs must show in nothing but the time it takes."""
    house, root = served
    answered = len(house.events("query"))

    fast = house.run_light("settle invoice", *flags, cwd=root, **variables)
    by_daemon = len(house.events("query"))
    offline = house.run_here(main, "settle invoice", *flags, "--offline", cwd=root, **variables)

    assert fast == offline
    assert fast.status == 0
    assert "settle_invoice" in fast.out or "src/pay.py" in fast.out
    assert (by_daemon, len(house.events("query"))) == (answered + 1, answered + 1)


@pytest.mark.parametrize(
    "words",
    [
        ("settle invoice", "--format", "agent"),
        ("settle invoice", "--format", "agent", "--body", "2", "--budget", "900"),
        ("--find", "regex", r"settle_\w+", "--format", "agent"),
        ("zzyzx_qwfp", "--format", "agent", "--exit-status"),
        ("outline", "src", "--format", "agent"),
        ("outline", "src/pay.py:1", "gone.py"),
        ("outline", "--json", "--deterministic"),
        ("tour", "--format", "agent"),
        ("tour", "src"),
    ],
    ids=" ".join,
)
def test_daemon_answers_are_equal(served: tuple[Household, Path], words: tuple[str, ...]) -> None:
    """They ask ten times as often as people, and wait for the command line each time."""
    house, root = served

    fast = house.run_light(*words, cwd=root)

    assert fast == house.run_here(main, *words, "--offline", cwd=root)


def test_a_search_without_a_daemon_loads_the_command_line(
    served: tuple[Household, Path],
) -> None:
    """Otherwise the tests above would prove nothing."""
    house, root = served

    with pytest.raises(ModuleNotFoundError):
        house.run_light("settle invoice", "--offline", cwd=root)


def test_a_search_in_a_directory_shows_paths_from_there(
    served: tuple[Household, Path],
) -> None:
    """As a plain grep would; the daemon is told where we stand."""
    house, root = served

    inside = house.run("settle invoice", "--compact", cwd=root / "src")
    named = house.run("settle invoice", "src", "--compact", cwd=root)

    assert inside == house.run_here(
        main, "settle invoice", "--compact", "--offline", cwd=root / "src"
    )
    assert inside.out.split()[0] == "pay.py"
    assert named.out.split()[0] == "src/pay.py"


def test_finding_nothing_ends_as_it_was_asked_to(served: tuple[Household, Path]) -> None:
    """Scripts branch on the exit status, whoever has answered."""
    house, root = served
    flags = ("zzyzx_qwfp", "--filter", "lang:rust", "--exit-status")

    fast = house.run(*flags, cwd=root)

    assert fast.status == 1
    assert fast == house.run_here(main, *flags, "--offline", cwd=root)


@pytest.mark.parametrize("wrong", ["colour:blue", "lang:pyhton", "kind:clas", "test:yes", "lang:"])
def test_a_wrong_flag_is_told_in_the_same_words(served: tuple[Household, Path], wrong: str) -> None:
    """The fast path passes over what it cannot read instead of judging it."""
    house, root = served
    flags = ("settle", "--filter", wrong)

    fast = house.run(*flags, cwd=root)

    assert fast.status == 2
    assert fast == house.run_here(main, *flags, "--offline", cwd=root)


INTERRUPTED = """
import sys
from ggrep.interfaces.entry import main

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "ggrep.interfaces.cli.parsing.tree":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
sys.exit(main(["status"]))
"""


def test_an_interrupt_while_the_command_line_loads_is_told_as_later(home: Path) -> None:
    """Loading takes longer than most answers do."""
    outcome = finish(start(home=home, run=("-c", INTERRUPTED)))

    assert "Traceback" not in outcome.err
    assert outcome.status == 12
