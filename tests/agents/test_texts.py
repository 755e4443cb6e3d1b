"""What agents are told, and the files that are made of it."""

import re

import yaml

from ggrep import __version__
from ggrep.interfaces.agents import instructions
from ggrep.interfaces.mcp.tools import TOOLS
from tests.contract.agent_files import held, wanted


def test_each_tool_in_it_is_there() -> None:
    """A tool that was renamed is one that is never called."""
    *_, tools = instructions.INSTRUCTIONS.split("as tools:")
    named = re.findall(r"`(\w+)`", tools)

    assert len(named) == 6
    assert set(named) <= {tool.name for tool in TOOLS}


def test_what_ships_is_made_of_it() -> None:
    """`python3 dev.py schemas` writes it."""
    assert held() == wanted()
    assert held()["marketplace/plugins/ggrep/skills/ggrep/SKILL.md"] == instructions.skill_text()


def test_heads_are_yaml() -> None:
    """A skill whose head cannot be read is not offered."""
    for text in (
        instructions.skill_text(),
        instructions.agent_text(),
        instructions.rule_text({"applyTo": "**"}),
    ):
        head = yaml.safe_load(text.split("---\n")[1])
        assert all(isinstance(value, str) for value in head.values())
        assert text.endswith(instructions.INSTRUCTIONS)
    assert yaml.safe_load(instructions.skill_text().split("---\n")[1])["name"] == "ggrep"
    assert f'"version": "{__version__}"' in instructions.registry_text(__version__)
