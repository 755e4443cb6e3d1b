"""The state of a workspace on a terminal: complete, aligned, safe."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from ggrep.base.errors import InvalidRequest
from ggrep.federation.building import BuildResult
from ggrep.federation.doctor import examine
from ggrep.interfaces.cli.text_tables import Cell, render_pairs, render_table
from ggrep.interfaces.cli.workspaces.build import slowest
from ggrep.interfaces.cli.workspaces.doctor import examination_text
from ggrep.interfaces.cli.workspaces.state import diagnostics_text, status_text, summary_text
from ggrep.model.workspace_state import RepoDaemon
from ggrep.render.style import Style
from tests.fakes.workspace_documents import Workspaces

PLAIN, COLOUR = Style(colour=False), Style(colour=True)


@pytest.fixture
def some(tmp_path: Path) -> Workspaces:
    """Return a workspace in which not all is well."""
    return Workspaces(tmp_path.resolve())


def test_every_repository_has_its_line(some: Workspaces) -> None:
    """What is indexed, how much of it, at which commit, and who serves it."""
    assert status_text(some.state, PLAIN, 100).splitlines() == [
        "repo   index            files  chunks  commit     daemon",
        "alpha  ready                3      12  aaaaaaaa+  ready, pid 7",
        "beta   invalid-pointer      -       -  -          -",
        "gamma  none                 -       -  -          -",
    ]


def test_states_that_are_not_whole_are_told(some: Workspaces) -> None:
    alpha, beta, gamma = some.state.members
    partial = replace(
        alpha,
        index=replace(alpha.index, partial=True),
        daemon=RepoDaemon("indexing", running=True, pid=4),
        progress_percent=45,
    )
    degraded = replace(
        beta,
        repo=replace(beta.repo, enabled=False),
        index=replace(alpha.index, degraded=True, head_sha=None, dirty=None),
        daemon=RepoDaemon("silent", running=True, pid=5),
    )
    wrong = replace(gamma, error=InvalidRequest("x"), daemon=RepoDaemon("other_version"))
    state = replace(some.state, members=(partial, degraded, wrong))

    lines = [line.split("  ") for line in status_text(state, PLAIN, 100).splitlines()]

    reports = [[cell.strip() for cell in line if cell.strip()] for line in lines[1:]]
    assert [line[1] for line in reports] == ["partial", "degraded, disabled", "invalid settings"]
    assert [line[-1] for line in reports] == [
        *("indexing 45 %, pid 4", "not answering, pid 5", "other version"),
    ]
    assert summary_text(state) == "3 repos, 2 enabled, 2 indexed"


def test_a_build_of_many_names_the_slowest(some: Workspaces) -> None:
    """The times of a few are still in view."""
    repo = some.state.members[0].repo
    results = [
        BuildResult(replace(repo, alias=f"r{number}"), "passed", duration_ms=number * 1_500)
        for number in range(1, 6)
    ]

    assert slowest(results) == "; slowest: r5 7.5 s, r4 6.0 s, r3 4.5 s"
    assert slowest(results[:3]) == ""


def test_what_is_wrong_is_said_once_whatever_corpora_it_concerns(some: Workspaces) -> None:
    """Four lines that say the same hide the fifth."""
    alpha, beta, gamma = some.state.members
    foreign = replace(beta, index=replace(beta.index, availability="compat-key-missing"))
    ill = replace(gamma, error=InvalidRequest("bad\x1b[2J toml"))

    text = diagnostics_text(replace(some.state, members=(alpha, foreign, ill)), PLAIN)

    assert text.splitlines() == [
        "warning: gamma: bad toml",
        "warning: beta: ACTIVE_SNAPSHOT does not contain a snapshot id",
    ]


def test_a_hostile_alias_is_tamed_and_colour_changes_no_words(some: Workspaces) -> None:
    alpha = some.state.members[0]
    odd = replace(alpha, repo=replace(alpha.repo, alias="a\x1b]0;x\x07b\nc"))

    text = status_text(replace(some.state, members=(odd,)), PLAIN, 80)

    assert text.splitlines()[1].startswith("ab c  ready")
    assert "\x1b" not in text

    painted = status_text(some.state, COLOUR, 100)

    assert "\x1b[" in painted
    assert painted.count("\n") == 4


def test_an_examination_reads_as_advice(some: Workspaces) -> None:
    """What, where, and the command under it; then how the indexes compare."""
    result = examine(some.split, merge_is_set=True)
    text = examination_text(some.split, result, PLAIN)
    lines = text.splitlines()
    asked, left_out = (cohort.compatibility_key for cohort in result.cohorts.code)

    assert lines[0] == "! alpha: its daemon uses outdated settings: the encoder changed"
    assert lines[1] == f"    ggrep stop --path {some.base}/alpha"
    assert "! gamma: no index" in lines
    assert (
        "code, prose, extractedProse, records: 2 cohorts, whose scores are not comparable" in lines
    )
    assert f"    {asked}  is queried: alpha, beta" in lines
    assert f"    {left_out}  is left out; other encoder: gamma" in lines
    assert lines[-1] == "4 things to do"


def test_corpora_that_fall_apart_alike_share_their_lines_and_nothing_to_do_is_said(
    some: Workspaces,
) -> None:
    """Silence would look like a failure."""
    text = examination_text(some.split, examine(some.split, merge_is_set=True), PLAIN)

    assert text.count("cohorts, whose scores are not comparable") == 1

    state = replace(some.state, members=some.state.members[:1])

    assert examination_text(state, examine(state), PLAIN) == "no problems\n"


def test_a_table_gives_the_last_column_what_is_left() -> None:
    rows = [[Cell("a"), Cell("/" + "x" * 100)], [Cell("long"), Cell("7", figures=True)]]

    lines = render_table(["one", "two"], rows, PLAIN, 30).splitlines()

    assert [cell_len(line) for line in lines] == [9, 30, 30]
    assert lines[2].endswith(" 7")
    assert render_pairs([("a", "x\ny"), ("long", "z")], PLAIN) == "a     x y\nlong  z\n"
