"""Records, build files and settings are cut by their own structure."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.base.ids import PathKey
from ggrep.model.files import ChunkedFile
from ggrep.parse.chunking.chunker import chunk_file
from ggrep.parse.chunking.spans import to_chunks
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.registry import corpus_of
from tests.chunking.conftest import Chunked
from tests.chunking.test_coverage import SMALL, check
from tests.fakes.effort import examples

PAD = "\n".join(f"      P{i}: v" for i in range(9))
WORKFLOW = f"""name: CI
on: push
jobs:
  # compiles it
  build:
    runs-on: linux
    env:
{PAD}
    steps:
      - uses: actions/checkout
      - name: Run tests
        run: |
          not: a key
          {"x" * 2200}
  lint:
    env:
{PAD}
    steps:
    - name: Ruff
      run: {"y" * 1200}
"""


def rows(file: ChunkedFile) -> list[tuple[str, tuple[str, ...]]]:
    return [(chunk.name, chunk.breadcrumb) for chunk in file.chunks[1:]]


def names(file: ChunkedFile) -> list[str]:
    return [name for chunk in file.chunks[1:] for name in chunk.names]


def test_yaml_is_cut_at_keys_and_items(chunked: Chunked) -> None:
    """A step of a workflow is found by its name, with the job it belongs to."""
    file = chunked("ci.yml", WORKFLOW)

    assert file.method == "structure"
    results = {name: chunk for chunk in file.chunks[1:] for name in chunk.names}
    assert results["Run tests"].breadcrumb[:2] == ("jobs", "build")
    assert results["lint"].text.lstrip().startswith("lint:")
    assert results["build"].breadcrumb == ("jobs",)
    assert "not" not in results


def test_a_comment_above_a_key_belongs_to_it(chunked: Chunked) -> None:
    text = f"a: 1\nb:\n{PAD}\n# the cache\ncache:\n{PAD}\n"

    cache = next(c for c in chunked("a.yml", text).chunks[1:] if c.name == "cache")

    assert cache.text.startswith("# the cache\n")


def test_documents_of_one_yaml_file_are_named_by_kind(chunked: Chunked) -> None:
    """Clusters are described by many small documents in one file."""
    document = "kind: {}\nmetadata:\n  name: {}\nspec:\n" + PAD
    text = document.format("Service", "web") + "\n---\n" + document.format("Role", "ops")

    assert rows(chunked("a.yaml", text)) == [("Service web", ()), ("Role ops", ())]


def test_json_is_cut_at_keys_and_named_elements(chunked: Chunked) -> None:
    """Neighbours that are small share a chunk that knows their names."""
    value = {
        "name": "x",
        "scripts": {"build": "make"},
        "services": [{"id": f"s{i}", "note": "long " * 200} for i in range(3)],
    }

    file = chunked("a.json", json.dumps(value))

    assert rows(file) == [
        ("", ()),
        ("services", ()),
        ("s1", ("services",)),
        ("s2", ("services",)),
    ]
    assert file.chunks[1].names == ("name", "scripts")
    assert file.chunks[2].names == ("services", "s0")


def test_relaxed_json_and_lines_of_json_are_read(chunked: Chunked) -> None:
    """Settings have comments and bare keys; logs hold one value a line."""
    relaxed = chunked("a.json5", "// c\n{ one: 'x', /* n */ two: [1, {three: 4}] }")
    lines = chunked("a.jsonl", '{"id": "first"}\n{"id": "second"}\n')

    assert names(relaxed)[:2] == ["one", "two"]
    assert names(lines) == ["first", "second"]


def test_toml_tables_are_qualified_by_their_path(chunked: Chunked) -> None:
    """`[tool.ruff]` is looked for as `ruff`."""
    filler = "\n".join(f"k{i} = [\n  '[x]',\n]" for i in range(4))
    text = f'top = 1\n[tool.ruff]\n{filler}\n[[tool.rule]]\nname = "strict"\n{filler}\n'

    assert rows(chunked("pyproject.toml", text)) == [
        ("top", ()),
        ("ruff", ("tool",)),
        ("strict", ("tool", "rule")),
    ]


def test_text_inside_a_toml_string_is_no_table(chunked: Chunked) -> None:
    """Templates live in such strings."""
    text = 'a = """\n[not.one]\nb = 1\n"""\n[real]\nc = 1\n'

    assert names(chunked("a.toml", text)) == ["a", "real"]


def test_ini_sections_and_bare_settings_are_named(chunked: Chunked) -> None:
    """Files of environment variables have no sections at all."""
    assert names(chunked("a.ini", '[remote "origin"]\nurl = x\n[core]\n; c\na: 1\n')) == [
        'remote "origin"',
        "core",
    ]
    assert names(chunked("a.env", "export TOKEN=x\n# c\nHOST=y\n")) == ["TOKEN", "HOST"]


def test_settings_in_braces_are_cut_at_blocks(chunked: Chunked) -> None:
    """Servers are configured that way, in files named like INI files."""
    text = f"http {{\n  server {{\n{PAD}\n    location /api {{\n{PAD}\n    }}\n  }}\n}}\n"

    file = chunked("nginx.conf", text, ChunkLimits(max_lines=14))

    assert ("/api", ("http", "server", "location")) in rows(file)


def test_blocks_of_hcl_bear_type_and_label(chunked: Chunked) -> None:
    """Resources are referred to by type and name."""
    text = (
        '# keeps logs\nresource "aws_s3_bucket" "logs" {\n' + "  a = 1\n" * 8 + "}\n\n"
        'variable "region" {\n  default = <<EOT\n fake { x\nEOT\n' + "  b = 1\n" * 6 + "}\n"
    )

    file = chunked("main.tf", text)

    assert rows(file) == [("logs", ("resource", "aws_s3_bucket")), ("region", ("variable",))]
    assert file.chunks[1].text.startswith("# keeps logs")
    assert file.chunks[1].qualified_name == "resource.aws_s3_bucket.logs"


def test_stages_of_a_container_file_are_named_by_alias(chunked: Chunked) -> None:
    """`COPY --from` names them so."""
    run = "RUN one \\\n  FROM two && \\\n  three\n" * 3
    text = f"ARG V=1\n# compiles\nFROM --platform=x golang AS build\n{run}\nFROM alpine\n{run}"

    file = chunked("Dockerfile", text)

    assert rows(file) == [("", ()), ("build", ()), ("alpine", ())]
    assert file.chunks[2].names == ("build", "golang")
    assert file.chunks[2].text.startswith("# compiles\nFROM")


def test_targets_and_definitions_of_a_makefile_are_named(chunked: Chunked) -> None:
    """`.PHONY` stands with the target it is about."""
    text = (
        "CC := gcc\n\n.PHONY: all\nall: build\n" + "\techo\n" * 9 + "build lib:\n\tcc\n"
        "define GREET\nfake: x\nendef\nifeq (a,b)\nFLAGS += -g\nendif\n"
    )

    file = chunked("Makefile", text)

    assert names(file) == ["CC", "all", "build", "lib", "GREET", "FLAGS"]
    assert file.chunks[2].text.startswith(".PHONY: all\nall:")


def test_a_file_of_very_many_parts_is_packed_before_its_windows_grow(chunked: Chunked) -> None:
    """A lock file's packages share chunks, rather than being cut anywhere."""
    package = '[[package]]\nname = "p{}"\n' + "".join(f"k{i} = 1\n" for i in range(9)) + "\n"
    text = "".join(package.format(i) for i in range(150))

    file = chunked("Cargo.lock", text, ChunkLimits(max_chunks_per_file=100))

    assert (file.method, file.problem) == ("structure", None)
    assert len(file.chunks) < 60
    assert "p149" in names(file)


def test_a_structured_file_over_the_cap_is_cut_by_its_structure_into_larger_parts(
    chunked: Chunked,
) -> None:
    """Keys that can be searched by name are worth more than windows cut anywhere."""
    package = '[[package]]\nname = "p{}"\n' + "".join(f"k{i} = 1\n" for i in range(9)) + "\n"
    text = "".join(package.format(i) for i in range(150))

    file = chunked("Cargo.lock", text, ChunkLimits(max_chunks_per_file=10))

    assert (file.method, file.problem) == ("structure", None)
    assert len(file.chunks) <= 10
    assert {"p0", "p149"} <= set(names(file))


def test_data_beyond_the_cap_is_named_as_a_problem(chunked: Chunked) -> None:
    text = "\n".join(f"{i},abc,def" for i in range(20_000))

    file = chunked("a.csv", text, ChunkLimits(max_chunks_per_file=10))

    assert (len(file.chunks), file.problem) == (10, "chunk_cap_exceeded")


@pytest.mark.slow
@pytest.mark.parametrize("path", ["a.json", "a.yml", "a.toml", "a.xml", "a.tf", "a.css", "a.ipynb"])
@pytest.mark.parametrize(
    "unit", ['{"a":', "[", "<a>", "a {\n", '"', "/*", "<!--", "<<A\n", "- ", "a: ", '"""\n', "\\"]
)
def test_deep_and_open_ended_input_costs_little(path: str, unit: str) -> None:
    """Scanners run in the process that holds the store and cannot be killed."""
    data = (unit * 10_000).encode()

    plan = chunk_file(path, data, ChunkLimits())

    assert data.startswith(data[: plan.pieces[-1].end])


FRAGMENTS = st.sampled_from(
    [
        "\n", "\r\n", "\n\n", "  ", "\t", "é", "\ufeff", "\x00", "a: b\n", "- name: x\n",
        "  k: |\n", "    text\n", "---\n", "[t]\n", "[[a.b]]\nname = 'x'\n", "k = [\n", "]\n",
        '"""', "{", "}", "[", "]", '{"a": ', '"b"', ",", "// c\n", "/* c */", "# c\n", "; c\n",
        'res "a" "b" {\n', "x = 1\n", "<<EOF\n", "EOF\n", ".a { b: c }", ";", "@media x {",
        "$v: 1;", "<h1>T</h1>", "<a id='x'>", "</a>", "<!-- c -->", "<script>", "FROM a AS b\n",
        "RUN x \\\n", "t: d\n\tc\n", "define X\n", "endef\n", ".PHONY: a\n", '"cells": [',
        "# Jupyter notebook in sql\n", "# %% [markdown] 1\n", "# %% 2\n", "# ## H\n", "# # T\n",
        '{"cell_type": "code",', '"source": ["x\\n",', "word " * 30, "x" * 200, "==\n",
        ".. uml::\n\n", "   A -> B\n", "[mermaid]\n", "----\n",
    ]
)  # fmt: skip
PATHS = [
    "a.json", "a.yml", "a.toml", "a.ini", "a.tf", "a.css", "a.scss", "a.html", "a.xml",
    "a.ipynb", "Makefile", "Dockerfile", "a.conf", "a.rst", "a.adoc",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=examples(25, 60))
@given(parts=st.lists(FRAGMENTS | st.text(max_size=12), max_size=40))
def test_every_scanner_covers_all_text_once(path: str, parts: list[str]) -> None:
    """Text that is in no chunk cannot be found; text in two is found twice."""
    data = "".join(parts).encode()
    plan = chunk_file(path, data, SMALL)

    check(to_chunks(PathKey(path), data, plan, corpus_of(path, data)), data)
