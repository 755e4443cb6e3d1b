"""A workspace half of which is gone, cold or hung: it answers, and says how to mend the rest."""

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.journeys.command import Command, Outcome, fits
from tests.journeys.household import SCRIPT, Household, household

TREE = {"pay.py": "def settle_invoice(amount):\n    return amount - paid(amount)\n"}
HEALTHY = ("a", "b", "c", "d", "e", "f")
COLD = ("not yet", "new")
LOST = ("gone one", "gone-two", "three")
STOPPED = "stopped"


def workspace_of(names: tuple[str, ...], base: Path) -> Path:
    """Write a workspace file with a comment for each of its repositories."""
    lines = [f'    {{ "root": "{name}", "alias": "{name}" }}, // {name}\n' for name in names]
    file = base / "the ws.jsonc"
    file.write_text('{\n  "schemaVersion": 1,\n  "repos": [\n' + "".join(lines) + "  ]\n}\n")
    return file


def rows(document: dict[str, object]) -> dict[str, str]:
    """Return the status of each repository by its alias."""
    repos = document["repos"]
    assert isinstance(repos, list)
    return {row["alias"]: row["status"] for row in repos}


def test_the_doctor_s_commands_mend_a_workspace(
    ggrep: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Typed as they are printed, blanks in paths and all."""
    monkeypatch.chdir(tmp_path)
    for name in ("a", "not yet", "gone one"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pay.py").write_text(TREE["pay.py"])
    file = workspace_of(("gone one", "a", "not yet"), tmp_path)
    assert ggrep("index", "a").status == 0
    shutil.rmtree(tmp_path / "gone one")

    result = ggrep("settle_invoice", "--workspace", file, "--json", "--offline")
    shown = ggrep("settle_invoice", "--workspace", file, "--offline")
    strict = ggrep("settle_invoice", "--workspace", file, "--offline", "--federated-strict")
    ill = ggrep("workspace", "doctor", file, "--json").document
    hints = [str(each["hint"]) for each in ill["findings"] if each["needed"]]
    statuses = [ggrep(*shlex.split(hint)[1:]).status for hint in hints]
    well = ggrep("workspace", "doctor", file)

    fits(result.document, "federated_success")
    assert rows(result.document) == {
        "a": "ok",
        "not yet": "missing_index",
        "gone one": "missing_root",
    }
    assert result.document["results"]
    assert "ggrep workspace remove 'the ws.jsonc' 'gone one'" in shown.err
    assert strict.status == 1
    assert "the directory does not exist" in strict.err
    assert len(hints) == 2
    assert statuses == [0, 0]
    assert well.status == 0
    assert well.out.endswith("no problems\n")
    assert "// gone one" not in file.read_text()
    assert "// not yet" in file.read_text()


@pytest.mark.deep
def test_twelve_repositories_of_which_six_are_ill() -> None:
    """Answers come; six things are to be done; done literally, nothing is left."""
    with household(GGREP_ENCODER="hashed") as house:
        file = _twelve(house)
        search = ("search", "settle_invoice", "--workspace", file, "--json")
        doctor = ("workspace", "doctor", file)
        with _stopped_daemon(house, house.base / STOPPED):
            result = house.run(*search, cwd=house.base)
            ill = house.run(*doctor, "--json", cwd=house.base)
            hints = [each["hint"] for each in ill.document["findings"] if each["needed"]]
            done = [_shell(house, hint) for hint in hints]
            well = house.run(*doctor, cwd=house.base)
            again = house.run(*search, cwd=house.base)

    assert (result.status, ill.status) == (0, 1), result.err
    assert result.document["results"]
    assert rows(result.document) | {STOPPED: ""} == {
        **dict.fromkeys(HEALTHY, "ok"),
        **dict.fromkeys(COLD, "missing_index"),
        **dict.fromkeys(LOST, "missing_root"),
        STOPPED: "",
    }
    assert len(hints) == 6, hints
    assert [each.status for each in done] == [0] * 6, [each.err for each in done]
    assert well.status == 0
    assert well.out.endswith("no problems\n")
    assert rows(again.document) == dict.fromkeys((*HEALTHY, *COLD, STOPPED), "ok")


@contextmanager
def _stopped_daemon(house: Household, root: Path) -> Iterator[None]:
    """Serve a repository by a process that hangs."""
    assert house.run("serve", "--background", "--path", root, cwd=root).status == 0
    (record,) = house.records()
    os.kill(record.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(record.pid, signal.SIGCONT)


def _twelve(house: Household) -> Path:
    names = (*LOST, *HEALTHY, *COLD, STOPPED)
    for name in names:
        house.repo(name, TREE)
    house.index(*(house.base / name for name in (*HEALTHY, STOPPED)))
    for name in LOST:
        shutil.rmtree(house.base / name)
    return workspace_of(names, house.base)


def _shell(house: Household, line: str) -> Outcome:
    """Run a line as somebody pastes it who has `ggrep` on the path."""
    path = f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}"
    variables = house.environ(PATH=path)
    done = subprocess.run(
        ["/bin/sh", "-c", line], check=False, capture_output=True, text=True, env=variables, cwd="/"
    )
    return Outcome(done.returncode, done.stdout, done.stderr)
