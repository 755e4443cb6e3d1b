"""`ggrep doctor` says what ggrep stands on, and what mends it."""

import resource
from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest, StoreError
from ggrep.config.home import Home
from ggrep.interfaces.agents.installation import FileState
from ggrep.interfaces.cli.app import run
from ggrep.interfaces.cli.machine.doctor import machine_text, of_agents, of_daemons, of_index
from ggrep.model.daemons import Daemon, DaemonState
from ggrep.model.status import SnapshotStatus, Status, SyncStatus, WarningJson
from ggrep.render.style import Style
from ggrep.service import machine
from ggrep.service.machine import (
    CPU,
    Check,
    State,
    TorchBuild,
    descriptors,
    examine_machine,
    room,
    torch_build,
    watches,
)
from tests.fakes.repos import write_tree
from tests.journeys.command import fits


def examined(home: Path, root: Path, **environ: str) -> dict[str, Check]:
    return {each.name: each for each in examine_machine(Home(home), root, environ)}


def test_on_a_sound_machine_nothing_has_to_be_done(root: Path, home: Path) -> None:
    result = examined(home, root)

    assert {"build", "settings", "encoder", "home", "room", "parsers", "files"} <= set(result)
    result.pop("torch", None)  # a developer's may be any build
    assert {name: each for name, each in result.items() if each.state != "ok"} == {}


def test_a_home_that_is_not_there_yet_is_none_to_make(root: Path, tmp_path: Path) -> None:
    place = tmp_path / "new" / "home"

    assert "not created yet" in examined(place, root)["home"].message
    assert not place.parent.exists()


def test_where_nothing_can_be_indexed_the_machine_is_looked_at(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GGREP_HOME", str(home))
    monkeypatch.chdir("/")

    assert run(["doctor", "--json"]) == 0
    checks = stable_json.loads(capsys.readouterr().out)["checks"]
    assert "index" not in {check["name"] for check in checks}


def test_settings_that_cannot_be_read_are_told(root: Path, home: Path) -> None:
    write_tree(root, {".ggrep.toml": "top = 'many'\n"})
    result = examined(home, root, GGREP_TPO="3")

    assert result["settings"].state == "problem"
    assert "encoder" not in result


def test_a_variable_of_another_program_is_told(root: Path, home: Path) -> None:
    every = list(examine_machine(Home(home), root, {"GGREP_TPO": "3"}))
    (reports,) = [each for each in every if each.state == "warning"]

    assert (reports.name, reports.mend) == ("settings", "unset GGREP_TPO")


def test_an_encoder_that_does_not_load_is_told(root: Path, home: Path) -> None:
    result = examined(home, root, GGREP_ENCODER="transformer:/nowhere")

    assert result["encoder"].state == "problem"
    assert "static" in result["encoder"].mend


@pytest.mark.parametrize("error", [InvalidRequest("it is a network file system"), StoreError("x")])
def test_a_home_that_can_hold_no_index_is_told(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refuse(_: Path) -> str:
        raise error

    monkeypatch.setattr("ggrep.index.store.filesystem.probe", refuse)
    result = examined(home, root)["home"]

    assert (result.state, result.message) == ("problem", str(error))
    assert "GGREP_HOME" in result.mend


def test_parsers_that_are_not_as_installed_are_told(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "damaged_grammar_files", lambda *, deep: ["python.so"])
    result = examined(home, root)["parsers"]

    assert result.state == "problem"
    assert "python.so" in result.message
    assert result.mend.startswith("pip install")


@pytest.mark.parametrize(
    ("check", "state"),
    [
        (room(5_000_000_000), "ok"),
        (room(500_000_000), "warning"),
        (room(5_000_000), "problem"),
        (watches(192_536), "ok"),
        (watches(8_192), "warning"),
        (descriptors(resource.RLIM_INFINITY), "ok"),
        (descriptors(256), "warning"),
    ],
)
def test_what_there_is_little_of_is_told_with_what_gives_more(check: Check, state: str) -> None:
    assert check.state == state
    assert bool(check.mend) is (state != "ok")


@pytest.mark.parametrize(
    ("result", "message", "mend"),
    [
        (
            TorchBuild("2.13.0+cpu", CPU, 700_000_000),
            "torch 2.13.0+cpu, a build for the CPU, 0.7 GB",
            "",
        ),
        (
            TorchBuild("2.13.0", "CUDA", 1_800_000_000, ("nvidia-nccl",), 3_100_000_000),
            "torch 2.13.0, a build for CUDA, 1.8 GB and 3.1 GB of libraries for it; "
            "encoders only use the CPU",
            "pip install --force-reinstall --no-deps torch==2.13.0 "
            "--index-url https://download.pytorch.org/whl/cpu",
        ),
        (
            TorchBuild("2.13.0+cpu", CPU, 700_000_000, ("nvidia-nccl", "triton"), 3_100_000_000),
            "torch 2.13.0+cpu, a build for the CPU, 0.7 GB; "
            "3.1 GB of libraries of another build are unused",
            "pip uninstall nvidia-nccl triton",
        ),
        (
            TorchBuild(
                "2.13.0+cpu", CPU, 700_000_000, ("nvidia-nccl",), 3_100_000_000, needed=True
            ),
            "torch 2.13.0+cpu, a build for the CPU, 0.7 GB",
            "",
        ),
    ],
)
def test_a_torch_that_takes_room_for_nothing_is_told(
    result: TorchBuild, message: str, mend: str
) -> None:
    state = "warning" if mend else "ok"

    assert torch_build(result) == Check("torch", state, message, mend)


def test_torch_is_told_where_it_is_installed(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "installed_torch", lambda: None)
    assert "torch" not in examined(home, root)
    monkeypatch.setattr(machine, "installed_torch", lambda: TorchBuild("2.13.0+cpu", CPU, 7))
    assert examined(home, root)["torch"].state == "ok"


def test_daemons_that_do_not_answer_or_are_of_another_build_are_told() -> None:
    rows = [
        Daemon("/a", "a-1", DaemonState.READY),
        Daemon("/b", "b-1", DaemonState.SILENT, pid=7),
        Daemon("/c", "c-1", DaemonState.OTHER),
        Daemon("/d", "d-1", DaemonState.READY, problem="cannot be watched: no room"),
    ]
    silent, other, unwatched, last = of_daemons(rows)

    assert (silent.state, silent.mend) == ("problem", "ggrep stop --path /b")
    assert (other.state, other.mend) == ("warning", "ggrep stop-all")
    assert unwatched.message == "/d: cannot be watched: no room"
    assert last == Check("daemons", "ok", "4 daemons of this home")


@pytest.mark.parametrize(
    ("snapshot", "result", "state"),
    [
        (SnapshotStatus(), None, "ok"),
        (SnapshotStatus(active_snapshot_id="s", files=2), "ok", "ok"),
        (SnapshotStatus(active_snapshot_id="s", files=2, degraded=True), "degraded", "warning"),
    ],
)
def test_an_index_is_told_as_it_is(
    snapshot: SnapshotStatus, result: str | None, state: str
) -> None:
    results = of_index(
        Status(
            store_id="s",
            canonical_root="/r",
            snapshot=snapshot,
            sync=SyncStatus(last_result=result),
        )
    )

    assert results.state == state
    assert results.mend == ("" if state == "ok" else "ggrep health")


@pytest.mark.parametrize(
    ("code", "state", "mend"),
    [
        ("sync_failed", "warning", ""),
        ("index_damaged", "problem", "ggrep repair --path /r"),
        ("index_unreadable", "problem", "ggrep index --path /r --reset"),
    ],
)
def test_a_warning_about_the_index_has_the_same_text_in_doctor(
    code: str, state: str, mend: str
) -> None:
    text = "the disk is full; run: ggrep repair"
    status = Status(store_id="s", canonical_root="/r", warnings=(WarningJson(code, text),))

    assert of_index(status) == Check("index", state, text, mend)


@pytest.mark.parametrize(("state", "status"), [("warning", 0), ("problem", 1)])
def test_only_a_problem_sets_the_exit_status(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    state: State,
    status: int,
) -> None:
    monkeypatch.setenv("GGREP_HOME", str(home))
    monkeypatch.chdir("/")
    monkeypatch.setattr(
        "ggrep.interfaces.cli.machine.doctor.of_daemons",
        lambda _: [Check("daemons", state, "a daemon", "ggrep stop-all")],
    )

    assert run(["doctor"]) == status
    assert f"{'!' if status else '-'} daemons" in capsys.readouterr().out


def test_agents_are_told_as_they_stand() -> None:
    file = Path("/f")
    old, asking, others = of_agents(
        {
            "A": [FileState(file, "installed"), FileState(file, "absent")],
            "B": [FileState(file, "differs")],
            "C": [FileState(file, "absent"), FileState(file, "refused", "broken")],
        }
    )

    assert (old.state, old.mend) == ("warning", "ggrep install --refresh")
    assert asking == Check("agents", "ok", "configured to use ggrep: A")
    assert others.state == "ok"
    assert others.message.endswith(": C")
    assert list(of_agents({})) == []


def test_people_read_a_line_for_each_and_what_mends_it_below() -> None:
    text = machine_text(
        [Check("room", "ok", "9.0 GB free"), Check("home", "problem", "\x07no", "move it")],
        Style(colour=False),
    )

    assert text == "+ room     9.0 GB free\n! home     no\n    move it\n1 thing to check\n"


def test_programs_read_a_document(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GGREP_HOME", str(home))
    monkeypatch.chdir(root)
    assert run(["doctor", "--json"]) == 0
    sound = stable_json.loads(capsys.readouterr().out)
    monkeypatch.setenv("GGREP_ENCODER", "nonsense")
    assert run(["doctor", "--json"]) == 1
    broken = stable_json.loads(capsys.readouterr().out)

    for document in (sound, broken):
        fits(document, "machine")
    assert (sound["ok"], broken["ok"]) == (True, False)
    assert not home.exists()
