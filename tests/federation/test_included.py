"""Repositories that a workspace file includes by globs: which, in what order, by what names."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest, WorkspaceError
from ggrep.base.stable_json import Json
from ggrep.config.root import canonical_root
from ggrep.federation.roots import workspace_warnings
from ggrep.federation.workspace import Workspace, load_workspace

Load = Callable[..., Workspace]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Return what loads a file in `ws`, beside services, libraries and what is neither."""
    for name in ("services/cart", "services/pay", "services/.hidden", "libs/deep/cart", "libs/x"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("services/cart", "libs/deep/cart", "libs/x"):
        (tmp_path / name / ".git").mkdir()
        (tmp_path / name / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "services" / "cart" / "vendored" / ".git").mkdir(parents=True)
    (tmp_path / "libs" / "x" / "part").mkdir()
    (tmp_path / "services" / "notes.txt").write_text("no directory")
    (tmp_path / "services" / "linked").symlink_to(tmp_path / "libs" / "x")
    (tmp_path / "ws").mkdir()

    def run(include: Json, repos: Json = None, **more: Json) -> Workspace:
        file = tmp_path / "ws" / "w.jsonc"
        document = {"schemaVersion": 1, "include": include, **more}
        if repos is not None:
            document["repos"] = repos
        file.write_bytes(stable_json.dumps(document))
        return load_workspace(file, resolve_root=canonical_root)

    return run


def told(workspace: Workspace) -> list[tuple[str, str | None]]:
    """Return root as written and alias of each repository."""
    return [(repo.root_input, repo.alias) for repo in workspace.repos]


def test_a_glob_means_the_directories_of_a_directory(load: Load) -> None:
    """By path, links too, and neither files nor what is hidden."""
    assert told(load(["../services/*"])) == [
        ("../services/cart", "cart"),
        ("../services/linked", "x"),
        ("../services/pay", "pay"),
    ]


def test_at_any_depth_repositories_alone_are_meant(load: Load) -> None:
    assert told(load(["../**"])) == [
        ("../libs/deep/cart", None),
        ("../libs/x", "x"),
        ("../services/cart", None),
    ]
    assert told(load(["../libs/**/cart"])) == [("../libs/deep/cart", "cart")]


@pytest.mark.parametrize(
    ("globs", "roots"),
    [
        (["../services/*", "!../services/p*"], ["../services/cart", "../services/linked"]),
        (["!../services/p*", "../services/pay"], ["../services/pay"]),
        (["../{libs/x,services/pay}"], []),
        (["../services/{cart,pay}", "../services/cart"], ["../services/cart", "../services/pay"]),
        (["../services/[cp]a?"], ["../services/pay"]),
        (["../services/.h*"], ["../services/.hidden"]),
        (["../libs/x/*"], []),
        (["../nowhere/*"], []),
    ],
)
def test_globs_add_and_take_away_in_their_order(
    load: Load, globs: list[str], roots: list[str]
) -> None:
    """A directory of a repository is none, and one that is not there is no mistake."""
    assert [repo.root_input for repo in load(globs).repos] == roots


def test_what_stands_in_the_file_is_as_it_says(load: Load) -> None:
    workspace = load(
        [{"glob": "../services/*", "tags": ["Service"], "priority": 3, "enabled": False}],
        [{"root": "../services/cart", "alias": "pay"}],
        defaults={"tags": ["all"]},
    )

    cart, linked, pay = workspace.repos
    assert (cart.alias, cart.tags, cart.enabled, cart.included) == ("pay", ("all",), True, "")
    assert (linked.tags, linked.priority, linked.enabled) == (("service",), 3, False)
    assert (pay.alias, pay.index, pay.included) == (None, 2, "../services/*")


def test_a_new_directory_is_in_the_next_look(load: Load, tmp_path: Path) -> None:
    before = load(["../services/*"])
    (tmp_path / "services" / "ship").mkdir()
    after = load(["../services/*"])

    assert len(after.repos) == len(before.repos) + 1
    assert after.repo_set_id != before.repo_set_id
    assert after.workspace_config_hash != before.workspace_config_hash
    assert {repo.repo_id for repo in before.repos} < {repo.repo_id for repo in after.repos}


@pytest.mark.parametrize("glob", ["../servces/*", "../nowhere/*.jsonc", "../*.jsonc"])
def test_a_glob_that_means_nothing_is_told(load: Load, glob: str) -> None:
    (warning,) = workspace_warnings(load(["../services/*", glob]))

    assert warning.code == "WARN_WORKSPACE_INCLUDE_EMPTY"
    assert glob in warning.message


@pytest.mark.parametrize(
    ("include", "field", "reason"),
    [
        ("../services/*", "$.include", "type"),
        ([1], "$.include[0]", "type"),
        ([""], "$.include[0].glob", "required"),
        (["!"], "$.include[0].glob", "required"),
        ([{"tags": ["a"]}], "$.include[0].glob", "required"),
        ([{"glob": "x", "root": "y"}], "$.include[0].root", "unknown-key"),
        (["../a{b,c}{d,e}{f,g}{h,i}{j,k}{l,m}{n,o}"], "$.include[0]", "glob"),
        ([], "$.repos", "required"),
    ],
)
def test_each_mistake_has_its_field_and_reason(
    load: Load, include: Json, field: str, reason: str
) -> None:
    with pytest.raises(WorkspaceError) as caught:
        load(include)

    assert [(issue.field, issue.reason) for issue in caught.value.issues] == [(field, reason)]
    assert caught.value.issues[0].line == ("include" in field)


@pytest.mark.parametrize(
    ("glob", "message"),
    [
        # `/**` would read the whole disk for every question.
        ("../**", "examine more than 5 files"),
        # It would be walked part by part, and back again.
        ("../services/" + "cart/../" * 600 + "cart", "more than 32 parts"),
    ],
)
def test_a_glob_that_looks_at_too_much_is_refused(
    load: Load, monkeypatch: pytest.MonkeyPatch, glob: str, message: str
) -> None:
    monkeypatch.setattr("ggrep.federation.included.MOST_LOOKED_AT", 5)

    with pytest.raises(WorkspaceError, match=message):
        load([glob])


def test_what_lies_very_deep_is_not_looked_for_and_a_circle_of_links_ends(
    load: Load, tmp_path: Path
) -> None:
    below = tmp_path / "libs" / "deep" / Path(*"d" * 60)
    (below / "far" / ".git").mkdir(parents=True)
    (tmp_path / "libs" / "deep" / "up").symlink_to(tmp_path)

    assert len(load(["../**"]).repos) == 3


def test_directories_of_one_repository_and_a_root_that_may_not_be_searched_are_none(
    load: Load, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        (tmp_path / "libs" / "x" / "packages" / name).mkdir(parents=True)
    workspace = load(["../libs/x/packages/*", "!../nowhere"])

    assert workspace.repos == ()
    assert [each.code for each in workspace_warnings(workspace)] == ["WARN_WORKSPACE_INCLUDE_EMPTY"]

    with pytest.raises(InvalidRequest):
        canonical_root(Path("/"))

    assert load(["/"]).repos == ()


@pytest.mark.parametrize("name", ["a:b", "a]b", "[ab", "a\tb"])
def test_a_name_that_cannot_be_typed_in_front_of_a_path_is_none(
    load: Load, tmp_path: Path, name: str
) -> None:
    (tmp_path / "odd" / name).mkdir(parents=True)

    assert [repo.alias for repo in load(["../odd/*"]).repos] == [None]


def nest(tmp_path: Path, name: str, **document: Json) -> None:
    """Write the file of a workspace beside the services."""
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(stable_json.dumps({"schemaVersion": 1, **document}))


def test_the_repositories_of_another_workspace_are_as_it_says(load: Load, tmp_path: Path) -> None:
    cart = {"root": "../services/cart", "alias": "basket", "tags": ["web"], "priority": 4}
    nest(tmp_path, "teams/shop.jsonc", repos=[cart], include=["../services/p*"])
    nest(tmp_path, "teams/all.jsonc", include=["*.jsonc", "../libs/x"])
    shop = {"glob": "../teams/shop.jsonc", "tags": ["shop"], "enabled": False}

    third, first, second = load([shop, "../teams/*.jsonc"]).repos
    assert (first.root_input, first.alias, first.tags) == (
        "../services/cart",
        "basket",
        ("shop", "web"),
    )
    assert (first.enabled, first.priority, first.included) == (False, 4, "../teams/shop.jsonc")
    assert (second.root_input, second.alias) == ("../services/pay", "pay")
    assert (third.root_input, third.alias, third.enabled) == ("../libs/x", "x", True)


def test_another_workspace_is_read_once_and_beaten_by_the_file_itself(
    load: Load, tmp_path: Path
) -> None:
    nest(tmp_path, "shop.jsonc", repos=[{"root": "services/cart", "alias": "basket"}])
    (cart,) = load(["../shop.jsonc"], [{"root": "../services/cart", "alias": "own"}]).repos

    assert cart.alias == "own"

    nest(tmp_path, "a.jsonc", include=["services/cart", "b.jsonc", "ws/w.jsonc"])
    nest(tmp_path, "b.jsonc", include=["services/pay", "a.jsonc"])

    assert told(load(["../a.jsonc"])) == [("../services/cart", "cart"), ("../services/pay", "pay")]


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ({"repos": [{"root": 3}]}, "$.repos[0].root"),
        ({"include": ["deeper/../bad.jsonc"], "repos": "none"}, "$.repos"),
        ({"nosuch": 1}, "nosuch"),
    ],
)
def test_a_wrong_one_is_named_with_what_is_wrong(
    load: Load, tmp_path: Path, document: dict[str, Json], why: str
) -> None:
    nest(tmp_path, "bad.jsonc", **document)
    with pytest.raises(WorkspaceError) as caught:
        load(["../services/*", "../bad.jsonc"])

    (issue,) = caught.value.issues
    assert (issue.field, issue.reason) == ("$.include[1]", "nested")
    assert "../bad.jsonc" in issue.message
    assert why in issue.message


def test_too_many_in_each_other_are_refused(load: Load, tmp_path: Path) -> None:
    """A chain is read by one call in another."""
    for number in range(12):
        nest(tmp_path, f"n{number}.jsonc", include=[f"n{number + 1}.jsonc"])
    nest(tmp_path, "n12.jsonc", include=["services/*"])

    assert load(["../n5.jsonc"]).repos
    with pytest.raises(WorkspaceError, match="levels of them"):
        load(["../n0.jsonc"])


def test_globs_of_workspaces_mean_files_of_one_directory(load: Load) -> None:
    with pytest.raises(WorkspaceError, match="must not contain"):
        load(["../**/w.jsonc"])
