"""The key of a repository: the same on every machine and in every directory.

A key is the name in the settings, else the normalised URL of git's remote `origin`, else the first
commit of the history.
"""

import re
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from ggrep.base.errors import InvalidRequest
from ggrep.config.git import GitFailed, is_git_marker, run_git
from ggrep.config.settings import Settings

_MOST: Final = 256
_SCP: Final = re.compile(
    r"(?:(?P<user>[^@/\s]+)@)?(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*):(?P<path>[^/\s].*)"
)
"""An address without a scheme that git uses with ssh: `git@host:path`."""
_PORTS: Final = {"ssh": 22, "git": 9418, "http": 80, "https": 443}
_KEY: Final = re.compile(r"[\w.~+@-]+(?::[0-9]+)?(?:/[\w.~+@-]+)*", re.ASCII)


def repo_key(root: Path, settings: Settings) -> str:
    """Return the name from the settings or the remote `origin`; empty without both."""
    if settings.repo_key:
        if not is_key(settings.repo_key):
            raise InvalidRequest(
                f"repo_key: {settings.repo_key[:80]!r} is invalid; use letters, digits and"
                " .~+-_@, with / between parts"
            )
        return settings.repo_key
    if not is_git_marker(root / ".git"):
        return ""
    try:
        status, output = run_git(root, "config", "--get", "remote.origin.url", accept=(0, 1))
    except GitFailed:
        return ""
    return normalised(output.decode("utf-8", "replace").strip()) if status == 0 else ""


def key_by_history(root: Path) -> str:
    """Return the key from the first commit; empty if the history is incomplete.

    The function reads the whole history, which takes 0.1 s for 10,000 commits.
    """
    if not is_git_marker(root / ".git"):
        return ""
    try:
        _, shallow = run_git(root, "rev-parse", "--is-shallow-repository")
        if shallow.strip() != b"false":
            return ""
        _, output = run_git(root, "rev-list", "--max-parents=0", "HEAD")
    except GitFailed:
        return ""
    firsts = sorted(output.decode("ascii", "replace").split())
    return f"commit/{firsts[0]}" if firsts else ""


def normalised(url: str) -> str:
    """Return host and path of a remote's URL, without password, `.git`, or a usual port.

    A user name is kept if the path is relative to the user's home, except `git`, whose home all
    users share. Return an empty text for a local path, and for a URL that yields no valid key.
    """
    scp = _SCP.fullmatch(url)
    if "://" in url:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            return ""
        user, path = parts.username or "", parts.path
        is_of_user = path.startswith("/~")
        if port is not None and port != _PORTS.get(parts.scheme.removeprefix("git+")):
            host = f"{host}:{port}"
    elif scp is not None and (scp["user"] or len(scp["host"]) > 1):  # not the letter of a drive
        host, user, path = scp["host"].lower(), scp["user"] or "", scp["path"]
        is_of_user = not path.startswith("/")
    else:
        return ""
    path = path.strip("/").removesuffix(".git").rstrip("/")
    if is_of_user and user not in {"", "git"}:
        host = f"{user}@{host}"
    key = f"{host}/{path}"
    return key if host and path and len(key) <= _MOST and is_key(key) else ""


def is_key(text: str) -> bool:
    """Return whether a text is a valid repository key: words of letters, digits and `.~+-_@`."""
    if _KEY.fullmatch(text) is None or len(text) > _MOST:
        return False
    return not {".", ".."} & set(text.split("/"))
