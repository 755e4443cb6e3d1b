"""Reads settings files: the user's own and the one in a repository."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ggrep.base.errors import InvalidRequest
from ggrep.config.caps import MAX_CONFIG_FILE_BYTES
from ggrep.config.confined import read_small

REPO_FILE: Final = ".ggrep.toml"
"""Name of the settings file a repository may bring along."""

_MOST_PARTS: Final = 64
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_NAME: Final = re.compile(rf"(?<![\w-])(?:{_PART}[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}")
"""A dotted key that the parser would be slow over: its time grows with the square of the parts."""


def read_repo_file(root: Path) -> Mapping[str, object]:
    """Return the top-level keys of the repository's file; empty when there is none.

    Raises:
        InvalidRequest: the file is no regular file of its own (a link may lead anywhere), too
            large, or not TOML.
    """
    return _read(root, REPO_FILE, REPO_FILE)


def read_user_file(path: Path) -> Mapping[str, object]:
    """Return the top-level keys of the user's file; empty when there is none.

    Raises:
        InvalidRequest: the file cannot be read or is not TOML.
    """
    try:
        # Users keep their settings in a dotfiles folder and link them here: their own link is
        # followed, unlike one that a repository brings.
        real = path.resolve(strict=True)
    except FileNotFoundError:
        return {}
    except NotADirectoryError as error:
        raise InvalidRequest(f"{path.parent}: the ggrep home is not a directory") from error
    except OSError as error:
        raise InvalidRequest(f"{path}: cannot be read: {error.strerror}") from error
    except RuntimeError as error:
        raise InvalidRequest(f"{path}: cannot be read: {error}") from error
    return _read(real.parent, real.name, str(path))


def _read(directory: Path, name: str, label: str) -> Mapping[str, object]:
    try:
        # A workspace's directory is taken as it is called.
        data = read_small(directory, name, cap_bytes=MAX_CONFIG_FILE_BYTES, anchored=False)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InvalidRequest(f"{label}: cannot be read: {error.strerror or error}") from error
    try:
        text = data.decode("utf-8")
        if _LONG_NAME.search(text):
            raise InvalidRequest(f"{label}: a key of more than {_MOST_PARTS} parts")
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"{label}: not valid TOML: {error}") from error
