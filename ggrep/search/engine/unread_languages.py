"""Languages that contain a name but whose definitions ggrep cannot recognise."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from ggrep.model.limits import Notice
from ggrep.parse.languages.registry import is_unread
from ggrep.search.query.name_candidates import NameFile, Searched

UNREAD_LANGUAGE: Final = "unread_language"


def unread_languages(held: Searched, files: Sequence[NameFile]) -> list[Notice]:
    """Return a notice that names these languages and how many of the files are in each, if any.

    Args:
        held: the snapshot's segments.
        files: those that may hold the name.
    """
    spoken = Counter(held.segments[file.segment].image.language(file.file) for file in files)
    counted = [
        f"{language} ({count} {'file' if count == 1 else 'files'})"
        for language, count in sorted(spoken.items())
        if is_unread(language)
    ]
    told = (
        f"definitions cannot be told from usages in {', '.join(counted)}: "
        "these files hold the name and were read by words alone"
    )
    return [Notice(UNREAD_LANGUAGE, told)] if counted else []
