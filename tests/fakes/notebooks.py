"""Notebooks as programs write them."""

import json

PICTURE = {"output_type": "display_data", "data": {"image/png": "iVBOR" * 200}}


def cell(kind: str, *lines: str, outputs: object = ()) -> dict[str, object]:
    """Return a cell as notebooks store it; each line but the last ends in a line feed."""
    source = [f"{line}\n" for line in lines[:-1]] + [*lines[-1:]]
    results: dict[str, object] = {"cell_type": kind, "metadata": {}, "source": source}
    return results if kind != "code" else {**results, "execution_count": 1, "outputs": outputs}


def notebook(*cells: object, language: str = "python", indent: int | None = 1) -> str:
    """Return a file of such cells."""
    metadata = {"language_info": {"name": language}} if language else {}
    results = {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(results, indent=indent, ensure_ascii=False)


def with_sources(text: str, *, key: str = "source", one_string: bool = True) -> dict[str, object]:
    """Return a notebook's JSON with each source as one string, or under another key."""
    document: dict[str, object] = json.loads(text)
    cells = document["cells"]
    assert isinstance(cells, list)
    for each in cells:
        source = each.pop("source")
        each[key if each["cell_type"] == "code" else "source"] = (
            "".join(source) if one_string else source
        )
    return document
