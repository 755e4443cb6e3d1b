"""Of a notebook what somebody wrote is left, each line where the file has it."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from ggrep.base.ids import PathKey
from ggrep.config.settings import Settings
from ggrep.model.files import (
    CELL_LINES,
    DATA,
    MASKED,
    MINIFIED,
    UNREAD,
    FileText,
    SkippedFile,
    SourceFile,
)
from ggrep.parse.source.notebooks import Script, as_script
from ggrep.parse.source.read import read_file
from ggrep.parse.source.walk import walk
from tests.fakes.notebooks import PICTURE, cell, notebook, with_sources

CELLS = (
    cell("markdown", "# Title", "", "Some *text*"),
    cell("code", "%matplotlib inline", 'x = "é"', "if x:", "    print(x)", outputs=[PICTURE]),
    cell("raw", "as it is"),
    cell("code", "def load():", '    return "a\\n"'),
)


def script(text: str) -> Script:
    read = as_script(text.encode())
    assert read is not None
    return read


def written(text: str) -> list[str]:
    return script(text).data.decode().split("\n")


def source_file(key: str) -> SourceFile:
    return SourceFile(PathKey(key), size_bytes=0, mtime_ns=0, ctime_ns=0, inode=0)


def read(root: Path, text: str, **options: int) -> FileText:
    (root / "a.ipynb").write_text(text)
    result = read_file(root, source_file("a.ipynb"), **options)
    assert isinstance(result, FileText)
    return result


SAID = [
    "# Jupyter notebook in python",
    *("# %% [markdown] 1", "# # Title", "# Some *text*"),
    *("# %% 2", "# %matplotlib inline", 'x = "é"', "if x:", "    print(x)"),
    *("# %% [raw] 3", "# as it is"),
    *("# %% 4", "def load():", '    return "a\\n"'),
]


def format_3(indent: int | None) -> str:
    document = with_sources(notebook(*CELLS), key="input", one_string=False)
    sheet = {"cells": document.pop("cells"), "metadata": {}}
    return json.dumps({**document, "nbformat": 3, "worksheets": [sheet]}, indent=indent)


def compact_cells() -> str:
    cells = ",\n".join(json.dumps(each) for each in CELLS)
    return f'{{"nbformat": 4, "metadata": {{}}, "cells": [\n{cells}\n]}}'


def sorted_keys() -> str:
    return json.dumps(json.loads(notebook(*CELLS)), indent=1, sort_keys=True)


def reversed_keys() -> str:
    cells = [dict(reversed(each.items())) for each in CELLS]
    return json.dumps({"metadata": {}, "cells": cells, "nbformat": 4}, indent=2)


def with_ids() -> str:
    cells = [{"id": f"a{at}", **each} for at, each in enumerate(CELLS)]
    return json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def with_attachments() -> str:
    pictures = {"a.png": {"image/png": "iVBOR" * 50}}
    cells = [{**CELLS[0], "attachments": pictures}, *CELLS[1:]]
    return notebook(*cells)


def windows_strings() -> str:
    cells = [{**each, "source": "\r\n".join(said(each))} for each in CELLS]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}, indent=1)


def said(each: dict[str, object]) -> list[str]:
    source = each["source"]
    assert isinstance(source, list)
    return [line.removesuffix("\n") for line in source]


IN_FILE = {
    "jupyter": notebook(*CELLS),
    "jupyter, escaped": json.dumps(json.loads(notebook(*CELLS)), indent=1),
    "colab": notebook(*CELLS, indent=2),
    "tabs": json.dumps(json.loads(notebook(*CELLS)), indent="\t"),
    "format 3": format_3(1),
    "windows": "\ufeff" + notebook(*CELLS).replace("\n", "\r\n"),
    "sorted keys": sorted_keys(),
    "keys in another order": reversed_keys(),
    "ids": with_ids(),
    "attachments": with_attachments(),
    "empty cells": notebook(cell("code"), *CELLS[:2], cell("markdown"), *CELLS[2:], cell("code")),
}
IN_CELLS = {
    "kaggle": notebook(*CELLS, indent=None),
    "kaggle, strings": json.dumps(with_sources(notebook(*CELLS))),
    "strings": json.dumps(with_sources(notebook(*CELLS)), indent=1),
    "a line for each cell": compact_cells(),
    "format 3 in a line": format_3(None),
    "windows in strings": windows_strings(),
}


@pytest.mark.parametrize("text", IN_FILE.values(), ids=IN_FILE)
def test_a_line_of_its_own_stays_where_the_file_has_it(text: str) -> None:
    read, raw = script(text), text.split("\n")
    lines = read.data.decode().split("\n")

    assert read.in_file
    assert len(lines) == len(raw)
    for word in ("Some *text*", "print(x)", "as it is", "def load", "return"):
        [place] = [at for at, line in enumerate(lines) if word in line]
        assert word in raw[place]


@pytest.mark.parametrize("text", IN_CELLS.values(), ids=IN_CELLS)
def test_other_layouts_put_the_cells_one_below_another(text: str) -> None:
    read = script(text)

    assert not read.in_file
    assert [line for line in written(text) if line][5:9] == SAID[5:9]


@pytest.mark.parametrize("text", [*IN_FILE.values(), *IN_CELLS.values()], ids=[*IN_FILE, *IN_CELLS])
def test_every_layout_says_the_same(text: str) -> None:
    """Numbers of cells apart: empty ones count."""
    lines = [line for line in written(text) if line.strip()]

    assert [line for line in lines if "%%" not in line] == [
        line for line in SAID if "%%" not in line
    ]


@pytest.mark.parametrize(
    ("metadata", "language"),
    [
        ({"kernelspec": {"name": "ir", "display_name": "R"}}, "r"),
        ({"kernelspec": {"name": "julia-1.9"}}, "julia"),
        ({"kernelspec": {"language": "julia", "name": "other"}}, "julia"),
        ({"kernelspec": {"name": "python3"}}, "python"),
        ({"kernelspec": {"name": "xcpp17"}}, "c++"),
        ({"application/vnd.databricks.v1+notebook": {"language": "scala"}}, "scala"),
        ({"language_info": {"name": "sql"}, "kernelspec": {"name": "python3"}}, "sql"),
        ({}, "python"),
    ],
)
def test_the_kernel_names_the_language(metadata: dict[str, object], language: str) -> None:
    text = json.dumps({**json.loads(notebook(*CELLS)), "metadata": metadata})

    assert written(text)[0].endswith(f" in {language}")


@pytest.mark.parametrize(
    ("each", "lines"),
    [
        (cell("code", "%md", "## Load"), ["# %% [markdown] 1", "# %md", "# ## Load"]),
        (cell("code", "%sql", "select 1"), ["# %% 1", "# %sql", "# select 1"]),
        (cell("code", "%python", "fit()"), ["# %% 1", "# %python", "fit()"]),
        (cell("code", "%%bash", "ls"), ["# %% 1", "# %%bash", "# ls"]),
        (cell("code", "%%time", "fit()"), ["# %% 1", "# %%time", "fit()"]),
        (
            {**cell("code", "select 1"), "metadata": {"vscode": {"languageId": "sql"}}},
            ["# %% 1", "# select 1"],
        ),
        (
            {"cell_type": "heading", "level": 2, "source": ["Load"]},
            ["# %% [markdown] 1", "# ## Load"],
        ),
        (
            {"cell_type": "code", "collapsed": False, "input": "a = 1\nb = 2"},
            ["# %% 1", "a = 1", "b = 2"],
        ),
        (cell("code", "a = 1", ""), ["# %% 1", "a = 1"]),
        ({"cell_type": "code", "code": "a = 1", "source": None}, ["# %% 1", "a = 1"]),
        (cell("code", "a\tb = 1"), ["# %% 1", "a\tb = 1"]),
        ({"cell_type": "code", "source": ["a", "b"]}, ["# %% 1", "a", "b"]),
        ({"cell_type": "code", "source": ["a\nb\n", "c"]}, ["# %% 1", "a", "b", "c"]),
    ],
)
@pytest.mark.parametrize("indent", [1, None])
def test_cells_of_any_writer_read_alike(
    each: dict[str, object], lines: list[str], indent: int | None
) -> None:
    output = written(notebook(each, indent=indent))

    assert [line for line in output if line][1:] == lines


@pytest.mark.parametrize("indent", [1, None])
@pytest.mark.parametrize("value", ["NaN", "-Infinity", '"\\ud83d"', '"\\ud83d\\ude00 NaN"'])
def test_values_outside_json_are_read(indent: int | None, value: str) -> None:
    text = notebook(cell("code", 'x = "NaN"', outputs=[{"y": "HERE"}]), indent=indent)

    messages = [line for line in written(text.replace('"HERE"', value)) if line]

    assert messages[1:] == ["# %% 1", 'x = "NaN"']


def test_the_layout_is_told_as_a_trait(tmp_path: Path) -> None:
    assert read(tmp_path, IN_FILE["jupyter"]).traits == 0
    assert read(tmp_path, IN_CELLS["kaggle"]).traits == CELL_LINES


def test_the_same_lines_in_an_output_are_not_taken_for_the_source() -> None:
    """An output may hold a notebook."""
    inner = {"cell_type": "code", "source": ["fit()\n", "fit()"]}
    text = notebook(cell("code", "fit()", "fit()", outputs=[{"data": [inner]}]), indent=1)

    [first, _] = [at for at, line in enumerate(written(text)) if line == "fit()"]

    assert first == text.split("\n").index('   "source": [') + 1


def test_sources_read_as_a_script() -> None:
    """A mark above code would be taken for the documentation of its first definition."""
    assert [line for line in written(notebook(*CELLS)) if line.strip()] == SAID

    output = written(notebook(*CELLS))

    marks = [below for above, below in pairwise(output) if above.startswith("# %%")]
    assert marks == ["", "", "", ""]


def test_outputs_are_none_of_it() -> None:
    """A picture, a table and a log hold no word that anybody wrote."""
    outputs = [
        PICTURE,
        {"output_type": "stream", "text": ["epoch 17\n"]},
        {"data": {"text/html": "<table>"}, "source": ["nested"], "cell_type": "code"},
    ]

    text = "\n".join(written(notebook(cell("code", "fit()", outputs=outputs), CELLS[0])))

    assert "fit()" in text
    assert not any(word in text for word in ("iVBOR", "epoch", "table", "nested"))


@pytest.mark.parametrize(
    ("language", "first", "mark"),
    [
        ("R", "# Jupyter notebook in r", "# %% [markdown] 1"),
        ("julia", "# Jupyter notebook in julia", "# %% [markdown] 1"),
        ("scala", "// Jupyter notebook in scala", "// %% [markdown] 1"),
        ("C++", "// Jupyter notebook in c++", "// %% [markdown] 1"),
        ("", "# Jupyter notebook in python", "# %% [markdown] 1"),
        ("<script>\n", "# Jupyter notebook in python", "# %% [markdown] 1"),
    ],
)
def test_comments_are_those_of_the_kernel_s_language(language: str, first: str, mark: str) -> None:
    """The whole is parsed as a script in it."""
    output = written(notebook(*CELLS, language=language))

    assert output[0] == first
    assert mark in output


@pytest.mark.parametrize(
    "text",
    [
        "cells",
        '{"cells": [',
        '{"cells": 3}',
        '{"cells": [3]}',
        '{"cells": [{"cell_type": "code", "source": [3]}]}',
        '<<<<<<< HEAD\n{"cells": []}\n=======\n{}\n>>>>>>> x\n',
        '{"worksheets": [3]}',
    ],
)
def test_what_is_no_notebook_is_text_as_it_stands(tmp_path: Path, text: str) -> None:
    """It is searchable all the same, and said so."""
    assert as_script(text.encode()) is None
    result = read(tmp_path, text)
    assert (result.data.decode(), result.traits) == (text, UNREAD)


@pytest.mark.parametrize("bound", ["_MOST_BRACKETS", "_MOST_COMMAS"])
def test_a_notebook_of_too_many_values_is_text(monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    """Each value takes many times the bytes that spell it."""
    text = notebook(*CELLS).encode()
    assert as_script(text) is not None

    monkeypatch.setattr(f"ggrep.parse.source.notebooks.{bound}", 10)

    assert as_script(text) is None


@pytest.mark.parametrize("text", ["", "\n", '{"cells": [], "nbformat": 4}'])
def test_an_empty_notebook_is_nothing_odd(tmp_path: Path, text: str) -> None:
    """A new one is a file without content."""
    result = read(tmp_path, text)

    assert (result.data.strip(), result.traits) == (b"", 0)


def test_outputs_make_no_notebook_one_of_data(tmp_path: Path) -> None:
    """It was written by somebody, however much it says when it runs."""
    numbers = [{"data": {"values": list(range(300_000))}, "image/png": "iVBOR" * 300_000}]

    result = read(tmp_path, notebook(cell("code", "fit()", outputs=numbers), indent=None))

    assert result.data.endswith(b"\nfit()")
    assert not result.traits & (DATA | MINIFIED)


def test_secrets_in_cells_are_masked_and_those_in_outputs_are_gone(tmp_path: Path) -> None:
    """Both are put there by accident."""
    key = "AKIA" + "Q3EGR7XK2M5ZT4WN"
    log = {"output_type": "stream", "text": [f"token {key}X\n"]}
    cells = (cell("code", f'aws_key = "{key}"', outputs=[log]),)

    result = read(tmp_path, notebook(*cells))

    assert b"aws_key" in result.data
    assert key.encode() not in result.data
    assert b"token" not in result.data
    assert result.traits == MASKED


def test_a_notebook_is_as_large_as_what_is_written_in_it(tmp_path: Path) -> None:
    """Pictures of twice the size of any file are no reason to leave the code out."""
    large = notebook(cell("code", "fit()", outputs=["x" * 5_000]))
    wordy = notebook(cell("code", *["fit()"] * 500))
    (tmp_path / "wordy.ipynb").write_text(wordy)

    result = read(tmp_path, large, max_bytes=2_000)
    skip = read_file(tmp_path, source_file("wordy.ipynb"), max_bytes=2_000)

    assert b"fit()" in result.data
    assert isinstance(skip, SkippedFile)
    assert skip.reason == "too_large"
    settings = Settings(max_file_size_bytes=2_000)
    assert {file.path_key for file in walk(tmp_path, settings).files} == {
        *("a.ipynb", "wordy.ipynb")
    }
