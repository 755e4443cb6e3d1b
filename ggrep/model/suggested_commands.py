"""Commands that messages suggest: each is one shell line.

A message that travels must not hold the path of the workspace's file, so `FILE` stands for it
there. Programs that print on the caller's own terminal fill it in.
"""

import re
from pathlib import Path
from shlex import quote
from typing import Final

_FILE = re.compile(r"\b(ggrep workspace [a-z]+ )FILE\b")
_HERE = re.compile(r"\bggrep (?:index|repair|health|gc|compact|stop)\b(?! --(?:path|stores)\b)")
"""Commands about the repository around the current directory, unless they name another one."""


def remove_repo(alias: str | None, repo_id: str) -> str:
    """Return the command that takes a repository out of its workspace."""
    # A name that begins with a dash would be taken for a flag.
    name = alias if alias and not alias.startswith("-") else repo_id
    return f"ggrep workspace remove FILE {quote(name)}"


MOVED: Final = "if it was moved: ggrep workspace add FILE DIRECTORY"
"""The way to follow a repository to its new place; its alias and its index stay."""


def bring_back(alias: str | None, name: str) -> str:
    """Return the ways out where a repository's directory is missing."""
    return f"if it is gone: {remove_repo(alias, name)}; {MOVED}"


def remove_entry(index: int) -> str:
    """Return the command that takes out the entry on a place of the file, whatever it holds."""
    return f"ggrep workspace remove FILE {quote(f'repos[{index}]')}"


def build_index(*, enabled: bool) -> str:
    """Return the command that has a repository of a workspace indexed."""
    return "ggrep workspace build FILE" + ("" if enabled else " --include-disabled")


def on_root(command: str, root: Path) -> str:
    """Return a command with the repository that it is about."""
    name, _, flags = command.partition(" ")
    return f"ggrep {name} --path {quote(str(root))}" + (f" {flags}" if flags else "")


def with_path(text: str, path: Path | str | None) -> str:
    """Return `text` with the path that was typed in its commands; None where none was."""
    if path is None:
        return text
    return _HERE.sub(lambda command: f"{command[0]} --path {quote(str(path))}", text)


def with_file(text: str, file: Path) -> str:
    """Return `text` with the workspace's file in its commands."""
    name = f"./{file}" if str(file).startswith("-") else str(file)
    return _FILE.sub(lambda command: command[1] + quote(name), text)
