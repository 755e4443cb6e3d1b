"""Names as outlines print them, in every language with a sample, asked for exactly so.

`names/` holds names with operators, quotes, backticks, sigils and punctuation; the samples of
chunking hold the other languages.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ggrep.model.navigation import Definition, ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.outline import OutlineEntry, OutlineRequest
from ggrep.model.written_names import is_same_name
from ggrep.search.engine import engine as engines
from ggrep.search.engine.engine import Engine
from tests.fakes.mentions import InProcessMentions
from tests.fakes.repos import open_engine

SAMPLES = {
    "names": Path(__file__).parent / "names",
    "samples": Path(__file__).parents[1] / "chunking" / "samples",
}
KEYS = sorted(
    f"{folder}/{path.name}"
    for folder, root in SAMPLES.items()
    for path in root.iterdir()
    if path.name != "expected.txt"
)
_UNDEFINED = frozenset({"impl"})
"""Kinds of what is outlined and defines nothing: the type does that has the name."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Return an engine over all samples."""
    root = tmp_path_factory.mktemp("root")
    for key in KEYS:
        folder, _, name = key.partition("/")
        (root / folder).mkdir(exist_ok=True)
        (root / key).write_bytes((SAMPLES[folder] / name).read_bytes())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(engines, "OccurrencePool", InProcessMentions)
        made = open_engine(root, tmp_path_factory.mktemp("home"), encoder="none")
        made.sync()
        yield made


def entries(engine: Engine, key: str) -> list[OutlineEntry]:
    (outline,) = engine.ask(OutlineRequest((key,), max_bytes=1 << 20)).outlines
    return list(outline.entries)


def printed(entry: OutlineEntry) -> list[str]:
    return entry.name.split(", ")


def defined(engine: Engine, name: str, key: str, entry: OutlineEntry) -> list[Definition]:
    """Return the definitions of a name within the lines of an entry."""
    answer = engine.ask(SymbolRequest(name, scope=key, limit=0)).definitions
    return [each for each in answer if entry.start_line <= each.line <= entry.end_line]


@pytest.mark.parametrize("key", KEYS)
def test_a_printed_name_is_found_as_it_is_printed(engine: Engine, key: str) -> None:
    """An agent passes on what it has read."""
    listed = [entry for entry in entries(engine, key) if entry.kind not in _UNDEFINED]
    lost = [
        name for entry in listed for name in printed(entry) if not defined(engine, name, key, entry)
    ]

    assert lost == []


@pytest.mark.parametrize("key", [key for key in KEYS if key.startswith("names/")])
def test_a_qualified_name_is_found_as_it_is_printed(engine: Engine, key: str) -> None:
    for entry in entries(engine, key):
        for name in printed(entry):
            for item in defined(engine, name, key, entry):
                again = engine.ask(SymbolRequest(item.qualified_name, scope=key, limit=0))

                assert item.line in {each.line for each in again.definitions}, item.qualified_name


@pytest.mark.parametrize("key", [key for key in KEYS if key.startswith("names/")])
def test_a_printed_name_is_expanded_and_referred_to(engine: Engine, key: str) -> None:
    for entry in entries(engine, key):
        for name in printed(entry):
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
    answer = engine.ask(SymbolRequest(name, scope=key)).definitions

    assert [each.line for each in answer] == [line]


@pytest.mark.parametrize("key", [key for key in KEYS if key.startswith("names/")])
def test_a_suggested_name_is_found_and_is_another_one(engine: Engine, key: str) -> None:
    """A name that leads nowhere, or back, costs a call."""
    for entry in entries(engine, key)[:2]:
        asked = f"{printed(entry)[0]}zz"
        for suggested in engine.ask(SymbolRequest(asked)).suggestions[:2]:
            assert not is_same_name(suggested, asked)
            assert engine.ask(SymbolRequest(suggested)).total, suggested
