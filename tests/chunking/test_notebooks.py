"""Notebooks are cut at their cells, and read in the language of their kernel."""

import pytest

from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.registry import language_of
from ggrep.parse.source.notebooks import as_script
from tests.chunking.conftest import Chunked
from tests.fakes.notebooks import cell, notebook

LONG = [f"value_{i} = {i}" for i in range(58)]
LOAD = cell("code", "def load(path):", '    """Read it."""', "    return open(path)")


def script(*cells: object, language: str = "python") -> bytes:
    """Return a notebook as it is handed to chunking."""
    result = as_script(notebook(*cells, language=language).encode())
    assert result is not None
    return result.data


def test_a_definition_is_one_as_in_any_file(chunked: Chunked) -> None:
    """It is found by its name, with its head and what documents it."""
    file = chunked("a.ipynb", script(cell("markdown", "# Title"), LOAD))

    assert (file.language, file.method) == ("python", "notebook")
    [chunk] = [chunk for chunk in file.chunks if chunk.name == "load"]
    assert (chunk.signature, chunk.doc) == ("def load(path)", "Read it.")
    assert chunk.text.startswith("# %% 2")


def test_headings_of_cells_enclose_the_cells_below(chunked: Chunked) -> None:
    """A cell of code says little about what it is for."""
    text = script(
        cell("markdown", "# Title", "words"),
        cell("code", *LONG),
        cell("markdown", "## Load"),
        cell("code", *LONG),
        cell("markdown", "## Plot"),
        cell("code", *LONG),
    )

    rows = [(c.name, c.breadcrumb) for c in chunked("a.ipynb", text).chunks[1:]]

    assert rows == [
        ("Title", ()),
        ("", ("Title",)),
        ("Load", ("Title",)),
        ("", ("Title", "Load")),
        ("Plot", ("Title",)),
        ("", ("Title", "Plot")),
    ]


def test_small_cells_below_one_heading_share_a_chunk(chunked: Chunked) -> None:
    """One line of code alone says nothing, and the text above says what it does."""
    cells = (cell("markdown", "# Title", "words"), *(cell("code", f"x_{i}") for i in range(3)))

    [chunk] = chunked("a.ipynb", script(*cells)).chunks[1:]

    assert [word for word in ("words", "x_0", "x_1", "x_2") if word in chunk.text] == [
        *("words", "x_0", "x_1", "x_2")
    ]
    assert "Title" in chunk.names


def test_without_a_parser_cells_are_cut_all_the_same(chunked: Chunked) -> None:
    file = chunked("a.ipynb", script(cell("markdown", "# A"), LOAD, language="wolfram"))

    assert (file.language, file.method) == ("jupyter", "notebook")
    assert "A" in file.chunks[1].names


@pytest.mark.parametrize(
    ("kernel", "language"),
    [("R", "r"), ("julia", "julia"), ("C++", "cpp"), ("scala", "scala"), ("C#", "csharp")],
)
def test_the_language_is_that_of_the_kernel(kernel: str, language: str) -> None:
    """Names are looked up by its rules."""
    assert language_of("a.ipynb", script(LOAD, language=kernel)) == language


def test_a_name_in_a_notebook_of_r_is_a_definition(chunked: Chunked) -> None:
    cells = (cell("code", "load <- function(path) {", "  read.csv(path)", "}"),)

    assert chunked("a.ipynb", script(*cells, language="R")).chunks[1].name == "load"


def test_a_cell_larger_than_a_chunk_is_cut(chunked: Chunked) -> None:
    """Under the limits of any chunk."""
    chunks = chunked("a.ipynb", script(cell("code", *LONG, *LONG)), ChunkLimits()).chunks[1:]

    assert len(chunks) > 1
    assert all(chunk.end_line - chunk.start_line < 60 for chunk in chunks)


@pytest.mark.parametrize("text", ['{"cells": 3}', "[1", "cells", '{"cells": [', '{"cells": []}'])
def test_what_is_no_notebook_is_cut_as_data(chunked: Chunked, text: str) -> None:
    """A broken file is searchable all the same."""
    file = chunked("a.ipynb", text)

    assert file.method in {"structure", "lines"}
    assert "".join(chunk.text for chunk in file.chunks[1:]) == text
