"""The registries' own clients, run as processes."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base.errors import UsageError

_CLIENT_SECONDS: Final = 900


class Outcome(Struct, frozen=True):
    """How a client ended: its exit status and what it wrote."""

    status: int
    output: str
    errors: str


Runner = Callable[[Sequence[str], Path], Outcome]
"""Runs a command in a folder to its end."""


def run_client(command: Sequence[str], folder: Path) -> Outcome:
    """Run a command without a terminal and return how it ended.

    Raises:
        UsageError: it is not installed, or was not done in time.
    """
    try:
        done = subprocess.run(  # noqa: S603 - a client and a package that the corpus names
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_CLIENT_SECONDS,
            check=False,
        )
    except FileNotFoundError as error:
        raise UsageError(f"{command[0]} is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"{command[0]} was not done after {_CLIENT_SECONDS} s") from error
    return Outcome(done.returncode, done.stdout, done.stderr)
