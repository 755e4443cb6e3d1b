"""Wrong input is refused in fixed words, and the schemas of files refuse it as their readers do."""

import re
import tomllib
from pathlib import Path

import jsonschema_rs
import pytest

from ggrep.base import stable_json
from ggrep.federation.workspace_text import parse_text
from tests.contract.file_schemas import FOLDER, file_of, file_schemas
from tests.contract.refusing import FILE, expanded, said
from tests.docs.pages import page

REFUSALS = stable_json.loads(FILE.read_bytes())
READERS = {
    "config": "settings user",
    "repository": "settings repo",
    "workspace": "workspace",
    "suite": "suite",
    "checks": "checks",
}
_BEYOND = re.compile(
    "is less strict than|is required with|has no effect without|cannot hide hits|unknown profile"
    "|braces|not valid TOML|PARSE_FAILED|same alias|control characters|expects nothing"
    "|have the name|regular expression|is outside the root|exceed the limit|cannot go together"
    "|never fails|must have the form key:value|must be key:value|printable"
)
"""What a reader says of how values fit together, which a schema cannot."""


@pytest.mark.parametrize("reader", REFUSALS)
def test_wrong_input_is_named(reader: str, tmp_path: Path) -> None:
    """Field, bound and value are in the message, which changes only on purpose."""
    kept = REFUSALS[reader]

    assert {given: said(reader, given, tmp_path) for given in kept} == kept
    assert all(kept.values())


@pytest.mark.parametrize("name", file_schemas())
def test_a_shipped_schema_is_what_the_readers_declare(name: str) -> None:
    """`python -m tests.contract.file_schemas` writes them."""
    assert file_of(name).read_bytes() == stable_json.dumps_pretty(file_schemas()[name])


def test_no_schema_lies_there_that_nothing_makes() -> None:
    """It would be compared with nothing."""
    assert {path.name for path in FOLDER.iterdir()} == {file_of(name).name for name in READERS}


@pytest.mark.parametrize("name", READERS)
def test_a_schema_refuses_what_the_reader_refuses(name: str) -> None:
    """An editor underlines what would be an error of the next command."""
    validator = jsonschema_rs.validator_for(file_schemas()[name])
    wrong = {
        given: notice
        for given, notice in REFUSALS[READERS[name]].items()
        if not _BEYOND.search(notice[0])
    }

    passed = [given for given in wrong if validator.is_valid(_parsed(name, expanded(given)))]

    assert len(wrong) > 20
    assert passed == []


def _parsed(name: str, text: str) -> object:
    return parse_text(text, "w") if name == "workspace" else tomllib.loads(text)


def test_a_schema_takes_what_the_pages_show(tmp_path: Path) -> None:
    shown = re.findall(r"```toml\n(# (\S+)\n.*?)```", page("docs/configuration.md"), re.DOTALL)
    names = {".ggrep.toml": "repository", "~/.ggrep/config.toml": "config"}

    assert {names[file] for _, file in shown} == set(names.values())
    for text, file in shown:
        schema = file_schemas()[names[file]]
        assert jsonschema_rs.validator_for(schema).is_valid(tomllib.loads(text))
        assert said(READERS[names[file]], text, tmp_path) == []


@pytest.mark.parametrize(
    ("name", "pattern"),
    [("workspace", "*.jsonc"), ("suite", "*.eval.toml"), ("checks", "*.check.toml")],
)
def test_a_schema_takes_the_examples(name: str, pattern: str) -> None:
    """And so do the commands that they are shown with."""
    shown = sorted((Path(__file__).parents[2] / "workspaces").glob(pattern))
    validator = jsonschema_rs.validator_for(file_schemas()[name])

    assert shown
    assert all(validator.is_valid(_parsed(name, path.read_text())) for path in shown)
