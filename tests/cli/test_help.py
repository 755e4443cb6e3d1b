"""Pages of help: what stands on them, and how they are asked for."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ggrep.base.option_spelling import EXACT, FILTERING, FILTERS, FINDS, SEARCHING, TESTS
from ggrep.interfaces.cli.parsing import help_pages, help_table
from ggrep.interfaces.cli.parsing.examples import EXAMPLES, SAME
from ggrep.interfaces.cli.parsing.help_pages import Page, page_at, roff_of, text_of
from ggrep.interfaces.cli.parsing.help_table import every_page
from ggrep.interfaces.cli.parsing.parameters import pieces_of
from ggrep.interfaces.cli.parsing.tree import BELOW, COMMANDS, EVERY, EVERYDAY, GROUPS
from tests.journeys.command import Command

NAMES = [*EVERY, *BELOW]
PAGES = ["", "--all", "workspaces", *NAMES]
GROFF = shutil.which("groff")


def page(name: str) -> Page:
    """Return the page of a command; of `ggrep` for no name."""
    result = page_at(name.split())
    assert result is not None
    return result


def test_the_first_page_lists_a_dozen_commands(ggrep: Command) -> None:
    """A newcomer reads them; `help --all` has the others."""
    shown = ggrep("--help")

    listed = re.findall(r"^  ([a-z][a-z-]+)  ", shown.out, re.MULTILINE)
    assert (shown.status, shown.err) == (0, "")
    assert listed == list(EVERYDAY)
    assert len(listed) == 12
    assert "`ggrep help --all`" in " ".join(shown.out.split())
    assert len(shown.out.splitlines()) < 36


def test_options_of_workspaces_have_a_page(ggrep: Command) -> None:
    """They were a third of the page of a search."""
    shown, search = ggrep("help", "workspaces"), ggrep("search", "--help")

    assert (shown.status, shown.err) == (0, "")
    assert "--cohort-policy" in shown.out
    assert "--cohort-policy" not in search.out
    assert "`ggrep help workspaces`" in " ".join(search.out.split())


def test_commands_stand_in_groups(ggrep: Command) -> None:
    shown = ggrep("help", "--all")

    titles = [line[:-1] for line in shown.out.splitlines() if re.fullmatch(r"[A-Z]\w+:", line)]
    assert (shown.status, shown.err) == (0, "")
    assert titles == [*GROUPS, "Options", "Examples"]
    for name, entry in COMMANDS.items():
        assert len(re.findall(rf"^  {name}  ", shown.out, re.MULTILINE)) == (not entry.hidden)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_asked_for_in_either_way(ggrep: Command, name: str) -> None:
    shown, asked = ggrep("help", *name.split()), ggrep(*name.split(), "--help")

    assert (shown.status, shown.err, shown.out) == (0, "", asked.out)
    assert shown.out.startswith(f"Usage: ggrep {name} ")
    assert "\nExamples:\n" in shown.out


@pytest.mark.parametrize("name", EVERY)
def test_every_parameter_stands_on_the_page_once(name: str) -> None:
    entry = EVERY[name]
    sections = page(name).sections
    terms = [row.term for section in sections for row in section.rows]
    if any(section.title == "Workspace" for section in sections):
        both, more = page("workspaces").sections
        shared = [*both.rows, *(more.rows if name in SEARCHING or name == "slate" else ())]
        terms += [row.term for row in shared if row.term not in terms]
    named = [word for term in terms for word in re.findall(r"(?<![\w-])--?[\w-]+", term)]

    flags = [
        flag
        for piece in pieces_of(entry.load()) or ()
        for each in piece.names
        for flag in each.split("/")
    ]
    short = [*FILTERS, *TESTS] if name in FILTERING else []
    short += FINDS if name in SEARCHING else []
    short += [*EXACT, "-n", "-A", "-B", "-C"] if name == "search" else []
    everywhere = ["--color", "--no-pager", "-h", "--help"]
    shown = [row for row in named if row not in {"--filter", "--find"} or row in flags]
    assert sorted(shown) == sorted([*flags, *short, *everywhere])
    assert all(row.text for section in page(name).sections for row in section.rows)


def test_pages_ship_as_they_are_made_with_examples() -> None:
    """No text is written twice: `python3 dev.py schemas`."""
    assert help_pages.FILE.read_bytes() == help_table.shipped()
    assert {name: page(name) for name in PAGES} == every_page()
    assert {"", "workspaces", *NAMES} == {*EXAMPLES, *SAME}
    assert {first for lines in EXAMPLES.values() for first in lines if not first[0]} == set()


@pytest.mark.parametrize("columns", [40, 80, 160])
def test_lines_fit_the_terminal(columns: int) -> None:
    for name in PAGES:
        before = text_of(page(name), columns).partition("\nExamples:\n")[0]
        assert max(map(len, before.splitlines())) <= max(columns, 60), name


def test_a_command_that_is_not_whole_shows_its_page_and_none_has_none(ggrep: Command) -> None:
    for words in ([], ["workspace"]):
        shown = ggrep(*words)
        assert (shown.status, shown.out) == (2, "")
        assert shown.err == ggrep(*words, "--help").out

    for words in (["stauts", "--help"], ["help", "stauts"], ["workspace", "biuld", "--help"]):
        assert ggrep(*words).status == 2
    assert "did you mean: ggrep help status" in ggrep("help", "stauts").err
    assert "did you mean: ggrep help workspace build" in ggrep("help", "workspace", "biuld").err


def test_what_follows_two_hyphens_is_searched_for(ggrep: Command, shop: Path) -> None:
    """`--help` is a word of many programs."""
    assert "Usage:" not in ggrep("search", "--offline", "--", "--help").out


@pytest.mark.parametrize("name", ["", *NAMES])
def test_a_manual_page_has_every_line_of_the_help(name: str) -> None:
    reported = page(name)
    roff = roff_of(reported)

    titles = re.findall(r"^\.SH (.*)$", roff, re.MULTILINE)
    ours = [section.title.upper() for section in reported.sections]
    assert titles == ["NAME", "SYNOPSIS", "DESCRIPTION", *ours, "EXAMPLES", "SEE ALSO"]
    rows = [row for section in reported.sections for row in section.rows]
    assert roff.count("\n.TP\n") == len(rows) + len(reported.examples)
    assert re.findall(r"^['.](?!TH |SH |TP$|PP$|B )", roff, re.MULTILINE) == []
    assert re.findall(r"\\(?![-&f(])", roff) == []


@pytest.mark.skipif(GROFF is None, reason="there is no groff here")
@pytest.mark.parametrize("name", ["", *NAMES])
def test_groff_sets_a_manual_page_without_a_warning(ggrep: Command, name: str) -> None:
    done = subprocess.run(
        [str(GROFF), "-man", "-Tutf8", "-ww", "-P-cbou", "-rLL=400n"],
        input=ggrep("help", "--man", *name.split()).out.encode(),
        capture_output=True,
        check=True,
    )
    text = " ".join(done.stdout.decode().split())

    assert done.stderr == b""
    for line, _ in page(name).examples:
        assert " ".join(line.split()) in text
