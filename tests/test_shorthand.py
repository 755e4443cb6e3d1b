"""Short forms, as people type them into grep and ripgrep."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.shorthand import FILTERING, written_out
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
