"""`ggrep setup`, and the builds of torch that it tells apart."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from ggrep.service.machine import CPU, TorchBuild, installed_torch
from tests.fakes.repos import write_tree
from tests.journeys.command import SOURCE, WORDS, Command, CommandOver, fits


@pytest.fixture
def ggrep(home: Path, command_over: CommandOver) -> Command:
    return command_over(home)


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a user's home with Codex, zsh and a repository in it."""
    path = tmp_path.resolve() / "user"
    write_tree(path / "repo", {**WORDS, ".git/HEAD": "ref: refs/heads/main\n"})
    (path / ".codex").mkdir()
    (path / ".zshrc").write_text("bindkey -e\n")
    monkeypatch.setenv("HOME", str(path))
    monkeypatch.setenv("PATH", str(path / "bin"))
    monkeypatch.setenv("SHELL", "/usr/bin/zsh")
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "ZDOTDIR", "CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(path / "repo")
    return path


def files(top: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(top)): path.read_bytes()
        for path in sorted(top.rglob("*"))
        if path.is_file() and ".ggrep" not in path.parts
    }


def test_all_that_was_set_up_goes_again(ggrep: Command, user: Path) -> None:
    before = files(user)
    done = ggrep("setup", "--json", "--yes")
    fits(done.document, "machine")
    again = ggrep("setup", "--json", "--yes").document
    gone = ggrep("uninstall", "--json")

    assert (done.status, gone.status) == (0, 0)
    assert [each["outcome"] for each in done.document["steps"]] == ["done"] * 3
    assert [each["outcome"] for each in again["steps"]] == ["nothing"] * 3
    assert {each["client"] for each in gone.document["files"]} == {"codex", "zsh"}
    assert files(user) == before


def test_a_dry_run_changes_nothing(ggrep: Command, user: Path, home: Path) -> None:
    before = files(user)
    planned = ggrep("setup", "--dry-run")

    assert planned.status == 0
    assert f"{user}/.codex/config.toml" in planned.out
    assert f"- index  index {user}/repo" in planned.out
    assert files(user) == before
    assert not home.exists()


def test_outside_of_repositories_nothing_is_indexed(
    ggrep: Command, user: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(user)
    monkeypatch.setenv("SHELL", "/bin/ksh")
    shutil.rmtree(user / ".codex")
    done = ggrep("setup", "--json", "--yes").document

    assert [each["outcome"] for each in done["steps"]] == ["nothing"] * 3
    assert not (home / "data").exists()


def test_a_refused_file_is_told_and_stops_nothing_else(ggrep: Command, user: Path) -> None:
    (user / ".codex/config.toml").write_text("a = ")
    done = ggrep("setup", "--json", "--yes")

    assert done.status == 1
    assert [each["outcome"] for each in done.document["steps"]] == ["done", "failed", "done"]


@pytest.mark.parametrize("words", [["setup"], ["setup", "--json"]])
def test_where_nobody_can_be_asked_nothing_is_done(
    ggrep: Command, user: Path, home: Path, words: list[str]
) -> None:
    before = files(user)
    done = ggrep(*words)

    assert done.status == 2
    assert "to continue: ggrep setup --yes" in done.err
    assert files(user) == before
    assert not home.exists()


ASKED = {
    "bash": (["-i", "-c", "complete -p ggrep"], "complete -o default -F _ggrep ggrep"),
    "zsh": (["-i", "-c", "print -- $_comps[ggrep]"], "_ggrep"),
    "fish": (["-i", "-c", "complete -C 'ggrep outl'"], "outline"),
}


@pytest.mark.slow
@pytest.mark.parametrize("shell", ASKED)
def test_a_shell_that_begins_afterwards_completes(ggrep: Command, user: Path, shell: str) -> None:
    path = os.environ["PATH"]
    program = shutil.which(shell, path="/usr/bin:/bin:/usr/local/bin")
    if program is None:
        pytest.skip(f"there is no {shell} here")
    assert ggrep("install", shell).status == 0
    command = user / "bin/ggrep"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ggrep "$@"\n')
    command.chmod(0o755)
    asked, output = ASKED[shell]

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [program, *words],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=120,
            env={
                "HOME": str(user),
                "PATH": f"{path}:/usr/bin:/bin",
                "PYTHONPATH": str(SOURCE),
                "TERM": "dumb",
            },
        )

    assert run(*asked).stdout.partition("\t")[0].strip() == output
    ggrep("uninstall")
    assert run("-i", "-c", "true").returncode == 0
    assert (user / ".zshrc").read_text() == "bindkey -e\n"


def put(
    site: Path, name: str, version: str, files: Sequence[tuple[str, int]], asks: str = ""
) -> None:
    about = site / f"{name}-{version}.dist-info"
    about.mkdir(parents=True)
    reported = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (about / "METADATA").write_text(reported + (f"Requires-Dist: {asks}\n" if asks else ""))
    lines = [f"{file},sha256=x,{size}" for file, size in files]
    (about / "RECORD").write_text("\n".join([*lines, f"{about.name}/RECORD,,"]) + "\n")


@pytest.mark.parametrize(
    ("version", "library", "made_for"),
    [
        ("2.13.0+cpu", "torch/lib/libtorch_cpu.so", CPU),
        ("2.13.0", "torch/lib/libtorch_cpu.dylib", CPU),
        ("2.15.0", "torch/lib/libtorch_cuda.so", "CUDA"),
        ("2.15.0", "torch/lib/torch_cuda.dll", "CUDA"),
        ("2.13.0+cu130", "torch/elsewhere.so", "CUDA"),
        ("2.13.0+rocm7.1", "torch/lib/libtorch_hip.so", "ROCm"),
        ("2.13.0+xpu", "torch/elsewhere.so", "XPU"),
    ],
)
def test_a_build_is_told_by_its_files_and_else_by_its_version(
    tmp_path: Path, version: str, library: str, made_for: str
) -> None:
    put(tmp_path, "torch", version, [(library, 5), ("torch/__init__.py", 2)])

    assert installed_torch([str(tmp_path)]) == TorchBuild(version, made_for, 7)


def test_what_came_with_it_is_counted(tmp_path: Path) -> None:
    put(tmp_path, "torch", "2.15.0", [("torch/lib/libtorch_cuda.so", 5)], "nvidia-nccl-cu13")
    put(tmp_path, "nvidia_nccl_cu13", "2.29", [("nvidia/nccl/lib/libnccl.so.2", 30)])
    put(tmp_path, "triton", "3.6.0", [("triton/_C/libtriton.so", 4)])

    result = installed_torch([str(tmp_path)])

    assert result == TorchBuild("2.15.0", "CUDA", 5, ("nvidia-nccl-cu13", "triton"), 34)


def test_what_something_else_asks_for_is_no_leftover(tmp_path: Path) -> None:
    put(tmp_path, "torch", "2.13.0+cpu", [("torch/lib/libtorch_cpu.so", 5)])
    put(tmp_path, "nvidia_nccl_cu13", "2.29", [("nvidia/nccl/lib/libnccl.so.2", 30)])
    alone = installed_torch([str(tmp_path)])
    put(tmp_path, "cupy", "14.0", [("cupy/core.so", 9)], "nvidia_nccl.cu13>=2")
    shared = installed_torch([str(tmp_path)])

    assert alone == TorchBuild("2.13.0+cpu", CPU, 5, ("nvidia-nccl-cu13",), 30)
    assert shared == TorchBuild("2.13.0+cpu", CPU, 5, ("nvidia-nccl-cu13",), 30, needed=True)


def test_where_there_is_none_nothing_is_told(tmp_path: Path) -> None:
    assert installed_torch([str(tmp_path)]) is None


def test_looking_imports_no_torch() -> None:
    code = (
        "import sys; from ggrep.service.machine import installed_torch; installed_torch(); "
        "print('torch' in sys.modules)"
    )
    line = [sys.executable, "-c", code]
    done = subprocess.run(line, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
