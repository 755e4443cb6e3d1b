"""Reads a repository's history with git: commits, the files of a revision, its licence."""

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from training.changes.rules import Commit

NEWEST: Final = 6_000
"""How far back commits are looked at."""

_TIMEOUT_S: Final = 300.0
_FORMAT: Final = "%x1e%H%x1f%an%x1f%s%x1f%b%x1f"
_LICENCE_FILE: Final = re.compile(
    r"(?:un)?licen[cs]e[\w.-]*|copying[\w.-]*|copyright", re.IGNORECASE
)
_PERMISSIVE: Final = (
    ("Apache-2.0", re.compile(r"Apache License,?\s+Version 2\.0", re.IGNORECASE)),
    ("BSL-1.0", re.compile(r"Boost Software License", re.IGNORECASE)),
    ("Unlicense", re.compile(r"free and unencumbered software", re.IGNORECASE)),
    ("MIT", re.compile(r"Permission is hereby granted, free of charge", re.IGNORECASE)),
    ("BSD", re.compile(r"Redistribution and use in source and binary forms", re.IGNORECASE)),
    (
        "ISC",
        re.compile(r"Permission to use, copy, modify,\s+and(?:/or)?\s+distribute", re.IGNORECASE),
    ),
    ("Zlib", re.compile(r"This software is provided ['\"`]*as-is", re.IGNORECASE)),
    ("PostgreSQL", re.compile(r"PostgreSQL Licen[cs]e", re.IGNORECASE)),
)
_COPYLEFT: Final = re.compile(
    r"GNU\s+(?:\w+\s+){0,2}General\s+Public|Mozilla\s+Public|Eclipse\s+Public|Server\s+Side\s+Public"
    r"|Business\s+Source\s+License",
    re.IGNORECASE,
)


def commits_of(repo: Path, newest: int = NEWEST, revision: str = "HEAD") -> Iterator[Commit]:
    """Yield the commits up to a revision that have one parent, the newest first."""
    said = _git(
        repo,
        "log",
        "--no-merges",
        "--date-order",
        f"-n{newest}",
        f"--format={_FORMAT}",
        "--name-status",
        "--no-renames",
        "--diff-filter=AMD",
        revision,
    )
    for record in said.split("\x1e")[1:]:
        commit_id, author, subject, body, names = (record.split("\x1f", 4) + [""] * 5)[:5]
        paths: dict[str, list[str]] = {"A": [], "M": [], "D": []}
        for line in names.splitlines():
            kind, tab, path = line.partition("\t")
            if tab and kind in paths and not path.startswith('"'):
                paths[kind].append(path)
        yield Commit(
            commit_id, author, subject, body, *(tuple(paths[kind]) for kind in ("A", "M", "D"))
        )


def parent_of(repo: Path, commit_id: str) -> str:
    """Return the id of a commit's parent; empty for the first one."""
    ids = _git(repo, "rev-list", "--parents", "-n1", commit_id).split()
    return ids[1] if len(ids) > 1 else ""


def files_of(repo: Path, revision: str) -> dict[str, int]:
    """Return the regular files of a revision with their sizes in bytes."""
    found = {}
    for line in _git(repo, "ls-tree", "-r", "-l", "-z", revision).split("\0"):
        about, tab, path = line.partition("\t")
        if tab and about.startswith("100"):
            size = about.split()[3]
            found[path] = int(size) if size.isdigit() else 0
    return found


def licence_of(repo: Path, revision: str) -> str:
    """Return the permissive licence of a revision; empty where none or another is found."""
    names = _git(repo, "ls-tree", "--name-only", revision).splitlines()
    texts = [
        _git(repo, "show", f"{revision}:{name}")
        for name in names
        if _LICENCE_FILE.fullmatch(name.rsplit("/", 1)[-1])
    ]
    said = "\n".join(text[:20_000] for text in texts)
    if _COPYLEFT.search(said):
        return ""
    return next((name for name, pattern in _PERMISSIVE if pattern.search(said)), "")


def text_of(repo: Path, revision: str, path: str) -> bytes:
    """Return a file of a revision; empty where the stored history lacks it."""
    try:
        return _git_bytes(repo, "show", f"{revision}:{path}")
    except subprocess.CalledProcessError:
        return b""


def zero_context_diff(repo: Path, commit_id: str, path: str) -> bytes:
    """Return what a commit changes in a file; empty where the stored history lacks it."""
    arguments = ("diff", "-U0", "--no-color", "--no-ext-diff")
    try:
        return _git_bytes(repo, *arguments, f"{commit_id}^", commit_id, "--", path)
    except subprocess.CalledProcessError:
        return b""


def unpack(repo: Path, revision: str, folder: Path, wanted: Callable[[str], bool]) -> None:
    """Write the regular files of a revision into a new folder.

    Objects that the history lacks are left out: stored histories may come without their largest.

    Args:
        repo: the git directory.
        revision: whose files.
        folder: is made.
        wanted: says of a path whether it is written.
    """
    listed = _git(repo, "ls-tree", "-r", "-z", revision).split("\0")
    entries = [line.partition("\t")[::2] for line in listed if line.startswith("100")]
    wished = [(about.split()[2], path) for about, path in entries if wanted(path)]
    asked = "".join(f"{object_id}\n" for object_id, _ in wished).encode()
    said = _git_bytes(repo, "cat-file", "--batch", said=asked)
    folder.mkdir(parents=True)
    at = 0
    for _, path in wished:
        end = said.index(b"\n", at)
        head, at = said[at:end].split(), end + 1
        if head[-1] == b"missing":
            continue
        size = int(head[2])
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(said[at : at + size])
        at += size + 1


def _git(repo: Path, *arguments: str) -> str:
    return _git_bytes(repo, *arguments).decode("utf-8", "replace")


def _git_bytes(repo: Path, *arguments: str, said: bytes = b"") -> bytes:
    command = ["git", "-C", str(repo), *arguments]
    done = subprocess.run(  # noqa: S603 - git, with words of our own
        command, input=said, stdout=subprocess.PIPE, check=True, timeout=_TIMEOUT_S
    )
    return done.stdout
