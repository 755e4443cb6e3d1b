"""`ggrep install` and `ggrep uninstall` as they are typed."""

from pathlib import Path

import pytest

from tests.journeys.command import Command, CommandOver, fits


@pytest.fixture
def ggrep(home: Path, command_over: CommandOver) -> Command:
    return command_over(home)


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a user's home with Codex and Cursor in it."""
    path = tmp_path.resolve() / "user"
    for folder in (".codex", ".cursor", "repo/.git"):
        (path / folder).mkdir(parents=True)
    monkeypatch.setenv("HOME", str(path))
    monkeypatch.setenv("PATH", str(path / "bin"))
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(path / "repo")
    return path


def test_without_names_those_that_are_there_are_configured(ggrep: Command, user: Path) -> None:
    done = ggrep("install")

    assert done.status == 0
    assert done.out == (
        "codex: written into ~/.codex/config.toml\ncodex: written into ~/.codex/AGENTS.md\n"
        "cursor: written into ~/.cursor/mcp.json\n"
    )
    assert ggrep("uninstall").out.count(": deleted ~/") == 3
    assert [path for path in user.rglob("*") if path.is_file()] == []
    assert ggrep("uninstall").err == "nothing to do\n"


def test_a_dry_run_is_a_diff_and_a_snippet_can_be_pasted(ggrep: Command, user: Path) -> None:
    done = ggrep("install", "cursor", "--dry-run")

    assert done.out.startswith(f"--- /dev/null\n+++ {user}/.cursor/mcp.json\n")
    assert done.err == "cursor: would write into ~/.cursor/mcp.json\n"
    assert not (user / ".cursor/mcp.json").exists()

    done = ggrep("install", "codex", "--print-config", "--command", "/opt/ggrep")

    assert '[mcp_servers.ggrep]\ncommand = "/opt/ggrep"\nargs = ["mcp"]\n' in done.out
    assert "codex: ~/.codex/config.toml" in done.err


def test_the_list_says_what_is_where(ggrep: Command, user: Path) -> None:
    ggrep("install", "codex")
    listed = ggrep("install", "--list").out

    assert "codex     Codex, there\n  installed  ~/.codex/config.toml\n" in listed
    assert "cursor    Cursor, there\n  absent     ~/.cursor/mcp.json\n" in listed
    assert "zed       Zed, not found\n" in listed


def test_a_project_is_edited_below_its_root(ggrep: Command, user: Path) -> None:
    done = ggrep("install", "claude", "--project")

    assert done.out.splitlines()[0] == "claude: written into .mcp.json"
    assert (user / "repo/.claude/skills/ggrep/SKILL.md").is_file()
    assert not (user / ".claude.json").exists()


def test_what_cannot_be_read_has_the_status_of_a_wrong_use(ggrep: Command, user: Path) -> None:
    (user / ".codex/config.toml").write_text("a = ")
    done = ggrep("install")

    assert done.status == 2
    assert done.err.startswith(
        "error: codex: refused ~/.codex/config.toml: the file is not valid TOML"
    )
    assert (user / ".cursor/mcp.json").is_file()


@pytest.mark.parametrize(
    "words",
    [
        ["install", "codex"],
        ["install", "--dry-run"],
        ["install", "--list"],
        ["install", "zed", "--print-config"],
        ["install", "--project"],
        ["uninstall", "codex"],
    ],
)
def test_documents_fit_their_schema(ggrep: Command, user: Path, words: list[str]) -> None:
    done = ggrep(*words, "--json")

    assert done.status == 0
    fits(done.document, "agents")


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (["install", "cluade"], "did you mean claude?"),
        (["uninstall", "emacs"], "known clients: claude, codex"),
        (["install", "--user", "--project"], "one of --user and --project"),
        (["install", "--path", "."], "--path: only with --project"),
        (["install", "--list", "--dry-run"], "cannot go together"),
    ],
)
def test_wrong_uses_are_told(ggrep: Command, user: Path, words: list[str], output: str) -> None:
    done = ggrep(*words)

    assert done.status == 2
    assert output in done.err
    assert [path for path in user.rglob("*") if path.is_file()] == []


def test_a_file_that_we_never_wrote_into_keeps_nobody_from_going(
    ggrep: Command, user: Path
) -> None:
    broken = user / ".cursor/mcp.json"
    broken.write_text("{broken")
    assert ggrep("install").status == 2
    done = ggrep("uninstall")

    assert (done.status, done.err) == (0, "")
    assert ggrep("uninstall", "cursor").status == 2
    assert broken.read_text() == "{broken"
