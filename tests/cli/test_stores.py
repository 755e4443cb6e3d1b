"""`ggrep gc --stores` as its command calls it."""

import io
import os
from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.interfaces.cli import terminal
from ggrep.interfaces.cli.app import run
from ggrep.interfaces.cli.stores.home_stores import collect_stores
from ggrep.interfaces.cli.terminal import open_terminal
from tests.fakes.leases import held_lease
from tests.fakes.repos import open_engine
from tests.journeys.command import fits

OLD = "old-0123456789ab-0123456789ab"


@pytest.fixture
def old(home: Path) -> Path:
    path = home / "data" / OLD
    path.mkdir(parents=True)
    os.utime(path, (0, 0))
    return path


def test_nothing_goes_until_somebody_says_so(
    root: Path, home: Path, old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = collect_stores(open_engine(root, home), open_terminal(), force=False, json=False)
    output = capsys.readouterr()

    assert (status, old.is_dir()) == (0, True)
    assert output.out == f"would delete {OLD}, 0.0 MB: never_published\n"
    assert "--force" in output.err


def test_a_forced_collection_tells_what_is_gone(
    root: Path, home: Path, old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = collect_stores(open_engine(root, home), open_terminal(), force=True, json=True)
    document = stable_json.loads(capsys.readouterr().out)
    fits(document, "inventory")

    assert (status, old.exists()) == (0, False)
    assert document["deleted"] == document["candidates"]
    assert [item["store_id"] for item in document["deleted"]] == [OLD]


def test_a_store_in_use_fails_the_command(
    root: Path, home: Path, old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = open_engine(root, home)
    with held_lease(old, engine.clock):
        status = collect_stores(engine, open_terminal(), force=True, json=False)
    output = capsys.readouterr()

    assert (status, old.is_dir()) == (10, True)
    assert f"{OLD}: " in output.err
    assert "another process" in output.err


def test_an_empty_home_says_so(root: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    collect_stores(open_engine(root, home), open_terminal(), force=True, json=False)

    assert capsys.readouterr().err == "no store to delete\n"


@pytest.mark.parametrize(
    "case",
    [
        ((), "n\n", False),
        ((), "y\n", True),
        # A program is not asked: it says what it means.
        (("--yes",), "", True),
        (("--json",), "", True),
        ((), "", True),
    ],
)
def test_a_person_is_asked_before_an_index_goes(
    home: Path,
    old: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    case: tuple[tuple[str, ...], str, bool],
) -> None:
    typed, answer, goes = case
    monkeypatch.setenv("GGREP_HOME", str(home))
    monkeypatch.setattr(terminal, "_is_interactive", lambda: bool(answer or typed))
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    status = run(["clean", OLD, *typed])
    output = capsys.readouterr()

    assert (status, not old.exists()) == (int(not goes), goes)
    assert (f"delete {OLD}, 0 B?" in output.err) is bool(answer)
    assert ("nothing was deleted" in output.err) is not goes
