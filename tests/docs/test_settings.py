"""The table of settings says what the program does."""

import re

from ggrep.config.declarations import DECLARED, MAX_CONFIG_FILE_BYTES
from ggrep.config.settings import KNOWN_VARIABLES, Settings, index_shaping
from ggrep.model.field_meta import DeclaredKey
from tests.docs.pages import page, table_rows

PAGE = "docs/configuration.md"
ROWS = {row[0]: row for row in table_rows(page(PAGE)) if len(row) == 6}
BY_NAME = {declared.name: declared for declared in DECLARED.values()}
NAMES = list(BY_NAME)


def test_every_setting_has_its_row() -> None:
    """And no row speaks of a setting that is gone."""
    assert sorted(ROWS.keys() - {"setting"}) == sorted(NAMES)


def test_rows_say_what_is_declared() -> None:
    """Default, caps, who may set it and what it is for: the page only adds links."""
    rows = {name: [_without_links(cell) for cell in ROWS[name]] for name in NAMES}

    assert rows == {name: _row(BY_NAME[name]) for name in NAMES}
    assert f"{MAX_CONFIG_FILE_BYTES // 1024} KiB" in page(PAGE)


def _without_links(cell: str) -> str:
    cell = re.sub(r"; \[what they do]\(\S+\)", "", cell)
    return re.sub(r"`|\[(\w+)]\(\S+\)", r"\1", cell)


def _row(declared: DeclaredKey) -> list[str]:
    says, default = declared.says, str(declared.default)
    caps = f"{says.least} to {says.most}".replace(str(2**50), "2^50") if says.most else ""
    if declared.default == ():
        default, caps = "none", f"{says.most} {ROWS[declared.name][2].partition(' ')[2]}"
    if declared.kind is bool:
        default = default.lower()
    shapes = "yes" if says.shapes_index else "no"
    return [declared.name, default, caps, says.who, shapes, says.text.replace("`", "")]


def test_what_a_repository_may_set_is_listed() -> None:
    """The list is a promise to whoever clones from strangers."""
    listed = page(PAGE).partition("## What a repository may set")[2].partition("\n\n")[2]
    names = re.findall(r"`(\w+)`", listed.partition("\n\n")[0])

    assert sorted(names) == sorted(key for key in DECLARED if DECLARED[key].says.is_set_by("r"))


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
