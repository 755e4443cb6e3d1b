"""All cuts of an answer are one line that says what to type."""

import pytest

from ggrep.model.limits import LimitHit
from ggrep.render.limits_text import limits_line, line_of


def entry(code: str, limit: int, observed: int | None = None) -> dict[str, object]:
    """Return an entry of `limits_hit`."""
    return {"code": code, "limit": limit} | ({} if observed is None else {"observed": observed})


@pytest.mark.parametrize(
    ("limits", "flags", "arguments"),
    [
        (
            [entry("max_slate_files", 28, 40), entry("max_slate_file_bytes", 8192, 9000)],
            "cut: 28 of 40 files that match, text of 1 file; more: --max-files 40"
            " --file-bytes 9000",
            "cut: 28 of 40 files that match, text of 1 file; more: max_files=40"
            " max_file_bytes=9000",
        ),
        (
            [entry("max_evidence_per_file", 1, 80)],
            "cut: 1 of up to 80 pieces of evidence per file; more: --evidence 50",
            "cut: 1 of up to 80 pieces of evidence per file; more: evidence=50",
        ),
        (
            [entry("max_scan_files", 35, 111)],
            "cut: ranked 35 of 111 candidate files; more: `ggrep index`",
            "cut: ranked 35 of 111 candidate files; more: `ggrep index`",
        ),
        (
            [entry("max_references", 100)],
            "cut: 100 usages; more: --max N",
            "cut: 100 usages; more: limit=N",
        ),
        (
            [entry("low_confidence", 5, 9), entry("max_repos", 2, 9)],
            "cut: 5 of 9 hits, 2 of 9 repositories; more: --keep-weak --max-repos 0",
            "cut: 5 of 9 hits, 2 of 9 repositories; more: keep_weak=true max_repos=0",
        ),
        (
            [entry(f"b{number}", 1, 2) for number in range(5)],
            "cut: b0 1 of 2, b1 1 of 2, b2 1 of 2 and 2 other limits",
            "cut: b0 1 of 2, b1 1 of 2, b2 1 of 2 and 2 other limits",
        ),
        (
            [entry("max_graph_bytes", 512, 900), entry("max_slate_bytes", 16_384, 20_912)],
            "cut: the graph, 16,384 of 20,912 bytes; more: --max-bytes 20912",
            "cut: the graph, 16,384 of 20,912 bytes; more: max_bytes=20912",
        ),
        ([], "", ""),
    ],
)
def test_cuts_are_one_line_with_what_shows_more(
    limits: list[dict[str, object]], flags: str, arguments: str
) -> None:
    assert limits_line(limits) == flags
    assert limits_line(limits, arguments=True) == arguments


def test_cuts_of_an_answer_read_like_those_of_its_document() -> None:
    assert line_of([LimitHit("max_symbols", 20, 31)]) == limits_line([entry("max_symbols", 20, 31)])
