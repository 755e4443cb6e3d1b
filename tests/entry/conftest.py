"""A work tree, and a daemon that serves it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from msgspec import Struct

from ggrep.interfaces.entry import plain_terminal
from tests.entry.fake_daemon import FakeDaemon, running

Printed: TypeAlias = list[tuple[int, str]]


class Served(Struct, frozen=True):
    """A repository with a daemon.

    Attributes:
        home: the ggrep home.
    """

    root: Path
    home: Path
    daemon: FakeDaemon


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """Stand in the repository; nothing else is in the environment."""
    root, home = tmp_path / "repo", tmp_path / "home"
    (root / ".git").mkdir(parents=True)
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (root / "src").mkdir()
    monkeypatch.chdir(root)
    for name in [name for name in os.environ if name.startswith("GGREP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GGREP_HOME", str(home))
    with running() as daemon:
        daemon.lead(home, root)
        yield Served(root, home, daemon)


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> Printed:
    """Return the texts that the fast path writes, each with its descriptor."""
    written: Printed = []
    monkeypatch.setattr(plain_terminal, "are_our_own", lambda: True)
    monkeypatch.setattr(
        plain_terminal,
        "_write",
        lambda descriptor, data: written.append((descriptor, data.decode())),
    )
    return written
