"""How a registry's client is called, and what happens where it cannot answer."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

CLIENT_SECONDS = 300


class Unavailable(Exception):
    """A package, or the client that would bring it, cannot be had on this machine."""


def run(command: list[str], folder: Path) -> bytes:
    """Return what a command prints.

    Raises:
        Unavailable: it is not installed, fails or takes too long.
    """
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, check=False, timeout=CLIENT_SECONDS
        )
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{command[0]}: {type(error).__name__}") from error
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise Unavailable(f"{' '.join(command[:2])}: {''.join(last)[:200]}")
    return done.stdout


def downloaded(found: Iterable[Path], name: str) -> Path:
    """Return the first of the files that a client left.

    Raises:
        Unavailable: there is none.
    """
    paths = sorted(found)
    if not paths:
        raise Unavailable(f"{name} was not downloaded")
    return paths[0]
