"""Which repositories a request means."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from ggrep.base.errors import WorkspaceError
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.selection import Selection, path_resolver, select_repos
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.limits import LimitHit
from ggrep.model.request import SearchRequest
from tests.fakes.searchers import repo, workspace

REPOS = (
    repo("engine", tags=("core",), priority=10),
    repo("billing", tags=("payments", "service")),
    repo("svc-a", tags=("service",)),
    repo("legacy", enabled=False, tags=("old",)),
    repo("plain", alias=None),
)


def select(paths: Sequence[Path] = (), **fields: object) -> Selection:
    request = FederatedRequest(SearchRequest("q"), **fields)
    return select_repos(workspace(*REPOS), request, lambda _: tuple(paths))


def names(selection: Selection) -> list[str]:
    return [str(item.root_canonical.name) for item in selection.repos]


def codes(selection: Selection) -> list[str]:
    return [warning.code for warning in selection.warnings]


def test_enabled_repositories_come_by_priority_alias_and_id() -> None:
    """The contract's order: highest priority, alias with none last, id."""
    backwards = workspace(*reversed(REPOS))
    request = FederatedRequest(SearchRequest("q"))

    assert names(select()) == ["engine", "billing", "svc-a", "plain"]
    assert list(select().repo_ids) == sorted(select().repo_ids)
    assert select_repos(backwards, request, lambda _: ()) == select()


def test_disabled_repositories_come_when_asked_for() -> None:
    """`enabled: false` means by default, not never."""
    assert "legacy" in names(select(include_disabled=True))
    assert "legacy" in names(select(select=("LEGACY",)))
    assert "legacy" in names(select(select=("legacy-000000000000",)))


def test_select_adds_and_only_narrows() -> None:
    """The contract unites; people who want to narrow have `only`."""
    assert names(select(select=("engine",))) == names(select())
    assert names(select(only=("svc-a", "ENGINE"))) == ["engine", "svc-a"]
    assert names(select(only=("legacy",))) == []


def test_tags_are_alternatives_that_explicit_repositories_pass_too() -> None:
    """Any tag lets a repository pass; selected is a candidate, not a free ticket."""
    assert names(select(tags=(" Payments", "CORE "))) == ["engine", "billing"]
    assert select(tags=("B", "a")).tags == ("a", "b")
    assert names(select(select=("legacy",), tags=("service",))) == ["billing", "svc-a"]
    assert names(select(select=("legacy",), repo_filter=("leg*",))) == ["legacy"]


@pytest.mark.parametrize(
    ("pattern", "result"),
    [
        ("svc-*", ["svc-a"]),
        ("SVC-*", ["svc-a"]),
        ("{engine,billing}", ["engine", "billing"]),
        ("eng[a-z]ne", ["engine"]),
        ("engin?", ["engine"]),
        ("*", ["engine", "billing", "svc-a", "plain"]),
        ("/srv/*", ["engine", "billing", "svc-a", "plain"]),
        ("/*", []),
        ("/**", ["engine", "billing", "svc-a", "plain"]),
        ("**/plain", ["plain"]),
        ("/SRV/eng*", ["engine"]),
        ("zzz", []),
        ("!zzz", ["engine", "billing", "svc-a", "plain"]),
        ("", ["engine", "billing", "svc-a", "plain"]),
    ],
)
def test_globs_match_as_the_contract_s_library_does(pattern: str, result: list[str]) -> None:
    """`*` stays within a path part, `**` crosses; case is ignored; a blank is no pattern."""
    assert names(select(repo_filter=(pattern,))) == result


@pytest.mark.parametrize(
    ("member", "pattern"),
    [
        (repo("dots", root_canonical=Path("/home/.config/.dots"), alias=None), "/home/**"),
        (repo("x", alias=None), "**"),  # its id matches, the empty alias was not asked
    ],
)
def test_globs_see_dotfiles_and_ids_of_repositories_without_an_alias(
    member: WorkspaceRepo, pattern: str
) -> None:
    request = FederatedRequest(SearchRequest("q"), repo_filter=(pattern,))

    assert select_repos(workspace(member), request, lambda _: ()).repos == (member,)


@pytest.mark.parametrize("pattern", ["{1..100000}", "{a,b}" * 12])
def test_a_glob_that_could_take_for_ever_is_refused_by_name(pattern: str) -> None:
    with pytest.raises(WorkspaceError) as caught:
        select(repo_filter=(pattern,))
    assert caught.value.code == "ERR_FEDERATED_INVALID_REPO_FILTER"


def test_a_path_or_a_name_selects_its_repository() -> None:
    """Tab completion gives paths, not aliases; of several bases the first wins."""
    assert "legacy" in names(select(paths=[Path("/srv/legacy")], select=("../legacy",)))
    assert "legacy" in names(select(paths=[Path("/srv/legacy/src/x")], select=("../legacy/src/x",)))
    assert "legacy" not in names(select(paths=[Path("/srv/legacy2")], select=("../legacy2",)))
    assert names(select(paths=[Path("/srv/engine/billing")], only=("billing",))) == ["billing"]

    paths = [Path("/elsewhere"), Path("/srv/billing/src"), Path("/srv/engine")]

    assert names(select(paths=paths, only=("x",))) == ["billing"]
    assert names(select(paths=paths[::-1], only=("x",))) == ["engine"]

    paths = [Path("/srv/billing/src"), Path("/srv/engine")]

    assert names(select(paths=paths, only=("svc-a",))) == ["engine", "svc-a"]


def test_the_innermost_repository_around_a_path_is_meant() -> None:
    outer = repo("outer", root_canonical=Path("/srv/o"))
    inner = repo("inner", root_canonical=Path("/srv/o/inner"))
    request = FederatedRequest(SearchRequest("q"), only=("x",))

    result = select_repos(workspace(outer, inner), request, lambda _: (Path("/srv/o/inner/src"),))

    assert result.repos == (inner,)


def test_paths_are_read_below_the_workspace_first_and_then_where_the_caller_stands(
    tmp_path: Path,
) -> None:
    """A workspace file is moved about together with its repositories."""
    for name in ("ws/api/src", "cwd/api", "cwd/own"):
        (tmp_path / name).mkdir(parents=True)
    repos = [
        repo(str(number), root_canonical=tmp_path / name, alias=None)
        for number, name in enumerate(("ws/api", "cwd/api", "cwd/own"))
    ]
    resolve = path_resolver((tmp_path / "ws", tmp_path / "cwd"))

    def chosen(token: str) -> list[Path]:
        request = FederatedRequest(SearchRequest("q"), only=(token,))
        result = select_repos(workspace(*repos), request, resolve)
        return [r.root_canonical.relative_to(tmp_path) for r in result.repos]

    assert chosen("api") == chosen("./api/src/") == [Path("ws/api")]
    assert chosen("../cwd/api") == chosen(str(tmp_path / "cwd/api")) == [Path("cwd/api")]
    assert chosen(f"/{tmp_path}/cwd/api") == [Path("cwd/api")]
    assert chosen("own") == [Path("cwd/own")]
    assert chosen("gone") == []


def test_tokens_that_match_nothing_are_said() -> None:
    """A typo in `--select` must not pass as an answer from everywhere."""
    result = select(
        select=("engin", "engine"),
        tags=("core", "Cor"),
        repo_filter=("eng*", "x*"),
        only=("engine", "bilin"),
    )

    assert names(result) == ["engine"]
    assert codes(result) == ["WARN_FEDERATED_SELECT_UNMATCHED"] * 4
    assert [warning.message for warning in result.warnings] == [
        "no repository matches --select 'engin'",
        "no repository matches --tag 'cor'",
        "no repository matches --repo-filter 'x*'",
        "no repository matches --only 'bilin'",
    ]


@pytest.mark.parametrize(
    ("fields", "cut"),
    [
        ({"tags": ("old",)}, (LimitHit("disabled_repos", 0, 1),)),
        # Each matches a repository, so that filters leave none is no typo.
        ({"tags": ("old",), "repo_filter": ("eng*",), "only": ("billing",)}, ()),
    ],
)
def test_an_empty_selection_is_a_warning(
    fields: dict[str, object], cut: tuple[LimitHit, ...]
) -> None:
    result = select(**fields)

    assert names(result) == []
    assert [(each.code, each.message) for each in result.warnings] == [
        ("WARN_FEDERATED_EMPTY_SELECTION", "no repository is selected")
    ]
    assert result.disabled_cut() == cut


def test_disabled_repositories_that_filters_exclude_are_not_counted() -> None:
    """The option would not add them."""
    assert select().disabled_cut() == (LimitHit("disabled_repos", 4, 5),)
    assert select(only=("engine",)).disabled_cut() == ()
    assert select(include_disabled=True).disabled_cut() == ()


def test_path_tokens_are_tried_below_each_base_and_must_exist(tmp_path: Path) -> None:
    (tmp_path / "a" / "x").mkdir(parents=True)
    (tmp_path / "b" / "x").mkdir(parents=True)
    (tmp_path / "link").symlink_to("a")
    resolve = path_resolver((tmp_path / "link", tmp_path / "b"))

    assert resolve("x") == (tmp_path / "a" / "x", tmp_path / "b" / "x")
    assert resolve("gone") == resolve("a\0b") == ()
    assert resolve(str(tmp_path / "link")) == (tmp_path / "a",)


def test_what_is_taken_away_again_is_not_named() -> None:
    """Only who is asked can be asked for by name."""
    selection = select(select=("engine", "billing"), tags=("core",))

    assert {repo_id[: len("engine")] for repo_id in selection.named} == {"engine"}
