"""The command as another user runs it; only root can."""

import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.command import SOURCE, Outcome, finish, start


def interpreter_for_all(monkeypatch: pytest.MonkeyPatch, user: int) -> None:
    """Make `start` run an interpreter that a user may execute; skip when there is none.

    Root's own may lie in root's home.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for candidate in (sys.executable, f"/usr/bin/python{version}"):
        try:
            subprocess.run([candidate, "-c", ""], check=True, user=user, group=user)
        except OSError:
            continue
        monkeypatch.setattr(sys, "executable", candidate)
        return
    pytest.skip("other users cannot execute this interpreter")


def as_user(
    user: int, groups: Sequence[int], *arguments: object, home: Path, **options: Any
) -> Outcome:
    """Run `ggrep` as a user of these groups besides his own."""
    packages = sysconfig.get_paths()["purelib"]
    process = start(
        *arguments,
        home=home,
        environ={"PYTHONPATH": f"{SOURCE}:{packages}", "HOME": "/nonexistent"},
        user=user,
        group=user,
        extra_groups=groups,
        **options,
    )
    return finish(process)
