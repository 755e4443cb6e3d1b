"""What a usage does with a name, by its line."""

import pytest

from ggrep.parse.occurrences.words import Occurrence
from ggrep.search.navigation.uses import role_in


@pytest.mark.parametrize(
    ("line", "role"),
    [
        ("x = LIMIT", "read"),
        ("use LIMIT 3", "import"),
        ("LIMIT = 3", "write"),
        ("LIMIT: int = 3", "write"),
        ("LIMIT := 3", "write"),
        ("self.LIMIT += 1", "write"),
        ("run(LIMIT=9)", "write"),
        ("if LIMIT == 3:", "read"),
        ("LIMIT => 3", "read"),
        ("LIMIT(1)", "call"),
        ("LIMIT::<u8>(1)", "call"),
        ("LIMIT!(1)", "call"),
        ("new LIMIT", "call"),
        ("@shop.LIMIT", "call"),
        ("if LIMIT != 3:", "read"),
    ],
)
def test_a_line_tells_calls_and_settings_from_reads(line: str, role: str) -> None:
    """Where a setting is overridden is what is asked of it."""
    mention = Occurrence(1, line.index("LIMIT") + 1, "LIMIT", "usage")

    assert role_in(mention, line) == role


def test_syntax_and_kind_come_before_the_line() -> None:
    """A line of an import may look like anything."""
    assert role_in(Occurrence(1, 1, "x", "usage", role="import"), "x(") == "import"
    assert role_in(Occurrence(1, 1, "x", "comment"), "x(") == "read"
