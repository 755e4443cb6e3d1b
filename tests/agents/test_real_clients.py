"""The programs themselves, from npm, say that ggrep is configured."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.journeys.command import SOURCE

pytestmark = pytest.mark.deep

PACKAGES = (
    *("@anthropic-ai/claude-code", "@openai/codex", "@google/gemini-cli", "opencode-ai"),
    *("@qwen-code/qwen-code", "@github/copilot", "cline"),
)
LISTED = {
    "claude": ("mcp list", "ggrep: ggrep mcp - ✔ Connected"),
    "codex": ("mcp list", "ggrep  ggrep    mcp   -    -    enabled"),
    "gemini": ("mcp list", "✓ ggrep: ggrep mcp (stdio) - Connected"),
    "opencode": ("mcp list", "connected"),
    "copilot": ("mcp list", "ggrep (local)"),
    "cline": ("config mcp", "ggrep [stdio]"),
    "qwen": ("mcp list", "ggrep: ggrep mcp (stdio) - Connected"),
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the programs and ggrep; skip where npm cannot bring them."""
    npm, prefix = shutil.which("npm"), tmp_path_factory.mktemp("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    done = subprocess.run(
        [npm, "install", "--prefix", str(prefix), "--no-audit", "--no-fund", *PACKAGES],
        capture_output=True,
        timeout=900,
        check=False,
    )
    if done.returncode:
        pytest.skip("npm brought nothing")
    modules = prefix / "node_modules"
    # What npm leaves to be allowed: these fetch or link the programs proper.
    for script in ("@anthropic-ai/claude-code/install.cjs", "opencode-ai/postinstall.mjs"):
        if (modules / script).is_file():
            folder = (modules / script).parent
            subprocess.run(["node", str(modules / script)], cwd=folder, timeout=300, check=True)
    folder = modules / ".bin"
    ours = folder / "ggrep"
    ours.write_text(f'#!/bin/sh\nPYTHONPATH={SOURCE} exec {sys.executable} -m ggrep "$@"\n')
    ours.chmod(0o755)
    return folder


@pytest.fixture
def environ(programs: Path, tmp_path: Path) -> Mapping[str, str]:
    """Return an environment with a home of its own, in a trusted project."""
    (tmp_path / "user").mkdir()
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    return {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(tmp_path / "user"),
        "GGREP_HOME": str(tmp_path / "ggrep"),
        "GGREP_OFFLINE": "1",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


def said(environ: Mapping[str, str], cwd: Path, *words: str) -> str:
    done = subprocess.run(
        words, env=dict(environ), cwd=cwd, capture_output=True, timeout=180, check=False
    )
    return (done.stdout + done.stderr).decode()


def test_each_client_lists_us(environ: Mapping[str, str], tmp_path: Path) -> None:
    """And none of them does, once we are gone."""
    repo = tmp_path / "repo"

    assert "claude: written" in said(environ, repo, "ggrep", "install", *LISTED)
    for client, (words, line) in LISTED.items():
        shown = said(environ, repo, client, *words.split())
        assert "ggrep" in shown, shown
        assert line in shown, shown
    assert "claude: removed from" in said(environ, repo, "ggrep", "uninstall")
    for client, (words, line) in LISTED.items():
        shown = said(environ, repo, client, *words.split())
        assert line not in shown
        assert "ggrep mcp" not in shown


def test_servers_that_clients_add_since_stay(environ: Mapping[str, str], tmp_path: Path) -> None:
    """They write their files anew, and ours goes all the same."""
    repo, user = tmp_path / "repo", tmp_path / "user"
    (user / ".codex").mkdir()
    (user / ".codex/config.toml").write_text('model = "x" # own\n')
    said(environ, repo, "ggrep", "install", "claude", "codex", "gemini")
    said(environ, repo, "claude", "mcp", "add", "-s", "user", "other", "--", "true")
    said(environ, repo, "codex", "mcp", "add", "other", "--", "true")
    said(environ, repo, "gemini", "mcp", "add", "-s", "user", "other", "true")
    undone = said(environ, repo, "ggrep", "uninstall")

    assert "refused" not in undone
    assert "changed" not in undone
    for name in (".claude.json", ".codex/config.toml", ".gemini/settings.json"):
        text = (user / name).read_text()
        assert ("other" in text, "ggrep" in text) == (True, False), text
    assert 'model = "x" # own' in (user / ".codex/config.toml").read_text()


def test_the_plugin_is_taken(environ: Mapping[str, str], tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    market = SOURCE / "ggrep/interfaces/agents/shipped/marketplace"
    checked = said(environ, repo, "claude", "plugin", "validate", str(market / "plugins/ggrep"))

    assert "Validation passed" in checked, checked
    for client, verb in (("claude", "install"), ("codex", "add")):
        said(environ, repo, client, "plugin", "marketplace", "add", str(market))
        said(environ, repo, client, "plugin", verb, "ggrep@ggrep")
        assert "ggrep@ggrep" in said(environ, repo, client, "plugin", "list")
        assert "ggrep" in said(environ, repo, client, "mcp", "list")
