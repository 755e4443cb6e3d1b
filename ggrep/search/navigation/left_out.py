"""Explains why a file of the repository is not in its index."""

from pathlib import Path

from ggrep.model.sanitise import sanitise_line
from ggrep.model.written_names import place_readings
from ggrep.parse.source.eligibility import is_text_name


def left_out_hint(root: Path, target: str) -> str:
    """Return a hint on the file that a target names; empty if its name is that of a text file.

    Args:
        root: root of the repository; links out of it are not followed.
        target: a path below it, with or without lines.
    """
    path = list(place_readings(target))[-1].path.removeprefix("./")
    parts = path.split("/")
    if ".." in parts or path.startswith("/") or "\0" in path or is_text_name(parts[-1]):
        return ""
    file = root / path
    try:
        if file.resolve() != root.resolve() / path or not file.is_file():
            return ""
    except (OSError, ValueError, RuntimeError):
        return ""
    stem, dot, ending = parts[-1].rpartition(".")
    rule = sanitise_line(f"!*.{ending}" if stem and dot else f"!{parts[-1]}")
    return (
        "; the file exists but is not indexed; if its name is the reason, add the line "
        f"{rule} to .ggignore"
    )
