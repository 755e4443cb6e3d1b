"""Why a file of the repository is not in its index."""

import os
import re
import stat
from pathlib import Path
from typing import Final

from ggrep.model.sanitise import sanitise_line
from ggrep.parse.source.eligibility import is_text_name

_LINES: Final = re.compile(r":\d+(?:-\d+)?$")


def why_left_out(root: Path, target: str) -> str:
    """Return a phrase on the file that a target names; empty unless its ending is the reason.

    Args:
        root: of the repository; links out of it are not followed.
        target: a path below it, with or without lines.
    """
    path = _LINES.sub("", target.strip()).removeprefix("./")
    parts = path.split("/")
    if ".." in parts or path.startswith("/") or "\0" in path or is_text_name(parts[-1]):
        return ""
    try:
        mode = os.lstat(root / path).st_mode
    except (OSError, ValueError):
        return ""
    if not stat.S_ISREG(mode):
        return ""
    stem, dot, ending = parts[-1].rpartition(".")
    rule = sanitise_line(f"!*.{ending}" if stem and dot else f"!{parts[-1]}")
    return f"; it is there, but its name tells no text: a line {rule} in .ggignore takes it in"
