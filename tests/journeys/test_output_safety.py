"""Whatever a repository holds, output stays on the terminal's good side and names no place."""

import re
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.fakes.repos import write_tree
from tests.journeys.command import Command

UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
NASTY = st.sampled_from(
    [
        "\x1b[2J",
        "\x1b]0;title\x07",
        "\x1b]8;;http://x\x1b\\link",
        "\x9b31m",
        "\x07",
        "\r",
        "\u202e",
        "\u2066",
        "\x1bP",
        "needle",
        " ",
        "`",
        '"',
        "[/bold]",
        "\u65e5\u672c",
        "é",
    ]
)
TEXTS = st.lists(NASTY, max_size=8).map("".join)
NAMES = st.lists(NASTY, min_size=1, max_size=4).map("".join)
BODIES = {
    "py": "def needle():\n    '''{text}'''\n",
    "md": "# needle {text}\n\n{text}\n\n## {text} needle\n\nneedle\n",
    "json": '{{"needle {text}": "{text}"}}\n',
    "mmd": "graph TD\n  A[needle {text}] --> B[{text}]\n",
    "rs": "fn needle() {{ // {text}\n}}\n",
}


@pytest.mark.slow
@settings(max_examples=20, phases=[Phase.generate])
@given(st.data())
def test_outputs_hold_no_escapes(ggrep: Command, tmp_path: Path, data: st.DataObject) -> None:
    """A repository of strangers must not drive the terminal of who searches it."""
    root = tmp_path / data.draw(NAMES).replace("/", "") / str(len(list(tmp_path.iterdir())))
    for number in range(data.draw(st.integers(1, 3))):
        kind = data.draw(st.sampled_from(sorted(BODIES)))
        name = f"{data.draw(NAMES).replace('/', '')}{number}.{kind}"
        write_tree(root, {name: BODIES[kind].format(text=data.draw(TEXTS))})

    written = [ggrep("index", root), ggrep("index", root, "--dry-run"), ggrep("health", "-p", root)]
    searched = [
        ggrep("needle", "--repo", root, "--content", "--explain", "--scores"),
        ggrep("needle", "--repo", root, "--json", "--explain"),
        ggrep("needle", "--repo", root, "--compact"),
    ]

    for outcome in (*written, *searched):
        assert outcome.status == 0
        assert not UNSAFE.search(outcome.out + outcome.err)
    assert str(tmp_path) not in searched[1].out


@pytest.mark.slow
def test_a_workspace_answer_names_no_absolute_path(ggrep: Command, tmp_path: Path) -> None:
    """Answers are pasted into tickets; where somebody keeps his work is his own business."""
    for name in ("one", "two"):
        write_tree(tmp_path / name, {"a.py": f"def needle_{name}():\n    '''\x1b[31mred'''\n"})
    file = tmp_path / "ws.jsonc"
    ggrep("workspace", "init", file, tmp_path / "one", tmp_path / "two")
    before = ggrep("needle", "--workspace", file, "--json")
    ggrep("index", "--workspace", file)
    answers = [
        ggrep("needle", "--workspace", file, *flags)
        for flags in (
            [],
            ["--json"],
            ["--json", "--stats", "--explain"],
            ["--explain", "--content"],
        )
    ]

    for outcome in (before, *answers):
        assert str(tmp_path) not in outcome.out
        assert not UNSAFE.search(outcome.out + outcome.err)


def test_a_message_quotes_arguments_without_their_escapes(ggrep: Command, repo: Path) -> None:
    """A path in an error comes from outside as well."""
    refused = ggrep("needle", "\x1b[31mred", "--json")

    assert refused.status == 2
    assert not UNSAFE.search(refused.out + refused.err)


def test_long_lines_and_names_do_not_flood_the_screen(ggrep: Command, repo: Path) -> None:
    """A minified file is one line of megabytes."""
    write_tree(repo, {"long.py": "x = '" + "pad " * 1200 + "zebra'\n", "h.md": "# " + "ab " * 900})
    ggrep("index")

    shown = ggrep("zebra ab", "--scores").out
    whole = ggrep("zebra", "--content").out

    assert max(len(line) for line in shown.split("\n")) <= 250
    assert "…" in shown
    assert "zebra" in shown
    assert "…" not in whole


def test_snippets_fit_terminals(
    ggrep: Command, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a screen is no reason to wrap code."""
    write_tree(repo, {"wide.py": "def zebra(): return " + "1 + " * 30 + "1\n"})
    ggrep("index")
    monkeypatch.setenv("COLUMNS", "60")

    lines = ggrep("zebra").out.split("\n")

    assert max(len(line) for line in lines) == 60


@pytest.mark.parametrize(
    ("variables", "flags", "coloured"),
    [
        ({}, [], False),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"FORCE_COLOR": "1"}, ["--plain"], False),
    ],
)
def test_colour_is_for_terminals_and_for_those_who_insist(
    ggrep: Command,
    read_only: Path,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    flags: list[str],
    coloured: bool,
) -> None:
    """Escape sequences in a file are noise; JSON never has any."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert ("\x1b[" in ggrep("needle", *flags).out) is coloured
    assert "\x1b" not in ggrep("needle", "--json", *flags).out


def test_line_ends_and_tabs_of_a_file_do_not_show(ggrep: Command, repo: Path) -> None:
    """A carriage return in the output would overwrite the line."""
    write_tree(repo, {"crlf.py": "def zebra():\r\n\treturn 1\r\n"})
    ggrep("index")

    shown = ggrep("zebra").out

    assert "\r" not in shown
    assert "\t" not in shown
    assert "    return 1\n" in shown


@pytest.mark.parametrize("name", ['it\'s "quoted".py', "日本 ünï.py", "-dash.py", "a b.py"])
def test_odd_names_are_found_as_they_are(ggrep: Command, repo: Path, name: str) -> None:
    """Spaces, quotes and other scripts are ordinary names."""
    write_tree(repo, {name: "def zebra(): pass\n"})
    ggrep("index")

    assert ggrep("zebra", "--compact").out == f"{name}\n"
    assert ggrep("zebra", "--json").document["results"][0]["path"] == name
