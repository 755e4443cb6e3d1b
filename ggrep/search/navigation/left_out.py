"""Handles targets that are not indexed: symbolic links and excluded files."""

from collections.abc import Callable
from pathlib import Path

from ggrep.model.sanitise import sanitise_line
from ggrep.model.written_names import place_readings
from ggrep.parse.source.eligibility import is_text_name


def without_link(root: Path, target: str, is_indexed: Callable[[str], bool]) -> str:
    """Return a target with a symbolic link in its path replaced by the linked file.

    An index contains no links. A target without a link to an indexed file is returned unchanged.

    Args:
        root: canonical root of the repository.
        target: a path below the root, with or without lines or a name.
        is_indexed: returns whether the index contains a path.
    """
    text = target.strip().removeprefix("./")
    readings = (each.path for each in place_readings(text))
    for path in dict.fromkeys((*readings, text.partition(":")[0])):
        try:
            file = (root / path).resolve()
            if file == root / path or not file.is_relative_to(root):
                continue
            linked = file.relative_to(root).as_posix()
            if text.startswith(path) and is_indexed(linked):
                return f"{linked}{text.removeprefix(path)}"
        except (OSError, ValueError, RuntimeError):
            continue
    return target


def left_out_hint(root: Path, target: str) -> str:
    """Return a hint if a target is an existing file whose name may exclude it; else empty.

    Args:
        root: root of the repository; links that lead out of the root are not followed.
        target: a path below the root, with or without lines.
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
