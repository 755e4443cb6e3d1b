"""A workspace is opened for those who may not see everything."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import Forbidden, InvalidRequest, WorkspaceError
from ggrep.federation import included
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.searcher import RepoSearcher
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.request import SearchRequest
from ggrep.service import workspace_access
from ggrep.service.searchers import ReadySearchers
from ggrep.service.workspace_access import Allowlist, Guarded, open_workspace
from tests.fakes.searchers import FakeSearcher, repo

SEARCH = SearchRequest("q")
REQUEST = FederatedRequest(SEARCH)
FILE = """{
  "schemaVersion": 1,
  "repos": [
    {"root": "../in", "alias": "in"},
    {"root": "../out", "alias": "out"},
    {"root": "../off", "alias": "off", "enabled": false},
  ],
}"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a directory with a workspace over three others."""
    result = tmp_path.resolve()
    for name in ("in", "out", "off", "ws"):
        (result / name).mkdir()
    (result / "ws" / "w.jsonc").write_text(FILE)
    return result


def allowing(place: Path, *names: str) -> Allowlist:
    return Allowlist([place / name for name in names])


async def test_a_workspace_is_opened_and_a_repository_outside_fails_alone(place: Path) -> None:
    """One bad entry must not block everyone."""
    opened = await open_workspace(
        place / "ws" / "w.jsonc", allowing(place, "ws", "in", "out"), REQUEST
    )

    assert [item.alias for item in opened.workspace.repos] == ["in", "out", "off"]
    assert opened.forbidden == frozenset()

    opened = await open_workspace(place / "ws" / "w.jsonc", allowing(place, "ws", "in"), REQUEST)

    aliases = {item.repo_id: item.alias for item in opened.workspace.repos}
    assert [aliases[name] for name in opened.forbidden] == ["out"]

    only = FederatedRequest(SEARCH, only=("in",))

    opened = await open_workspace(place / "ws" / "w.jsonc", allowing(place, "ws", "in"), only)

    assert opened.forbidden == frozenset()

    request = FederatedRequest(SEARCH, select=("out",), tags=("none",))

    opened = await open_workspace(place / "ws" / "w.jsonc", allowing(place, "ws"), request)

    assert opened.forbidden == frozenset()


async def test_what_a_glob_means_elsewhere_is_not_told(place: Path) -> None:
    """The names of directories outside are none of a caller's business."""
    (place / "ws" / "w.jsonc").write_text('{"schemaVersion": 1, "include": ["../*"]}')
    whole = await open_workspace(place / "ws" / "w.jsonc", Allowlist([place]), REQUEST)
    opened = await open_workspace(place / "ws" / "w.jsonc", allowing(place, "ws", "in"), REQUEST)

    assert [item.alias for item in whole.workspace.repos] == ["in", "off", "out", "ws"]
    assert [item.alias for item in opened.workspace.repos] == ["in", "ws"]
    assert opened.workspace.repo_set_id != whole.workspace.repo_set_id
    assert opened.forbidden == frozenset()

    (place / "out" / "in").mkdir()
    (place / "ws" / "w.jsonc").write_text('{"schemaVersion": 1, "include": ["../*", "../out/*"]}')
    again = await open_workspace(place / "ws" / "w.jsonc", allowing(place, "ws", "in"), REQUEST)
    assert again.workspace.repos == opened.workspace.repos
    assert again.workspace.workspace_config_hash == opened.workspace.workspace_config_hash


@pytest.mark.parametrize("directory", ["ws", "in"])
async def test_a_file_outside_is_never_read(place: Path, directory: str) -> None:
    (place / "ws" / "w.jsonc").write_text("secret")
    (place / "in" / "w.jsonc").symlink_to(place / "ws" / "w.jsonc")

    with pytest.raises(Forbidden):
        await open_workspace(place / directory / "w.jsonc", allowing(place, "in"), REQUEST)


async def test_roots_are_relative_to_where_the_file_is_seen(place: Path) -> None:
    (place / "in" / "w.jsonc").symlink_to(place / "ws" / "w.jsonc")
    (place / "in" / "link").symlink_to(place / "ws")
    everywhere = allowing(place, "ws", "in", "out")

    file = await open_workspace(place / "in" / "w.jsonc", everywhere, REQUEST)
    directory = await open_workspace(place / "in" / "link" / "w.jsonc", everywhere, REQUEST)

    assert file.workspace.workspace_dir == place / "in"
    assert directory.workspace.workspace_dir == place / "ws"
    assert file.workspace.repo_set_id == directory.workspace.repo_set_id


async def test_a_file_that_is_exchanged_while_it_is_read_is_refused(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = workspace_access.load_workspace

    def exchange(
        path: Path, *, resolve_root: Callable[[Path], Path], real: Path, **more: object
    ) -> object:
        result = load(path, resolve_root=resolve_root, real=real, **more)
        path.rename(place / "out" / "w.jsonc")
        path.symlink_to(place / "out" / "w.jsonc")
        return result

    monkeypatch.setattr(workspace_access, "load_workspace", exchange)

    with pytest.raises(Forbidden, match="replaced while it was read"):
        await open_workspace(place / "ws" / "w.jsonc", allowing(place, "ws", "in"), REQUEST)


@pytest.mark.parametrize("swapped", ["ws", "ws/w.jsonc"])
async def test_a_link_that_is_there_only_while_the_file_is_read_leads_nowhere(
    place: Path, monkeypatch: pytest.MonkeyPatch, swapped: str
) -> None:
    load = workspace_access.load_workspace
    shutil.copytree(place / "ws", place / "out/ws")

    def exchange(
        path: Path, *, resolve_root: Callable[[Path], Path], real: Path, **more: object
    ) -> object:
        (place / swapped).rename(place / "away")
        (place / swapped).symlink_to(place / "out" / swapped)
        try:
            return load(path, resolve_root=resolve_root, real=real, **more)
        finally:
            (place / swapped).unlink()
            (place / "away").rename(place / swapped)

    monkeypatch.setattr(workspace_access, "load_workspace", exchange)

    with pytest.raises((InvalidRequest, WorkspaceError), match=r"link|cannot be opened"):
        await open_workspace(place / "ws" / "w.jsonc", allowing(place, "ws", "in"), REQUEST)


@pytest.mark.parametrize("field", ["select", "only"])
@pytest.mark.parametrize("alias", ["out", "off"])
async def test_a_repository_outside_must_not_be_named(place: Path, field: str, alias: str) -> None:
    request = FederatedRequest(SEARCH, include_disabled=True, **{field: (alias,)})

    with pytest.raises(Forbidden, match=f"repository {alias} is outside"):
        await open_workspace(place / "ws" / "w.jsonc", allowing(place, "ws", "in"), request)


async def test_the_cache_of_a_workspace_must_lie_inside(place: Path) -> None:
    """Something may be written there, through a link as well."""
    (place / "ws" / "cache").symlink_to(place / "out")
    text = FILE.replace('"repos"', '"cacheRoot": "cache/x", "repos"')
    (place / "ws" / "w.jsonc").write_text(text)

    with pytest.raises(Forbidden):
        await open_workspace(place / "ws" / "w.jsonc", allowing(place, "ws", "in"), REQUEST)


async def test_a_workspace_must_be_the_one_that_is_meant(place: Path) -> None:
    """A file may have been edited since its id was learnt."""
    file, allowlist = place / "ws" / "w.jsonc", allowing(place, "ws", "in")
    opened = await open_workspace(file, allowlist, REQUEST)
    ours = opened.workspace.repo_set_id

    again = await open_workspace(file, allowlist, REQUEST, workspace_id=ours)
    with pytest.raises(WorkspaceError) as raised:
        await open_workspace(file, allowlist, REQUEST, workspace_id="ws1-0")

    assert again == opened
    (issue,) = raised.value.issues
    assert (issue.code, issue.field) == (
        "ERR_FEDERATED_WORKSPACE_ID_MISMATCH",
        "$.workspaceId",
    )


class Noting:
    """Searchers that note who was prepared."""

    def __init__(self) -> None:
        self.prepared: list[str | None] = []

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        self.prepared += [item.alias for item in repos]

    def open(self, asked: WorkspaceRepo) -> RepoSearcher:
        return FakeSearcher(asked.alias or "")


def at(path: Path) -> WorkspaceRepo:
    return repo(path.name, root_canonical=path)


async def test_the_guard_lets_through_who_may_be_asked(place: Path) -> None:
    inner, here, there = Noting(), at(place / "in"), at(place / "out")
    door = Guarded(inner, frozenset({there.repo_id}))

    await door.prepare([here, there], Deadline.never(SystemClock()))

    assert inner.prepared == ["in"]
    assert isinstance(door.open(here), FakeSearcher)
    with pytest.raises(Forbidden, match="repository out is outside"):
        door.open(there)


def test_the_guard_refuses_a_root_that_has_become_a_link(place: Path) -> None:
    """It was resolved when the workspace was read; a link put there since leads elsewhere."""
    door = Guarded(ReadySearchers(lambda _: FakeSearcher("in")), frozenset())
    (place / "in").rmdir()
    (place / "in").symlink_to(place / "out")

    with pytest.raises(Forbidden):
        door.open(at(place / "in"))


async def test_a_path_of_the_caller_names_a_repository_outside_as_an_alias_does(
    place: Path,
) -> None:
    request = FederatedRequest(SEARCH, only=("./out",), base_dirs=(place,))

    with pytest.raises(Forbidden, match="repository out is outside"):
        await open_workspace(place / "ws" / "w.jsonc", allowing(place, "ws", "in"), request)

    (place / "out" / "sub").mkdir()

    for below in ("sub", "gone"):
        request = FederatedRequest(SEARCH, only=(str(place / "out" / below),))
        with pytest.raises(Forbidden, match="repository out is outside"):
            await open_workspace(place / "ws" / "w.jsonc", allowing(place, "ws", "in"), request)


async def test_a_root_outside_is_named_as_it_is_written(place: Path) -> None:
    (place / "out" / ".git").mkdir()
    (place / "out" / ".git" / "HEAD").touch()
    (place / "out" / "sub").mkdir()
    (place / "in" / "link").symlink_to(place / "out" / "sub")
    roots = [{"root": root} for root in ("../out/sub", "../in/link", "../out/gone")]
    text = stable_json.dumps({"schemaVersion": 1, "repos": roots}).decode()
    (place / "ws" / "w.jsonc").write_text(text)

    opened = await open_workspace(place / "ws" / "w.jsonc", allowing(place, "ws", "in"), REQUEST)

    repos = opened.workspace.repos
    assert [str(repo.root_canonical.relative_to(place)) for repo in repos] == [
        *("out/sub", "in/link", "out/gone")
    ]
    assert opened.forbidden == {repo.repo_id for repo in repos}
    assert {repo.missing for repo in repos} == {None}


@pytest.mark.parametrize("glob", ["../out/*", "../**", "../in/link/*", "../*/*", "../out/*/x*"])
async def test_what_a_glob_looks_at_tells_nothing_of_the_outside(
    place: Path, monkeypatch: pytest.MonkeyPatch, glob: str
) -> None:
    """A caller that fills the rest of the limit would else count the names in any directory."""
    (place / "in" / "link").symlink_to(place / "out")
    text = stable_json.dumps({"schemaVersion": 1, "include": ["../in", glob]}).decode()
    (place / "ws" / "w.jsonc").write_text(text)

    async def fits(most: int) -> bool:
        monkeypatch.setattr(included, "MOST_LOOKED_AT", most)
        try:
            await open_workspace(place / "ws" / "w.jsonc", allowing(place, "ws", "in"), REQUEST)
        except WorkspaceError:
            return False
        return True

    before = [await fits(most) for most in range(30)]
    for number in range(9):
        (place / "out" / f"x{number}" / "xx").mkdir(parents=True)

    assert [await fits(most) for most in range(30)] == before
    assert {*before} == {False, True}
