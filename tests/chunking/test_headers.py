"""A definition's head and documentation come with its chunk, as people read them."""

import pytest

from ggrep.base.ids import PathKey
from ggrep.model.corpus import Corpus
from ggrep.model.files import Chunk
from ggrep.parse.chunking.chunker import chunk_file
from ggrep.parse.chunking.headers import MAX_DOC_CHARACTERS, clean_doc
from ggrep.parse.chunking.spans import to_chunks
from ggrep.parse.languages.chunk_limits import ChunkLimits

SOURCES = {
    "a.py": (
        "@cached(\n    size=3,\n)\ndef load(key: str,\n         tries: int = 3) -> bytes:\n"
        '    """Read one value.\n\n    Twice at most.\n    """\n    return b""\n',
        "def load(key: str, tries: int = 3) -> bytes",
        "Read one value.\nTwice at most.",
    ),
    "a.go": (
        "package a\n\n// Load reads one value.\n// Twice at most.\n"
        "func (s *Store) Load(key string) error {\n\treturn nil\n}\n",
        "func (s *Store) Load(key string) error",
        "Load reads one value.\nTwice at most.",
    ),
    "a.rs": (
        "/// Reads one value.\n#[inline]\npub fn load(key: &str) -> u8 {\n    1\n}\n",
        "pub fn load(key: &str) -> u8",
        "Reads one value.",
    ),
    "A.java": (
        "class A {\n  /**\n   * Reads one value.\n   *\n   * @param key what to read\n   */\n"
        "  byte[] load(String key) {\n    return null;\n  }\n}\n",
        "class A",
        "",
    ),
    "a.c": (
        "/* ---- reading ---- */\n\n/* Reads one value. */\nint load(const char *key)\n{\n"
        "    return 1;\n}\n",
        "int load(const char *key)",
        "Reads one value.",
    ),
    "run": (
        "#!/usr/bin/env python3\ndef load(key):\n    return key\n",
        "def load(key)",
        "",
    ),
    "run.sh": (
        '#!/bin/sh -eu\n# Reads one value.\nload() {\n  cat "$1"\n}\n',
        "load()",
        "Reads one value.",
    ),
    "a.ts": (
        "// eslint-disable-next-line\nexport async function load(key: string): Promise<number> {\n"
        "  return 1\n}\n",
        "export async function load(key: string): Promise<number>",
        "eslint-disable-next-line",
    ),
}


def defined(name: str, text: str) -> Chunk:
    data = text.encode()
    chunked = to_chunks(PathKey(name), data, chunk_file(name, data, ChunkLimits()), Corpus.CODE)
    return next(chunk for chunk in chunked.chunks if chunk.name)


@pytest.mark.parametrize("name", SOURCES)
def test_the_head_and_the_documentation_are_told_apart_from_the_body(name: str) -> None:
    """An agent decides by the signature and the first sentence whether to open the file."""
    text, signature, doc = SOURCES[name]

    chunk = defined(name, text)

    assert (chunk.signature, chunk.doc) == (signature, doc)


def test_a_comment_apart_from_the_definition_documents_nothing() -> None:
    """A licence above an empty line says nothing of the function below it."""
    chunk = defined("a.go", "package a\n\n// Licence.\n\nfunc Load() {}\n")

    assert chunk.doc == ""


def test_later_parts_of_a_large_definition_do_not_repeat_its_documentation() -> None:
    """Words of the comment must not count once for each part."""
    body = "".join(f"    x{number} = {number}\n" for number in range(300))
    data = f'def load():\n    """Read one value."""\n{body}'.encode()
    plan = chunk_file("a.py", data, ChunkLimits())

    parts = to_chunks(PathKey("a.py"), data, plan, Corpus.CODE).chunks[1:]

    assert len(parts) > 1
    assert [part.doc for part in parts] == ["Read one value."] + [""] * (len(parts) - 1)


@pytest.mark.parametrize(
    ("comment", "prose"),
    [
        ("-- | Reads one value.\n-- Twice.", "Reads one value.\nTwice."),
        ("{- Reads one value. -}", "Reads one value."),
        (";; Reads one value.", "Reads one value."),
        ("# Reads one value.\n#\n# Twice.", "Reads one value.\nTwice."),
        ("//! Reads one value.", "Reads one value."),
        ('r"""Reads a "value"."""', 'Reads a "value".'),
        ("/** * starred * words */", "starred * words"),
    ],
)
def test_comment_marks_of_common_languages_go(comment: str, prose: str) -> None:
    """Marks are noise to a reader and to a search."""
    assert clean_doc(comment) == prose


def test_documentation_is_bounded() -> None:
    """A licence of a thousand lines must not be stored twice."""
    assert len(clean_doc("# word\n" * 10_000)) <= MAX_DOC_CHARACTERS
