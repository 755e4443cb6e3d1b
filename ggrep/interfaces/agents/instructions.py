"""Instructions for agents; all shipped files with instructions are generated from this text."""

from typing import Final

from ggrep.base import stable_json
from ggrep.base.stable_json import Json

AT_THE_SHELL: Final = """\
To find code by what it does or by its name, use ggrep instead of grep. It follows your edits.

ggrep slate "a whole question" --format agent --max-bytes 6000
    the lines that answer it, from code, docs, configuration and tests; start here
ggrep "what the code does" --format agent
    places with line ranges, the best opened; --filter ext:go, path:src/, path:doc/09* or
    -test:true narrows
ggrep --find regex "max_\\w+ =" --format agent
    matching lines by file; --find exact-text for plain text
ggrep symbol NAME... --format agent
    where names are defined, and what implements or extends them
ggrep refs NAME... --format agent
    where they are used: handlers and calls first, tests last; '"/login"' is a route
ggrep expand PLACE... --format agent
    a definition by NAME, Container.name, path:NAME or path:line; lines by path:1-40;
    --focus "words": of long code the lines that decide
ggrep outline PATH... --format agent
    what files and folders define; `ggrep tour` describes the repository

Every line that you read has a cost:
- Shown lines are copied from the file, behind a tab; every fifth line has its number. Cite them;
  do not open them again.
- Open a definition by its name rather than a range cut by guess, never a whole file.
- Name several in one call: nothing is shown twice.
- `cut:` says what is missing, and how to get it. `confidence none` means that nothing fits.
- With --workspace FILE search, slate, symbol, refs and expand ask several repositories.
"""
"""The text of `ggrep help agents`: how agents should read code with ggrep."""

INSTRUCTIONS: Final = f"""\
## Finding code

{AT_THE_SHELL}
The MCP server `ggrep` has the same as tools: `context` (slate), `search`, `symbol`, `references`,
`expand` and `outline`. In a workspace, call `search_workspace` instead of `search` and `context`;
its `format: slate` returns what `context` does.
"""
"""The instructions for files of agents, with the names of the MCP tools."""

ABOUT: Final = (
    "Find code in this repository by meaning, by name or by usage, before reading or grepping"
    " files. Use it for questions such as where something is decided, who calls a function, or what"
    " a change touches."
)

_SHORT: Final = "Code search by meaning, local and on the CPU."
_AUTHOR: Final[Json] = {"name": "The authors of ggrep"}
_SERVER_SCHEMA: Final = (
    "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
)
"""Schema of `server.json` in the MCP registry."""


def instruction_lines() -> tuple[str, ...]:
    """Return the instructions, line by line."""
    return tuple(INSTRUCTIONS.splitlines())


def skill_text() -> str:
    """Return the text of a skill, which both Claude Code and Codex can read."""
    return _with_head({"name": "ggrep", "description": ABOUT}, INSTRUCTIONS)


def agent_text() -> str:
    """Return the text of a subagent of Claude Code that answers questions about code."""
    head = {"name": "ggrep", "description": ABOUT, "disallowedTools": "Write, Edit, NotebookEdit"}
    task = (
        "You answer one question about this repository. Find the places, open what they point to,"
        "\nand answer briefly with `path:line` for each claim. Change nothing.\n\n"
    )
    return _with_head(head, task + INSTRUCTIONS)


def rule_text(head: dict[str, str]) -> str:
    """Return the text of an editor's rule file; an empty `head` means no front matter."""
    return _with_head(head, INSTRUCTIONS) if head else INSTRUCTIONS


def market_files(version: str) -> dict[str, str]:
    """Return the files of a marketplace folder with the plugin, by path.

    Claude Code and Codex both read the plugin's `skills/` and `.mcp.json`; their manifests differ.
    """
    folder = "./plugins/ggrep"
    claude: Json = {
        "name": "ggrep",
        "description": _SHORT,
        "owner": _AUTHOR,
        "plugins": [{"name": "ggrep", "source": folder}],
    }
    entry: Json = {
        "name": "ggrep",
        "category": "Coding",
        "source": {"source": "local", "path": folder},
        "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
    }
    plugin = {f"plugins/ggrep/{path}": text for path, text in plugin_files(version).items()}
    return {
        ".agents/plugins/marketplace.json": _json({"name": "ggrep", "plugins": [entry]}),
        ".claude-plugin/marketplace.json": _json(claude),
        **plugin,
    }


def plugin_files(version: str) -> dict[str, str]:
    """Return the files of the plugin by path."""
    manifest: dict[str, Json] = {
        "name": "ggrep",
        "version": version,
        "description": _SHORT,
        "author": _AUTHOR,
        "license": "Apache-2.0",
    }
    servers: Json = {"mcpServers": {"ggrep": {"command": "ggrep", "args": ["mcp"]}}}
    codex: Json = {**manifest, "skills": "./skills/", "mcpServers": "./.mcp.json"}
    return {
        ".claude-plugin/plugin.json": _json(manifest),
        ".codex-plugin/plugin.json": _json(codex),
        ".mcp.json": _json(servers),
        "agents/ggrep.md": agent_text(),
        "skills/ggrep/SKILL.md": skill_text(),
    }


def registry_text(version: str, name: str = "io.github.ggrep/ggrep") -> str:
    """Return `server.json`, which describes the server to the MCP registry."""
    package: Json = {
        "registryType": "pypi",
        "identifier": "ggrep",
        "version": version,
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": [{"type": "positional", "value": "mcp"}],
    }
    return _json(
        {
            "$schema": _SERVER_SCHEMA,
            "name": name,
            "title": "ggrep",
            "description": _SHORT,
            "version": version,
            "packages": [package],
        }
    )


def _with_head(head: dict[str, str], text: str) -> str:
    lines = [f"{key}: {_yaml(value)}" for key, value in head.items()]
    return "\n".join(["---", *lines, "---", "", text])


def _yaml(value: str) -> str:
    is_plain = not any(mark in value for mark in ":#*{}[]&!|>'\"%@`")
    return value if is_plain else stable_json.dumps(value).decode()


def _json(value: Json) -> str:
    return stable_json.dumps_pretty(value).decode()
