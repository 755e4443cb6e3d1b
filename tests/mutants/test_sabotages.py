"""The list of sabotages stays true to the code."""

from pathlib import Path

import pytest

from tests.mutants.sabotages import SABOTAGES, Sabotage
from tests.mutants.sabotages_daemon import DAEMON_SABOTAGES
from tests.mutants.sabotages_encoder import ENCODER_SABOTAGES
from tests.mutants.sabotages_federation import FEDERATION_SABOTAGES
from tests.mutants.sabotages_slates import SLATE_SABOTAGES

ALL = SABOTAGES + DAEMON_SABOTAGES + ENCODER_SABOTAGES + FEDERATION_SABOTAGES + SLATE_SABOTAGES
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("sabotage", ALL, ids=lambda item: item.name)
def test_a_sabotage_still_fits_its_file(sabotage: Sabotage) -> None:
    """One that changes nothing would be counted as noticed by nobody, or not at all."""
    text = (ROOT / sabotage.file).read_text(encoding="utf-8")

    assert text.count(sabotage.text) == 1
    assert text.replace(sabotage.text, sabotage.replacement) != text
    assert sabotage.tests
    for test in sabotage.tests:
        path, _, name = test.partition("::")
        assert f"def {name.partition('[')[0]}(" in (ROOT / path).read_text() or not name


def test_names_are_distinct() -> None:
    """A report names them."""
    assert len({item.name for item in ALL}) == len(ALL)
