"""Profiles and daemons: one for each store, found by whoever asks under any of them."""

import pytest

from tests.journeys.command import Outcome
from tests.journeys.household import Household

pytestmark = pytest.mark.slow

TREE = {
    ".ggrep.toml": """
[profiles.data]
include = ["Datasets/**"]
max_bytes_indexed = 1_000_000
max_file_size_bytes = 100_000
max_store_bytes = 50_000_000
[profiles.docs.view]
paths = ["docs"]
""",
    "Datasets/invoices.csv": "settle,invoice\n1,2\n",
    "docs/pay.md": "# Settling\n\nHow to settle an invoice.\n",
    "pay.py": "def settle_invoice():\n    return 1\n",
}
SEARCH = ("settle invoice", "--compact", "--keep-weak")
PYTHON = ("-X", "importtime")


def shown(outcome: Outcome) -> set[str]:
    assert outcome.status == 0, outcome.err
    return set(outcome.out.splitlines())


def test_profiles_in_turn_each_keep_their_daemon(house: Household) -> None:
    """A view shares the default's; neither takes the other's way to it."""
    root = house.repo(files=TREE)
    plain = {"docs/pay.md", "pay.py"}

    for _ in range(2):
        assert shown(house.run(*SEARCH, cwd=root, GGREP_PROFILE="docs")) == {"docs/pay.md"}
        assert shown(house.run(*SEARCH, cwd=root)) == plain
        assert shown(house.run(*SEARCH, "--profile", "docs", cwd=root)) == {"docs/pay.md"}
        result = shown(house.run(*SEARCH, "--profile", "data", cwd=root))
        assert result == plain | {"Datasets/invoices.csv"}
    house.settle(root)
    quick = house.run(*SEARCH, cwd=root, python=PYTHON)
    under_data = house.run(*SEARCH, cwd=root, python=PYTHON, GGREP_PROFILE="data")

    assert len(house.records()) == 2
    assert shown(under_data) == plain | {"Datasets/invoices.csv"}
    assert "typer" not in quick.err + under_data.err


def test_the_profile_that_a_file_chooses_holds_for_plain_searches(house: Household) -> None:
    root = house.repo(files=TREE | {".ggrep.toml": 'profile = "docs"\n' + TREE[".ggrep.toml"]})

    for _ in range(2):
        assert shown(house.run(*SEARCH, cwd=root)) == {"docs/pay.md"}
