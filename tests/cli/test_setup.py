"""`ggrep setup` makes ggrep ready; `ggrep self uninstall` takes it off again."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ggrep.base.errors import Busy
from ggrep.config.home import Home
from ggrep.index.maintenance.home_removal import home_bytes, remove_home
from ggrep.interfaces.cli.machine import self_uninstall
from ggrep.service.installation import Installation, installation, installation_in
from tests.fakes.repos import write_tree
from tests.journeys.command import SOURCE, WORDS, Command, fits
from tests.journeys.conftest import ggrep  # noqa: F401 - a fixture

PACKAGE = Installation("pip", ("/bin/true",))


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
    monkeypatch.setattr(self_uninstall, "installation", lambda: PACKAGE)
    monkeypatch.setattr(self_uninstall, "is_installed", lambda: False)
    monkeypatch.chdir(path / "repo")
    return path


def files(top: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(top)): path.read_bytes()
        for path in sorted(top.rglob("*"))
        if path.is_file() and ".ggrep" not in path.parts
    }


def test_all_that_was_set_up_goes_again(
    ggrep: Command,  # noqa: F811
    user: Path,
    home: Path,
) -> None:
    """Files get their former bytes, and the home is there no more."""
    before = files(user)
    done = ggrep("setup", "--json", "--yes")
    fits(done.document, "machine")
    again = ggrep("setup", "--json", "--yes").document
    gone = ggrep("self", "uninstall", "--home", "--yes", "--json")
    fits(gone.document, "machine")

    assert (done.status, gone.status) == (0, 0)
    assert [each["outcome"] for each in done.document["steps"]] == ["done"] * 3
    assert [each["outcome"] for each in again["steps"]] == ["nothing"] * 3
    assert {each["client"] for each in gone.document["files"]} == {"codex", "zsh"}
    assert gone.document["home"]["deleted"]
    assert gone.document["package"]["removed"]
    assert not home.exists()
    assert files(user) == before


def test_a_dry_run_changes_nothing(
    ggrep: Command,  # noqa: F811
    user: Path,
    home: Path,
) -> None:
    """And names each file."""
    before = files(user)
    planned = ggrep("setup", "--dry-run")

    assert planned.status == 0
    assert f"{user}/.codex/config.toml" in planned.out
    assert f"- index  index {user}/repo" in planned.out
    assert files(user) == before
    ggrep("setup", "--yes")
    middle = files(user)
    shown = ggrep("self", "uninstall", "--dry-run", "--home")

    assert shown.status == 0
    assert f"home      {home}" in shown.out
    assert f"codex     taken out of {user}/.codex/AGENTS.md\n" in shown.out
    assert "package   /bin/true\n" in shown.out
    assert files(user) == middle
    assert home.exists()


def test_outside_of_repositories_nothing_is_indexed(
    ggrep: Command,  # noqa: F811
    user: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody wants an index of a home directory; and some shells have no completions of ours."""
    monkeypatch.chdir(user)
    monkeypatch.setenv("SHELL", "/bin/ksh")
    shutil.rmtree(user / ".codex")
    done = ggrep("setup", "--json", "--yes").document

    assert [each["outcome"] for each in done["steps"]] == ["nothing"] * 3
    assert not (home / "data").exists()


def test_a_refused_file_is_told_and_stops_nothing_else(
    ggrep: Command,  # noqa: F811
    user: Path,
) -> None:
    (user / ".codex/config.toml").write_text("a = ")
    done = ggrep("setup", "--json", "--yes")

    assert done.status == 1
    assert [each["outcome"] for each in done.document["steps"]] == ["done", "failed", "done"]


def test_indexes_stay_unless_they_are_to_go(
    ggrep: Command,  # noqa: F811
    user: Path,
    home: Path,
) -> None:
    """They are told with their size and what deletes them."""
    ggrep("setup", "--yes")
    done = ggrep("self", "uninstall", "--yes")

    assert done.status == 0
    assert done.err.startswith(f"ggrep is gone\n{home} stays: its indexes, ")
    assert list((home / "data").iterdir())
    assert not (home / "agents.json").exists()


def test_projects_keep_what_others_share(
    ggrep: Command,  # noqa: F811
    user: Path,
) -> None:
    """What takes it out is told."""
    ggrep("install", "codex", "--project")
    done = ggrep("self", "uninstall", "--dry-run")

    assert f"ggrep uninstall --project --path {user}/repo" in done.out


def test_what_was_changed_since_is_left_and_told(
    ggrep: Command,  # noqa: F811
    user: Path,
    home: Path,
) -> None:
    """It may be the user's own by now; all else goes."""
    ggrep("setup", "--yes")
    config = user / ".codex/config.toml"
    config.write_text(config.read_text().replace('"mcp"', '"mcp", "--other"'))
    planned = ggrep("self", "uninstall", "--dry-run")
    done = ggrep("self", "uninstall", "--home", "--yes")

    said = f"{config}: ggrep's entry was edited; it was not changed; edit the file by hand"
    assert f"codex     {said}\n" in planned.out
    assert done.status == 1
    assert done.err == f"error: {said}\nggrep is gone\n"
    assert not home.exists()
    assert "--other" in config.read_text()


@pytest.mark.parametrize("words", [["setup"], ["self", "uninstall"], ["setup", "--json"]])
def test_where_nobody_can_be_asked_nothing_is_done(
    ggrep: Command,  # noqa: F811
    user: Path,
    home: Path,
    words: list[str],
) -> None:
    """A script that means it says so."""
    before = files(user)
    done = ggrep(*words)

    assert done.status == 2
    assert f"to continue: ggrep {' '.join(words[:2]).removesuffix(' --json')} --yes" in done.err
    assert files(user) == before
    assert not home.exists()


def test_a_program_that_is_still_there_is_told(
    ggrep: Command,  # noqa: F811
    user: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever what removes it says."""
    monkeypatch.setattr(self_uninstall, "is_installed", lambda: True)
    done = ggrep("self", "uninstall", "--yes")

    assert done.status == 1
    assert done.err.startswith("error: pip left it there\nthe program is still there\n")


def test_what_removes_it_loads_nothing_from_where_one_stands(
    ggrep: Command,  # noqa: F811
    user: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A repository may hold a `pip` of its own."""
    write_tree(user / "repo", {"pip/__init__.py": "", "pip/__main__.py": "open('../own', 'w')\n"})
    command = (sys.executable, "-m", "pip", "--version")
    monkeypatch.setattr(self_uninstall, "installation", lambda: Installation("pip", command))
    ggrep("self", "uninstall", "--yes")

    assert not (user / "own").exists()


def test_what_cannot_be_run_is_told(
    ggrep: Command,  # noqa: F811
    user: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for command in (("no-such-program",), ("false",)):
        gone = Installation("pip", command)
        monkeypatch.setattr(self_uninstall, "installation", lambda gone=gone: gone)
        monkeypatch.setenv("PATH", "/usr/bin:/bin")
        done = ggrep("self", "uninstall", "--yes")

        assert done.status == 1
        assert command[0] in done.err


def test_a_word_of_many_programs_is_still_searched_for(
    ggrep: Command,  # noqa: F811
    user: Path,
) -> None:
    """`self` alone is a query; what follows it tells them apart."""
    assert "Usage: ggrep self COMMAND" in ggrep("self", "--help").out
    assert "did you mean: ggrep self uninstall" in ggrep("self", "uninstal").err
    assert "Usage" not in ggrep("self", "--offline").err


def test_a_home_keeps_what_others_put_there(home: Path) -> None:
    """Whoever names a directory of their own as the home loses nothing of theirs."""
    write_tree(home, {"mine.txt": "x", "logs/a.jsonl": "{}\n", "api-token": "t", "data/x/y": "z"})
    size = home_bytes(Home(home))

    assert size == len("{}\n") + len("t") + len("z")
    assert remove_home(Home(home)) is False
    assert sorted(path.name for path in home.iterdir()) == ["data", "logs", "mine.txt"]
    assert (home / "data/x/y").read_text() == "z"

    (home / "mine.txt").unlink()
    assert remove_home(Home(home)) is True


def test_a_home_that_is_used_stays(
    ggrep: Command,  # noqa: F811
    user: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A writer is not cut off."""
    ggrep("setup", "--yes")

    def refuse(_: Home) -> bool:
        raise Busy("a writer holds this store", retry_after_ms=1)

    monkeypatch.setattr(self_uninstall, "remove_home", refuse)
    done = ggrep("self", "uninstall", "--home", "--yes")

    assert done.status == 1
    assert "a writer holds this store" in done.err


@pytest.mark.parametrize(
    ("there", "named", "has", "found"),
    [
        ("uv-receipt.toml", "uv", (False, True), ("uv tool", "uv tool uninstall ggrep")),
        ("pipx_metadata.json", "pip", (True, False), ("pipx", "pipx uninstall ggrep")),
        ("", "pip", (True, False), ("pip", "/p -m pip uninstall --yes ggrep")),
        ("", "uv", (True, True), ("uv", "/p -m pip uninstall --yes ggrep")),
        ("", "uv", (False, True), ("uv", "uv pip uninstall --python /p ggrep")),
        ("", "uv", (False, False), ("uv", "")),
        ("../CACHEDIR.TAG", "uv", (False, True), ("uvx", "")),
        ("", "conda", (True, True), ("conda", "")),
        ("", "", (True, True), ("unknown", "")),
    ],
)
def test_what_brought_the_program_removes_it(
    tmp_path: Path,
    there: str,
    named: str,
    has: tuple[bool, bool],
    found: tuple[str, str],
) -> None:
    prefix = tmp_path / "environment"
    prefix.mkdir()
    if there:
        (prefix / there).write_text("")
    has_pip, has_uv = has
    told = installation_in(
        prefix,
        "/p",
        named,
        which=lambda name: name if has_uv else None,
        has_pip=lambda: has_pip,
    )

    assert (told.installer, " ".join(told.remove)) == found


def test_this_build_knows_what_brought_it() -> None:
    assert installation().installer != "unknown"


ASKED = {
    "bash": (["-i", "-c", "complete -p ggrep"], "complete -o default -F _ggrep ggrep"),
    "zsh": (["-i", "-c", "print -- $_comps[ggrep]"], "_ggrep"),
    "fish": (["-i", "-c", "complete -C 'ggrep outl'"], "outline"),
}


@pytest.mark.slow
@pytest.mark.parametrize("shell", ASKED)
def test_a_shell_that_begins_afterwards_completes(
    ggrep: Command,  # noqa: F811
    user: Path,
    shell: str,
) -> None:
    """With nothing else typed; and says nothing where ggrep is gone."""
    path = os.environ["PATH"]
    program = shutil.which(shell, path="/usr/bin:/bin:/usr/local/bin")
    if program is None:
        pytest.skip(f"there is no {shell} here")
    assert ggrep("install", shell).status == 0
    command = user / "bin/ggrep"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ggrep "$@"\n')
    command.chmod(0o755)
    asked, said = ASKED[shell]

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

    assert run(*asked).stdout.partition("\t")[0].strip() == said
    ggrep("uninstall")
    assert run("-i", "-c", "true").returncode == 0
    assert (user / ".zshrc").read_text() == "bindkey -e\n"
