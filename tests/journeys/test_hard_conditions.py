"""Every command in a hard place: it does its work or says in words why not, and never dumps."""

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from ggrep.config.home import Home
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import write_tree
from tests.journeys.command import WORDS, Outcome, finish, start

pytestmark = pytest.mark.slow
DUMP = re.compile(
    r"Traceback|panicked|Os \{|\[Errno|os error \d|a bug in ggrep|Exception ignored|Fatal Python"
)
STATUSES = {0, 1, 2, 10, 11, 12, 13}
"""Those that the documents name."""

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "plain search": ("needle",),
    "search": ("search", "needle", "--json"),
    "slate": ("slate", "needle"),
    "symbol": ("symbol", "alpha_needle"),
    "refs": ("refs", "alpha_needle"),
    "index": ("index",),
    "reset": ("index", "--reset", "--json"),
    "status": ("status",),
    "status json": ("status", "--json"),
    "health": ("health",),
    "audit": ("audit",),
    "list": ("list",),
    "profiles": ("profiles",),
    "metrics": ("metrics",),
    "gc": ("gc",),
    "gc stores": ("gc", "--stores", "--force"),
    "compact": ("compact", "--force"),
    "repair": ("repair",),
    "upgrade-store": ("upgrade-store",),
    "stop": ("stop",),
    "stop-all": ("stop-all",),
    "workspace": ("workspace", "init"),
    "mcp": ("mcp",),
    "lsp": ("lsp",),
    "help": ("help", "index"),
    "version": ("--version",),
    "clean": ("clean",),
}

CONDITIONS: Mapping[str, str] = {
    "few descriptors": "ulimit -n 20",
    "some descriptors": "ulimit -n 24",
    "more descriptors": "ulimit -n 32",
    "many descriptors": "ulimit -n 64",
    "no room": "ulimit -f 0",
    "a little room": "ulimit -f 16",
    "home is a file": 'export GGREP_HOME="$PWD/a.py"',
    "home unset": "unset GGREP_HOME HOME",
    "home nowhere": "unset GGREP_HOME; export HOME=/nonexistent",
    "home under a file": 'export GGREP_HOME="$PWD/a.py/home"',
    "full output": "exec >/dev/full",
    "full errors": "exec 2>/dev/full",
    "no input": "exec <&-",
    "no output": "exec >&-",
    "no errors": "exec 2>&-",
    "no streams": "exec <&- >&- 2>&-",
    "plain locale": "export LANG=C LC_ALL=C PYTHONCOERCECLOCALE=0",
    "no directory": 'cd "$GONE" && rmdir "$GONE"',
}
SILENT = {"full errors", "no errors", "no streams"}
QUICK = {
    ("plain search", "some descriptors"),
    ("index", "no room"),
    ("status", "home is a file"),
    ("list", "full output"),
    ("health", "no output"),
    ("index", "no directory"),
}


def in_a_hard_place(what: str, condition: str, root: Path, home: Path) -> Outcome:
    gone = home.parent / "gone"
    gone.mkdir(exist_ok=True)
    script = f'{CONDITIONS[condition]}\nexec "$@"'
    return finish(
        start(
            *("-c", script, "sh", sys.executable, "-m", "ggrep", *COMMANDS[what]),
            home=home,
            run=(),
            executable="/bin/sh",
            environ={"GONE": str(gone)},
            cwd=root,
            stdin=subprocess.DEVNULL,
        )
    )


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a tree that has an index and a file that is newer."""
    folder = tmp_path_factory.mktemp("hard").resolve()
    write_tree(folder / "repo", WORDS)
    Engine(folder / "repo", Home(folder / "home")).sync()
    write_tree(folder / "repo", {"c.py": "def gamma_needle():\n    return 2\n"})
    return folder


@pytest.mark.parametrize(
    ("what", "condition"),
    [
        pytest.param(
            what,
            condition,
            marks=() if (what, condition) in QUICK else pytest.mark.deep,
            id=f"{what}, {condition}",
        )
        for condition in CONDITIONS
        for what in COMMANDS
    ],
)
def test_hard_places_get_words(prepared: Path, tmp_path: Path, what: str, condition: str) -> None:
    home = tmp_path / "home"
    shutil.copytree(prepared / "home", home)

    done = in_a_hard_place(what, condition, prepared / "repo", home)

    output = done.out + done.err
    assert DUMP.search(output) is None, output
    assert done.status in STATUSES, output
    assert done.status == 0 or output or condition in SILENT
