"""Names as outlines print them, in every language with a sample, asked for exactly so.

`names/` holds names with operators, quotes, backticks, sigils and punctuation; the samples of
chunking hold the other languages.
"""

from functools import cache
from itertools import filterfalse
from pathlib import Path

import pytest

from ggrep.model.navigation import Definition, ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.outline import OutlineEntry, OutlineRequest
from ggrep.model.written_names import is_same_name
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import IndexOf

TESTS = Path(__file__).parents[1]
SAMPLES = {
    f"{folder.name}/{path.name}": path
    for folder in (TESTS / "navigation" / "names", TESTS / "chunking" / "samples")
    for path in sorted(folder.iterdir())
    if path.name != "expected.txt"
}
NAMED = [key for key in SAMPLES if key.startswith("names/")]
_UNDEFINED = frozenset({"impl"})
"""Kinds of what is outlined and defines nothing: the type does that has the name."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def engine(shared_index: IndexOf) -> Engine:
    """Return an engine over all samples."""
    return shared_index({key: path.read_bytes() for key, path in SAMPLES.items()}, encoder="none")


def entries(engine: Engine, key: str) -> list[OutlineEntry]:
    (outline,) = engine.ask(OutlineRequest((key,), max_bytes=1 << 20)).outlines
    return list(outline.entries)


def printed(entry: OutlineEntry) -> list[str]:
    return entry.name.split(", ")


@cache
def definitions(engine: Engine, name: str, key: str) -> tuple[Definition, ...]:
    return engine.ask(SymbolRequest(name, scope=key, limit=0)).definitions


def defined(engine: Engine, name: str, key: str, entry: OutlineEntry) -> list[Definition]:
    """Return the definitions of a name within the lines of an entry."""
    return [
        each
        for each in definitions(engine, name, key)
        if entry.start_line <= each.line <= entry.end_line
    ]


@pytest.mark.parametrize("key", SAMPLES)
def test_a_printed_name_is_found_as_it_is_printed(engine: Engine, key: str) -> None:
    """An agent passes on what it has read."""
    listed = [entry for entry in entries(engine, key) if entry.kind not in _UNDEFINED]
    lost = [
        name for entry in listed for name in printed(entry) if not defined(engine, name, key, entry)
    ]

    assert lost == []


@pytest.mark.parametrize("key", NAMED)
def test_a_qualified_name_is_found_as_it_is_printed(engine: Engine, key: str) -> None:
    for entry in entries(engine, key):
        for name in printed(entry):
            for item in defined(engine, name, key, entry):
                again = definitions(engine, item.qualified_name, key)

                assert item.line in {each.line for each in again}, item.qualified_name


@pytest.mark.parametrize("key", NAMED)
def test_a_printed_name_is_expanded_and_referred_to(engine: Engine, key: str) -> None:
    """Plain identifiers are left to the tests of expand and refs."""
    for entry in entries(engine, key):
        for name in filterfalse(str.isidentifier, printed(entry)):
            assert engine.ask(ReferencesRequest(name, scope=key)).request.name == name
            assert engine.ask(ExpandRequest(name)).content


@pytest.mark.parametrize(
    ("name", "key", "line"),
    [
        ("(|Hot|Cold|)", "names/last.fs", 2),
        ("%opts", "names/sigils.pl", 1),
        ("@many", "names/sigils.pl", 2),
        ("$name", "names/a.php", 4),
        ("$script:x", "names/extra.ps1", 2),
        ("`adds two coins`", "names/a.kt", 3),
        ("TillTest.`adds two coins`", "names/a.kt", 3),
        ("type", "names/a.rs", 1),
        ("round_box", "names/a.scss", 2),
        ("big-card", "names/a.css", 4),
        ("( + )", "names/extra.ml", 4),
        ("``my name``", "names/extra.fs", 2),
        ("'quoted atom'", "names/extra.erl", 3),
        ("operator ==", "names/a.hpp", 3),
        ("daily_sales", "names/a.sql", 4),
        ("`add two`", "names/a.sql", 3),
    ],
)
def test_a_name_is_found_with_or_without_quoting(
    engine: Engine, name: str, key: str, line: int
) -> None:
    assert [each.line for each in definitions(engine, name, key)] == [line]


@pytest.mark.parametrize("key", NAMED)
def test_a_suggested_name_is_found_and_is_another_one(engine: Engine, key: str) -> None:
    """A name that leads nowhere, or back, costs a call."""
    for entry in entries(engine, key)[:2]:
        asked = f"{printed(entry)[0]}zz"
        for suggested in engine.ask(SymbolRequest(asked)).suggestions[:2]:
            assert not is_same_name(suggested, asked)
            assert engine.ask(SymbolRequest(suggested)).total, suggested
