"""Looks for what must not be there, in every byte below a home and every row of its stores."""

from collections.abc import Iterator
from pathlib import Path

from ggrep.base.errors import NoIndex
from ggrep.search.engine.engine import Engine
from tests.fakes.stored_rows import scan_rows


def places_with(home: Path, token: str, engine: Engine | None = None) -> list[str]:
    """Return where the token stands, whatever its case: files, and rows, which are compressed."""
    wanted = token.lower().encode()
    results = [str(path) for path in files_below(home) if wanted in path.read_bytes().lower()]
    results += [str(path) for path in files_below(home) if token in path.name]
    if engine is not None:
        results += [text for text in rows(engine) if token in text.lower()]
    return results


def files_below(home: Path) -> Iterator[Path]:
    return (path for path in sorted(home.rglob("*")) if path.is_file() and not path.is_symlink())


def rows(engine: Engine) -> Iterator[str]:
    """Yield every row of the active snapshot's segments as one text."""
    try:
        manifest = engine.view().manifest
    except NoIndex:
        return
    for segment in manifest.segments:
        for row in scan_rows(engine.identity.store, segment.table):
            yield repr(row)
