"""The first answer in a repository that nobody asked before, by the command as a shell runs it."""

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from ggrep.base import stable_json
from tests.fakes.repos import write_tree
from tests.journeys.command import SOURCE, WORDS, finish
from tests.journeys.command import start as begin

pytestmark = pytest.mark.slow

HEAVY = (
    "typer",
    "rich",
    "anyio",
    "numpy",
    "pyarrow",
    "lancedb",
    "ggrep.interfaces.cli.app",
    "ggrep.search.engine",
)
ASK = f"""
import sys
from ggrep.interfaces.entry import main
status = main()
print(*(name for name in {HEAVY} if name in sys.modules), file=sys.stderr)
sys.exit(status)
"""


def test_a_search_that_starts_its_daemon_loads_what_it_needs_alone(root: Path, home: Path) -> None:
    """Each of these takes a tenth of a second, of two that an answer may take."""
    write_tree(root, WORDS)
    environ = {key: value for key, value in os.environ.items() if not key.startswith("GGREP_")}
    environ |= {"GGREP_HOME": str(home), "PYTHONPATH": str(SOURCE)}
    line = [sys.executable, "-c", ASK, "alpha needle", "--yes", "--json"]
    try:
        done = subprocess.run(
            line, cwd=root, env=environ, capture_output=True, check=False, timeout=1_200
        )
        (daemon,) = finish(begin("status", "--all", "--json", home=home)).document["daemons"]
        typed = psutil.Process(daemon["pid"]).cmdline()
    finally:
        finish(begin("stop-all", home=home))

    answer = stable_json.loads(done.stdout)
    assert (done.returncode, answer["partial"]) == (0, "scan")
    assert answer["results"][0]["path"] == "a.py"
    assert done.stderr.decode().splitlines()[-1] == ""
    assert "--later" in typed


def test_a_daemon_answers_before_it_loads_its_database() -> None:
    """It listens without arrays, and scans without the engine; the index comes after."""
    program = (
        "import sys, ggrep.daemon.host\n"
        "heavy = {'numpy', 'pyarrow', 'lancedb', 'typer', 'rich'} & set(sys.modules)\n"
        "import ggrep.search.engine.scanning\n"
        "late = {'lancedb', 'ggrep.search.engine.repo_index', 'ggrep.index.sync.syncer'}\n"
        "heavy |= late & set(sys.modules)\n"
        "print(sorted(heavy))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, timeout=1_200
    )

    assert done.stdout == b"[]\n"
