"""Runs git on possibly hostile work trees, without executing programs from their configuration.

A repository's configuration can name programs: fsmonitor, hooks, filters, transports, pagers and
checkers of signatures. This module switches off all programs that the configuration names. The git
directory and the work tree are passed explicitly, so `core.worktree` cannot redirect git, and git
does not check the owner of the repository.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

_TIMEOUT_S = 60.0
_LISTING_S = 20.0
"""Timeout of commands that read no file content; a repository can make git wait forever."""
_WORKING_SHARE = 0.005
"""Minimum share of CPU time of a process that makes progress; with less, it waits for something."""
_LISTINGS = frozenset({"ls-files", "config", "rev-parse"})
_OVERRIDES = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.excludesFile=/dev/null",
    "core.attributesFile=/dev/null",
    # A repository from another system can ignore case; here letter case matters.
    "core.ignoreCase=false",
    # A file with a new time is compared again, regardless of the repository's configuration.
    "core.trustctime=true",
    "core.checkStat=default",
    "core.untrackedCache=false",
    "core.quotePath=false",
    "protocol.allow=never",
    "diff.external=",
    "log.showSignature=false",
)
_FILTER_KEYS = r"^filter\..*\.(clean|smudge|process|required)$"


class GitFailed(Exception):
    """git is missing, took too long or failed on the repository."""


def is_git_marker(path: Path) -> bool:
    """Return whether `path`, a `.git` entry, marks its directory as the top level of a work tree.

    Return False if the path is inaccessible.
    """
    try:
        return has_git_marker(path)
    except OSError:
        return False


def has_git_marker(path: Path) -> bool:
    """Return whether `path` is a git marker, like `is_git_marker`; OSError if inaccessible."""
    if path.is_dir():
        return (path / "HEAD").is_file()
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(8) == b"gitdir: "


def is_bare_repository(path: Path) -> bool:
    """Return whether a directory is a git directory, and not the top level of a work tree."""
    return (path / "HEAD").is_file() and (path / "objects").is_dir() and (path / "refs").is_dir()


def run_git(
    top: Path, *arguments: str, stdin: bytes = b"", accept: tuple[int, ...] = (0,)
) -> tuple[int, bytes]:
    """Run git on the work tree with the top level `top`; return its exit status and output.

    Raises:
        GitFailed: git did not run, or returned an exit status that is not in `accept`.
    """
    status, output = _run(top, arguments, stdin, {})
    if status not in accept:
        raise GitFailed(f"git {arguments[0]} exited with status {status}")
    return status, output


def run_git_without_filters(top: Path, *arguments: str) -> bytes:
    """Return the output of a command that may read file content.

    git passes file content through the programs in the repository's `filter` sections. The command
    runs with empty `filter` settings instead.
    """
    _, listed = run_git(
        top, "config", "-z", "--name-only", "--get-regexp", _FILTER_KEYS, accept=(0, 1)
    )
    keys = sorted(set(listed.split(b"\0")) - {b""})
    extra = {b"GIT_CONFIG_COUNT": str(len(keys)).encode()}
    for index, key in enumerate(keys):
        extra[b"GIT_CONFIG_KEY_%d" % index] = key
        extra[b"GIT_CONFIG_VALUE_%d" % index] = b"false" if key.endswith(b".required") else b""
    status, output = _run(top, arguments, b"", extra)
    if status:
        raise GitFailed(f"git {arguments[0]} exited with status {status}")
    return output


def _run(
    top: Path, arguments: tuple[str, ...], stdin: bytes, extra: Mapping[bytes, bytes]
) -> tuple[int, bytes]:
    try:
        process = subprocess.Popen(  # noqa: S603 - an absolute program, constant arguments
            _command(top, arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**_environment(top), **extra},
        )
    except OSError as error:
        raise GitFailed(f"git cannot be run: {error.strerror}") from error
    with process:
        try:
            output = _output(process, arguments[0], stdin)
        finally:
            if process.poll() is None:
                process.kill()
    return process.returncode, output


def _output(process: subprocess.Popen[bytes], command: str, stdin: bytes | None) -> bytes:
    """Return git's standard output.

    On a busy machine, git can take longer than its timeout. Therefore git may continue while it
    makes progress, up to a limit of processor time.
    """
    limit_s, before_s = _LISTING_S if command in _LISTINGS else _TIMEOUT_S, 0.0
    while True:
        try:
            return process.communicate(stdin, timeout=limit_s)[0]
        except subprocess.TimeoutExpired as error:
            stdin, used_s = None, _processor_s(process.pid)
            if used_s >= limit_s or used_s - before_s < _WORKING_SHARE * limit_s:
                raise GitFailed(f"git {command} took longer than {limit_s:.0f} s") from error
            before_s = used_s


def _processor_s(pid: int) -> float:
    """Return the processor time of a child; 0 if unknown."""
    import psutil

    try:
        used = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    return float(used.user + used.system)


def _command(top: Path, arguments: Sequence[str]) -> list[str]:
    program = shutil.which("git")
    # With a relative entry in the search path, the work tree could contain another program `git`.
    if program is None or not program.startswith("/"):
        raise GitFailed("git is not installed")
    overrides = [word for setting in _OVERRIDES for word in ("-c", setting)]
    return [program, "--no-pager", "-C", os.fspath(top), *overrides, *arguments]


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
        # `protocol.<name>.allow` in the repository's file would override `protocol.allow` above,
        # but not this variable.
        b"GIT_ALLOW_PROTOCOL": b"none",
        b"GIT_TERMINAL_PROMPT": b"0",
    }
