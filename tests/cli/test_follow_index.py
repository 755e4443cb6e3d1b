"""Searches of one repository: their start, and how an index takes over from a scan."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from ggrep.base.errors import GgrepError
from ggrep.interfaces.cli.queries.query import follow_index
from ggrep.interfaces.cli.terminal import Terminal
from ggrep.render.style import Style

PLAIN = Style(colour=False)
MEETING: Any = SimpleNamespace(identity=SimpleNamespace(root=SimpleNamespace(name="shop")))


@pytest.fixture
def followed(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], bool]], None]:
    """Return what follows an index whose daemon does as it is told."""

    @contextmanager
    def watching(*_: object) -> Iterator[object]:
        yield lambda _: None

    def run(act: Callable[[], bool]) -> None:
        client = SimpleNamespace(follow=lambda *_: act())
        place = "ggrep.interfaces.cli.queries.query.daemon_client_of"
        monkeypatch.setattr(place, lambda *_: client)
        follow_index(MEETING, Terminal({}, PLAIN, PLAIN, progress=True))

    monkeypatch.setattr("ggrep.interfaces.cli.queries.query.watching", watching)
    return run


def test_it_says_when_the_index_answers(
    followed: Callable[[Callable[[], bool]], None], capsys: pytest.CaptureFixture[str]
) -> None:
    followed(lambda: True)

    assert capsys.readouterr().err == (
        "the index of shop is ready: repeat the command to search the complete index\n"
    )


@pytest.mark.parametrize("error", [None, KeyboardInterrupt(), GgrepError("no daemon answers")])
def test_whatever_ends_it_the_hits_were_shown(
    followed: Callable[[Callable[[], bool]], None],
    capsys: pytest.CaptureFixture[str],
    error: BaseException | None,
) -> None:
    """So it is no failure, and the next step is named."""

    def act() -> bool:
        if error is not None:
            raise error
        return False

    followed(act)

    said = capsys.readouterr().err
    assert said == "shop has no index yet; progress: ggrep status\n"
