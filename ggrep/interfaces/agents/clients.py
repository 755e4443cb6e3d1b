"""The clients that can use ggrep: their configuration files, and the entries of ggrep in them."""

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.base.stable_json import Json, dumps
from ggrep.interfaces.agents import instructions
from ggrep.interfaces.agents.text_edit import NAME, JsonEntry, Piece, Section, TomlTable, WholeFile

Make: TypeAlias = Callable[[str], Piece]
"""Returns the entry for the command that starts ggrep."""

_HERE: Final = ("mcp",)
FOLDER: Final = ("mcp", "--path", "${workspaceFolder}")
"""Arguments for editors that replace the variable by the open folder."""
ANYWHERE: Final = ("mcp", "--allow-any-root")
"""Arguments for editors that start servers outside of projects; each call then passes a root."""


def json(*keys: str, args: tuple[str, ...] = _HERE, **more: Json) -> Make:
    """Return a function that makes a JSON entry of the object at `keys`; a `type` comes first."""

    def make(command: str) -> Piece:
        first = {"type": more["type"]} if "type" in more else {}
        rest = {key: value for key, value in more.items() if key != "type"}
        return JsonEntry(keys, {**first, "command": command, "args": args, **rest})

    return make


def opencode(command: str) -> Piece:
    """Return the entry for opencode: a single list contains the program and its arguments."""
    line: Json = [command, *_HERE]
    return JsonEntry(("mcp",), {"type": "local", "command": line, "enabled": True})


def codex(command: str) -> Piece:
    """Return the entry for Codex, a TOML table."""
    lines = (f"[mcp_servers.{NAME}]", f"command = {_quoted(command)}", 'args = ["mcp"]')
    return TomlTable(("mcp_servers",), lines)


def goose(command: str) -> Piece:
    """Return the lines for goose's `config.yaml`."""
    return WholeFile(
        "extensions:\n"
        f"  {NAME}:\n"
        "    enabled: true\n"
        "    type: stdio\n"
        f"    name: {NAME}\n"
        "    description: Code search by meaning in the local index\n"
        f"    cmd: {_quoted(command)}\n"
        '    args: ["mcp"]\n'
        "    envs: {}\n"
        "    timeout: 300\n"
    )


def read_by_aider(path: str) -> Make:
    """Return a function that makes an `.aider.conf.yml` with the path of a file to read."""
    return lambda _: WholeFile(f"read:\n  - {path}\n")


def section(_: str) -> Piece:
    """Return the instructions as a marked section of a file with other content."""
    return Section(instructions.instruction_lines())


def skill(_: str) -> Piece:
    """Return the instructions as the file of a skill."""
    return WholeFile(instructions.skill_text())


def agent(_: str) -> Piece:
    """Return the instructions as the file of a subagent."""
    return WholeFile(instructions.agent_text())


def rule(**head: str) -> Make:
    """Return a function that makes an editor's rule file; `head` is its front matter."""
    return lambda _: WholeFile(instructions.rule_text(head))


def _quoted(word: str) -> str:
    return dumps(word).decode()


Scope: TypeAlias = Literal["user", "project"]
Base: TypeAlias = Literal[
    "home", "config", "data", "claude", "claude-state", "codex", "zsh", "project"
]
"""Directories that paths are relative to. `config`: `XDG_CONFIG_HOME`; `data`: `XDG_DATA_HOME`;
`claude` and `claude-state`: `CLAUDE_CONFIG_DIR`, else `~/.claude` and the home; `codex`:
`CODEX_HOME`; `zsh`: `ZDOTDIR`, else the home."""


class ConfigFile(Struct, frozen=True):
    """A configuration file of a client.

    Attributes:
        paths: possible paths of the file; the first existing path is used, else the first path.
    """

    base: Base
    paths: tuple[str, ...]
    make: Make


class Client(Struct, frozen=True):
    """A program that ggrep can be installed in.

    Attributes:
        programs: the client is installed if one of these programs is on PATH.
        folders: the client is also installed if one of these folders exists.
        pasted: YAML files that only the user edits. In the text to paste, the first line is a key
            of the file, and the second line begins ggrep's entry.
    """

    name: str
    title: str
    programs: tuple[str, ...]
    folders: tuple[tuple[Base, str], ...]
    user: tuple[ConfigFile, ...]
    project: tuple[ConfigFile, ...]
    pasted: tuple[ConfigFile, ...] = ()

    def targets(self, scope: Scope) -> tuple[ConfigFile, ...]:
        """Return the client's configuration files in a scope."""
        return self.user if scope == "user" else self.project

    def pasted_at(self, scope: Scope) -> tuple[ConfigFile, ...]:
        """Return the files in a scope that only the user edits; ggrep prints the text to paste."""
        return tuple(
            each for each in self.pasted if (each.base == "project") == (scope == "project")
        )


def _at(base: Base, make: Make, *paths: str) -> ConfigFile:
    return ConfigFile(base, paths, make)


_AGENTS: Final = _at("project", section, "AGENTS.md")
_SERVERS: Final = json("mcpServers")
_ROAMING: Final = json("mcpServers", args=ANYWHERE)
_COPILOT: Final = _at("project", section, ".github/copilot-instructions.md")

CLIENTS: Final = {
    client.name: client
    for client in (
        Client(
            "claude",
            "Claude Code",
            ("claude",),
            (("claude", ""),),
            (
                _at("claude-state", json("mcpServers", type="stdio"), ".claude.json"),
                _at("claude", section, "CLAUDE.md"),
                _at("claude", skill, "skills/ggrep/SKILL.md"),
                _at("claude", agent, "agents/ggrep.md"),
            ),
            (
                _at("project", json("mcpServers", type="stdio"), ".mcp.json"),
                _at("project", section, "CLAUDE.md"),
                _at("project", skill, ".claude/skills/ggrep/SKILL.md"),
                _at("project", agent, ".claude/agents/ggrep.md"),
            ),
        ),
        Client(
            "codex",
            "Codex",
            ("codex",),
            (("codex", ""),),
            (_at("codex", codex, "config.toml"), _at("codex", section, "AGENTS.md")),
            (_at("project", codex, ".codex/config.toml"), _AGENTS),
        ),
        Client(
            "gemini",
            "Gemini CLI",
            ("gemini",),
            (("home", ".gemini"),),
            (
                _at("home", _SERVERS, ".gemini/settings.json"),
                _at("home", section, ".gemini/GEMINI.md"),
            ),
            (
                _at("project", _SERVERS, ".gemini/settings.json"),
                _at("project", section, "GEMINI.md"),
            ),
        ),
        Client(
            "opencode",
            "opencode",
            ("opencode",),
            (("config", "opencode"),),
            (
                _at("config", opencode, "opencode/opencode.json", "opencode/opencode.jsonc"),
                _at("config", section, "opencode/AGENTS.md"),
            ),
            (_at("project", opencode, "opencode.json", "opencode.jsonc"), _AGENTS),
        ),
        Client(
            "cursor",
            "Cursor",
            ("cursor", "cursor-agent"),
            (("home", ".cursor"), ("config", "Cursor")),
            (_at("home", json("mcpServers", args=FOLDER), ".cursor/mcp.json"),),
            (_at("project", json("mcpServers", args=FOLDER), ".cursor/mcp.json"), _AGENTS),
        ),
        Client(
            "vscode",
            "VS Code",
            ("code",),
            (("config", "Code"),),
            (
                _at("config", json("servers", args=FOLDER, type="stdio"), "Code/User/mcp.json"),
                _at("config", rule(applyTo="**"), "Code/User/prompts/ggrep.instructions.md"),
            ),
            (
                _at("project", json("servers", args=FOLDER, type="stdio"), ".vscode/mcp.json"),
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
                    json("mcpServers", type="local", tools=["*"]),
                    ".copilot/mcp-config.json",
                ),
                _at("home", section, ".copilot/copilot-instructions.md"),
            ),
            (
                _at("project", json("mcpServers", type="local", tools=["*"]), ".github/mcp.json"),
                _COPILOT,
            ),
        ),
        Client(
            "zed",
            "Zed",
            ("zed", "zeditor"),
            (("config", "zed"),),
            (_at("config", json("context_servers", env={}), "zed/settings.json"),),
            (_at("project", json("context_servers", env={}), ".zed/settings.json"), _AGENTS),
        ),
        Client(
            "windsurf",
            "Windsurf",
            ("windsurf",),
            (("home", ".codeium/windsurf"),),
            (
                _at("home", _ROAMING, ".codeium/windsurf/mcp_config.json"),
                _at("home", section, ".codeium/windsurf/memories/global_rules.md"),
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
                _at("home", rule(), ".cline/rules/ggrep.md"),
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
                _at("home", rule(inclusion="always"), ".kiro/steering/ggrep.md"),
            ),
            (_at("project", _ROAMING, ".kiro/settings/mcp.json"), _AGENTS),
        ),
        Client(
            "qwen",
            "Qwen Code",
            ("qwen",),
            (("home", ".qwen"),),
            (_at("home", _SERVERS, ".qwen/settings.json"), _at("home", section, ".qwen/QWEN.md")),
            (_at("project", _SERVERS, ".qwen/settings.json"), _at("project", section, "QWEN.md")),
        ),
        Client(
            "goose",
            "goose",
            ("goose",),
            (("config", "goose"),),
            (_at("config", section, "goose/.goosehints"),),
            (_AGENTS,),
            (_at("config", goose, "goose/config.yaml"),),
        ),
        Client(
            "aider",
            "aider",
            ("aider",),
            (("home", ".aider.conf.yml"), ("home", ".aider")),
            (_at("home", section, ".aider.conventions.md"),),
            (_at("project", section, "CONVENTIONS.md"),),
            (
                _at("home", read_by_aider("~/.aider.conventions.md"), ".aider.conf.yml"),
                _at("project", read_by_aider("CONVENTIONS.md"), ".aider.conf.yml"),
            ),
        ),
    )
}
"""Clients by name, in display order."""
