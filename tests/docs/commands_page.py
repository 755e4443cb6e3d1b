"""docs/commands.md: commands and their options, made of the pages of help."""

import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ggrep.interfaces.cli.parsing.help_pages import WORKSPACES, Page, Row
from ggrep.interfaces.cli.parsing.help_table import EVERYWHERE, every_page
from ggrep.interfaces.cli.parsing.tree import BELOW, GROUPS, Entry
from tests.docs.pages import ROOT

FILE: Final = ROOT / "docs" / "commands.md"
_HEAD: Final = """\
# Commands

Look up a command or an option here. `ggrep help COMMAND` explains one with examples.
`python3 dev.py schemas` writes this page from the pages of help. All commands take `--color`,
`--no-pager` and `--help`. *Also* lists
[options that several commands have](#options-of-several-commands).
"""


def commands_page() -> str:
    """Return the text of the page."""
    pages = every_page()
    names = {title: list(_names(group)) for title, group in GROUPS.items()}
    rows = Counter(row for group in names.values() for name in group for row in _rows(pages[name]))
    commonest = {row.term: row for row, _ in reversed(rows.most_common())}
    shared = {row for row in commonest.values() if rows[row] > 1 and row.term.startswith("-")}
    blocks = [_HEAD]
    for title, group in names.items():
        blocks += [f"## {title}\n", *(_command(pages[name], shared) for name in group)]
    blocks += ["## Options of several commands\n", _table(sorted(shared))]
    blocks += ["## Options of workspaces\n"]
    for section in pages[WORKSPACES].sections:
        blocks += [f"*{section.title}*:\n", _table(section.rows)]
    return "\n".join(blocks)


def _names(group: Mapping[str, Entry]) -> Iterator[str]:
    for name, entry in group.items():
        if not entry.hidden:
            yield from (f"{name} {below}" for below in BELOW[name]) if name in BELOW else (name,)


def _rows(page: Page) -> list[Row]:
    return [row for each in page.sections for row in each.rows if row not in EVERYWHERE]


def _command(page: Page, shared: set[Row]) -> str:
    rows = _rows(page)
    usage = f"`{page.usage.replace(' [OPTIONS]', '')}`"
    also = ", ".join(f"`{row.term.split()[0].strip(',')}`" for row in rows if row in shared)
    special = [row for row in rows if row not in shared]
    parts = [f"### {' '.join(page.path)}\n", _filled(f"{usage}: {page.about[0]}")]
    parts += [_table(special)] * bool(special)
    parts += [_filled(f"*Also*: {also}")] * bool(also)
    return "\n".join(parts)


def _filled(text: str) -> str:
    return textwrap.fill(text, 105, break_long_words=False, break_on_hyphens=False) + "\n"


def _table(rows: Iterable[Row]) -> str:
    lines = (f"| `{row.term}` | {row.text} |" for row in _without_bars(rows))
    return "\n".join(("| | |", "|---|---|", *lines)) + "\n"


def _without_bars(rows: Iterable[Row]) -> Iterator[Row]:
    return (Row(*(cell.replace("|", "\\|") for cell in row)) for row in rows)


if __name__ == "__main__":
    sys.exit(not FILE.write_text(commands_page(), encoding="utf-8"))
