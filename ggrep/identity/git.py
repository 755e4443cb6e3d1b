"""Runs git over work trees that may be hostile, without executing anything they configure.

A repository's own configuration can name programs: fsmonitor, hooks, filters, transports, pagers.
Each is switched off here. The git directory and work tree are named outright, so `core.worktree`
cannot send git elsewhere and the owner of the directory does not matter.
"""

import os
import shutil
import subprocess
from pathlib import Path

_TIMEOUT_S = 120.0
_OVERRIDES = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.excludesFile=/dev/null",
    "core.attributesFile=/dev/null",
    # A repository made elsewhere may say that case does not matter; here it does.
    "core.ignoreCase=false",
    "core.untrackedCache=false",
    "core.quotePath=false",
    "protocol.allow=never",
    "diff.external=",
)
_FILTER_KEYS = r"^filter\..*\.(clean|smudge|process|required)$"


class GitFailed(Exception):
    """git is absent, took too long or did not understand the repository."""


def is_git_marker(path: Path) -> bool:
    """Tell whether `path` is what makes the directory above it a work tree's top level.

    One that cannot be looked at is none.
    """
    try:
        return has_git_marker(path)
    except OSError:
        return False


def has_git_marker(path: Path) -> bool:
    """Tell the same as `is_git_marker`, or raise.

    Raises:
        OSError: it is there and cannot be looked at.
    """
    if path.is_dir():
        return (path / "HEAD").is_file()
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(8) == b"gitdir: "


def run_git(
    top: Path, *arguments: str, stdin: bytes = b"", accept: tuple[int, ...] = (0,)
) -> tuple[int, bytes]:
    """Return exit status and output of git, run on the work tree whose top level is `top`.

    Args:
        top: an absolute path.
        arguments: the command and what follows.
        stdin: what git reads from its standard input.
        accept: exit statuses that are answers, not failures.

    Raises:
        GitFailed: anything else happened.
    """
    return _run(top, arguments, stdin=stdin, accept=accept, extra={})


def run_git_without_filters(top: Path, *arguments: str) -> bytes:
    """Return the output of a command that may read file content.

    git passes such content through the programs that the repository's `filter` sections name;
    each is replaced by none.

    Raises:
        GitFailed: as for `run_git`.
    """
    _, listed = run_git(
        top, "config", "-z", "--name-only", "--get-regexp", _FILTER_KEYS, accept=(0, 1)
    )
    names = sorted(set(listed.split(b"\0")) - {b""})
    extra = {b"GIT_CONFIG_COUNT": str(len(names)).encode()}
    for index, name in enumerate(names):
        extra[b"GIT_CONFIG_KEY_%d" % index] = name
        extra[b"GIT_CONFIG_VALUE_%d" % index] = b"false" if name.endswith(b".required") else b""
    return _run(top, arguments, stdin=b"", accept=(0,), extra=extra)[1]


def _run(
    top: Path,
    arguments: tuple[str, ...],
    *,
    stdin: bytes,
    accept: tuple[int, ...],
    extra: dict[bytes, bytes],
) -> tuple[int, bytes]:
    program = shutil.which("git")
    # A relative entry of the search path would let the work tree bring a git of its own.
    if program is None or not program.startswith("/"):
        raise GitFailed("git is not installed")
    overrides = [word for setting in _OVERRIDES for word in ("-c", setting)]
    command = [program, "--no-pager", "-C", os.fspath(top), *overrides, *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - the program is absolute, the arguments are ours
            command,
            input=stdin,
            capture_output=True,
            env=_environment(top) | extra,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise GitFailed(f"git {arguments[0]} took longer than {_TIMEOUT_S:.0f} s") from error
    except OSError as error:
        raise GitFailed(f"git cannot be run: {error.strerror}") from error
    if done.returncode not in accept:
        raise GitFailed(f"git {arguments[0]} exited with {done.returncode}")
    return done.returncode, done.stdout


def _environment(top: Path) -> dict[bytes, bytes]:
    return {
        b"PATH": os.defpath.encode(),
        b"LC_ALL": b"C",
        b"HOME": b"/nonexistent",
        b"GIT_DIR": os.fsencode(top / ".git"),
        b"GIT_WORK_TREE": os.fsencode(top),
        b"GIT_CONFIG_NOSYSTEM": b"1",
        b"GIT_CONFIG_GLOBAL": b"/dev/null",
        b"GIT_ATTR_NOSYSTEM": b"1",
        b"GIT_OPTIONAL_LOCKS": b"0",
        b"GIT_NO_LAZY_FETCH": b"1",
        # `protocol.<name>.allow` in the repository's file would beat `protocol.allow` above;
        # nothing beats this.
        b"GIT_ALLOW_PROTOCOL": b"none",
        b"GIT_TERMINAL_PROMPT": b"0",
    }
