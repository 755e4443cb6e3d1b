"""The first screen of the README, and what no page may hold."""

import json
import re
from pathlib import Path

import pytest

from ggrep.model.filters import FILTER_KEYS
from tests.docs.pages import PAGES, ROOT, page


def test_the_first_two_commands_are_demo_and_test() -> None:
    """Whoever opens the project can try it and check it without reading on."""
    block = re.search(r"```sh\n(.*?)```", page("README.md"), re.DOTALL)

    assert block is not None
    commands = [line.partition("#")[0].strip() for line in block[1].strip().splitlines()]
    assert commands == ["python3 dev.py demo", "python3 dev.py test"]
    assert page("README.md")[: block.start()].count("\n") < 10


def test_the_json_of_the_readme_has_keys_of_the_schema() -> None:
    """People write their first script from it."""
    block = re.search(r"```json\n(.*?)```", page("README.md"), re.DOTALL)
    schema = json.loads(page("ggrep/model/schemas/query_success.schema.json"))

    assert block is not None
    assert set(json.loads(block[1])) <= set(schema["properties"])


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_page_names_a_place_on_one_machine(path: Path) -> None:
    """Such a path means nothing to anybody else."""
    text = path.read_text(encoding="utf-8")

    assert re.findall(r"(?<![\w.])/(?:work|root|tmp|home|mnt|Users|var)\b", text) == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_lines_are_short_outside_tables_and_pictures(path: Path) -> None:
    """Pages are read in terminals and diffs."""
    prose = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    long = [line for line in prose.splitlines() if len(line) > 105 and not line.startswith("|")]

    assert long == []


def test_the_readme_names_every_filter() -> None:
    """A key that nobody reads of is used by nobody."""
    row = next(line for line in page("README.md").splitlines() if line.startswith("| `--filter`"))

    assert [key for key in FILTER_KEYS if f"`{key}:`" not in row] == []
