"""A daemon that runs answers at once, in the bytes of the whole command line."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.interfaces.cli import app
from ggrep.interfaces.entry import main
from tests.fakes.repos import write_tree
from tests.journeys.command import Outcome, finish, start
from tests.journeys.household import TREE, Household, household

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
        # What a sync that is under way would add to standard error is no part of this.
        house.settle(root)
        yield house, root


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

    inside = house.run_inside("settle invoice", "--compact", cwd=root / "src")
    named = house.run_inside("settle invoice", "src", "--compact", cwd=root)

    assert inside == house.run_here(
        main, "settle invoice", "--compact", "--offline", cwd=root / "src"
    )
    assert inside.out.split()[0] == "pay.py"
    assert named.out.split()[0] == "src/pay.py"


def test_finding_nothing_ends_as_it_was_asked_to(served: tuple[Household, Path]) -> None:
    """Scripts branch on the exit status, whoever has answered."""
    house, root = served
    flags = ("zzyzx_qwfp", "--filter", "lang:rust", "--exit-status")

    fast = house.run_inside(*flags, cwd=root)

    assert fast.status == 1
    assert fast == house.run_here(main, *flags, "--offline", cwd=root)


@pytest.mark.parametrize("wrong", ["colour:blue", "lang:pyhton", "kind:clas", "test:yes", "lang:"])
def test_a_wrong_flag_is_told_in_the_same_words(served: tuple[Household, Path], wrong: str) -> None:
    """The fast path passes over what it cannot read instead of judging it."""
    house, root = served
    flags = ("settle", "--filter", wrong)

    fast = house.run_inside(*flags, cwd=root)

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


def test_a_search_outside_git_loads_no_command_line_either(served: tuple[Household, Path]) -> None:
    """A directory without a repository is served as fast."""
    house, _ = served
    root = house.base / "plain"
    write_tree(root, TREE)
    assert house.run("settle invoice", "--yes", cwd=root).status == 0
    house.settle(root)

    inside = house.run_inside("settle invoice", str(root), "--compact", cwd=root / "src")

    assert house.run_light("settle invoice", cwd=root).status == 0
    assert inside.out.split()[0] == "pay.py"


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

    fast = house.run_inside(*line.split(), cwd=root)

    whole = house.run_here(app.run, *line.split(), cwd=root)
    assert without_request(fast) == without_request(whole)
    assert fast.status != 0


def test_paths_are_seen_from_where_one_stands(served: tuple[Household, Path]) -> None:
    """In a directory below, and from beside the repository."""
    house, root = served

    below = house.run_inside("symbol", "settle_invoice", cwd=root / "src")
    beside = house.run_inside("expand", "r/src/pay.py:1", cwd=root.parent)

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
    assert {str(root), str(inner)} <= {record.root for record in house.records()}
    house.settle(inner)


WORKSPACE_LINES = (
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
def served_workspace() -> Iterator[tuple[Household, Path]]:
    """Return a home whose workspace of two repositories is served by two processes."""
    with household() as house:
        for name in ("one", "two"):
            root = house.repo(name)
            house.serve_apart(root)
        init = ("workspace", "init", "ws.jsonc", "one", "two")
        assert house.run_here(app.run, *init, cwd=house.base).status == 0
        assert len(house.hosts()) == 2
        yield house, house.base


@pytest.mark.parametrize("line", WORKSPACE_LINES)
@pytest.mark.parametrize("variables", [{}, {"FORCE_COLOR": "1", "COLUMNS": "60"}], ids=["", "tty"])
def test_a_workspace_is_asked_in_the_bytes_of_the_whole_command_line(
    served_workspace: tuple[Household, Path], line: str, variables: dict[str, str]
) -> None:
    """Nothing of that is loaded; results, notes and exit status are the same."""
    house, base = served_workspace

    fast = house.run_light(*line.split(), cwd=base, **variables)

    assert fast == house.run_here(app.run, *line.split(), cwd=base, **variables)


def test_files_are_seen_from_where_one_stands(served_workspace: tuple[Household, Path]) -> None:
    """The daemon reads the workspace's file from the client's directory."""
    house, base = served_workspace
    words = ("slate", "invoice", "--workspace", "../ws.jsonc")

    fast = house.run_light(*words, cwd=base / "one")

    assert "--repo .  " in fast.out
    assert fast == house.run_here(app.run, *words, cwd=base / "one")


def test_a_daemon_that_is_missing_is_started_by_the_command_line(
    served_workspace: tuple[Household, Path],
) -> None:
    """No daemon starts others, or reads an index in the place of one."""
    house, base = served_workspace
    assert house.run_here(app.run, "stop", "--path", "two", cwd=base).status == 0
    words = ("search", "invoice", "--workspace", "ws.jsonc", "--json", "--deterministic")

    first = house.run(*words, cwd=base)
    again = house.run_light(*words, cwd=base)

    assert {Path(record.root).name for record in house.records()} == {"one", "two"}
    assert (first.status, again.out) == (0, first.out)
