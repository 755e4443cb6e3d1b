"""The clients: where each keeps its configuration, and what our entry looks like there."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ggrep.base.stable_json import Json, dumps
from ggrep.interfaces.agents import texts
from ggrep.interfaces.agents.pieces import (
    NAME,
    JsonEntry,
    Piece,
    Section,
    TomlTable,
    WholeFile,
    YamlPart,
)

Scope: TypeAlias = Literal["user", "project"]
Base: TypeAlias = Literal["home", "config", "claude", "claude-state", "codex", "project"]
"""What a path is relative to. `config`: `XDG_CONFIG_HOME`; `claude` and `claude-state`:
`CLAUDE_CONFIG_DIR`, else `~/.claude` and the home; `codex`: `CODEX_HOME`."""

Make: TypeAlias = Callable[[str], Piece]
"""Returns a piece for the command that starts ggrep."""


@dataclass(frozen=True, slots=True)
class Target:
    """One file of a client.

    Attributes:
        paths: where it may lie; the first that exists is taken, else the first.
    """

    base: Base
    paths: tuple[str, ...]
    make: Make


@dataclass(frozen=True, slots=True)
class Client:
    """A program that we can be installed in.

    Attributes:
        programs: one of them on PATH shows that it is there.
        folders: one of them shows that as well.
    """

    name: str
    title: str
    programs: tuple[str, ...]
    folders: tuple[tuple[Base, str], ...]
    user: tuple[Target, ...]
    project: tuple[Target, ...]

    def targets(self, scope: Scope) -> tuple[Target, ...]:
        """Return its files at a scope."""
        return self.user if scope == "user" else self.project


_HERE: Final = ("mcp",)
_FOLDER: Final = ("mcp", "--path", "${workspaceFolder}")
"""For editors that fill in the folder that is open."""
_ANYWHERE: Final = ("mcp", "--allow-any-root")
"""For editors that start servers in no project and fill in nothing: each call names its root."""


def _json(*keys: str, args: tuple[str, ...] = _HERE, **more: Json) -> Make:
    def make(command: str) -> Piece:
        first = {"type": more["type"]} if "type" in more else {}
        rest = {key: value for key, value in more.items() if key != "type"}
        return JsonEntry(keys, {**first, "command": command, "args": args, **rest})

    return make


def _opencode(command: str) -> Piece:
    line: Json = [command, *_HERE]
    return JsonEntry(("mcp",), {"type": "local", "command": line, "enabled": True})


def _codex(command: str) -> Piece:
    lines = (f"[mcp_servers.{NAME}]", f"command = {_quoted(command)}", 'args = ["mcp"]')
    return TomlTable(("mcp_servers",), lines)


def _goose(command: str) -> Piece:
    lines = (
        f"{NAME}:",
        "  enabled: true",
        "  type: stdio",
        f"  name: {NAME}",
        "  description: Code search by meaning in the local index",
        f"  cmd: {_quoted(command)}",
        '  args: ["mcp"]',
        "  envs: {}",
        "  timeout: 300",
    )
    return YamlPart("extensions", False, lines)  # noqa: FBT003 - a field of that name


def _read(path: str) -> Make:
    return lambda _: YamlPart("read", True, (f"- {path}",))  # noqa: FBT003 - as above


def _section(_: str) -> Piece:
    return Section(texts.instruction_lines())


def _skill(_: str) -> Piece:
    return WholeFile(texts.skill_text())


def _agent(_: str) -> Piece:
    return WholeFile(texts.agent_text())


def _rule(**head: str) -> Make:
    return lambda _: WholeFile(texts.rule_text(head))


def _quoted(word: str) -> str:
    return dumps(word).decode()


def _at(base: Base, make: Make, *paths: str) -> Target:
    return Target(base, paths, make)


_AGENTS: Final = _at("project", _section, "AGENTS.md")
_SERVERS: Final = _json("mcpServers")
_ROAMING: Final = _json("mcpServers", args=_ANYWHERE)
_COPILOT: Final = _at("project", _section, ".github/copilot-instructions.md")

CLIENTS: Final = {
    client.name: client
    for client in (
        Client(
            "claude",
            "Claude Code",
            ("claude",),
            (("claude", ""),),
            (
                _at("claude-state", _json("mcpServers", type="stdio"), ".claude.json"),
                _at("claude", _section, "CLAUDE.md"),
                _at("claude", _skill, "skills/ggrep/SKILL.md"),
                _at("claude", _agent, "agents/ggrep.md"),
            ),
            (
                _at("project", _json("mcpServers", type="stdio"), ".mcp.json"),
                _at("project", _section, "CLAUDE.md"),
                _at("project", _skill, ".claude/skills/ggrep/SKILL.md"),
                _at("project", _agent, ".claude/agents/ggrep.md"),
            ),
        ),
        Client(
            "codex",
            "Codex",
            ("codex",),
            (("codex", ""),),
            (_at("codex", _codex, "config.toml"), _at("codex", _section, "AGENTS.md")),
            (_at("project", _codex, ".codex/config.toml"), _AGENTS),
        ),
        Client(
            "gemini",
            "Gemini CLI",
            ("gemini",),
            (("home", ".gemini"),),
            (
                _at("home", _SERVERS, ".gemini/settings.json"),
                _at("home", _section, ".gemini/GEMINI.md"),
            ),
            (
                _at("project", _SERVERS, ".gemini/settings.json"),
                _at("project", _section, "GEMINI.md"),
            ),
        ),
        Client(
            "opencode",
            "opencode",
            ("opencode",),
            (("config", "opencode"),),
            (
                _at("config", _opencode, "opencode/opencode.json", "opencode/opencode.jsonc"),
                _at("config", _section, "opencode/AGENTS.md"),
            ),
            (_at("project", _opencode, "opencode.json", "opencode.jsonc"), _AGENTS),
        ),
        Client(
            "cursor",
            "Cursor",
            ("cursor", "cursor-agent"),
            (("home", ".cursor"), ("config", "Cursor")),
            (_at("home", _json("mcpServers", args=_FOLDER), ".cursor/mcp.json"),),
            (_at("project", _json("mcpServers", args=_FOLDER), ".cursor/mcp.json"), _AGENTS),
        ),
        Client(
            "vscode",
            "VS Code",
            ("code",),
            (("config", "Code"),),
            (
                _at("config", _json("servers", args=_FOLDER, type="stdio"), "Code/User/mcp.json"),
                _at("config", _rule(applyTo="**"), "Code/User/prompts/ggrep.instructions.md"),
            ),
            (
                _at("project", _json("servers", args=_FOLDER, type="stdio"), ".vscode/mcp.json"),
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
                    _json("mcpServers", type="local", tools=["*"]),
                    ".copilot/mcp-config.json",
                ),
                _at("home", _section, ".copilot/copilot-instructions.md"),
            ),
            (
                _at(
                    "project",
                    _json("mcpServers", type="local", tools=["*"]),
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
            (_at("config", _json("context_servers", env={}), "zed/settings.json"),),
            (_at("project", _json("context_servers", env={}), ".zed/settings.json"), _AGENTS),
        ),
        Client(
            "windsurf",
            "Windsurf",
            ("windsurf",),
            (("home", ".codeium/windsurf"),),
            (
                _at("home", _ROAMING, ".codeium/windsurf/mcp_config.json"),
                _at("home", _section, ".codeium/windsurf/memories/global_rules.md"),
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
                _at("home", _rule(), ".cline/rules/ggrep.md"),
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
                _at("home", _rule(inclusion="always"), ".kiro/steering/ggrep.md"),
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
                _at("home", _section, ".qwen/QWEN.md"),
            ),
            (_at("project", _SERVERS, ".qwen/settings.json"), _at("project", _section, "QWEN.md")),
        ),
        Client(
            "goose",
            "goose",
            ("goose",),
            (("config", "goose"),),
            (
                _at("config", _goose, "goose/config.yaml"),
                _at("config", _section, "goose/.goosehints"),
            ),
            (_AGENTS,),
        ),
        Client(
            "aider",
            "aider",
            ("aider",),
            (("home", ".aider.conf.yml"), ("home", ".aider")),
            (
                _at("home", _read("~/.aider.conventions.md"), ".aider.conf.yml"),
                _at("home", _section, ".aider.conventions.md"),
            ),
            (
                _at("project", _read("CONVENTIONS.md"), ".aider.conf.yml"),
                _at("project", _section, "CONVENTIONS.md"),
            ),
        ),
    )
}
"""By name, in the order that they are listed in."""
