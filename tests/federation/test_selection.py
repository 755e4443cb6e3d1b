"""Selection of repositories by names, paths and globs, and canonical paths."""

import errno
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.errors import WorkspaceError
from ggrep.federation.containment import canonical_path, is_canonical, is_inside, lexical_path
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.selection import (
    MAX_GLOB_STEPS,
    Selection,
    compile_globs,
    path_resolver,
    select_repos,
)
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.limits import LimitHit
from ggrep.model.request import SearchRequest
from tests.fakes.processor_time import quickest_s
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
    selection = select(select=("engine", "billing"), tags=("core",))

    assert {repo_id[: len("engine")] for repo_id in selection.named} == {"engine"}


NAMES = ("svc-0123456789ab", "svc", "/srv/x/svc")
DEEP = ("/a" * 40 + "/b",)


def matched(pattern: str, *names: str) -> list[str]:
    (result,) = compile_globs([pattern], names)
    return [name for name in names if result.matches([name])]


@pytest.mark.parametrize(
    ("pattern", "names", "result"),
    [
        ("svc", ["svc", "SVC", "svc2"], ["svc", "SVC"]),
        ("s*", ["svc", "s/c", "s"], ["svc", "s"]),
        ("/a/*", ["/a/b", "/a/.b", "/a/b/c"], ["/a/b", "/a/.b"]),
        ("/a/**", ["/a/b", "/a/b/.c", "/ab"], ["/a/b", "/a/b/.c"]),
        ("**/c", ["/a/b/c", "c", "/a/bc"], ["/a/b/c", "c"]),
        ("a**c", ["abc", "a/c"], ["abc"]),
        ("{a,b{c,d}}", ["a", "bc", "bd", "b"], ["a", "bc", "bd"]),
        ("v{1..3}", ["v1", "v3", "v4"], ["v1", "v3"]),
        ("{a}", ["{a}", "a"], ["{a}"]),
        ("[ab]c", ["ac", "bc", "cc"], ["ac", "bc"]),
        ("[!ab]c", ["ac", "cc"], ["cc"]),
        ("a?c", ["abc", "a/c", "ac"], ["abc"]),
        ("!svc*", ["svc-a", "api"], ["api"]),
        ("\\*", ["*", "a"], ["*"]),
        ("[", ["[", "a"], ["["]),
        ("é*", ["Éa"], ["Éa"]),
        ("@(api|web)", ["api", "Web", "apiweb", "x"], ["api", "Web"]),
        ("svc-@(a|b*)", ["svc-a", "svc-bcd", "svc-c"], ["svc-a", "svc-bcd"]),
        ("+(ab|c)", ["ab", "abcab", "", "abd"], ["ab", "abcab"]),
        ("v+([0-9])", ["v1", "v123", "v", "v1a"], ["v1", "v123"]),
        ("*(ab)c", ["c", "ababc", "abc", "bc"], ["c", "ababc", "abc"]),
        ("?(my-)svc", ["svc", "my-svc", "my-my-svc"], ["svc", "my-svc"]),
        ("!(api|web)", ["api", "web", "svc"], ["svc"]),
        ("/srv/@(a|b)/**", ["/srv/a/x", "/srv/c/x"], ["/srv/a/x"]),
    ],
)
def test_a_glob_matches_what_the_contract_says(
    pattern: str, names: list[str], result: list[str]
) -> None:
    """One star stays within a part, two cross, case and leading dots do not matter."""
    assert matched(pattern, *names) == result


def test_honest_globs_are_within_the_bound() -> None:
    for pattern in ("**", "*", "!x"):
        assert not compile_globs([pattern], NAMES)[0].matches([""])

    names = [f"/home/user/code/team/service-{number}" for number in range(1000)]

    assert len(compile_globs(["**/team/**", "{a,b}-*", "svc-*"] * 4, names)) == 12
    assert MAX_GLOB_STEPS <= 5_000_000


@pytest.mark.parametrize(
    "pattern",
    [
        "{a,b}" * 12,
        "{" + ",".join("abcdefgh" * 9) + "}",
        "{1..100000}",
        "{{a,b},{c,d}}" * 8,
        "**/a/" * 12 + "z",
        "**/" * 2000,
        "{**/a/,**/b/}" * 9,
        "**" * 2000,
        "+(a|aa)b",
        "+(a|a)b",
        "*([ab]|a)c",
        "+(*a)b",
        "+(+(a))b",
        "@(a|@(b|+(c)))",
        "@(a|b)" * 5,
    ],
)
def test_a_glob_that_explodes_is_refused_at_once(pattern: str) -> None:
    """It comes with a request, and the server must go on."""
    with pytest.raises(WorkspaceError) as caught:
        compile_globs([pattern], DEEP)

    assert quickest_s(lambda: compile_globs([pattern], DEEP), 0.1, refusal=WorkspaceError) < 0.1
    assert caught.value.code == "ERR_FEDERATED_INVALID_REPO_FILTER"
    assert caught.value.issues[0].field == "$.select.repoFilter"
    assert "--only" in caught.value.issues[0].hint
    assert len(str(caught.value)) < 200


def test_many_globs_share_one_bound() -> None:
    """Two hundred slow ones are as bad as one that is two hundred times slower."""
    slow = ["**/a/**/a/**/z" + str(number) for number in range(200)]

    assert len(compile_globs(slow[:50], DEEP)) == 50
    with pytest.raises(WorkspaceError):
        compile_globs(slow, DEEP * 20)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["/a" * 40, ("/" + "a" * 40) * 40, ("/" + "a" * 250) * 16])
def test_what_is_not_refused_is_matched_soon(name: str) -> None:
    """Deep paths and long names are what makes `**` slow; the bound counts both."""
    took = 0.0
    for crossings in range(1, 12):
        for part in ("**/a/", "**/a*/", "{**/a/,b}"):
            try:
                globs = compile_globs([part * crossings + "z"], [name])
            except WorkspaceError:
                continue
            assert not globs[0].matches([name])
            took = max(took, quickest_s(partial(globs[0].matches, [name]), 2.0))

    assert took < 2.0


@given(st.text(alphabet="ab*?[]{},!/\\.-^:", max_size=200))
def test_any_pattern_is_matched_or_refused_in_bounded_time(pattern: str) -> None:
    def tried() -> None:
        compile_globs([pattern], DEEP)[0].matches(DEEP)

    assert quickest_s(tried, 1.0, refusal=WorkspaceError) < 1.0


@pytest.mark.parametrize(
    ("path", "root", "inside"),
    [
        ("/a/b", "/a/b", True),
        ("/a/b/c", "/a/b", True),
        ("/a/bc", "/a/b", False),
        ("/a", "/a/b", False),
        ("/a/b/..cache", "/a/b", True),
        ("/a/..cache", "/a/b", False),
        ("/a", "/", True),
        ("/", "/", True),
        ("/", "/a", False),
    ],
)
def test_inside_is_told_by_whole_parts(path: str, root: str, inside: bool) -> None:
    """A common beginning of the text is not enough, and two dots may begin a name."""
    assert is_inside(Path(path), Path(root)) == inside


def test_of_a_missing_path_the_part_that_is_there_is_resolved(tmp_path: Path) -> None:
    """A link on the way to a file not yet made would lead outside unseen."""
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "link").symlink_to("../out")
    (tmp_path / "in" / "dangling").symlink_to("../out/gone")
    (tmp_path / "file").touch()

    assert canonical_path(tmp_path / "in/link/new/deep") == tmp_path / "out/new/deep"
    assert canonical_path(tmp_path / "in/dangling/deep") == tmp_path / "out/gone/deep"
    assert canonical_path(tmp_path / "in/gone/../link/x") == tmp_path / "out/x"
    assert canonical_path(tmp_path / "in/link/../x") == tmp_path / "x"
    assert canonical_path(tmp_path / "file/x") == tmp_path / "file/x"


def test_a_lexical_path_follows_no_link_and_starts_at_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert str(canonical_path(Path(f"/{tmp_path}"))) == str(tmp_path)
    assert str(canonical_path(Path(f"/{tmp_path}/gone"))) == f"{tmp_path}/gone"
    assert str(lexical_path(Path(f"/{tmp_path}"))) == str(tmp_path)
    assert str(lexical_path(Path("//"))) == "/"

    (tmp_path / "link").symlink_to("/")
    monkeypatch.chdir(tmp_path)

    assert lexical_path(Path("link/../x")) == tmp_path / "x"

    monkeypatch.chdir(tmp_path)

    assert canonical_path(Path("gone/x")) == tmp_path / "gone" / "x"


def test_links_in_a_circle_and_bytes_of_no_path_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    with pytest.raises(OSError, match="symbolic links"):
        canonical_path(tmp_path / "a" / "x")
    with pytest.raises(ValueError, match="null"):
        canonical_path(tmp_path / "a\0b")


def test_a_path_that_cannot_be_followed_is_not_canonical(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def confused(*_: object, **__: object) -> str:
        raise OSError(errno.EINVAL, "links went round in a circle")

    monkeypatch.setattr(os.path, "realpath", confused)

    assert not is_canonical(tmp_path)
