"""The table of settings says what the program does."""

import re
from dataclasses import fields

from ggrep.config.caps import BOUNDS, MAX_CONFIG_FILE_BYTES
from ggrep.config.settings import KNOWN_VARIABLES, REPO_SETTABLE, Settings, index_shaping
from tests.docs.pages import page, table_rows

PAGE = "docs/configuration.md"
ROWS = {row[0]: row for row in table_rows(page(PAGE)) if len(row) == 6}
NAMES = [field.name for field in fields(Settings)]


def test_every_setting_has_its_row() -> None:
    """And no row speaks of a setting that is gone."""
    assert sorted(ROWS.keys() - {"setting"}) == sorted(NAMES)


def test_defaults_are_those_of_the_program() -> None:
    """A reader decides by them whether to set anything."""
    defaults = {name: getattr(Settings(), name) for name in NAMES}
    shown = {
        name: str(value).lower() if value != () else "none" for name, value in defaults.items()
    }

    assert {name: ROWS[name][1] for name in NAMES} == shown


def test_caps_are_those_of_the_program() -> None:
    """A value beyond is refused, so the page must not invite it."""
    shown = {name: re.sub(r"\^", "**", ROWS[name][2]) for name in BOUNDS}
    expected = {name: f"{least} to {most}" for name, (least, most) in BOUNDS.items()}

    assert {name: text.replace("2**50", str(2**50)) for name, text in shown.items()} == expected
    assert f"{MAX_CONFIG_FILE_BYTES // 1024} KiB" in page(PAGE)


def test_what_a_repository_may_set_is_listed() -> None:
    """The list is a promise to whoever clones from strangers."""
    listed = page(PAGE).partition("## What a repository may set")[2].partition("\n\n")[2]
    names = set(re.findall(r"`(\w+)`", listed.partition("\n\n")[0]))
    marked = {name for name in NAMES if "r" in ROWS[name][3].split()}

    assert names == REPO_SETTABLE
    assert marked == {name.replace("ignore", "extra_ignores") for name in REPO_SETTABLE}


def test_what_shapes_the_index_is_marked() -> None:
    """Changing such a setting begins another store."""
    shaping = {name for name, _ in index_shaping(Settings())} | {"encoder"}

    assert {name for name in NAMES if ROWS[name][4] == "yes"} == shaping


def test_every_variable_is_documented_and_no_other() -> None:
    """Those of settings by their rows, the rest by name."""
    section = page(PAGE).partition("## Environment variables")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(GGREP_[A-Z_]+)`", section))
    rows = {f"GGREP_{name.upper()}" for name in NAMES if "e" in ROWS[name][3].split()}

    assert named | rows == KNOWN_VARIABLES
    assert {name for name in NAMES if f"GGREP_{name.upper()}" in KNOWN_VARIABLES} == {
        name for name in NAMES if "e" in ROWS[name][3].split()
    }
