"""What only a process of its own can show: signals, pipes, full disks, what is imported."""

import resource
import signal
from pathlib import Path

import pytest

from tests.fakes.repos import write_tree
from tests.journeys.command import WORDS, Command, finish, start

pytestmark = pytest.mark.slow

MORE = {f"m{number}.py": "def needle():\n    return 1\n\n\n" * 20 for number in range(8)}


@pytest.fixture
def tree(root: Path) -> Path:
    """Return a small tree."""
    write_tree(root, WORDS)
    return root


def test_the_module_is_the_command(indexed: Path, home: Path) -> None:
    """`python -m ggrep` works where no script is on the path."""
    result = finish(start("needle", "--compact", home=home, cwd=indexed))

    assert sorted(result.out.split()) == ["a.py", "docs/b.md"]


def test_modules_of_the_repository_are_not_run(root: Path, home: Path) -> None:
    """`-m` looks for modules in the current directory first."""
    planted = "raise SystemExit('planted')\n"
    write_tree(root, {"asyncio.py": planted, "orjson.py": planted, "typer/__init__.py": planted})

    done = finish(start("index", home=home, cwd=root))

    assert (done.status, "planted" in done.err + done.out) == (0, False), done.err


def test_two_writers_at_once_both_succeed(ggrep: Command, root: Path, home: Path) -> None:
    """Several agents work in one repository; the later one waits its turn."""
    write_tree(root, MORE)

    running = [start("index", root, "--json", home=home) for _ in range(2)]
    outcomes = [finish(process) for process in running]

    assert [outcome.status for outcome in outcomes] == [0, 0]
    assert sorted(outcome.document["files"]["indexed"] for outcome in outcomes) in ([0, 8], [8, 8])
    assert ggrep("health", "--path", root).status == 0


STAGED = """
import sys, time
from ggrep.base import durable
from ggrep.interfaces.entry import main

def wait(_):
    print("staged", flush=True)
    while True:  # a signal just before a pause without end would be slept through
        time.sleep(0.05)

durable.sync_tree = wait
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_writer_that_is_stopped_leaves_the_old_answer(
    ggrep: Command, indexed: Path, home: Path, number: signal.Signals
) -> None:
    """Ctrl-C, the memory killer, a lost session: search goes on and the next index heals."""
    write_tree(indexed, MORE)

    writer = start("index", indexed, home=home, run=("-c", STAGED))
    assert writer.stdout is not None
    assert writer.stdout.readline() == "staged\n"
    writer.send_signal(number)
    stopped = finish(writer)
    between = ggrep("needle", "--compact", "-m", "99")
    healed = ggrep("index", "--json")
    health = ggrep("health")

    assert stopped.status == (12 if number == signal.SIGINT else -number)
    assert "Traceback" not in stopped.err
    assert sorted(between.out.split()) == ["a.py", "docs/b.md"]
    assert healed.document["files"] == {"indexed": 8, "deleted": 0, "unchanged": 2}
    assert health.status == 0


def test_a_full_disk_leaves_the_old_answer(ggrep: Command, indexed: Path, home: Path) -> None:
    """The disk fills up: no traceback, no broken index."""
    write_tree(indexed, MORE)

    def limit_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, 4_096))

    full = finish(start("index", "--json", home=home, preexec_fn=limit_files))
    between = ggrep("needle", "--compact", "-m", "99")

    assert full.status == 1
    assert "File too large" in full.error()["message"]
    assert "Traceback" not in full.err
    assert sorted(between.out.split()) == ["a.py", "docs/b.md"]


@pytest.mark.parametrize(
    "arguments", [["search", "--help"], ["needle", "--json"], ["needle", "--content"]], ids=" ".join
)
def test_a_closed_pipe_is_no_error(indexed: Path, home: Path, arguments: list[str]) -> None:
    """`ggrep words | head -1` must not end in a traceback."""
    process = start(*arguments, home=home, cwd=indexed)
    assert process.stdout is not None
    process.stdout.close()
    with process:
        assert process.stderr is not None
        output = process.stderr.read()

    assert (process.returncode, output) == (0, "")


def test_output_that_cannot_be_written_is_an_error(indexed: Path, home: Path) -> None:
    """A script that redirects to a full disk must not take the empty file for an answer."""
    with Path("/dev/full").open("w") as full:
        failed = finish(start("needle", home=home, cwd=indexed, stdout=full))

    assert failed.status == 1
    assert "No space left on device" in failed.err
    assert "Traceback" not in failed.err


def test_a_terminal_without_unicode_gets_a_stand_in(indexed: Path, home: Path) -> None:
    """An old locale is no reason to fail."""
    shown = finish(start("needle", home=home, cwd=indexed, environ={"PYTHONIOENCODING": "ascii"}))

    assert shown.status == 0
    assert "def alpha_needle" in shown.out


PROBE = """
import shlex, sys
from ggrep.interfaces.entry import main
heavy = {"lancedb", "pyarrow", "numpy", "tree_sitter", "sentence_transformers", "torch", "anyio"}
for line in sys.argv[1:]:
    status = main(shlex.split(line))
    print(f"{line}: {status}", sorted(heavy & set(sys.modules)), file=sys.stderr)
"""
COMMANDS = ["search", "index", "status", "health", "list", "clean", "workspace", "audit"]


def test_help_is_light(tree: Path, home: Path) -> None:
    """Help, version and a check of a file load no table, array or grammar library."""
    file = tree.parent / "ws.jsonc"
    file.write_text('{"schemaVersion": 1, "repos": [{"root": "repo"}]}')
    lines = ["--help", "--version", *(f"{command} --help" for command in COMMANDS)]
    lines.append(f"workspace validate {file}")

    done = finish(start(*lines, home=home, run=("-c", PROBE)))

    assert done.err.splitlines() == [f"{line}: 0 []" for line in lines]
