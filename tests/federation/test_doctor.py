"""The examination of a workspace: what is found, what is to be done, and about which repository."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest
from ggrep.config.home import Home
from ggrep.federation.diagnostics import Diagnostic
from ggrep.federation.doctor import examine
from ggrep.federation.published_state import NOTHING
from ggrep.federation.workspace_state import MemberState, WorkspaceState, read_workspace_state
from ggrep.model.corpus import CORPORA
from ggrep.model.response import RepoDescription
from ggrep.model.workspace_reports import Doctor, Finding
from ggrep.model.workspace_state import (
    Availability,
    DaemonWord,
    IndexState,
    Pointer,
    RepoDaemon,
)
from tests.fakes.workspaces import ENVIRON, index_all, make_workspace, write_workspace


@pytest.fixture
def manifest(tmp_path: Path) -> WorkspaceState:
    """Return three repositories that are as they should be."""
    base = tmp_path.resolve()
    workspace = make_workspace(base, "alpha", "beta", "gamma", merge={"strategy": "global"})
    index_all(workspace, Home(base / "home"))
    return read_workspace_state(workspace, Home(base / "home"), ENVIRON)


def changed(manifest: WorkspaceState, place: int, **changes: Any) -> WorkspaceState:
    """Return the manifest with one repository changed."""
    members = list(manifest.members)
    members[place] = replace(members[place], **changes)
    return replace(manifest, members=tuple(members))


def described(state: MemberState, **changes: Any) -> RepoDescription:
    description = state.description()
    assert description is not None
    return replace(description, **changes)


def only(found: Doctor) -> Finding:
    (finding,) = found.findings
    return finding


def test_a_sound_workspace_wants_nothing(manifest: WorkspaceState) -> None:
    """No daemon runs, which is no fault: searches start them."""
    result = examine(manifest)

    assert result.findings == ()
    assert result.ok
    assert [corpus for corpus, _ in result.cohorts.by_corpus()] == list(CORPORA)
    for _, (cohort,) in result.cohorts.by_corpus():
        assert cohort.asked
        assert cohort.differs == ()
        assert cohort.repo_ids == tuple(state.repo_id for state in manifest.members)


REASONS: list[tuple[Availability, str, str]] = [
    ("missing-index-dir", "missing_index", "ggrep index --path {}"),
    ("invalid-pointer", "invalid_pointer", "ggrep repair --path {}"),
    ("missing-required-artifacts", "damaged_index", "ggrep repair --path {}"),
    ("compat-key-missing", "other_build", "ggrep index --path {} --reset"),
]


@pytest.mark.parametrize(("reason", "code", "hint"), REASONS)
def test_each_state_of_an_index_has_its_command(
    manifest: WorkspaceState, reason: Availability, code: str, hint: str
) -> None:
    pointer = Pointer(exists=True, parse_ok=True, problem="so it is")
    ill = changed(manifest, 1, index=IndexState(pointer, availability=reason))

    result = examine(ill)

    finding = only(result)
    root = manifest.members[1].repo.root_canonical
    assert (finding.code, finding.repo_id) == (code, manifest.members[1].repo_id)
    assert (finding.hint or "") == hint.format(root)
    assert finding.message == ("no index" if code == "missing_index" else "so it is")
    assert not result.ok


def test_an_index_under_other_settings_is_mentioned(manifest: WorkspaceState) -> None:
    result = examine(changed(manifest, 0, index=NOTHING, other_stores=2))

    assert only(result).message == "no index; an index with other settings exists"


def test_wrong_settings_are_all_that_is_told(manifest: WorkspaceState) -> None:
    """That there is no index follows; control characters of strangers do not reach programs."""
    error = InvalidRequest("bad\x1b[2J\ntoml")
    ill = changed(manifest, 0, index=NOTHING, store_id=None, error=error)
    document: Any = examine(ill).to_dict()

    assert document["ok"] is False
    assert document["findings"] == [
        {
            "code": "settings",
            "needed": True,
            "repoId": manifest.members[0].repo_id,
            "modes": [],
            "message": "bad toml",
            "hint": None,
        }
    ]
    assert set(document["cohorts"]) == {corpus.value for corpus in CORPORA}


@pytest.mark.parametrize(
    ("flag", "code", "command"),
    [("degraded", "degraded", "health"), ("partial", "partial", "index")],
)
def test_a_snapshot_that_is_not_whole_is_told(
    manifest: WorkspaceState, flag: str, code: str, command: str
) -> None:
    index = manifest.members[2].index
    ill = changed(manifest, 2, index=replace(index, **{flag: True}))

    finding = only(examine(ill))

    assert finding.code == code
    assert (finding.hint or "").startswith(f"ggrep {command} --path")
    assert ("3 of 4 files" in finding.message) == (flag == "partial")


@pytest.mark.parametrize(
    ("word", "code", "needed"),
    [
        ("silent", "daemon_silent", True),
        ("other_version", "daemon_other_version", True),
        ("stale", "daemon_stale", True),
        ("indexing", "indexing", False),
    ],
)
def test_each_state_of_a_daemon_is_told(
    manifest: WorkspaceState, word: DaemonWord, code: str, *, needed: bool
) -> None:
    """One that indexes is at work: there is nothing to do but wait."""
    daemon = RepoDaemon(word, running=True, pid=7, problem="why")

    result = examine(changed(manifest, 0, daemon=daemon))

    assert (only(result).code, only(result).needed) == (code, needed)
    assert result.ok is not needed
    assert ("why" in only(result).message) is needed


def test_disabled_repositories_are_left_alone(tmp_path: Path) -> None:
    base = tmp_path.resolve()
    make_workspace(base, "alpha")
    document = {"repos": [{"root": "alpha", "enabled": False}]}
    workspace = write_workspace(base / "ws.jsonc", document)

    result = examine(read_workspace_state(workspace, Home(base / "home"), ENVIRON))

    assert only(result).code == "nothing_enabled"


def test_what_is_mentioned_needs_nothing_to_be_done(manifest: WorkspaceState) -> None:
    repo_id = manifest.members[0].repo_id

    result = examine(manifest, [Diagnostic("WARN_X", "they overlap", repo_id)])

    assert (only(result).code, only(result).message) == ("WARN_X", "they overlap")
    assert result.ok

    state = manifest.members[0]
    reported = described(state, snapshot_id=None, embed_key="other|1")

    result = examine(changed(manifest, 0, reported=reported))

    assert result.ok


SPLITS: list[tuple[dict[str, str], str, str]] = [
    ({"embed_key": "other|1"}, "embedding", ""),
    ({"lexical_key": "l0"}, "lexical", "ggrep stop --path {0}; ggrep index --path {0}"),
    ({"schema_key": "s0"}, "schema", "ggrep stop --path {0}; ggrep index --path {0}"),
]


@pytest.mark.parametrize(("change", "component", "hint"), SPLITS)
def test_a_split_names_what_differs_and_what_to_type(
    manifest: WorkspaceState, change: dict[str, str], component: str, hint: str
) -> None:
    odd = manifest.members[1]
    result = examine(changed(manifest, 1, reported=described(odd, **change)))

    finding = only(result)
    assert (finding.code, finding.repo_id) == ("cohort_split", odd.repo_id)
    assert (finding.hint or "") == hint.format(odd.repo.root_canonical)
    assert finding.modes == CORPORA
    for _, (asked, left_out) in result.cohorts.by_corpus():
        assert (asked.asked, left_out.asked) == (True, False)
        assert (asked.differs, left_out.differs) == ((), (component,))
        assert left_out.repo_ids == (odd.repo_id,)


def test_encoders_are_named(manifest: WorkspaceState) -> None:
    odd = manifest.members[1]
    reported = described(odd, embed_key="other|1", schema_key="s0")

    finding = only(examine(changed(manifest, 1, reported=reported)))

    assert finding.message == (
        "searches omit this repository: its vectors come from another encoder; another "
        "build of ggrep serves it (other here, hashed in the others); to use one encoder, "
        'write into config.toml of the ggrep home: encoder = "hashed"'
    )


def test_findings_come_by_repository_then_code(manifest: WorkspaceState) -> None:
    stale = RepoDaemon("stale", running=True, pid=7)
    ill = changed(changed(manifest, 2, index=NOTHING), 0, index=NOTHING, daemon=stale)

    result = examine(ill)

    first, last = manifest.members[0].repo_id, manifest.members[2].repo_id
    assert [(finding.repo_id, finding.code) for finding in result.findings] == [
        (first, "daemon_stale"),
        (first, "missing_index"),
        (last, "missing_index"),
    ]


@pytest.mark.parametrize(
    ("names", "merge", "output", "reported"),
    [
        ("ab", {}, False, True),
        ("ab", {}, True, False),
        ("ab", {"merge": {"strategy": "rrf"}}, False, False),
        ("ab", {"merge": {"rrfK": 9}}, False, False),
        ("a", {}, False, False),
    ],
)
def test_a_merge_of_several_that_nobody_chose_is_advised_on(
    tmp_path: Path, names: str, merge: dict[str, Any], output: bool, reported: bool
) -> None:
    """It is no fault: the contract's way is in force, which finds least."""
    home = Home(tmp_path.resolve() / "home")
    workspace = make_workspace(tmp_path.resolve(), *names, **merge)
    index_all(workspace, home)
    result = examine(read_workspace_state(workspace, home, ENVIRON), merge_is_set=output)

    assert [finding.code for finding in result.findings] == ["merge_unsaid"] * reported
    assert result.ok
    hint = '"merge": { "strategy": "global" },'
    assert {each.hint for each in result.findings if each.hint} <= {hint}
