"""Notebooks as programs write them."""

import json

PICTURE = {"output_type": "display_data", "data": {"image/png": "iVBOR" * 200}}


def cell(kind: str, *lines: str, outputs: object = ()) -> dict[str, object]:
    """Return a cell as notebooks store it; each line but the last ends in a line feed."""
    source = [f"{line}\n" for line in lines[:-1]] + [*lines[-1:]]
    found: dict[str, object] = {"cell_type": kind, "metadata": {}, "source": source}
    return found if kind != "code" else {**found, "execution_count": 1, "outputs": outputs}


def notebook(*cells: object, language: str = "python", indent: int | None = 1) -> str:
    """Return a file of such cells."""
    metadata = {"language_info": {"name": language}} if language else {}
    found = {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(found, indent=indent, ensure_ascii=False)
