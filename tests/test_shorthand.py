"""Short forms, as people type them into grep and ripgrep."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.option_spelling import FILTERING, written_out
from tests.cli.conftest import SHOP
from tests.fakes.repos import write_tree
from tests.journeys.command import Command
from tests.journeys.conftest import ggrep, repo  # noqa: F401 - fixtures


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("search x -t py", "search x --filter=lang:py"),
        ("search x -tpy -t=go", "search x --filter=lang:py --filter=lang:go"),
        ("search x --type=py --type-not go", "search x --filter=lang:py --filter=-lang:go"),
        ("search x -g src/*.py", "search x --filter=path:src/*.py"),
        ("search x -g ./src -g !./docs", "search x --filter=path:src --filter=-path:docs"),
        ("search x -g !tests -T !go", "search x --filter=-path:tests --filter=lang:go"),
        ("slate x --no-tests -F", "slate x --filter=-test:true --find=exact-text"),
        ("search x -E --tests", "search x --find=regex --filter=test:true"),
        ("refs x --no-tests -t go", "refs x --filter=-test:true --filter=lang:go"),
        ("refs x -F", "refs x -F"),
        ("search -- -t py", "search -- -t py"),
        ("search x --filter -test:true", "search x --filter -test:true"),
        ("search x --filter", "search x --filter"),
        ("search x -t", "search x -t"),
        ("index -t py", "index -t py"),
        ("", ""),
    ],
)
def test_each_is_written_out(typed: str, meant: str) -> None:
    assert written_out(typed.split()) == meant.split()


@given(st.sampled_from(sorted(FILTERING)), st.lists(st.text("-tTgFE!=x ", max_size=5), max_size=5))
def test_written_out_twice_is_written_out_once(command: str, words: list[str]) -> None:
    """No form leads to another."""
    once = written_out([command, *words])

    assert written_out(once) == once


def test_they_mean_what_the_long_forms_mean(
    ggrep: Command,  # noqa: F811
    repo: Path,  # noqa: F811
) -> None:
    write_tree(repo, {**SHOP, ".ggrep.toml": ""})

    def found(*words: str) -> set[str]:
        done = ggrep(*words, "--json", "--offline", "--sync")
        assert done.status == 0, done.err
        return {hit["path"] for hit in done.document["results"]}

    assert found("charge_card", "-tmd") == {"docs/payments.md"}
    assert "tests/test_checkout.py" not in found("charge_card", "--no-tests", "-t", "py")
    assert found("charge_card", "--tests") == {"tests/test_checkout.py"}
    assert found("charge_\\w+", "-E", "-g", "src/c*") == {"src/checkout.py"}
    assert found("-F", "card.debit(") == {"src/checkout.py"}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("search x -F -i -w -n", "search x --find=exact-text --ignore-case --word-regexp"),
        ("search -Ei x", "search --find=regex --ignore-case x"),
        ("search x -Fl", "search x --find=exact-text --files-with-matches"),
        ("search x --find regex -c", "search x --find regex --count"),
        ("search x -F -A 3 -B2", "search x --find=exact-text --after-context=3 --before-context=2"),
        ("search x -FC1", "search x --find=exact-text --before-context=1 --after-context=1"),
        ("search x -F -m 5 -i", "search x --find=exact-text -m 5 --ignore-case"),
        ('search "=>" -l -n', 'search "=>" --files-with-matches'),
        ("search x -i -n", "search x -i -n"),
        ("search x -l", "search x -l"),
        ("slate x -F -i", "slate x --find=exact-text -i"),
    ],
)
def test_letters_of_exact_text_are_those_of_grep(typed: str, meant: str) -> None:
    """With words they select an intent, or are refused."""
    assert written_out(typed.split()) == meant.split()


def test_exact_text_is_printed_as_ripgrep_prints_it(
    ggrep: Command,  # noqa: F811
    repo: Path,  # noqa: F811
) -> None:
    files = {"a.py": "x = 1\r\nNeedle = 2\r\ny = 3\r\n\r\nz = needle\r\n", "b.txt": "a needle\n"}
    write_tree(repo, files)
    ggrep("index")

    def printed(*words: str) -> list[str]:
        done = ggrep(*words, "-g", "!docs", "--offline")
        assert done.status == 0, done.err
        return done.out.splitlines()

    assert printed("-F", "needle") == ["a.py", "5:z = needle", "", "b.txt", "1:a needle"]
    assert printed("-Fi", "needle", "a.py", "-A1") == [
        *("a.py", "2:Needle = 2", "3-y = 3", "--", "5:z = needle")
    ]
    assert printed("-E", "needle$", "-c") == ["a.py:1", "b.txt:1"]
    assert printed('"needle"', "-l") == ["a.py", "b.txt"]
    assert printed("-F", "needle", "--vimgrep") == ["a.py:5:5:z = needle", "b.txt:1:3:a needle"]
    assert ggrep("-F", "needle", "-m", "1", "-g", "!docs", "--offline").err == (
        "2 lines in 2 files; 1 more line, 1 more file; -m 100 shows more\n"
    )


@pytest.mark.parametrize("letter", ["-l", "-c", "-w", "-A", "--ignore-case", "--count"])
def test_letters_of_exact_text_are_refused_with_words(
    ggrep: Command,  # noqa: F811
    letter: str,
) -> None:
    """A silent other meaning would surprise."""
    done = ggrep("needle", letter)

    assert done.status == 2
    assert "-F, -E or a text in double quotes" in done.err
