"""Notebooks are cut at their cells."""

import json
from collections.abc import Callable

import pytest

from ggrep.domain.chunk import ChunkedFile

Chunked = Callable[..., ChunkedFile]


def cell(kind: str, *lines: str, outputs: object = ()) -> dict[str, object]:
    """Return a cell as notebooks store it."""
    found: dict[str, object] = {"cell_type": kind, "metadata": {}, "source": list(lines)}
    return found if kind == "markdown" else {**found, "outputs": list(outputs)}  # type: ignore[call-overload]  # any JSON


def notebook(*cells: object) -> str:
    """Return a file of such cells."""
    return json.dumps({"cells": list(cells), "metadata": {"x": 1}, "nbformat": 4}, indent=1)


LONG = [f'value_{i} = "é{i}"\n' for i in range(70)]


def test_a_cell_is_searched_as_it_reads(chunked: Chunked) -> None:
    """Its text is escaped in the file, so no word of it would be found next to an escape."""
    text = notebook(cell("code", *LONG[:9], 'def load(x):\n    return "a"'))

    file = chunked("a.ipynb", text)

    assert file.method == "notebook"
    chunk = file.chunks[1]
    assert 'return "a"' in chunk.extra
    assert 'return \\"a\\"' in chunk.text
    assert "load" in chunk.names


def test_headings_of_cells_enclose_the_cells_below(chunked: Chunked) -> None:
    """A cell of code says little about what it is for."""
    text = notebook(
        cell("markdown", "# Title\n"),
        cell("markdown", "## Load\n", "words"),
        cell("code", *LONG[:60]),
        cell("markdown", "## Plot"),
        cell("code", *LONG[:60]),
    )

    rows = [(c.name, c.breadcrumb) for c in chunked("a.ipynb", text).chunks[1:]]

    assert ("Load", ("Title",)) in rows
    assert ("", ("Title", "Plot")) in rows


def test_a_large_cell_is_cut_and_each_part_says_its_own_lines(chunked: Chunked) -> None:
    """Each line is searched once."""
    chunks = chunked("a.ipynb", notebook(cell("code", *LONG))).chunks[1:]

    said = "\n".join(chunk.extra for chunk in chunks).split()
    assert [word for word in said if word.startswith("value_")] == [f"value_{i}" for i in range(70)]


def test_outputs_stay_in_the_text_alone(chunked: Chunked) -> None:
    """An encoded picture holds no word."""
    picture = {"data": {"image/png": "iVBOR" * 20}}

    chunks = chunked("a.ipynb", notebook(cell("code", "x = 1", outputs=[picture]))).chunks[1:]

    assert any("iVBOR" in chunk.text for chunk in chunks)
    assert not any("iVBOR" in chunk.extra for chunk in chunks)


@pytest.mark.parametrize("text", ['{"cells": 3}', "[1", "cells", '{"cells": [', '{"cells": []}'])
def test_what_is_no_notebook_is_cut_as_data(chunked: Chunked, text: str) -> None:
    """A broken file is searchable all the same."""
    file = chunked("a.ipynb", text)

    assert file.method in {"structure", "lines"}
    assert "".join(chunk.text for chunk in file.chunks[1:]) == text
