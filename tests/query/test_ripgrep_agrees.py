r"""Lines and columns equal those of ripgrep, apart from differences that are meant.

- An empty match behind the last character of a file without a last line end is a match here.
- ripgrep finds empty matches inside of characters, too.
- `\\b` knows words of ASCII letters here.
- ripgrep 13 misses some whole words, so that a version from 14 on is asked.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from ggrep.base import stable_json
from ggrep.search.query.regex import compile_regex
from tests.fakes.match_triples import Triple, triples
from tests.golden.conftest import JsonBytes
from tests.query.test_line_matches import Columns, columns

_RG = shutil.which("rg")


def version_of_ripgrep() -> int:
    if _RG is None:
        return 0
    output = subprocess.run([_RG, "--version"], capture_output=True, text=True, check=True).stdout
    return int(output.split()[1].partition(".")[0])


def ours(triple: Triple) -> Columns:
    options = {"ignore_case": "i" in triple.options, "whole_words": "w" in triple.options}
    return columns(compile_regex(triple.pattern, **options), triple.text)


def by_ripgrep(triple: Triple, file: Path) -> Columns:
    file.write_bytes(triple.text.encode())
    flags = ["--no-config", "--json", "--crlf", *(f"-{letter}" for letter in triple.options)]
    command = [str(_RG), *flags, "-e", triple.pattern, str(file)]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    events = [stable_json.loads(line) for line in done.stdout.splitlines()]
    return [
        (
            event["data"]["line_number"],
            [(each["start"] + 1, each["end"] + 1) for each in event["data"]["submatches"]],
        )
        for event in events
        if event["type"] == "match"
    ]


def by_python(triple: Triple) -> Columns:
    """Return matches by a third engine: ripgrep 15 misses some of `(?:foo|bar)*foo`."""
    assert "w" not in triple.options
    pattern = re.compile(triple.pattern, re.IGNORECASE if "i" in triple.options else re.NOFLAG)
    lines = enumerate(triple.text.split(triple.end), start=1)
    return [
        (
            number,
            [
                (len(line[: each.start()].encode()) + 1, len(line[: each.end()].encode()) + 1)
                for each in pattern.finditer(line)
            ],
        )
        for number, line in lines
    ]


def comparable(found: Columns, triple: Triple) -> Columns:
    """Return matches without empty ones in a character or at the end of an unended last line."""
    lines = [line.encode() for line in triple.text.split(triple.end)]

    def counts(line: int, span: tuple[int, int]) -> bool:
        text, start = lines[line - 1], span[0]
        if span[0] < span[1] or not text:
            return True
        if start > len(text):
            return line < len(lines)
        return text[start - 1] & 0xC0 != 0x80

    kept = [(line, [span for span in spans if counts(line, span)]) for line, spans in found]
    return [(line, spans) for line, spans in kept if spans]


@pytest.mark.slow
@pytest.mark.skipif(version_of_ripgrep() < 14, reason="needs ripgrep from version 14 on")
def test_ripgrep_finds_the_same_lines_and_columns(tmp_path: Path) -> None:
    compared = 0
    for triple in triples(2_000):
        if "\\b" in triple.pattern and not triple.text.isascii():
            continue
        expected = comparable(by_ripgrep(triple, tmp_path / "file"), triple)
        result = comparable(ours(triple), triple)
        assert result == expected or result == comparable(by_python(triple), triple), triple
        compared += result == expected

    assert compared > 1_750


def test_lines_and_columns_stay_as_ripgrep_confirmed_them(snapshot: SnapshotAssertion) -> None:
    results = [
        {"text": each.text, "pattern": each.pattern, "options": each.options, "lines": ours(each)}
        for each in triples(60)
    ]

    assert stable_json.dumps(results) == snapshot.use_extension(JsonBytes)
