"""What a terminal can show, and what `--color`, variables and pagers have to say of it."""

import os
import pty
import sys
import termios
import time
from pathlib import Path

import pytest

from ggrep.base.terminal import (
    DEFAULT_COLUMNS,
    UnknownWord,
    columns_of,
    link_form,
    wants_colour,
    without_terminal_options,
)
from tests.fakes.repos import write_tree
from tests.journeys.command import SOURCE, WORDS, Command
from tests.journeys.conftest import ggrep  # noqa: F401 - a fixture


@pytest.mark.parametrize(
    ("environ", "plain", "terminal", "wanted"),
    [
        ({}, False, True, True),
        ({}, False, False, False),
        ({}, True, True, False),
        ({"NO_COLOR": "1"}, False, True, False),
        ({"NO_COLOR": ""}, False, True, True),
        ({"FORCE_COLOR": "1"}, False, False, True),
        ({"CLICOLOR_FORCE": "1"}, False, False, True),
        ({"CLICOLOR_FORCE": "0"}, False, False, False),
        ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False, True, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, True, False),
        ({"FORCE_COLOR": "1"}, True, True, False),
        ({"TERM": "dumb"}, False, True, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, False, False, True),
    ],
)
def test_colour_obeys_flag_variables_and_terminal_in_this_order(
    environ: dict[str, str], plain: bool, terminal: bool, wanted: bool
) -> None:
    """These rules are common to many tools; people set them once."""
    assert wants_colour(environ, plain=plain, terminal=terminal) is wanted


@pytest.mark.parametrize(
    ("named", "wide"),
    [("", 100), ("0", 100), ("7", 40), ("80", 80), ("999", 240), ("-5", 100), ("x", 100)],
)
def test_lines_are_as_wide_as_columns_says_or_the_terminal_is(named: str, wide: int) -> None:
    """Within reason; where neither is known, as wide as a page."""
    main, side = os.openpty()
    try:
        termios.tcsetwinsize(side, (30, 100))
        assert columns_of({"COLUMNS": named}, side) == wide
    finally:
        os.close(main)
        os.close(side)
    assert columns_of({}, side) == DEFAULT_COLUMNS


@pytest.mark.parametrize(
    ("typed", "left", "chosen"),
    [
        ("words --color always", "words", {"NO_COLOR": "", "FORCE_COLOR": "1"}),
        ("--color=never words", "words", {"NO_COLOR": "1", "FORCE_COLOR": ""}),
        ("words --colour auto -n", "words -n", {}),
        ("words --no-pager", "words", {"GGREP_PAGER": "cat"}),
        ("search -- --color --no-pager", "search -- --color --no-pager", {}),
        ("words", "words", {}),
    ],
)
def test_options_of_the_terminal_are_taken_off_the_line(
    typed: str, left: str, chosen: dict[str, str]
) -> None:
    """Wherever they stand, but for words behind two hyphens."""
    assert without_terminal_options(typed.split()) == (left.split(), chosen)


@pytest.mark.parametrize("typed", ["--color", "--color=", "--color sometimes"])
def test_another_word_is_unknown(typed: str) -> None:
    with pytest.raises(UnknownWord):
        without_terminal_options(typed.split())


def test_an_unknown_word_is_told(ggrep: Command) -> None:  # noqa: F811
    done = ggrep("status", "--color", "allways")

    assert done.status == 2
    assert (
        "--color: unknown 'allways'; did you mean: always; use one of auto, always, never"
        in done.err
    )


@pytest.mark.parametrize(
    ("environ", "form"),
    [
        ({}, ""),
        ({"TERM": "xterm-256color"}, ""),
        ({"VTE_VERSION": "4999"}, ""),
        ({"VTE_VERSION": "7203"}, "file://HOST{path}"),
        ({"TERM": "foot"}, "file://HOST{path}"),
        ({"KITTY_WINDOW_ID": "1"}, "file://HOST{path}#{line}"),
        ({"TERM_PROGRAM": "vscode"}, "vscode://file{path}:{line}"),
        ({"TERM_PROGRAM": "vscode", "CURSOR_TRACE_ID": "x"}, "cursor://file{path}:{line}"),
        ({"TERM_PROGRAM": "vscode", "GGREP_LINKS": "never"}, ""),
        ({"GGREP_LINKS": "zed"}, "zed://file{path}:{line}"),
        ({"GGREP_LINKS": "my://{path}?l={line}"}, "my://{path}?l={line}"),
        ({"GGREP_LINKS": "nonsense"}, ""),
    ],
)
def test_links_are_shown_where_they_are_known_to_work(environ: dict[str, str], form: str) -> None:
    """Other terminals would print the escapes."""
    assert link_form(environ) == form.replace("HOST", os.uname().nodename)


def on_terminal(*words: str, rows: int, **environ: str) -> str:
    """Return what a command shows on a terminal of so many rows; `q` is typed after a while."""
    pid, screen = pty.fork()
    if pid == 0:
        os.environ.update(PYTHONPATH=str(SOURCE), TERM="xterm", **environ)
        os.execv(sys.executable, [sys.executable, "-m", "ggrep", *words])  # noqa: S606 - this very program
    termios.tcsetwinsize(screen, (rows, 90))
    seen, until = b"", time.monotonic() + 60
    try:
        while time.monotonic() < until:
            seen += os.read(screen, 65_536)
            if b"PAGED" in seen:
                os.write(screen, b"q\n")
    except OSError:
        pass  # it has ended
    finally:
        os.close(screen)
        os.waitpid(pid, 0)
    return seen.decode()


@pytest.mark.slow
def test_long_text_goes_through_a_pager_on_a_terminal(tmp_path: Path) -> None:
    """What fits does not; nor does anything where none is wanted or there is none."""
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho PAGED; cat\n")
    pager.chmod(0o755)
    help_of = ("help", "search")

    assert "PAGED" in on_terminal(*help_of, rows=20, PAGER=str(pager))
    assert "PAGED" not in on_terminal(*help_of, rows=500, PAGER=str(pager))
    assert "PAGED" not in on_terminal(*help_of, "--no-pager", rows=20, PAGER=str(pager))
    for other in ("cat", str(tmp_path / "none"), "'"):
        shown = on_terminal(*help_of, rows=20, PAGER=str(pager), GGREP_PAGER=other)
        assert "Usage: ggrep search" in shown
        assert "PAGED" not in shown


@pytest.mark.slow
def test_a_pager_that_leaves_early_has_shown_enough(tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\nhead -1\n")
    pager.chmod(0o755)

    shown = on_terminal("help", "search", rows=20, PAGER=str(pager))
    assert shown.split("\n")[0].startswith("Usage: ggrep search")
    assert "Traceback" not in shown


@pytest.mark.slow
def test_an_interrupt_in_the_pager_is_the_pager_s(tmp_path: Path) -> None:
    """Even while it has not taken all of the text."""
    pager = tmp_path / "pager"
    pager.write_text(
        "#!/bin/sh\ntrap 'echo CAUGHT' INT; echo PAGED; kill -INT 0; sleep 1; cat > /dev/null\n"
        "echo ENDED\n"
    )
    pager.chmod(0o755)
    shown = on_terminal("help", "search", rows=20, PAGER=str(pager))

    assert "CAUGHT" in shown
    assert "ENDED" in shown
    assert "interrupted" not in shown


@pytest.mark.slow
def test_a_pager_that_cannot_be_run_loses_nothing(tmp_path: Path) -> None:
    broken = tmp_path / "pager"
    broken.write_text("nothing that runs")
    broken.chmod(0o755)

    assert "Usage: ggrep search" in on_terminal("help", "search", rows=20, PAGER=str(broken))
    assert "MORE" in on_terminal("help", "search", rows=20, PAGER="X=MORE sh -c 'echo $X; cat'")


@pytest.mark.slow
def test_who_asks_without_a_daemon_starts_none(tmp_path: Path) -> None:
    """Though somebody watches, and there is no index yet."""
    write_tree(tmp_path / "repo", {**WORDS, ".ggrep.toml": ""})
    home = tmp_path / "home"
    line = ("search", "alpha", "--repo", str(tmp_path / "repo"), "--offline")
    shown = on_terminal(*line, rows=50, GGREP_HOME=str(home))

    assert "a.py" in shown
    assert not (home / "daemon").exists()
