"""Globs of repositories, and paths that lie inside of others."""

import errno
import os
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.errors import WorkspaceError
from ggrep.federation.containment import canonical_path, is_canonical, is_inside, lexical_path
from ggrep.federation.selection import MAX_GLOB_STEPS, compile_globs
from tests.fakes.processor_time import quickest_s

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
    """Whoever asks must get an error, not a path that means nothing."""
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    with pytest.raises(OSError, match="symbolic links"):
        canonical_path(tmp_path / "a" / "x")
    with pytest.raises(ValueError, match="null"):
        canonical_path(tmp_path / "a\0b")


def test_a_path_that_cannot_be_followed_is_not_canonical(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever exchanges links that fast has no good in mind; it is no bug to be logged."""

    def confused(*_: object, **__: object) -> str:
        raise OSError(errno.EINVAL, "links went round in a circle")

    monkeypatch.setattr(os.path, "realpath", confused)

    assert not is_canonical(tmp_path)
