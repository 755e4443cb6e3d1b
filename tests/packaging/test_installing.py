"""What is built installs as people install it, and answers, on every Python that is here."""

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from msgspec import Struct

from ggrep.base import stable_json
from tests.fakes.repos import write_tree

pytestmark = pytest.mark.deep

TOP = Path(__file__).parents[2]
_OF_TOOLS = ("PIP_", "UV_", "SSL_")
"""Variables that say how registries are reached here."""
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
TREE = {"pay.py": "def settle_invoice(amount):\n    return amount\n", ".git/HEAD": "ref: x\n"}


class Built(Struct, frozen=True):
    """A place with tools to install by, and what was built."""

    base: Path
    tools: Path
    wheel: Path
    source: Path

    def run(self, *line: object) -> str:
        """Run a command of ours there; return what it printed."""
        environ = {
            **{name: value for name, value in os.environ.items() if name.startswith(_OF_TOOLS)},
            "PATH": f"{self.tools}:{os.environ['PATH']}",
            "HOME": str(self.base / "home"),
            "LANG": "C.UTF-8",
            "GGREP_HOME": str(self.base / "g"),
            "UV_TOOL_DIR": str(self.base / "uv"),
            "UV_TOOL_BIN_DIR": str(self.base / "uv-bin"),
            "UV_CACHE_DIR": str(self.base / "uv-cache"),
            "PIPX_HOME": str(self.base / "pipx"),
            "PIPX_BIN_DIR": str(self.base / "pipx-bin"),
        }
        done = subprocess.run(
            [*map(str, line)],
            check=False,
            capture_output=True,
            text=True,
            cwd=self.base / "repo",
            env=environ,
        )
        assert done.returncode == 0, done.stderr[-2_000:] or done.stdout[-2_000:]
        return done.stdout

    def answers(self, *ggrep: object) -> None:
        """Fail unless this installation is sound, finds something and ends."""
        assert self.run(*ggrep, "--version").startswith("ggrep ")
        assert stable_json.loads(self.run(*ggrep, "doctor", "--json"))["ok"]
        try:
            assert "pay.py" in self.run(*ggrep, "search", "settle an invoice")
        finally:
            self.run(*ggrep, "stop-all")


def build(python: Path, target: Path, source: Path = TOP) -> tuple[Path, Path]:
    """Build wheel and source archive of a checkout; return both."""
    line = [str(python), "-m", "hatchling", "build", "-d", str(target)]
    subprocess.run(line, check=True, cwd=source, stdout=subprocess.DEVNULL)
    (wheel,), (source,) = target.glob("*.whl"), target.glob("*.tar.gz")
    return wheel, source


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    base = tmp_path_factory.mktemp("built")
    subprocess.run([sys.executable, "-m", "venv", base / "tools"], check=True)
    tools = base / "tools" / "bin"
    line = [tools / "pip", "install", "--quiet", "hatchling", "uv", "pipx"]
    subprocess.run(line, check=True)
    write_tree(base / "repo", TREE)
    return Built(base, tools, *build(tools / "python", base / "dist"))


def test_two_builds_have_the_same_bytes(built: Built) -> None:
    """Whoever builds it again can tell that nothing else is in it."""
    again = build(built.tools / "python", built.base / "again")

    assert [digest(path) for path in again] == [digest(built.wheel), digest(built.source)]


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_wheel_holds_what_runs_and_nothing_else(built: Built) -> None:
    names = zipfile.ZipFile(built.wheel).namelist()
    tops = {name.partition("/")[0].partition("-")[0] for name in names}

    assert tops == {"ggrep"}
    assert any(name.endswith("answers.schema.json") for name in names)
    assert any(name.endswith("py.typed") for name in names)
    assert not any(name.startswith("ggrep/interfaces/vscode/") for name in names)


@pytest.mark.parametrize("version", VERSIONS)
def test_it_runs_on_each_python_that_is_here(built: Built, version: str) -> None:
    result = subprocess.run(
        [built.tools / "uv", "python", "find", "--no-python-downloads", version],
        check=False,
        capture_output=True,
        text=True,
    )
    if result.returncode:
        pytest.skip(f"there is no Python {version} here")
    place = built.base / f"v{version}"
    built.run(result.stdout.strip(), "-m", "venv", place)
    built.run(place / "bin/pip", "install", "--quiet", built.wheel)

    built.answers(place / "bin/ggrep")


def test_it_is_installed_as_a_tool(built: Built) -> None:
    """By uv from the wheel, by pipx from the source, and for one call."""
    built.run("uv", "tool", "install", "--quiet", "--python", sys.executable, built.wheel)
    built.answers(built.base / "uv-bin/ggrep")
    built.run("pipx", "install", "--quiet", "--python", sys.executable, built.source)
    built.answers(built.base / "pipx-bin/ggrep")
    built.answers("uvx", "--quiet", "--python", sys.executable, "--from", built.wheel, "ggrep")


def test_uv_takes_torch_for_the_cpu_as_it_is_documented(built: Built) -> None:
    """Its index cannot be asked everywhere; that uv would ask it can."""
    for line in (("pip", "install"), ("tool", "install")):
        reported = " ".join(built.run("uv", *line, "--help").split())

        assert "--torch-backend <TORCH_BACKEND>" in reported
        assert "possible values: auto, cpu," in reported
