"""Mistyped command lines: each is answered with what was meant, and nothing else happens."""

import shlex
from pathlib import Path

import pytest

from tests.journeys.command import Command

WRONG = {
    "stauts": "did you mean: ggrep status;",
    "statsu --json": "did you mean: ggrep status --json;",
    "serach words": "did you mean: ggrep search words;",
    "hlep": "did you mean: ggrep help;",
    "indx": "did you mean: ggrep index;",
    "lsit": "did you mean: ggrep list;",
    "stopall": "did you mean: ggrep stop-all;",
    "worksapce status": "did you mean: ggrep workspace status;",
    "refrences name": "did you mean: ggrep references name;",
    "healht --deep": "did you mean: ggrep health --deep;",
    "doctro": "did you mean: ggrep doctor;",
    "sevre": "did you mean: ggrep serve;",
    "seutp": "did you mean: ggrep setup;",
    "init": "instead: ggrep index;",
    "reindex": "instead: ggrep index --reset;",
    "instal claude": "did you mean: ggrep install claude;",
    "claude-install": "instead: ggrep install claude;",
    "mcp-setup": "instead: ggrep install --list;",
    "unistall": "did you mean: ggrep uninstall;",
    "watch": "instead: ggrep serve;",
    "daemon start": "instead: ggrep serve --background;",
    "quit": "instead: ggrep stop;",
    "version": "instead: ggrep --version;",
    "config": "instead: ggrep status;",
    "update": "instead: ggrep index;",
    "add shop.jsonc ../shop": "instead: ggrep workspace add --help;",
    "build": "instead: ggrep index;",
    "--json status": "options come after the command: ggrep status --json;",
    "-m 5 list": "options come after the command: ggrep list -m 5;",
    "--status": "did you mean: ggrep status",
    "--serach words": "did you mean: ggrep search words",
    "--verison": "did you mean: ggrep --version",
    "-version": "did you mean: ggrep --version",
    "-V": "did you mean: ggrep --version",
    "help stauts": "did you mean: ggrep help status",
    "help init": "instead: ggrep index",
    "help workspace ad": "did you mean: ggrep help workspace add",
    "workspace ad": "did you mean: ggrep workspace add",
    "workspace stauts shop.jsonc": "did you mean: ggrep workspace status shop.jsonc",
    "workspace list": "there are: init, add,",
    "words --jsn": "did you mean: ggrep search words --json",
    "words --fliter lang:go": "did you mean: ggrep search words --filter lang:go",
    "serve --wrokspace=a.jsonc": "did you mean: ggrep serve --workspace=a.jsonc",
    "status --deep": "no option --deep, which is one of ggrep health;",
    "gc --stores --froce": "did you mean: ggrep gc --stores --force",
    "health .": "did you mean: ggrep health --path .",
    "retry policy": "ggrep search 'retry policy'",
    "retry policy of the --json client": "ggrep search 'retry policy of the client' --json",
    "slate how is it done": "ggrep slate 'how is it done'",
    "slate how done": "ggrep slate 'how done'",
    "docs words": "did you mean: ggrep search words docs",
    "words -- --json": "did you mean, without -- before it: ggrep search words --json",
    "search": "see: ggrep help search",
    "symbol": "see: ggrep help symbol",
    "clone-store one two": "no command clone-store; instead: ggrep push --help",
}


@pytest.mark.parametrize("line", WRONG)
def test_what_was_meant_is_said_and_nothing_is_done(
    ggrep: Command, repo: Path, home: Path, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mistyped command must not read somebody's disk, or leave a daemon behind."""
    monkeypatch.delenv("GGREP_OFFLINE")
    started: list[object] = []
    monkeypatch.setattr("subprocess.Popen.__init__", lambda *a, **_: started.append(a))

    shown = ggrep(*shlex.split(line))

    assert (shown.status, shown.out.partition("{")[0]) == (2, "")
    assert WRONG[line] in shown.err
    assert (home.exists(), started) == (False, [])


@pytest.mark.parametrize("line", ["help", "help search", "help workspace add"])
def test_help_is_shown_by_name(ggrep: Command, repo: Path, home: Path, line: str) -> None:
    """`help` is the first thing that many people type."""
    shown = ggrep(*line.split())
    asked = ggrep(*line.split()[1:], "--help")

    assert (shown.status, shown.err) == (0, "")
    assert shown.out == asked.out
    assert not home.exists()
