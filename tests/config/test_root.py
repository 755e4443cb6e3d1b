"""Roots: where one begins, which files below it count, and the user's tables for single roots."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.config.confined import open_below, open_root, read_small
from ggrep.config.home import Home
from ggrep.config.root import canonical_root
from ggrep.config.settings import load_settings
from ggrep.model.sanitise import is_text

Git = Callable[..., str]


def directory(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


def test_a_path_in_a_work_tree_belongs_to_its_top_level(tmp_path: Path, git: Git) -> None:
    git(tmp_path / "r", "init")
    below = directory(tmp_path / "r/a/b")
    (below / "f.py").write_text("")

    assert canonical_root(below) == tmp_path / "r"
    assert canonical_root(below / "f.py") == tmp_path / "r"
    assert canonical_root(tmp_path / "r/.git/hooks") == tmp_path / "r"


def test_outside_git_the_nearest_settings_file_or_the_directory_is_the_root(tmp_path: Path) -> None:
    below = directory(tmp_path / "p/q/r")
    (tmp_path / "p/.ggrep.toml").write_text("")
    (tmp_path / "p/q/.ggrep.toml").write_text("")

    assert canonical_root(below) == tmp_path / "p/q"

    plain = directory(tmp_path / "a/b")
    (plain / "f.py").write_text("")

    assert canonical_root(plain) == plain
    assert canonical_root(plain / "f.py") == plain

    below = directory(tmp_path / "r/a")
    directory(tmp_path / "r/.git")

    assert canonical_root(below) == below

    with pytest.raises(InvalidRequest, match="nowhere: no such file or directory"):
        canonical_root(tmp_path / "nowhere")


@pytest.mark.parametrize("below", [".", "hooks", "objects/info"])
def test_a_bare_repository_is_no_root(tmp_path: Path, git: Git, below: str) -> None:
    """Its hooks and settings are no files of the project; a work tree inside of it has some."""
    bare = tmp_path / "bare repo.git"
    git(bare, "init", "--bare")
    directory(bare / below)
    for name in ("HEAD", "config"):
        assert (bare / name).is_file()
    directory(bare / "main/.git")
    (bare / "main/.git/HEAD").write_text("")

    with pytest.raises(InvalidRequest, match=r"git -C '.*/bare repo.git' worktree add DIR"):
        canonical_root(bare / below)
    assert canonical_root(bare / "main") == bare / "main"


def test_links_on_the_way_are_resolved_and_nothing_is_enclosed_on_request(
    tmp_path: Path, git: Git
) -> None:
    git(tmp_path / "r", "init")
    directory(tmp_path / "r/a")
    (tmp_path / "link").symlink_to(tmp_path / "r/a")

    assert canonical_root(tmp_path / "link") == tmp_path / "r"

    git(tmp_path / "r", "init")
    below = directory(tmp_path / "r/a")

    assert canonical_root(below, enclosing=False) == below


def test_an_ignored_or_a_product_directory_is_a_corpus_of_its_own(tmp_path: Path, git: Git) -> None:
    git(tmp_path / "r", "init")
    (tmp_path / "r/.gitignore").write_text("envs/\n")
    package = directory(tmp_path / "r/envs/lib/site-packages/pkg")

    assert canonical_root(package) == package

    git(tmp_path / "r", "init")
    package = directory(tmp_path / "r/node_modules/pkg")

    assert canonical_root(package) == package


def test_an_ignored_directory_with_tracked_files_stays_in_its_project(
    tmp_path: Path, git: Git
) -> None:
    git(tmp_path / "r", "init")
    (tmp_path / "r/.gitignore").write_text("build/\n")
    (directory(tmp_path / "r/build") / "f.py").write_text("")
    git(tmp_path / "r", "add", "-f", "build/f.py")

    assert canonical_root(tmp_path / "r/build") == tmp_path / "r"


@pytest.mark.parametrize(
    ("file", "lines", "name"),
    [
        # `info/exclude` takes nothing out of an index either.
        (".git/info/exclude", "notes/\n", "notes"),
        # The last matching line decides, as it does for the index.
        (".gitignore", "gen*/\n!general/\n", "general"),
    ],
)
def test_a_directory_of_the_index_stays_in_its_project(
    tmp_path: Path, git: Git, file: str, lines: str, name: str
) -> None:
    git(tmp_path / "r", "init")
    (tmp_path / "r" / file).write_text(lines)

    assert canonical_root(directory(tmp_path / "r" / name)) == tmp_path / "r"


def test_linked_work_trees_and_submodules_are_roots(tmp_path: Path, git: Git) -> None:
    git(tmp_path / "r", "init")
    git(tmp_path / "r", "commit", "--allow-empty", "-m", "x")
    git(tmp_path / "r", "worktree", "add", str(tmp_path / "w"))
    inner = directory(tmp_path / "w/a")

    assert canonical_root(inner) == tmp_path / "w"


def test_home_and_slash_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(InvalidRequest, match="cannot be a root"):
        canonical_root(tmp_path)
    with pytest.raises(InvalidRequest, match="cannot be a root"):
        canonical_root(Path("/"), enclosing=False)


def test_a_repository_of_dotfiles_in_home_does_not_claim_what_lies_below(
    tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init")
    monkeypatch.setenv("HOME", str(tmp_path))
    project = directory(tmp_path / "src/p")

    assert canonical_root(project) == project


def test_a_root_whose_path_is_not_utf_8_is_refused_in_one_line(tmp_path: Path) -> None:
    """Manifests and messages hold text; the refusal shows the bytes that are none."""
    below = directory(tmp_path / os.fsdecode(b"caf\xe9") / "src")

    with pytest.raises(InvalidRequest, match="not UTF-8") as caught:
        canonical_root(below)
    reported = str(caught.value)
    assert is_text(reported)
    assert "caf\\xe9/src cannot be a root" in reported
    assert len(reported.splitlines()) == 1


PROFILES = """
profile = "docs"
[profiles.docs.view]
paths = ["docs"]
[profiles.tests.view]
paths = ["t"]
"""


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """Return a directory with a home and two repositories."""
    result = tmp_path.resolve()
    for name in ("h", "a", "b"):
        (result / name).mkdir()
    return result


def told(base: Path, text: str) -> None:
    (base / "h" / "config.toml").write_text(text)


def encoder(base: Path, name: str, **more: str) -> str:
    """Return the encoder in force for a root."""
    environ = {f"GGREP_{key.upper()}": value for key, value in more.items()}
    return load_settings(Home(base / "h"), base / name, environ=environ).settings.encoder


def test_a_table_is_of_its_root_alone(base: Path) -> None:
    told(base, f'encoder = "none"\n[root."{base}/a"]\nencoder = "hashed"\n')

    assert (encoder(base, "a"), encoder(base, "b")) == ("hashed", "none")
    assert encoder(base, "a", encoder="static") == "static"
    flags = load_settings(Home(base / "h"), base / "a", environ={}, flags={"encoder": "none"})
    assert flags.settings.encoder == "none"
    assert flags.sources["encoder"] == "flag"


def test_a_root_is_known_under_each_of_its_names(base: Path) -> None:
    (base / "link").symlink_to(base / "a")
    told(base, f'[root."{base}/link/"]\nencoder = "hashed"\n')

    assert encoder(base, "a") == "hashed"
    assert encoder(base, "b") == "static"


def test_a_profile_for_a_root_beats_the_repository_s_choice(base: Path) -> None:
    (base / "a" / ".ggrep.toml").write_text(PROFILES)
    home = Home(base / "h")
    before = load_settings(home, base / "a", environ={})
    told(base, f'[root."{base}/a"]\nprofile = "tests"\n')
    after = load_settings(home, base / "a", environ={})
    asked = load_settings(home, base / "a", environ={"GGREP_PROFILE": "docs"})

    assert (before.settings.profile, before.sources["profile"]) == ("docs", "repo")
    assert (after.settings.profile, after.sources["profile"]) == ("tests", "user")
    assert after.profile.name == after.usual_profile == "tests"
    assert (asked.settings.profile, asked.sources["profile"]) == ("docs", "env")
    assert asked.usual_profile == "tests"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[root."a"]\nencoder = "none"', r'root\."a": the path is not absolute'),
        ('[root."/a"]\nwatch = false', r'root\."/a": watch: only encoder, profile and repo_key'),
        ('[root."/a"]\nencoder = 7', r'root\."/a": encoder'),
        ('[root."/a"]\nprofile = "No Name"', r'root\."/a": profile'),
        ('[root]\n"/a" = 1', r'root\."/a": must be a table'),
        ("root = 1", r"root: must contain one table for each root"),
        ('[root."/a"]\nencoder = "none"\n[root."/a/"]\nencoder = "none"', None),
        ('profile = "docs"', r'a profile belongs to one repository.*\[root\."/path"\]'),
    ],
)
def test_what_makes_no_sense_is_named(base: Path, text: str, complaint: str | None) -> None:
    """Whatever root is loaded: a typing error must not wait for its repository."""
    told(base, text)
    if complaint is None:
        assert encoder(base, "b") == "static"
        return
    with pytest.raises(InvalidRequest, match=complaint):
        encoder(base, "b")


def test_two_tables_of_one_root_are_refused(base: Path) -> None:
    told(base, f'[root."{base}/a"]\nencoder = "none"\n[root."{base}/a/"]\nencoder = "hashed"\n')

    with pytest.raises(InvalidRequest, match="several tables apply to"):
        encoder(base, "a")


def descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def test_a_root_is_opened_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "home/repo").mkdir(parents=True)
    (tmp_path / "home").chmod(0o311)
    before = descriptors()

    try:
        for root in (tmp_path / "home/repo", Path("/")):
            opened = open_root(root)
            same = os.path.samestat(os.fstat(opened), root.stat())
            os.close(opened)
            assert same
    finally:
        (tmp_path / "home").chmod(0o755)
    assert descriptors() == before


@pytest.mark.parametrize("swapped", ["repo", "repo/sub"])
def test_a_root_that_a_link_took_the_place_of_is_not_read(tmp_path: Path, swapped: str) -> None:
    for place in ("repo/sub", "secret/sub"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "a.txt").write_text(place)
    (tmp_path / swapped).rename(tmp_path / "away")
    (tmp_path / swapped).symlink_to(tmp_path / "secret")
    root = tmp_path / "repo/sub"
    before = descriptors()

    for read in (
        lambda: open_root(root),
        lambda: open_below(root, "a.txt"),
        lambda: read_small(root, "a.txt", cap_bytes=100),
    ):
        with pytest.raises(InvalidRequest, match="symbolic link"):
            read()

    assert descriptors() == before


@pytest.mark.parametrize("gone", ["repo", "repo/sub"])
def test_a_root_that_is_gone_is_said_to_be_gone(tmp_path: Path, gone: str) -> None:
    (tmp_path / gone).parent.mkdir(exist_ok=True)
    before = descriptors()

    with pytest.raises(FileNotFoundError):
        open_root(tmp_path / "repo/sub")
    (tmp_path / gone).write_text("a file")
    with pytest.raises(NotADirectoryError):
        open_root(tmp_path / "repo/sub")

    assert descriptors() == before


def test_whose_own_path_leads_over_links_can_be_read_when_that_is_asked_for(tmp_path: Path) -> None:
    """Settings beside a workspace file are read where people see the file."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.txt").write_text("mine")
    (tmp_path / "seen").symlink_to(tmp_path / "real")

    assert read_small(tmp_path / "seen", "a.txt", cap_bytes=9, anchored=False) == b"mine"
