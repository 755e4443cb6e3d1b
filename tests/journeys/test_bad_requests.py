"""Wrong requests, mistyped command lines and mistyped variables."""

import shlex
from pathlib import Path

import pytest

from tests.journeys.command import Command, fits


@pytest.mark.parametrize(
    ("arguments", "status", "output"),
    [
        (["needle", "--nope"], 2, "--nope"),
        (["search"], 2, "query"),
        (["needle", "-m", "five"], 2, "-m"),
        (["needle", "-m", "5", "--top", "6"], 2, "--top"),
        (["needle", "-m", "0"], 2, "-m must be at least 1, is 0"),
        (["needle", "--per-file", "-1"], 2, "--per-file: -1"),
        (["needle", "--timeout-ms", "-5"], 2, "--timeout-ms: -5"),
        (["needle", "-d", "-i"], 2, "discovery and implementation"),
        (["needle", "--mode", "prose"], 2, "--corpus"),
        (["needle", "--mode", "odd"], 2, "odd"),
        (["needle", "--corpus", "debug"], 2, "debug"),
        (["needle", "--filter", "odd"], 2, "odd"),
        (["needle", "--filter", "colour:red"], 2, "colour"),
        (["needle", "--backend", "gpu"], 2, "gpu"),
        (["needle", "nowhere"], 2, "nowhere"),
        (["needle", "--repo", "nowhere"], 2, "nowhere"),
        (["needle", "--repo", ".", "docs"], 2, "--repo"),
        (["needle", "--only", "shop", "--merge", "rrf"], 2, "--only, --merge"),
        (["needle", "--encoder", "odd"], 2, "odd"),
        ([""], 2, "query"),
        (["   "], 2, "query"),
        (["\x01\x02\x1b[31m"], 2, "query"),
        (["index", "nowhere"], 2, "nowhere"),
        (["index", "a.py"], 2, "not a directory"),
        (["index", ".", "--path", "."], 2, "--path"),
        (["index", "--nope"], 2, "--nope"),
        (["status", "--path", "nowhere"], 2, "nowhere"),
        (["health", "--path", "nowhere"], 2, "nowhere"),
        (["clean", "no-such-store"], 2, "no-such-store"),
        (["clean", "a", "--all"], 2, "--all"),
        (["workspace", "validate", "nowhere.jsonc"], 1, "nowhere.jsonc"),
        (["workspace", "nope"], 2, "nope"),
    ],
)
def test_a_mistake_is_named(
    ggrep: Command, read_only: Path, arguments: list[str], status: int, output: str
) -> None:
    """The user learns what to change; a robot learns it from one stream."""
    shown, robot = ggrep(*arguments), ggrep(*arguments, "--json")

    assert shown.status == robot.status == status
    assert output in shown.err
    assert shown.out == ""
    assert "Traceback" not in shown.err
    assert output in robot.error()["message"]


def test_two_dashes_end_the_options(ggrep: Command, read_only: Path) -> None:
    shown = ggrep("--", "--json")
    failed = ggrep("--", "needle", "--json")

    assert shown.status == 0
    assert failed.status == 2
    assert failed.out == ""


def test_a_query_may_be_the_name_of_a_command(ggrep: Command, read_only: Path) -> None:
    """`status` is a common word in code."""
    assert ggrep("--", "status").err == "no hits\n"
    assert ggrep("search", "status").err == "no hits\n"
    assert ggrep("search", "index", "--json").document["results"] == []


@pytest.mark.parametrize("arguments", [[], ["workspace"]])
def test_no_arguments_show_the_help(ggrep: Command, arguments: list[str]) -> None:
    """A bare command tells what there is, as an error, so that scripts notice."""
    shown = ggrep(*arguments)

    assert shown.status == 2
    assert "Usage:" in shown.err


def test_a_file_of_strangers_cannot_break_the_command(ggrep: Command, repo: Path) -> None:
    """`.ggrep.toml` comes with the repository: mistakes in it are named, with the key."""
    (repo / ".ggrep.toml").write_text('encoder = "sentence-transformers:/evil"\n')

    refused = ggrep("index", "--json")

    assert refused.status == 2
    assert ".ggrep.toml: encoder" in refused.error()["message"]


def test_an_unknown_home_is_named(ggrep: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative home would be another one in each directory."""
    monkeypatch.setenv("GGREP_HOME", "relative")

    assert "GGREP_HOME" in ggrep("list", "--json").error()["message"]


def test_a_disk_that_refuses_is_no_bug(
    ggrep: Command, repo: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full or foreign disk is named, without a traceback."""
    home.write_text("a file where the home should be")

    refused = ggrep("index", "--json")

    assert refused.status == 2
    assert str(home) in refused.error()["message"]
    assert "bug" not in refused.err


def test_a_bug_has_a_traceback(ggrep: Command, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggrep.interfaces.cli.queries.typed_targets.location_of", lambda _: 1 / 0)

    broken = ggrep("needle", "--json")

    assert broken.status == 1
    assert broken.error()["code"] == "internal"
    assert "ZeroDivisionError" in broken.err


def test_an_interrupt_is_told(ggrep: Command, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C has an exit status of its own, and a document for whoever waits for one."""

    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ggrep.interfaces.cli.queries.typed_targets.location_of", interrupt)

    stopped = ggrep("needle", "--json")

    assert stopped.status == 12
    assert stopped.error()["code"] == "cancelled"


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
    "status --deep": "no option --deep; commands with --deep: ggrep health;",
    "gc --stores --froce": "did you mean: ggrep gc --stores --force",
    "health .": "did you mean: ggrep health --path .",
    "retry policy": "ggrep search 'retry policy'",
    "retry policy of the --json client": "ggrep search 'retry policy of the client' --json",
    "slate how is it done": "ggrep slate 'how is it done'",
    "slate how done": "ggrep slate 'how done'",
    "docs words": "did you mean: ggrep search words docs",
    "words -- --json": "did you mean, without --: ggrep search words --json",
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


SAID = "GGREP_ENCODR is not a variable of ggrep; did you mean GGREP_ENCODER?"


@pytest.fixture
def mistyped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set a variable that means nothing: most likely, it is mistyped."""
    monkeypatch.setenv("GGREP_ENCODR", "none")


@pytest.mark.parametrize("line", ["needle", "status", "list", "index", "workspace validate x"])
def test_every_command_warns_once(ggrep: Command, indexed: Path, mistyped: None, line: str) -> None:
    assert ggrep(*line.split()).err.count(SAID) == 1


@pytest.mark.parametrize(
    ("line", "schema"),
    [("needle", "query_success"), ("symbol alpha_needle", "symbol_success")],
)
def test_robots_are_warned(
    ggrep: Command, read_only: Path, mistyped: None, line: str, schema: str
) -> None:
    """It does not read standard error."""
    document = ggrep(*line.split(), "--json").document

    fits(document, schema)
    assert {"code": "unknown_variable", "message": SAID} in document["warnings"]


def test_no_near_name(ggrep: Command, read_only: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong guess would be set next."""
    monkeypatch.setenv("GGREP_WHATEVER_THIS_IS", "1")

    assert "GGREP_WHATEVER_THIS_IS is not a variable of ggrep\n" in ggrep("needle").err
