"""The first screen of the README, and what no page may hold."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ggrep.model.filters import FILTER_KEYS
from tests.docs.pages import PAGES, ROOT, page
from workspaces import demo

README = page("README.md")
BLOCKS = re.findall(r"```(?:sh|text)\n(.*?)```", README, re.DOTALL)


def test_the_first_screen_shows_an_answer_an_installation_and_two_commands_to_develop() -> None:
    """A reader tries it, uses it and checks it without reading on."""
    answer, quick, develop, *_ = BLOCKS
    typed = [line.partition("#")[0].strip() for line in develop.strip().splitlines()]

    assert answer.startswith(f"? {demo.QUESTIONS[0]}\n")
    assert f"$ {' '.join(demo.GREP)} " in answer
    assert quick.startswith("pip install .\ncd your/repository\nggrep ")
    assert len(quick.splitlines()) == 7
    assert typed == ["python3 dev.py demo", "python3 dev.py test"]
    assert README[: README.index(develop)].count("\n") < 60
    assert len(README.splitlines()) <= 160


def test_the_answer_of_the_readme_quotes_the_packages() -> None:
    """Lines of code stand in the named file in this order."""
    path = None
    quoted = []
    for line in BLOCKS[0].splitlines():
        if hit := re.match(r"\d+\.  \[(\w+)\]  ([\w/.]+):", line):
            path = Path(demo.folder(hit[1]) or "") / hit[2]
        elif piece := re.match(r" +\d+ │ (.*)", line):
            assert path is not None
            quoted.append(piece[1] in path.read_text(encoding="utf-8").splitlines())

    assert quoted == [True] * 5


@pytest.mark.deep
def test_the_demo_prints_the_answer_of_the_readme() -> None:
    """Versions of the packages may change line numbers; the page follows them."""
    command = [sys.executable, str(ROOT / "workspaces" / "demo.py")]
    wide = {**os.environ, "COLUMNS": "120"}
    done = subprocess.run(command, env=wide, capture_output=True, text=True, check=True)
    printed = done.stdout.splitlines()

    assert [line for line in BLOCKS[0].splitlines() if line not in {"...", *printed}] == []


def test_the_json_of_the_page_has_keys_of_the_schema() -> None:
    """People write their first script from it."""
    block = re.search(r"```json\n(.*?)```", page("docs/searching.md"), re.DOTALL)
    schema = json.loads(page("ggrep/model/schemas/query_success.schema.json"))

    assert block is not None
    assert set(json.loads(block[1])) <= set(schema["properties"])


def test_no_page_names_a_place_on_one_machine() -> None:
    """Such a path means nothing to anybody else."""
    places = re.compile(r"(?<![\w.])/(?:work|root|tmp|home|mnt|Users|var)\b")

    assert [path for path in PAGES if places.search(path.read_text(encoding="utf-8"))] == []


def test_lines_are_short_outside_tables_and_pictures() -> None:
    """Pages are read in terminals and diffs."""
    long = []
    for path in PAGES:
        prose = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        lines = [line for line in prose.splitlines() if len(line) > 105]
        long += [(path, line) for line in lines if not line.startswith("|")]

    assert long == []


def test_the_table_of_flags_names_every_filter() -> None:
    """An undocumented key is not used."""
    lines = page("docs/searching.md").splitlines()
    row = next(line for line in lines if line.startswith("| `--filter`"))

    assert [key for key in FILTER_KEYS if f"`{key}:`" not in row] == []
