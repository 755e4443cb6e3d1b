"""The list of sabotages stays true to the code."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.mutants.sabotages import ALL, Sabotage, read

ROOT = Path(__file__).resolve().parents[2]


def test_every_sabotage_still_fits_its_file() -> None:
    """One that changes nothing would be counted as noticed by nobody, or not at all."""
    stale = [f"{item.name}: {why}" for item in ALL for why in _stale(item)]

    assert not stale, "\n".join(stale)


def test_what_keeps_a_sabotage_from_being_tried_is_told() -> None:
    """The proof above would hold of any list if nothing were ever stale."""
    fits = ALL[0]
    lost = "tests/mutants/test_sabotages.py::test_nowhere"

    assert list(_stale(fits)) == []
    assert [
        *_stale(replace(fits, text="\0")),
        *_stale(replace(fits, file="ggrep/nowhere.py")),
        *_stale(replace(fits, replacement=fits.text)),
        *_stale(replace(fits, tests=())),
        *_stale(replace(fits, tests=(lost,))),
    ] == [
        f"its text occurs 0 times in {fits.file}",
        "there is no ggrep/nowhere.py",
        "it changes nothing",
        "no test is to notice it",
        f"there is no {lost}",
    ]


def test_a_file_of_sabotages_is_read_to_the_letter() -> None:
    """Indentation and empty lines belong to the text; without a replacement it is taken out."""
    first, second = read(
        "== a name\n@ a.py\n-     x = 1\n-\n-\n+ y\n! t.py::test\n! u.py\n\n== b\n@ b.py\n- z\n"
    )

    assert first == Sabotage("a name", "a.py", "    x = 1\n\n", "y", ("t.py::test", "u.py"))
    assert second == Sabotage("b", "b.py", "z", "", ())
    with pytest.raises(ValueError, match="no mark"):
        tuple(read("== a\n@ a.py\n x\n"))


def test_names_are_distinct() -> None:
    """A report names them."""
    numbers = Counter(item.name for item in ALL)

    assert [name for name, number in numbers.items() if number > 1] == []


def _stale(item: Sabotage) -> Iterator[str]:
    """Yield what keeps a sabotage from being tried as it is written."""
    text = _text(item.file)
    if text is None:
        yield f"there is no {item.file}"
    elif (number := text.count(item.text)) != 1:
        yield f"its text occurs {number} times in {item.file}"
    if item.text == item.replacement:
        yield "it changes nothing"
    if not item.tests:
        yield "no test is to notice it"
    for test in item.tests:
        path, _, name = test.partition("::")
        source = _text(path)
        if source is None or (name and f"def {name.partition('[')[0]}(" not in source):
            yield f"there is no {test}"


@cache
def _text(path: str) -> str | None:
    file = ROOT / path
    return file.read_text(encoding="utf-8") if file.is_file() else None
