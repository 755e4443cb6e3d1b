"""Work trees made with git itself."""

import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    return partial(run_git, home=tmp_path)


def run_git(directory: Path, *arguments: str, home: Path | None = None) -> str:
    directory.mkdir(parents=True, exist_ok=True)
    who = ("-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", "-C", str(directory), *who, *arguments],
        capture_output=True,
        check=True,
        env={
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(home or directory),
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
        },
    )
    return done.stdout.decode()
