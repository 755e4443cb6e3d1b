"""What agents are told, and the files that are made of it."""

import re
import shlex

import yaml

from ggrep import __version__
from ggrep.interfaces.agents import texts
from ggrep.interfaces.mcp.tools import TOOLS
from tests.contract.agent_files import held, wanted
from tests.docs.test_commands import check_taken


def test_it_is_short() -> None:
    """It is read in every conversation."""
    assert len(texts.instruction_lines()) < 25
    assert len(texts.INSTRUCTIONS) < 1_800


def test_each_command_in_it_is_taken() -> None:
    """An agent types them as they stand."""
    typed = [shlex.split(each)[1:] for each in re.findall(r"`(ggrep [^`]+)`", texts.INSTRUCTIONS)]

    assert len(typed) == 9
    check_taken(typed)


def test_each_tool_in_it_is_there() -> None:
    """A tool that was renamed is one that is never called."""
    named = re.findall(r"\| `(\w+)`[^|]*\|$", texts.INSTRUCTIONS, re.MULTILINE)

    assert len(named) == 7
    assert set(named) <= {tool.name for tool in TOOLS}


def test_what_ships_is_made_of_it() -> None:
    """`python3 dev.py schemas` writes it."""
    assert held() == wanted()
    assert held()["marketplace/plugins/ggrep/skills/ggrep/SKILL.md"] == texts.skill_text()


def test_heads_are_yaml() -> None:
    """A skill whose head cannot be read is not offered."""
    for text in (texts.skill_text(), texts.agent_text(), texts.rule_text({"applyTo": "**"})):
        head = yaml.safe_load(text.split("---\n")[1])
        assert all(isinstance(value, str) for value in head.values())
        assert text.endswith(texts.INSTRUCTIONS)
    assert yaml.safe_load(texts.skill_text().split("---\n")[1])["name"] == "ggrep"
    assert f'"version": "{__version__}"' in texts.registry_text(__version__)
