"""Tokens of sessions over workspaces: what was given out is read, anything else is refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.errors import InvalidRequest, SessionFull
from ggrep.base.ids import SnapshotId, StoreId
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_sessions import (
    MAX_TOKEN_BYTES,
    RepoSession,
    WorkspaceSession,
    read_session,
    write_session,
)
from ggrep.search.slate.tokens import (
    SessionToken,
    data_of_token,
    path_hash,
    snapshot_in,
    token_of_data,
    write_token,
)
from tests.fakes.searchers import repo, workspace

KEY = bytes(range(32))
NAMES = ("a", "b", "c")
SNAPSHOT = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
SEEN = st.sets(st.binary(min_size=8, max_size=8), min_size=1, max_size=60)


def house() -> Workspace:
    return workspace(*map(repo, NAMES))


def held(name: str, *paths: str) -> RepoSession:
    """Return what a session knows of a repository."""
    store = StoreId(f"{name}-0123456789ab-0123456789ab")
    token = SessionToken(store, SnapshotId(SNAPSHOT), "Z" * 26)
    return RepoSession(write_token(token, KEY), tuple(sorted(map(path_hash, paths))))


IDS = [one.repo_id for one in house().repos]
BOTH = WorkspaceSession({IDS[0]: held("a", "x.py", "ü.md"), IDS[2]: held("c", "y.py")})


def refusal(text: str, there: Workspace | None = None) -> str:
    with pytest.raises(InvalidRequest) as caught:
        read_session(text, there or house())
    return str(caught.value)


ONE_REFUSAL = refusal(token_of_data(b"\2"))


@given(seen=st.lists(SEEN, max_size=3))
def test_what_was_written_is_read(seen: list[set[bytes]]) -> None:
    repos = {
        repo_id: RepoSession(held(name).token, tuple(sorted(ours)))
        for repo_id, name, ours in zip(IDS, NAMES, seen, strict=False)
    }
    state = write_session(WorkspaceSession(repos), house(), "refine")

    assert read_session(state.token, house()) == WorkspaceSession(repos)
    assert state.seen_files == sum(map(len, seen))
    assert len(state.token) <= MAX_TOKEN_BYTES


def test_the_order_of_repositories_decides_nothing() -> None:
    turned = WorkspaceSession(dict(reversed(BOTH.repos.items())))

    assert write_session(turned, house(), "start") == write_session(BOTH, house(), "start")
    assert set(BOTH.going_on({}, {}, [IDS[0]]).repos) == {IDS[2]}


def test_each_repository_has_a_token_and_files_of_its_own() -> None:
    assert {repo: snapshot_in(token) for repo, token in BOTH.tokens.items()} == {
        IDS[0]: SNAPSHOT,
        IDS[2]: SNAPSHOT,
    }
    assert BOTH.has_seen(IDS[0], "ü.md")
    assert not BOTH.has_seen(IDS[2], "x.py")


def test_a_token_is_refused_whichever_byte_was_changed() -> None:
    data = data_of_token(write_session(BOTH, house(), "start").token)
    changed = {
        token_of_data(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        for place in range(len(data))
    }
    cut = {token_of_data(data[:size]) for size in range(len(data))}

    assert {refusal(each) for each in changed | cut} == {ONE_REFUSAL}


def test_a_token_of_another_workspace_or_too_long_is_refused() -> None:
    token = write_session(BOTH, house(), "start").token

    assert refusal(token, workspace(repo("a"), repo("c"))) == ONE_REFUSAL
    assert refusal(BOTH.repos[IDS[0]].token) == ONE_REFUSAL, "a repository's own"
    assert str(MAX_TOKEN_BYTES) in refusal("A" * (MAX_TOKEN_BYTES + 1))


def test_a_session_is_full_rather_than_forgetful(tmp_path: Path) -> None:
    paths = [f"{place}.py" for place in range(900)]
    full = WorkspaceSession().going_on({IDS[0]: held("a").token}, {IDS[0]: paths})

    with pytest.raises(SessionFull):
        write_session(full, house(), "start")


def test_a_repository_that_was_asked_is_of_the_session() -> None:
    """Also where it showed nothing: its next step would hold one more snapshot."""
    tokens = {IDS[0]: "another", IDS[1]: held("b").token}
    went_on = BOTH.going_on(tokens, {IDS[1]: [], IDS[0]: ["x.py", "z.py"]})

    assert set(went_on.repos) == set(IDS)
    assert went_on.repos[IDS[0]].token == BOTH.repos[IDS[0]].token
    assert [len(went_on.repos[repo].seen) for repo in IDS] == [3, 0, 1]
    again = read_session(write_session(went_on, house(), "refine").token, house())
    assert again == went_on
