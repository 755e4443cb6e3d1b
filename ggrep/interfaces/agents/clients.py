"""The clients, and where each keeps its configuration."""

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.interfaces.agents import entries
from ggrep.interfaces.agents.entries import Make

Scope: TypeAlias = Literal["user", "project"]
Base: TypeAlias = Literal[
    "home", "config", "data", "claude", "claude-state", "codex", "zsh", "project"
]
"""What a path is relative to. `config`: `XDG_CONFIG_HOME`; `data`: `XDG_DATA_HOME`; `claude` and
`claude-state`: `CLAUDE_CONFIG_DIR`, else `~/.claude` and the home; `codex`: `CODEX_HOME`; `zsh`:
`ZDOTDIR`, else the home."""


class Target(Struct, frozen=True):
    """One file of a client.

    Attributes:
        paths: where it may lie; the first that exists is taken, else the first.
    """

    base: Base
    paths: tuple[str, ...]
    make: Make


class Client(Struct, frozen=True):
    """A program that we can be installed in.

    Attributes:
        programs: one of them on PATH shows that it is there.
        folders: one of them shows that as well.
        pasted: YAML files, which the user edits; the first line of a text is their key, the second
            begins our entry.
    """

    name: str
    title: str
    programs: tuple[str, ...]
    folders: tuple[tuple[Base, str], ...]
    user: tuple[Target, ...]
    project: tuple[Target, ...]
    pasted: tuple[Target, ...] = ()

    def targets(self, scope: Scope) -> tuple[Target, ...]:
        """Return its files at a scope."""
        return self.user if scope == "user" else self.project

    def pasted_at(self, scope: Scope) -> tuple[Target, ...]:
        """Return the files at a scope whose lines the user pastes."""
        return tuple(
            each for each in self.pasted if (each.base == "project") == (scope == "project")
        )


def _at(base: Base, make: Make, *paths: str) -> Target:
    return Target(base, paths, make)


_AGENTS: Final = _at("project", entries.section, "AGENTS.md")
_SERVERS: Final = entries.json("mcpServers")
_ROAMING: Final = entries.json("mcpServers", args=entries.ANYWHERE)
_COPILOT: Final = _at("project", entries.section, ".github/copilot-instructions.md")

CLIENTS: Final = {
    client.name: client
    for client in (
        Client(
            "claude",
            "Claude Code",
            ("claude",),
            (("claude", ""),),
            (
                _at("claude-state", entries.json("mcpServers", type="stdio"), ".claude.json"),
                _at("claude", entries.section, "CLAUDE.md"),
                _at("claude", entries.skill, "skills/ggrep/SKILL.md"),
                _at("claude", entries.agent, "agents/ggrep.md"),
            ),
            (
                _at("project", entries.json("mcpServers", type="stdio"), ".mcp.json"),
                _at("project", entries.section, "CLAUDE.md"),
                _at("project", entries.skill, ".claude/skills/ggrep/SKILL.md"),
                _at("project", entries.agent, ".claude/agents/ggrep.md"),
            ),
        ),
        Client(
            "codex",
            "Codex",
            ("codex",),
            (("codex", ""),),
            (
                _at("codex", entries.codex, "config.toml"),
                _at("codex", entries.section, "AGENTS.md"),
            ),
            (_at("project", entries.codex, ".codex/config.toml"), _AGENTS),
        ),
        Client(
            "gemini",
            "Gemini CLI",
            ("gemini",),
            (("home", ".gemini"),),
            (
                _at("home", _SERVERS, ".gemini/settings.json"),
                _at("home", entries.section, ".gemini/GEMINI.md"),
            ),
            (
                _at("project", _SERVERS, ".gemini/settings.json"),
                _at("project", entries.section, "GEMINI.md"),
            ),
        ),
        Client(
            "opencode",
            "opencode",
            ("opencode",),
            (("config", "opencode"),),
            (
                _at(
                    "config", entries.opencode, "opencode/opencode.json", "opencode/opencode.jsonc"
                ),
                _at("config", entries.section, "opencode/AGENTS.md"),
            ),
            (_at("project", entries.opencode, "opencode.json", "opencode.jsonc"), _AGENTS),
        ),
        Client(
            "cursor",
            "Cursor",
            ("cursor", "cursor-agent"),
            (("home", ".cursor"), ("config", "Cursor")),
            (_at("home", entries.json("mcpServers", args=entries.FOLDER), ".cursor/mcp.json"),),
            (
                _at("project", entries.json("mcpServers", args=entries.FOLDER), ".cursor/mcp.json"),
                _AGENTS,
            ),
        ),
        Client(
            "vscode",
            "VS Code",
            ("code",),
            (("config", "Code"),),
            (
                _at(
                    "config",
                    entries.json("servers", args=entries.FOLDER, type="stdio"),
                    "Code/User/mcp.json",
                ),
                _at(
                    "config", entries.rule(applyTo="**"), "Code/User/prompts/ggrep.instructions.md"
                ),
            ),
            (
                _at(
                    "project",
                    entries.json("servers", args=entries.FOLDER, type="stdio"),
                    ".vscode/mcp.json",
                ),
                _COPILOT,
            ),
        ),
        Client(
            "copilot",
            "Copilot CLI",
            ("copilot",),
            (("home", ".copilot"),),
            (
                _at(
                    "home",
                    entries.json("mcpServers", type="local", tools=["*"]),
                    ".copilot/mcp-config.json",
                ),
                _at("home", entries.section, ".copilot/copilot-instructions.md"),
            ),
            (
                _at(
                    "project",
                    entries.json("mcpServers", type="local", tools=["*"]),
                    ".github/mcp.json",
                ),
                _COPILOT,
            ),
        ),
        Client(
            "zed",
            "Zed",
            ("zed", "zeditor"),
            (("config", "zed"),),
            (_at("config", entries.json("context_servers", env={}), "zed/settings.json"),),
            (
                _at("project", entries.json("context_servers", env={}), ".zed/settings.json"),
                _AGENTS,
            ),
        ),
        Client(
            "windsurf",
            "Windsurf",
            ("windsurf",),
            (("home", ".codeium/windsurf"),),
            (
                _at("home", _ROAMING, ".codeium/windsurf/mcp_config.json"),
                _at("home", entries.section, ".codeium/windsurf/memories/global_rules.md"),
            ),
            (_AGENTS,),
        ),
        Client(
            "cline",
            "Cline",
            ("cline",),
            (("home", ".cline"), ("config", "Code/User/globalStorage/saoudrizwan.claude-dev")),
            (
                _at("home", _ROAMING, ".cline/data/settings/cline_mcp_settings.json"),
                _at("home", entries.rule(), ".cline/rules/ggrep.md"),
            ),
            (_AGENTS,),
        ),
        Client(
            "kiro",
            "Kiro",
            ("kiro", "kiro-cli"),
            (("home", ".kiro"),),
            (
                _at("home", _ROAMING, ".kiro/settings/mcp.json"),
                _at("home", entries.rule(inclusion="always"), ".kiro/steering/ggrep.md"),
            ),
            (_at("project", _ROAMING, ".kiro/settings/mcp.json"), _AGENTS),
        ),
        Client(
            "qwen",
            "Qwen Code",
            ("qwen",),
            (("home", ".qwen"),),
            (
                _at("home", _SERVERS, ".qwen/settings.json"),
                _at("home", entries.section, ".qwen/QWEN.md"),
            ),
            (
                _at("project", _SERVERS, ".qwen/settings.json"),
                _at("project", entries.section, "QWEN.md"),
            ),
        ),
        Client(
            "goose",
            "goose",
            ("goose",),
            (("config", "goose"),),
            (_at("config", entries.section, "goose/.goosehints"),),
            (_AGENTS,),
            (_at("config", entries.goose, "goose/config.yaml"),),
        ),
        Client(
            "aider",
            "aider",
            ("aider",),
            (("home", ".aider.conf.yml"), ("home", ".aider")),
            (_at("home", entries.section, ".aider.conventions.md"),),
            (_at("project", entries.section, "CONVENTIONS.md"),),
            (
                _at("home", entries.read_by_aider("~/.aider.conventions.md"), ".aider.conf.yml"),
                _at("project", entries.read_by_aider("CONVENTIONS.md"), ".aider.conf.yml"),
            ),
        ),
    )
}
"""By name, in the order that they are listed in."""
