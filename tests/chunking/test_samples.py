"""A small file of each language that is read by queries: what it defines, where, and as what.

`samples/expected.txt` holds a line a definition, as `ggrep symbol` tells it.
"""

import re
from pathlib import Path

import pytest

from ggrep.model.files import CHUNK_TYPES
from ggrep.parse.chunking.chunker import chunk_file
from ggrep.parse.languages import query_rules
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.registry import HOLDERS, QUERIED, language_of
from tests.oracle.mentioned import mentions_of

QUERIES = Path(query_rules.__file__).parent / "queries"
SAMPLES = Path(__file__).parent / "samples"
EXPECTED = (SAMPLES / "expected.txt").read_text()
NAMES = sorted(path.name for path in SAMPLES.iterdir() if path.name != "expected.txt")
_WORD = re.compile(r"[^\W\d](?:[\w'!?]|-(?=\w))*")


def told(name: str) -> list[str]:
    """Return the definitions of a sample as lines."""
    data = (SAMPLES / name).read_bytes()
    result = mentions_of(name, data, _WORD.findall(data.decode()))
    defined = [each for each in result if each.defined is not None]
    defined.sort(key=lambda each: (each.line, each.column, each.text))
    return [
        f"{name}:{each.line} {each.defined.kind} "
        + ".".join(filter(None, (each.container, each.text)))
        for each in defined
        if each.defined is not None
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_s_definitions_are_told(name: str) -> None:
    """A language is read, or it is not; half of it would mislead."""
    wanted = [line for line in EXPECTED.splitlines() if line.startswith(f"{name}:")]

    assert told(name) == wanted


@pytest.mark.parametrize("name", NAMES)
def test_each_chunk_s_names_are_definitions(name: str) -> None:
    data = (SAMPLES / name).read_bytes()
    plan = chunk_file(name, data, ChunkLimits())
    bare = {line.rpartition(" ")[2].rpartition(".")[2] for line in told(name)}

    assert plan.problem is None
    assert plan.method in {"tree-sitter", "structure"}
    assert {piece.chunk_type for piece in plan.pieces} <= {*CHUNK_TYPES}
    if plan.method == "tree-sitter":
        words = {word for piece in plan.pieces for each in piece.names for word in _parts(each)}
        assert bare <= words


def test_each_language_has_a_sample() -> None:
    """A query file that nobody has tried is a guess."""
    tried = {language_of(name, (SAMPLES / name).read_bytes()) for name in NAMES}

    assert tried >= QUERIED | HOLDERS - {"svelte"}


@pytest.mark.parametrize("path", sorted(QUERIES.glob("*.scm")), ids=lambda path: path.stem)
def test_queries_ask_only_what_the_binding_answers(path: Path) -> None:
    """It takes `#not-any-of?` and lets everything through; `#not-match?` it does apply."""
    assert "#not-any-of?" not in path.read_text()


def _parts(name: str) -> list[str]:
    return [name, name.strip("*"), *re.split(r"[.:/]+", name)]
