"""What completions offer, and how each shell asks for it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ggrep.interfaces.agents.shells import SCRIPTS
from ggrep.interfaces.cli.parsing import option_table
from ggrep.interfaces.entry.complete import candidates
from tests.fakes.repos import write_tree
from tests.journeys.command import SOURCE, Command

TEAM = """{
  // "alias": "old"
  "schemaVersion": 1,
  "repos": [
    {"root": "../bank", "alias": "money", "tags": ["pay", "core"]},
    {"root": "../web"} /* {"root": "../gone"} */
  ],
  "include": ["services/*"]
}
"""
PROFILES = '[profiles.docs]\nfilters = ["lang:markdown"]\n[profiles."two words"]\n'


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    here = tmp_path / "here"
    here.mkdir()
    write_tree(here, {"team.jsonc": TEAM, ".ggrep.toml": PROFILES, "services/mail/a.py": ""})
    state = '{\n  "canonical_root": "/shop \\"one\\""\n}'
    write_tree(tmp_path, {"home/data/shop-1/index_state.json": state})
    (tmp_path / "home" / "data" / "torn-2").mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("GGREP_HOME", str(tmp_path / "home"))
    return here


def offered(line: str) -> list[str]:
    """Return what the last word of a line may become."""
    return candidates(line.split(" ")[1:])


def test_the_tables_are_those_of_the_command_tree() -> None:
    """No list is written twice: `python -m ggrep.interfaces.cli.parsing.option_table`."""
    assert option_table.FILE.read_text() == option_table.source()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ggrep se", ["search", "serve", "server", "setup"]),
        ("ggrep --v", ["--version"]),
        ("ggrep workspace re", ["remove"]),
        ("ggrep workspace add --al", ["--alias"]),
        ("ggrep index --dr", ["--dry-run"]),
        ("ggrep words --find us", ["usage"]),
        ("ggrep words --find=us", ["--find=usage"]),
        ("ggrep -m 5 --mode pl", ["planning"]),
        ("ggrep search words --filter la", ["lang:"]),
        ("ggrep search words --filter -lang:pyt", ["-lang:python"]),
        ("ggrep refs name --filter kind:en", ["kind:enum"]),
        ("ggrep completion f", ["fish"]),
        ("ggrep help wor", ["workspace"]),
        ("ggrep install wi", ["windsurf"]),
        ("ggrep uninstall claude zs", ["zsh"]),
        ("ggrep --color al", ["always"]),
        ("ggrep words -- --color al", []),
        ("ggrep words --color=n", ["--color=never"]),
        ("ggrep --color always --no-pager outl", ["outline"]),
        ("ggrep words -t typesc", ["typescript"]),
        ("ggrep help workspace wa", ["watch"]),
        ("ggrep words --profile ", ["docs", "two words"]),
        ("ggrep words --workspace team.jsonc --select ", ["mail", "money", "web"]),
        ("ggrep words --workspace=team.jsonc --only=mo", ["--only=money"]),
        ("ggrep slate words --workspace team.jsonc --tag ", ["core", "pay"]),
        ("ggrep workspace remove team.jsonc mo", ["money"]),
        ("ggrep clean ", ["shop-1", "torn-2"]),
        ("ggrep words --repo ", ['/shop "one"']),
        ("ggrep index ", []),
        ("ggrep words --receipt ", []),
        ("ggrep words -- --fi", []),
    ],
)
def test_what_a_word_may_become(tree: Path, line: str, words: list[str]) -> None:
    """Nothing at all leaves it to the shell, which knows files."""
    assert offered(line) == words


def test_what_cannot_be_read_offers_nothing(tree: Path, ggrep: Command) -> None:
    (tree / ".ggrep.toml").write_bytes(b"\xff")
    for line in ("--workspace none.jsonc --tag", "--tag", "--profile"):
        done = ggrep("__complete", "--", "search", "words", *line.split(), "")
        assert (done.status, done.out, done.err) == (0, "", "")


def test_completions_load_next_to_nothing_and_make_nothing(tmp_path: Path) -> None:
    run = (
        "import sys; from ggrep.interfaces.entry import main; main();"
        "print(*[name for name in sys.modules if name.startswith('ggrep')], file=sys.stderr)"
    )
    home = tmp_path / "home"
    done = subprocess.run(
        [sys.executable, "-c", run, "__complete", "--", "search", "x", "--filt"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE), "GGREP_HOME": str(home)},
    )

    assert done.stdout == "--filter\n"
    assert set(done.stderr.split()) == {
        *("ggrep", "ggrep.base", "ggrep.base.commands", "ggrep.interfaces"),
        *("ggrep.interfaces.entry", "ggrep.interfaces.entry.complete"),
        *("ggrep.base.options", "ggrep.base.commands"),
    }
    assert not home.exists()


def test_another_shell_is_refused(ggrep: Command) -> None:
    done = ggrep("completion", "fsh")

    assert done.status == 2
    assert "unknown 'fsh'; did you mean: fish; use one of bash, zsh" in done.err


BARE = {"bash": ["--norc", "-i"], "zsh": ["-f", "-i"], "fish": ["--no-config"]}
"""Flags that keep a shell from anybody's own settings."""


def scripted(shell: str, script: str, tree: Path) -> str:
    """Return what a shell prints that has read its completions."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell} here")
    bin_ = tree.parent / "bin"
    bin_.mkdir(exist_ok=True)
    command = bin_ / "ggrep"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ggrep "$@"\n')
    command.chmod(0o755)
    (tree.parent / "script").write_text(SCRIPTS[shell])
    done = subprocess.run(
        [program, *BARE[shell], "-c", script],
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=120,
        env={
            **os.environ,
            "PATH": f"{bin_}:{os.environ['PATH']}",
            "PYTHONPATH": str(SOURCE),
            "HOME": str(tree.parent),
            "SCRIPT": str(tree.parent / "script"),
            "TERM": "dumb",
        },
    )
    return done.stdout


LINES = [
    ("ggrep ou", ["outline"]),
    ("ggrep search words --fin", ["--find"]),
    ("ggrep words --find us", ["usage"]),
    ('ggrep "two words" --workspace team.jsonc --tag ', ["core", "pay"]),
    ("ggrep words --filter lang:pyt", ["lang:python"]),
]


BASH = (
    '. "$SCRIPT"; complete -p ggrep >&2; COMP_LINE={line!r}; COMP_POINT=${{#COMP_LINE}};'
    ' _ggrep ggrep; printf "%s\\n" "${{COMPREPLY[@]}}"'
)
"""As bash calls the function: the line, where the cursor is, and its answer in COMPREPLY."""
ZSH = (
    'compdef() {{ :; }}; _files() {{ print files; }}; . "$SCRIPT";'
    " compadd() {{ while [[ $1 == -* && $1 != -- ]]; do [[ $1 == -S ]] && shift; shift; done;"
    ' shift; print -l -- "$@"; }};'
    " words=({line} {blank}); CURRENT=${{#words}}; _ggrep"
)
"""With `compadd` in the place of the editor's."""
FISH = "source $SCRIPT; complete -C {line!r}"
ASKED = {"bash": BASH, "zsh": ZSH, "fish": FISH}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shell", "line", "words"),
    [
        *((shell, *case) for shell in ASKED for case in LINES),
        ("bash", "ggrep words --find=us", ["usage"]),
    ],
)
def test_a_shell_completes(tree: Path, shell: str, line: str, words: list[str]) -> None:
    blank = "''" if line.endswith(" ") else ""
    out = scripted(shell, ASKED[shell].format(line=line, blank=blank), tree)

    # Colons end a word of bash, and what stands before them is left out.
    expected = [word.rpartition(":")[2] if shell == "bash" else word for word in words]
    assert [item.partition("\t")[0] for item in out.splitlines()] == expected


def test_the_powershell_script_has_its_form() -> None:
    script = SCRIPTS["powershell"]

    assert "Register-ArgumentCompleter -Native -CommandName ggrep" in script
    assert "ggrep __complete -- @words" in script
    for opened, closed in ("{}", "()", "[]"):
        assert script.count(opened) == script.count(closed)


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_script_names_no_command(shell: str) -> None:
    assert re.findall(r"--(?:find|filter|json)|slate|outline", SCRIPTS[shell]) == []
