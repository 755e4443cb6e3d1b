"""The prompts name tools that there are, in few words."""

import re

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.mcp.prompts import MOST_BYTES, PROMPT_OF, PROMPTS, Prompt
from ggrep.interfaces.mcp.tools import BY_NAME

EVERY = pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)


@EVERY
def test_each_step_names_a_tool_and_what_it_takes(prompt: Prompt) -> None:
    """A step that cannot be done makes the model give up on all of them."""
    for step in prompt.steps:
        tool, *said = re.findall(r"`([^`]+)`", step)
        assert tool in BY_NAME
        named = {argument.name: argument for argument in BY_NAME[tool].every}
        for one in said:
            if one in named:
                continue
            name, word = re.split(r"=|: ", one)
            assert not named[name].words or word in named[name].words


@EVERY
def test_a_prompt_is_short(prompt: Prompt) -> None:
    """It is read before anything is asked."""
    assert len(prompt.text({prompt.argument: "x"})) < 600


def test_what_is_given_stands_in_it_as_it_is() -> None:
    """Braces and all: it may be code."""
    text = PROMPT_OF["how_does_it_work"].text({"question": " what does f{} do "})

    assert text.split("\n")[0] == "Explain how this works: what does f{} do"
    assert text.split("\n")[2] == "1. `context` with the question."


def test_a_review_without_a_diff_is_of_the_work_tree() -> None:
    """Nobody types a diff."""
    assert "git diff HEAD" in PROMPT_OF["review_diff"].text({})
    assert "git diff HEAD" not in PROMPT_OF["review_diff"].text({"diff": "-a\n+b"})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "the argument 'name' is missing"),
        ({"name": " "}, "the argument 'name' is missing"),
        ({"name": "a", "file": "b"}, "unknown argument 'file'; it takes name"),
        ({"name": "ä" * MOST_BYTES}, f"name has more than {MOST_BYTES} bytes"),
    ],
)
def test_what_cannot_be_filled_in_is_refused(given: dict[str, str], said: str) -> None:
    """A prompt with a hole in it would be put to a model all the same."""
    with pytest.raises(InvalidRequest, match=re.escape(said)):
        PROMPT_OF["what_breaks"].text(given)
