"""Neovim and Emacs, as Debian has them, ask a server of ours without a screen."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ggrep.base import stable_json
from tests.lsp.marked import Marks, Spot
from tests.mcp.processes import Settled

pytestmark = [pytest.mark.slow, pytest.mark.deep]

HERE = Path(__file__).parent
NAME = "deposit_cash"


def answers(place: Settled, at: Spot, out: Path, *command: str) -> bytes:
    """Return what an editor's script writes about a place of the repository."""
    editor = shutil.which(command[0])
    if editor is None:
        pytest.skip(f"{command[0]} is not installed; Debian has it")
    asked = {
        "ASK_COMMAND": stable_json.dumps([sys.executable, "-m", "ggrep", "lsp"]).decode(),
        "ASK_FILE": str(place.root / at.path),
        "ASK_ROOT": str(place.root),
        "ASK_LINE": str(at.line),
        "ASK_COLUMN": str(at.column),
        "ASK_OUT": str(out),
        "HOME": os.environ["HOME"],
    }
    done = subprocess.run(
        [editor, *command[1:]],
        cwd=place.root,
        env=place.environ | asked,
        capture_output=True,
        timeout=120,
        check=False,
    )
    if b"eglot" in done.stderr and b"Cannot open load file" in done.stderr:
        pytest.skip("eglot is not installed; Debian has it as elpa-eglot")
    assert out.exists(), done.stderr.decode()
    return out.read_bytes()


def test_neovim(place: Settled, marks: Marks, tmp_path: Path) -> None:
    """Its own client finds the definition and the usages."""
    used = marks.used[NAME]
    script = f"luafile {HERE / 'neovim.lua'}"
    flags = ("--headless", "-u", "NONE", "-i", "NONE", "-c", script)
    output = stable_json.loads(answers(place, min(used), tmp_path / "out", "nvim", *flags))

    def spots(method: str) -> set[Spot]:
        places = [
            (each["uri"], each["range"]["start"]) for each in output[f"textDocument/{method}"]
        ]
        return {
            Spot(uri.removeprefix(f"{place.root.as_uri()}/"), start["line"], start["character"])
            for uri, start in places
        }

    assert spots("definition") == {marks.defined[NAME]}
    assert spots("references") == used


def test_emacs(place: Settled, marks: Marks, tmp_path: Path) -> None:
    used, defined = marks.used[NAME], marks.defined[NAME]
    flags = ("-q", "--batch", "-l", str(HERE / "emacs.el"))
    output = answers(place, min(used), tmp_path / "out", "emacs", *flags).decode()

    spots: dict[str, set[Spot]] = {"definition": set(), "reference": set()}
    for line in output.splitlines():
        kind, path, number, column = line.split()
        short = path.removeprefix(f"{place.root}/")
        spots[kind].add(Spot(short, int(number) - 1, int(column)))
    assert spots["definition"] == {defined}
    assert spots["reference"] == used | {defined}
