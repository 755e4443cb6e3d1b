"""A root, or a directory above it, becomes a link out for as long as a sync looks, and no longer.

Whoever asks a surface for the root before or after finds it inside of what may be searched, so
whatever the sync has stored meanwhile is shown.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ggrep.base.errors import GgrepError
from ggrep.config import confined
from ggrep.parse.source import read
from ggrep.parse.source.dir_stack import DirStack
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import open_engine, paths
from tests.hostile.canary import places_with
from tests.hostile.trees import CANARY, NEEDLE


@contextmanager
def led_out(place: Path, target: Path) -> Iterator[None]:
    """Let a directory be a link to another one for the length of the block."""
    away = place.with_name("away")
    place.rename(away)
    place.symlink_to(target)
    try:
        yield
    finally:
        place.unlink()
        away.rename(place)


def synced(engine: Engine) -> str:
    try:
        engine.sync()
    except GgrepError as error:
        return type(error).__name__
    return "published"


@pytest.mark.slow
@pytest.mark.parametrize(
    "look", [(read, "open_below"), (DirStack, "enter"), (confined, "open_root")]
)
def test_what_a_root_leads_to_for_a_moment_is_not_indexed(
    look: tuple[Any, str],
    hostile_root: Path,
    outside: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """1. Looked at, 2. led out, 3. read, 4. back in place: each look but one finds all in order."""
    asked: Callable[..., int] = getattr(*look)
    (outside / "honest.py").write_text(f"def {NEEDLE}(): return '{CANARY}'\n")

    def exchanged(*given: Any, **further: Any) -> int:
        with led_out(hostile_root, outside):
            return asked(*given, **further)

    monkeypatch.setattr(*look, exchanged)
    engine = open_engine(hostile_root, home)
    refused = synced(engine)
    monkeypatch.undo()

    assert refused == "InvalidRequest"
    assert places_with(home, CANARY, engine) == []
    assert synced(engine) == "published"
    assert paths(engine, NEEDLE) == ["honest.py"]
    assert places_with(home, CANARY, engine) == []
