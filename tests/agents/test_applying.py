"""Files on disk: written in one step, remembered, and given back."""

import stat
from pathlib import Path

import pytest
import yaml

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.config.home import Home
from ggrep.interfaces.agents import writing
from ggrep.interfaces.agents.clients import CLIENTS
from ggrep.interfaces.agents.config_files import ConfigFiles, command_of, is_there, those_there
from ggrep.interfaces.agents.installation import Agents
from ggrep.interfaces.agents.writing import Done

ALL = list(CLIENTS.values())
CLAUDE, CODEX, OPENCODE, CURSOR = (
    CLIENTS[name] for name in ("claude", "codex", "opencode", "cursor")
)


@pytest.fixture
def user(tmp_path: Path) -> Path:
    path = tmp_path / "user"
    path.mkdir()
    return path


def agents(user: Path, project: Path | None = None, *, dry: bool = False, **environ: str) -> Agents:
    return Agents(Home(user / ".ggrep"), ConfigFiles(user, project, environ), "ggrep", dry=dry)


def outcomes(done: list[Done]) -> list[str]:
    return [each.outcome for each in done]


def tree(top: Path) -> dict[str, bytes | None]:
    """Return all files and directories of a user but ggrep's own."""
    return {
        str(path.relative_to(top)): path.read_bytes() if path.is_file() else None
        for path in sorted(top.rglob("*"))
        if ".ggrep" not in path.parts
    }


@pytest.mark.parametrize("is_project", [False, True])
def test_all_clients_come_and_go(user: Path, is_project: bool) -> None:
    """Nothing is left: no file, no directory, and no memory of them."""
    project = user / "repo" if is_project else None
    (user / "repo").mkdir()
    before = tree(user)
    ours = agents(user, project)

    assert set(outcomes(ours.install(ALL))) <= {"written", "unchanged", "manual"}
    assert set(outcomes(ours.install(ALL))) == {"unchanged", "manual"}
    assert tree(user) != before
    assert set(outcomes(ours.uninstall(ALL))) == {"removed", "kept"} - (
        set() if is_project else {"kept"}
    )
    assert tree(user) == before
    assert not ours.home.agents.exists()


def test_a_file_that_several_clients_read_goes_with_the_last(user: Path) -> None:
    """Codex and opencode read the same `AGENTS.md`."""
    project = user / "repo"
    project.mkdir()
    ours = agents(user, project)
    ours.install([CODEX, OPENCODE])

    assert outcomes(ours.uninstall([CODEX])) == ["removed", "kept"]
    assert (project / "AGENTS.md").is_file()
    assert outcomes(ours.uninstall([OPENCODE])) == ["removed", "removed"]
    assert tree(project) == {}


def test_a_dry_run_writes_nothing_and_shows_all(user: Path) -> None:
    """The diff of a file that two clients read is shown once."""
    project = user / "repo"
    project.mkdir()
    dry = agents(user, project, dry=True)
    before = tree(user)
    done = dry.install([CODEX, OPENCODE])

    assert outcomes(done) == ["written", "written", "written", "unchanged"]
    assert tree(user) == before
    assert not dry.home.base.exists()
    assert done[0].diff.startswith(f"--- /dev/null\n+++ {project}/.codex/config.toml\n@@")
    agents(user, project).install([CODEX, OPENCODE])
    assert outcomes(dry.uninstall([CODEX, OPENCODE])) == ["removed", "kept", "removed", "removed"]
    assert (project / "AGENTS.md").is_file()


LINES = {"goose": ".config/goose/config.yaml", "aider": ".aider.conf.yml"}


@pytest.mark.parametrize(("name", "path"), LINES.items())
def test_lines_of_a_yaml_file_are_told_until_the_user_pasted_them(
    user: Path, name: str, path: str
) -> None:
    """And again when they are to go; the file itself is never touched."""
    ours, client, file = agents(user), CLIENTS[name], user / path
    done = ours.install([client])
    missing = ours.uninstall([client])

    assert outcomes(done) == ["manual", "written"]
    assert done[0].path == file
    assert not file.exists()
    assert outcomes(missing) == ["removed"]
    lines = done[0].message.removeprefix("add these lines\n")
    assert list(yaml.safe_load(lines)) == [{"goose": "extensions", "aider": "read"}[name]]
    file.parent.mkdir(exist_ok=True, parents=True)
    file.write_text(lines)
    assert outcomes(ours.install([client])) == ["written"]
    gone = ours.uninstall([client])
    assert gone[0].message == f"remove these lines\n{lines}"
    assert file.read_text() == lines


def test_the_mode_of_a_file_is_kept(user: Path) -> None:
    """Some keep keys in it; a new one is the user's alone."""
    file = user / ".claude.json"
    file.write_text("{}")
    file.chmod(0o640)
    agents(user).install([CLAUDE])

    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert stat.S_IMODE((user / ".claude/CLAUDE.md").stat().st_mode) == 0o600


def test_one_refused_file_stops_no_other(user: Path) -> None:
    (user / ".claude.json").write_text("{")
    done = agents(user).install([CLAUDE, CODEX])

    assert outcomes(done) == ["refused", *["written"] * 5]
    assert "not valid JSON" in done[0].message
    assert (user / ".claude.json").read_text() == "{"


def test_a_link_into_the_home_is_followed(user: Path) -> None:
    """Configuration often lies in a repository of its own."""
    (user / "dotfiles").mkdir()
    real = user / "dotfiles" / "claude.json"
    real.write_text("{}")
    (user / ".claude.json").symlink_to(real)
    agents(user).install([CLAUDE])

    assert (user / ".claude.json").is_symlink()
    assert b"ggrep" in real.read_bytes()
    agents(user).uninstall([CLAUDE])
    assert real.read_text() == "{}"


@pytest.mark.parametrize("kind", ["out", "nowhere", "circle", "folder", "parent"])
def test_a_link_that_leads_elsewhere_is_refused(user: Path, tmp_path: Path, kind: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mcp.json").write_text("{}")
    folder = user / ".cursor"
    if kind == "parent":
        folder.symlink_to(outside)
    else:
        folder.mkdir()
        ends = {
            "out": outside / "mcp.json",
            "nowhere": user / "gone.json",
            "circle": folder / "mcp.json",
            "folder": user,
        }
        (folder / "mcp.json").symlink_to(ends[kind])
    (done,) = agents(user).install([CURSOR])

    assert done.outcome == "refused"
    assert done.message.startswith(("the file", "the path"))
    assert (outside / "mcp.json").read_text() == "{}"
    assert sorted(path.name for path in outside.iterdir()) == ["mcp.json"]


def test_a_file_that_changes_while_it_is_written_is_read_again(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clients write their files whenever they like."""
    file = user / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text("{}")
    plain = writing.write_record

    def meddling(*arguments: object) -> None:
        plain(*arguments)  # type: ignore[arg-type]
        if file.read_text() == "{}":
            file.write_text('{"theirs": 1}')

    monkeypatch.setattr(writing, "write_record", meddling)

    assert outcomes(agents(user).install([CURSOR])) == ["written"]
    assert set(stable_json.loads(file.read_bytes())) == {"theirs", "mcpServers"}
    monkeypatch.undo()
    agents(user).uninstall([CURSOR])
    assert file.read_text() == '{"theirs": 1}'


def test_what_the_user_changed_is_left_and_remembered(user: Path) -> None:
    """Once it is as it was, it goes."""
    ours, file = agents(user), user / ".cursor" / "mcp.json"
    ours.install([CURSOR])
    text = file.read_text()
    file.write_text(text.replace('"--path"', '"--root"'))
    (done,) = ours.uninstall([CURSOR])

    assert (done.outcome, "changed" in done.message) == ("changed", True)
    file.write_text(text)
    assert outcomes(ours.uninstall([CURSOR])) == ["removed"]
    assert tree(user) == {}


def test_another_build_of_ours_refreshes(user: Path) -> None:
    file = user / ".claude.json"
    file.write_text('{"a": 1}')
    old = Agents(Home(user / ".ggrep"), ConfigFiles(user, None, {}), "/old/bin/ggrep")
    old.install([CLAUDE])

    assert outcomes(agents(user).install([CLAUDE])) == ["differs", *["unchanged"] * 3]
    assert outcomes(agents(user).install([CLAUDE], refresh=True))[0] == "written"
    assert b'"ggrep"' in file.read_bytes()
    assert b"/old/bin" not in file.read_bytes()
    agents(user).uninstall([CLAUDE])
    assert file.read_text() == '{"a": 1}'


def test_a_crash_before_the_file_is_written_does_no_harm(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = user / ".claude.json"
    file.write_text("{}")
    replace_file = writing.replace_file

    def crash(path: Path, data: bytes, **mode: int) -> None:
        replace_file(path, data, **mode) if path.name == "agents.json" else 1 / 0

    with monkeypatch.context() as patched:
        patched.setattr(writing, "replace_file", crash)
        with pytest.raises(ZeroDivisionError):
            agents(user).install([CLAUDE])

    assert agents(user).home.agents.is_file()
    assert set(outcomes(agents(user).uninstall([CLAUDE]))) == {"absent"}
    assert file.read_text() == "{}"
    assert not agents(user).home.agents.exists()


def test_a_record_that_cannot_be_read_stops_all(user: Path) -> None:
    home = Home(user / ".ggrep")
    home.base.mkdir()
    home.agents.write_text("{}")

    with pytest.raises(InvalidRequest, match="does not have the format"):
        agents(user).install([CLAUDE])
    assert not (user / ".claude.json").exists()


def test_variables_move_files(user: Path) -> None:
    moved = agents(user, CODEX_HOME=str(user / "c"), XDG_CONFIG_HOME=str(user / "x"))
    moved.install([CODEX, OPENCODE])

    assert {path for path in tree(user) if "." in path.rpartition("/")[2]} == {
        "c/AGENTS.md",
        "c/config.toml",
        "x/opencode/AGENTS.md",
        "x/opencode/opencode.json",
    }


def test_the_file_that_is_there_is_taken(user: Path) -> None:
    """Opencode reads either; two would be one too many."""
    folder = user / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.jsonc").write_text("{\n  // own\n}\n")
    agents(user).install([OPENCODE])

    assert not (folder / "opencode.json").exists()
    assert "ggrep" in (folder / "opencode.jsonc").read_text()


def test_clients_are_found_by_program_or_folder(user: Path) -> None:
    programs = user / "bin"
    programs.mkdir()
    (programs / "codex").write_text("#!/bin/sh\n")
    (programs / "codex").chmod(0o755)
    (user / ".cursor").mkdir()
    places = ConfigFiles(user, None, {"PATH": str(programs)})

    assert [client.name for client in those_there(places)] == ["codex", "cursor"]
    assert not is_there(CLAUDE, places)
    assert command_of({"PATH": str(programs)}).endswith("ggrep")


def test_the_path_of_an_active_environment_is_that_of_one_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client is started from another, so its entry names the script; a link on PATH will do."""
    environment, elsewhere = tmp_path / "environment" / "bin", tmp_path / "bin"
    for folder in (environment, elsewhere):
        folder.mkdir(parents=True)
        (folder / "ggrep").write_text("#!/bin/sh\n")
        (folder / "ggrep").chmod(0o755)
    monkeypatch.setattr("sys.executable", str(environment / "python"))
    monkeypatch.setattr("sys.prefix", str(environment.parent))

    assert command_of({"PATH": str(environment)}) == str(environment / "ggrep")
    assert command_of({"PATH": ""}) == str(environment / "ggrep")
    assert command_of({"PATH": f"{elsewhere}:{environment}"}) == "ggrep"
