"""The first answer in a repository that nobody asked before, by the command as a shell runs it."""

import subprocess
import sys

import psutil
import pytest

from ggrep.base import stable_json
from tests.journeys.command import WORDS
from tests.journeys.household import Household

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


def test_a_search_that_starts_its_daemon_loads_what_it_needs_alone(house: Household) -> None:
    """Each of these takes a tenth of a second, of two that an answer may take."""
    root = house.repo(files=WORDS)
    line = [sys.executable, "-c", ASK, "alpha needle", "--json"]
    done = subprocess.run(
        line, cwd=root, env=house.environ(), capture_output=True, check=False, timeout=1_200
    )
    (record,) = house.records()

    answer = stable_json.loads(done.stdout)
    assert (done.returncode, answer["partial"]) == (0, "scan")
    assert answer["results"][0]["path"] == "a.py"
    assert done.stderr.decode().splitlines()[-1] == ""
    assert "--later" in psutil.Process(record.pid).cmdline()


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
