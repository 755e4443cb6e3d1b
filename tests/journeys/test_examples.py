"""Every example of every page of help and every command of the cookbook can be typed."""

import re
import shlex
from pathlib import Path

import pytest

from ggrep.interfaces.cli.parsing.examples import EXAMPLES
from tests.cli.conftest import SHOP
from tests.docs.pages import page
from tests.fakes.repos import write_tree
from tests.journeys.command import Command
from tests.journeys.household import Household, eventually

SERVERS = ("serve", "stop", "stop-all", "api", "ui", "mcp", "lsp", "workspace watch")
"""Commands that are processes, or end some."""

ON_TERMINALS = ("pick",)
"""Commands that need a terminal; `tests/terminal_views` has them."""

HOLE = re.compile(r"\b[A-Z]{4,}\b").search
TEAM_SERVERS = ("server", "server start", "server status", "server stop")
"""Commands of a team server; `tests/server` has them."""

CHECK = (
    'version = 1\n[[checks]]\nid = "c"\nquery = "charge_card"\nexpect_any = ["src/checkout.py"]\n'
)
SUITE = 'version = 1\n[[cases]]\nid = "c"\nquery = "charge_card"\nrelevant = ["src/checkout.py"]\n'
SESSION = (
    'class Session:\n    def commit(self):\n        """Renew it."""\n' + "\n" * 116 + "LAST = 1\n"
)
TEAM = '{"schemaVersion": 1, "repos": [{"root": "."}]}'


def grow(root: Path) -> None:
    """Write what examples name."""
    write_tree(root, {".ggrep.toml": 'repo_key = "team/shop"\n'})
    write_tree(root, {"src/db/session.py": SESSION})
    write_tree(root, {**SHOP, ".ggrep-check.toml": CHECK, "suite.toml": SUITE, "team.jsonc": TEAM})
    (root.parent / "bank").mkdir()


def typed(*names: str) -> list[str]:
    return [line for name in names for line, _ in EXAMPLES[name]]


def cookbook() -> list[str]:
    """Return the commands of its tables; examples of help have those with a word to replace."""
    text = re.sub(r"```.*?```", "", page("docs/cookbook.md"), flags=re.DOTALL)
    lines = re.findall(r"`(ggrep [^`]+)`", text)
    assert len(lines) > 40
    apart = ("--watch", *(f"ggrep {name}" for name in SERVERS))
    return [each for each in lines if not any(word in each for word in apart) and not HOLE(each)]


@pytest.mark.slow
def test_every_example_runs(
    ggrep: Command, root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over a small repository, in the order of the pages."""
    grow(root)
    monkeypatch.chdir(root)
    monkeypatch.setenv("GGREP_OFFLINE", "1")
    monkeypatch.setenv("GGREP_ENCODER", "none")
    monkeypatch.setenv("HOME", str(root.parent))
    assert ggrep("index").status == 0
    remote = f"file://{root.parent}/remote"
    (root.parent / "remote").mkdir()
    assert ggrep("remote", "add", "origin", remote).status == 0

    failed = []
    apart = SERVERS + ON_TERMINALS + TEAM_SERVERS
    lines = [*typed(*(name for name in EXAMPLES if name not in apart)), *cookbook()]
    for line in sorted(lines, key=lambda line: line.startswith("ggrep clean")):
        if "--engine ray" in line:
            continue  # `tests/cluster` has one
        if line.startswith("ggrep clean"):
            assert ggrep("index").status == 0
        store = next((home / "data").iterdir()).name if "STORE" in line else ""
        for place in ("s3://team-indexes/ggrep", "file:///srv/ggrep"):
            line = line.replace(place, remote)  # noqa: PLW2901 - the same line, here
        if "check --init" in line:
            (root / ".ggrep-check.toml").unlink()
        line = line.replace("init team.jsonc", "init own.jsonc")  # noqa: PLW2901 - likewise
        done = ggrep(*shlex.split(line.replace("STORE", store))[1:])
        if done.status != 0:
            failed.append((line, done))
    assert failed == []


@pytest.mark.slow
@pytest.mark.parametrize("stride", [3, pytest.param(1, marks=pytest.mark.deep)])
def test_every_example_of_a_server_runs(house: Household, stride: int) -> None:
    """Until it is told to end."""
    root = house.repo("shop", {})
    grow(root)
    house.variables["GGREP_ENCODER"] = "none"
    (root / "shops.jsonc").write_text(TEAM)
    house.index(root)

    for line in typed(*SERVERS)[::stride]:
        in_terminal = line == "ggrep serve --low-impact"
        if in_terminal:
            house.run("stop-all", cwd=root)
        process = house.start(*shlex.split(line)[1:], cwd=root)
        if in_terminal:
            eventually(house.records)
            process.terminate()
        if line.startswith(("ggrep api", "ggrep ui")):
            output = process.stderr if line.startswith("ggrep api") else process.stdout
            assert output is not None
            assert "http://" in next(line for line in output if "http" in line)
            process.terminate()
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, (line, err)
