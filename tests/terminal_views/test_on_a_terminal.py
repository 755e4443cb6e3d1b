"""Views take a terminal over and give it back, however they end."""

import signal
import subprocess
from pathlib import Path

import pytest

from tests.terminal_views.conftest import Run

pytestmark = pytest.mark.slow

EDITOR = "import sys; print('opened', sys.argv[1:], sys.stdin.isatty(), sys.stdout.isatty())"


def test_a_picked_hit_is_opened_in_the_editor(run: Run, tmp_path: Path) -> None:
    """On the line of the definition, with the terminal as it was."""
    (tmp_path / "vi").write_text(f'#!/bin/sh\nexec python3 -c "{EDITOR}" "$@"\n')
    (tmp_path / "vi").chmod(0o755)
    terminal = run("pick", "charge", environ={"EDITOR": f"{tmp_path}/vi -n"})

    terminal.shows("src/checkout.py:7")
    terminal.send("_card\r")  # the answer to come is opened

    assert terminal.end() == 0
    assert "opened ['-n', '+7', 'src/checkout.py'] True True" in terminal.text
    assert terminal.is_restored


def test_an_editor_that_fails_is_reported(run: Run) -> None:
    """With the command that does without it."""
    terminal = run("pick", "charge_card", environ={"EDITOR": "no-such-editor"})

    terminal.shows("src/checkout.py:7")
    terminal.send("\r")

    assert terminal.end() == 2
    assert "no-such-editor: No such file or directory" in terminal.text
    assert "to print the place: ggrep pick --print" in terminal.text
    assert terminal.is_restored


def test_a_picked_place_is_printed_into_a_pipe(run: Run) -> None:
    """As in `vim $(...)`: the view is on the terminal, the place in the output."""
    terminal = run("pick", "--print", stdout=subprocess.PIPE)

    terminal.shows("type to search")
    terminal.send("\x1b[200~charge\rcard\x1b[201~")  # pasted: its line end picks nothing
    terminal.shows("docs/payments.md:1")
    terminal.send("\x15charge_card\r")

    assert terminal.end() == 0
    assert terminal.process.stdout is not None
    assert terminal.process.stdout.read() == b"src/checkout.py:7\n"
    assert terminal.is_restored


@pytest.mark.parametrize("arguments", [("pick", "charge_card"), ("status", "--watch")])
def test_a_signal_ends_a_view_and_the_terminal_is_as_before(
    run: Run, arguments: tuple[str, ...]
) -> None:
    """The parent sees the signal."""
    terminal = run(*arguments)

    terminal.shows("card" if "pick" in arguments else "no daemon runs")
    terminal.process.send_signal(signal.SIGTERM)

    assert terminal.end() == -signal.SIGTERM
    assert terminal.is_restored


@pytest.mark.parametrize("term", ["of-another-machine", "xterm-mono"])
def test_ctrl_c_ends_a_picker_as_any_command(run: Run, term: str) -> None:
    """Here on a terminal that the machine does not know, and on one without colour."""
    terminal = run("pick", "charge_card", environ={"TERM": term})

    terminal.shows("src/checkout.py:7")
    terminal.send("\x03")

    assert terminal.end() == 12
    assert "error: interrupted" in terminal.text
    assert terminal.is_restored


def test_a_live_view_ends_by_ctrl_c_without_an_error(run: Run) -> None:
    """It has no other end."""
    terminal = run("status", "--watch")

    terminal.shows("no daemon runs")
    terminal.send("\x03")

    assert (terminal.end(), terminal.text.strip()) == (0, "")
    assert terminal.is_restored


@pytest.mark.parametrize("term", ["dumb", "xterm"])
def test_without_a_terminal_a_picker_says_what_to_type(run: Run, term: str) -> None:
    """The words stay."""
    streams = {} if term == "dumb" else {"stdout": subprocess.DEVNULL}
    terminal = run("pick", "charge it", environ={"TERM": term}, **streams)

    assert terminal.end() == 2
    assert (
        "error: pick requires a terminal; without a terminal: ggrep search 'charge it'"
        in terminal.text
    )
