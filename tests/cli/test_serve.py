"""`ggrep serve` says what is not served, and its exit status says that something is not."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from ggrep.base.errors import GgrepError, InvalidRequest, StoreError
from ggrep.daemon.endpoint_files import AlreadyServed
from ggrep.daemon.host import ServeResult
from ggrep.interfaces.cli import app
from ggrep.interfaces.cli.daemons.hosting import Ready

Told = Callable[[Sequence[ServeResult]], None]


@pytest.fixture(autouse=True)
def in_place(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    def work(work: Callable[[Ready], object]) -> str:
        reports: list[str] = []
        work(reports.append)
        return reports[0]

    monkeypatch.setenv("GGREP_HOME", str(home))
    monkeypatch.setattr("ggrep.interfaces.cli.daemons.hosting.in_background", work)
    monkeypatch.setattr("ggrep.interfaces.cli.daemons.hosting.compute_in_one_thread", lambda: None)


def hosting(monkeypatch: pytest.MonkeyPatch, *errors: GgrepError | None) -> None:
    """Have the host come to these outcomes, one for each root."""

    def serve(roots: Sequence[Path], *_: object, notify: Told, **__: Any) -> str:
        results = [
            ServeResult(root, "s", None, error) for root, error in zip(roots, errors, strict=True)
        ]
        if all(errors):
            raise next(error for error in errors if error)
        notify(results)
        return "asked to"

    monkeypatch.setattr("ggrep.daemon.host.serve", serve)


def workspace(directory: Path, *names: str) -> str:
    for name in names:
        (directory / name).mkdir()
    repos = ", ".join(f'{{"root": "{name}"}}' for name in names)
    file = directory / "w.jsonc"
    file.write_text(f'{{"schemaVersion": 1, "repos": [{repos}]}}')
    return str(file)


@pytest.mark.parametrize(
    ("error", "status", "reported"),
    [
        # A script that goes on would miss one repository in all answers.
        (InvalidRequest("wrong\nsettings"), 1, "not serving {}/one: wrong settings\n"),
        # All that was wanted is that somebody serves it.
        (AlreadyServed("served"), 0, ""),
    ],
)
def test_a_root_that_is_refused_in_the_background_is_named_and_fails_the_command(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: GgrepError,
    status: int,
    reported: str,
) -> None:
    file = workspace(tmp_path, "one", "two")
    hosting(monkeypatch, error, None)

    assert app.run(["serve", "--background", "--workspace", file]) == status
    assert reported.format(tmp_path) in capsys.readouterr().err


def test_one_host_serves_every_path_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    hosting(monkeypatch, None, None)
    given = ["two", "one", "two"]

    assert app.run(["serve", *(f"--path={tmp_path / name}" for name in given)]) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"serving {tmp_path}/two",
        f"serving {tmp_path}/one",
        "stopped: asked to",
    ]


@pytest.mark.parametrize("flags", [[], ["--background"]])
def test_a_host_of_which_nothing_is_left_fails_the_command(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    flags: list[str],
) -> None:
    """A supervisor restarts what failed, and leaves alone what ended in order."""
    hosting(monkeypatch, StoreError(f"the daemon of {root} failed: RuntimeError"))

    assert app.run(["serve", *flags, "--path", str(root)]) == 1
    assert f"the daemon of {root} failed" in capsys.readouterr().err
