"""Commands that messages suggest, each a single shell line.

Messages to other processes must not contain the path of the workspace file, so they contain `FILE`.
Programs that print to the user's terminal replace `FILE` with the path.
"""

import re
from pathlib import Path
from shlex import quote

_FILE = re.compile(r"\b(ggrep workspace [a-z]+ )FILE\b")
_HERE = re.compile(r"\bggrep (?:index|repair|health|gc|compact|stop)\b(?! --(?:path|stores)\b)")
"""Commands that apply to the repository around the current directory unless they have a path."""


def remove_repo(alias: str | None, repo_id: str) -> str:
    """Return the command that removes a repository from its workspace."""
    # A name with a leading dash would be parsed as a flag.
    name = alias if alias and not alias.startswith("-") else repo_id
    return f"ggrep workspace remove FILE {quote(name)}"


def if_moved(alias: str | None) -> str:
    """Return advice for a moved repository; its entry gets the new directory."""
    directory = f"{quote(alias)}=DIRECTORY" if alias else "DIRECTORY"
    return f"if it was moved: ggrep workspace add FILE {directory}"


def bring_back(alias: str | None, name: str) -> str:
    """Return advice for a repository whose directory is missing."""
    return f"if it is gone: {remove_repo(alias, name)}; {if_moved(alias)}"


def remove_entry(index: int) -> str:
    """Return the command that removes an entry by its index in the file."""
    return f"ggrep workspace remove FILE {quote(f'repos[{index}]')}"


def build_index(*, enabled: bool) -> str:
    """Return the command that builds the index of a workspace's repositories."""
    return "ggrep workspace build FILE" + ("" if enabled else " --include-disabled")


def on_root(command: str, root: Path) -> str:
    """Return a command with a repository's path added."""
    name, _, flags = command.partition(" ")
    return f"ggrep {name} --path {quote(str(root))}" + (f" {flags}" if flags else "")


def with_path(text: str, path: Path | str | None) -> str:
    """Return `text` with the user's path added to its commands; unchanged if `path` is None."""
    if path is None:
        return text
    return _HERE.sub(lambda command: f"{command[0]} --path {quote(str(path))}", text)


def with_file(text: str, file: Path) -> str:
    """Return `text` with the path of the workspace file in its commands."""
    name = f"./{file}" if str(file).startswith("-") else str(file)
    return _FILE.sub(lambda command: command[1] + quote(name), text)
