"""Every name of the program has its row in the documentation."""

import re
from importlib import import_module

from ggrep.base.commands import COMMANDS
from ggrep.base.errors import GgrepError
from ggrep.config.declarations import DECLARED, MAX_CONFIG_FILE_BYTES
from ggrep.config.settings import KNOWN_VARIABLES, Settings, index_shaping
from ggrep.index.maintenance.store_checks import FILES, SNAPSHOT
from ggrep.index.maintenance.tree_checks import CONTENTS, TREE
from ggrep.index.maintenance.work_checks import WORK
from ggrep.interfaces.cli.parsing.help_table import EVERYWHERE
from ggrep.interfaces.cli.parsing.tree import EVERY
from ggrep.model.field_meta import DeclaredKey
from tests.docs.commands_page import FILE, commands_page
from tests.docs.pages import ROOT, SOURCES, all_pages, first_words, mentions, page, table_rows
from tests.docs.prose import HELP


def undocumented(words: set[str], text: str) -> list[str]:
    """Return the words that a text does not mention."""
    return sorted(word for word in words if not mentions(text, word))


def test_the_entry_knows_the_commands() -> None:
    """A command that it does not know would be searched for as a word."""
    assert {name.split()[0] for name in EVERY} == COMMANDS


def test_the_page_of_commands_is_made_of_the_pages_of_help() -> None:
    """`python3 dev.py schemas` writes it."""
    assert FILE.read_text(encoding="utf-8") == commands_page()


def test_every_command_and_option_is_on_the_page() -> None:
    """Options of several commands stand apart; none may fall between."""
    text = page("docs/commands.md")
    headings = set(re.findall(r"^### (.+)$", text, re.MULTILINE))
    options = {
        row.term.split()[0].strip(",")
        for name in headings
        for section in HELP[name].sections
        for row in section.rows
        if row.term.startswith("-") and row not in EVERYWHERE
    }

    assert headings == {name for name, entry in EVERY.items() if not entry.hidden}
    assert undocumented(options, text) == []


def test_every_error_code_is_documented() -> None:
    """Scripts branch on codes, and people look them up."""
    for source in SOURCES:
        import_module(".".join(source.relative_to(ROOT).with_suffix("").parts))
    kinds, codes = [GgrepError], set()
    while kinds:
        kind = kinds.pop()
        codes.add(str(kind.code))
        kinds += kind.__subclasses__()

    assert undocumented(codes, page("docs/codes.md")) == []


def test_every_exit_status_is_documented() -> None:
    """CI jobs branch on them."""
    kinds, statuses = [GgrepError], {"0"}
    while kinds:
        kind = kinds.pop()
        statuses.add(str(kind.exit_status))
        kinds += kind.__subclasses__()
    table = page("docs/searching.md").partition("## Exit status")[2].partition("\n## ")[0]

    assert [status for status in sorted(statuses) if f"| {status} |" not in table] == []


def test_every_workspace_code_is_documented() -> None:
    """Errors, warnings and the contract's own words."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    codes = set(re.findall(r"\b(?:ERR|WARN)_[A-Z]+_[A-Z_]*[A-Z]_?(?![A-Z_])", text))
    codes -= {"ERR_WORKSPACE_DUPLICATE_REPO_"}  # ends in what is doubled
    codes |= {"ERR_WORKSPACE_DUPLICATE_REPO_ID", "ERR_WORKSPACE_DUPLICATE_REPO_ROOT"}

    assert undocumented(codes, page("docs/impl/federation.md")) == []


def test_every_health_check_is_documented() -> None:
    """Whoever is warned wants to know what to do."""
    rows = (*SNAPSHOT, *TREE, *FILES, *WORK)
    codes = {code for code, _ in rows} - {"contents", "last_walk"}  # they name their own
    codes |= {code for _, code, _, _ in CONTENTS} | {"made_files", "unread_language"}

    assert "manifest_present" in codes
    assert undocumented(codes, page("docs/codes.md")) == []


def test_every_limit_is_documented() -> None:
    """A cut that is named but not explained is half silent."""
    codes = first_words("LimitHit")

    assert "max_candidates" in codes
    assert undocumented(codes, page("docs/codes.md")) == []


def test_every_warning_is_documented() -> None:
    """Of answers, of syncs, and why a snapshot is degraded."""
    codes = first_words("Notice", "DegradedFile")

    assert "degraded_snapshot" in codes
    assert undocumented(codes, page("docs/codes.md")) == []


def test_every_reason_for_a_skipped_file_is_documented() -> None:
    """The first question about a missing hit is why its file is not there."""
    reasons = first_words("SkippedFile", "_skip", place=1)

    assert "too_large" in reasons
    assert undocumented(reasons, page("docs/codes.md")) == []


def test_every_environment_variable_is_documented() -> None:
    """Those that are read, and those that are reserved."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    names = set(re.findall(r"\bGGREP_[A-Z_]*[A-Z]\b", text)) - {"GGREP_TEST"}

    assert undocumented(names, page("docs/configuration.md")) == []


def test_no_page_says_nothing() -> None:
    """A page that was begun and left is worse than none."""
    assert "TODO" not in all_pages()
    assert "TBD" not in all_pages()


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
