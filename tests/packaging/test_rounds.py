"""A hundred rounds of installing, asking, editing, upgrading and removing leave nothing behind."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec import Struct

from ggrep.base import stable_json
from tests.fakes.repos import write_tree
from tests.packaging.test_installing import TOP, build

pytestmark = pytest.mark.deep

ROUNDS = 100
TREE = {
    "pay.py": "def settle_invoice(amount):\n    return amount\n",
    "mail.py": "def send_letter(to):\n    return to\n",
    ".git/HEAD": "ref: refs/heads/main\n",
}
USER = {
    ".bashrc": "alias ll='ls -l'\n",
    ".codex/config.toml": 'model = "x"  # mine\n',
    ".claude.json": '{"theme": "dark"}',
    ".config/opencode/opencode.jsonc": '{\n  // mine\n  "theme": "x",\n}\n',
}


class Machine(Struct, frozen=True):
    """A user's directory, a place to install into, and two builds of ggrep."""

    base: Path
    wheels: tuple[Path, Path]

    @property
    def ggrep(self) -> Path:
        return self.base / "venv/bin/ggrep"

    @property
    def user(self) -> Path:
        return self.base / "user"

    def environ(self) -> dict[str, str]:
        """Return what a command knows of the world."""
        return {
            "PATH": f"{self.ggrep.parent}:/usr/bin:/bin",
            "HOME": str(self.user),
            "SHELL": "/bin/bash",
            "LANG": "C.UTF-8",
            "GGREP_HOME": str(self.base / "home"),
            "TMPDIR": str(self.base / "tmp"),
        }

    def run(self, *words: object) -> str:
        """Run ggrep in the repository; return what it printed."""
        done = subprocess.run(
            [str(self.ggrep), *map(str, words)],
            cwd=self.user / "repo",
            env=self.environ(),
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, (words, done.stdout[-1_000:], done.stderr[-1_000:])
        return done.stdout

    def install(self, wheel: Path) -> None:
        """Install a build over whatever is there."""
        line = [self.base / "venv/bin/pip", "install", "--quiet", "--no-deps", "--force-reinstall"]
        subprocess.run([*line, wheel], check=True)

    def remove(self) -> None:
        """Take the steps that the page on operating names."""
        self.run("stop-all")
        self.run("uninstall")
        line = [self.base / "venv/bin/pip", "uninstall", "--quiet", "--yes", "ggrep"]
        subprocess.run(line, check=True)
        shutil.rmtree(self.base / "home")

    def processes(self) -> set[int]:
        """Return the processes of this home."""
        ours = f"GGREP_HOME={self.base / 'home'}".encode()
        results = set()
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if ours in (place / "environ").read_bytes().split(b"\0"):
                    results.add(int(place.name))
        return results

    def files(self) -> dict[str, bytes | None]:
        """Return all that is in the user's directory, the venv and elsewhere that ggrep wrote."""
        site = next((self.base / "venv/lib").iterdir()) / "site-packages"
        # Its path is short enough that sockets lie in the home, which goes.
        places = [self.base / "tmp", self.base / "venv/bin"]
        seen = {
            str(path): path.read_bytes() if path.is_file() else None
            for path in sorted(self.user.rglob("*"))
        }
        seen |= {str(path): None for place in places for path in sorted(place.rglob("*"))}
        seen |= {str(path): None for path in sorted(site.iterdir())}
        return seen | ({str(self.base / "home"): None} if (self.base / "home").exists() else {})


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """Return a machine with all that ggrep needs, but without it."""
    source = tmp_path / "source"
    kept = shutil.ignore_patterns("__pycache__")
    shutil.copytree(TOP / "ggrep", source / "ggrep", ignore=kept)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(TOP / name, source / name)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    pip = [tmp_path / "venv/bin/pip", "install", "--quiet"]
    subprocess.run([*pip, "hatchling"], check=True)
    python = tmp_path / "venv/bin/python"
    first, _ = build(python, tmp_path / "first", source)
    place = source / "ggrep/__init__.py"
    text = place.read_text()
    assert text.count('__version__ = "') == 1
    place.write_text(text.replace('__version__ = "', '__version__ = "9'))
    second, _ = build(python, tmp_path / "second", source)
    subprocess.run([*pip, first], check=True)
    subprocess.run([*pip[:-2], "uninstall", "--quiet", "--yes", "ggrep"], check=True)
    made = Machine(tmp_path, (first, second))
    (tmp_path / "tmp").mkdir()
    write_tree(made.user, USER)
    write_tree(made.user / "repo", TREE)
    yield made
    for pid in made.processes():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_nothing_is_left(machine: Machine) -> None:
    """No process, socket, lock, entry or temporary file; some daemons are killed on the way."""
    first, second = machine.wheels
    before = machine.files()

    for number in range(ROUNDS):
        machine.install(first)
        machine.run("setup", "--yes")
        assert "pay.py" in machine.run("settle an invoice")
        server = subprocess.Popen(
            [machine.ggrep, "mcp"],
            cwd=machine.user / "repo",
            env=machine.environ(),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        write_tree(machine.user / "repo", {"new.py": f"def parcel_{number}_weight():\n    pass\n"})
        assert "new.py" in machine.run("search", f"parcel_{number}_weight", "--sync")
        if number % 4 == 3:
            for pid in machine.processes() - {server.pid}:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        machine.install(second)
        assert machine.run("--version").startswith("ggrep 9")
        assert "new.py" in machine.run("search", f"parcel_{number}_weight")
        machine.run("install", "--refresh")
        assert stable_json.loads(machine.run("doctor", "--json"))["ok"]
        server.communicate(timeout=60)
        machine.remove()
        (machine.user / "repo/new.py").unlink()

        assert machine.processes() == set(), number
        assert machine.files() == before, number


def test_an_environment_that_was_emptied_ends_its_daemons_too(machine: Machine) -> None:
    """Whoever removes the package alone has no daemon a minute later."""
    machine.install(machine.wheels[0])
    machine.run("settle an invoice")
    assert machine.processes()
    pip = machine.base / "venv/bin/pip"
    subprocess.run([pip, "uninstall", "--quiet", "--yes", "ggrep"], check=True)
    until = time.monotonic() + 120
    while machine.processes() and time.monotonic() < until:
        time.sleep(0.5)

    assert machine.processes() == set()
