"""Settings, and the sharing of a home."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from msgspec.structs import fields

from ggrep.base.errors import InvalidRequest
from ggrep.config.declarations import DECLARED
from ggrep.config.home import Home
from ggrep.config.settings import (
    LoadedSettings,
    Settings,
    home_from,
    index_shaping,
    load_settings,
    process_home,
    unknown_variables,
    user_home,
)
from ggrep.config.settings_files import read_user_file


class Fixture:
    """A home and a root with settings files."""

    def __init__(self, base: Path) -> None:
        self.home = Home(base / "home")
        self.root = base / "root"
        self.home.base.mkdir()
        self.root.mkdir()

    def user(self, text: str) -> None:
        self.home.config_file.write_text(text)

    def repo(self, text: str) -> None:
        (self.root / ".ggrep.toml").write_text(text)

    def load(self, environ: Mapping[str, str] | None = None, **flags: object) -> LoadedSettings:
        return load_settings(self.home, self.root, environ=environ or {}, flags=flags)

    def refusal(self, environ: Mapping[str, str] | None = None, **flags: object) -> str:
        with pytest.raises(InvalidRequest) as caught:
            self.load(environ, **flags)
        return str(caught.value)


@pytest.fixture
def place(tmp_path: Path) -> Fixture:
    return Fixture(tmp_path)


def test_without_any_source_the_defaults_stand(place: Fixture) -> None:
    loaded = place.load()

    assert loaded.settings == Settings()
    assert set(loaded.sources) == {field.name for field in fields(Settings)}
    assert set(loaded.sources.values()) == {"default"}


def test_each_source_beats_the_one_below_it(place: Fixture) -> None:
    """Flags beat variables, these the repo file, that the user file, that the defaults."""
    place.user("max_candidates = 1000\nmax_query_results = 100\nmax_query_per_file = 40\n")
    place.repo("max_candidates = 900\nmax_query_results = 90\nmax_query_per_file = 30\n")
    environ = {"GGREP_MAX_QUERY_RESULTS": "80", "GGREP_MAX_QUERY_PER_FILE": "20"}

    loaded = place.load(environ, max_query_per_file=10)

    settings = loaded.settings
    assert settings.max_candidates == 900
    assert settings.max_query_results == 80
    assert settings.max_query_per_file == 10
    assert loaded.sources["max_candidates"] == "repo"
    assert loaded.sources["max_query_results"] == "env"
    assert loaded.sources["max_query_per_file"] == "flag"


def test_a_flag_that_is_none_and_a_variable_that_is_empty_were_not_given(place: Fixture) -> None:
    """Command lines hand on every option they know; shells empty variables to unset them."""
    assert place.load(max_candidates=None).sources["max_candidates"] == "default"
    assert place.load({"GGREP_MAX_CANDIDATES": ""}).settings == Settings()
    assert place.load({"GGREP_ENCODER": "hashed"}).settings.encoder == "hashed"


@pytest.mark.parametrize(
    ("user", "repo", "refusal"),
    [
        # The file comes from strangers: opening their repository must not cost more.
        ("", "max_candidates = 2001\n", "max_candidates: 2001 is less strict than 2000 (default)"),
        (
            "include_untracked = false\n",
            "include_untracked = true\n",
            "include_untracked: true is less strict than false (user)",
        ),
    ],
)
def test_a_repo_file_may_not_widen_a_default_or_what_the_user_narrowed(
    place: Fixture, user: str, repo: str, refusal: str
) -> None:
    place.user(user)
    place.repo(repo)

    only = "a repository can only make this setting stricter"
    assert place.refusal() == f".ggrep.toml: {refusal}; {only}"


def test_a_repo_file_may_narrow_what_the_user_widened_and_add_patterns(place: Fixture) -> None:
    place.user("max_candidates = 5000\n")
    place.repo("max_candidates = 4000\n")

    assert place.load().settings.max_candidates == 4000


@pytest.mark.parametrize("key", ["encoder", "parse_workers", "max_store_bytes", "merge_strategy"])
def test_a_repo_file_cannot_set_what_is_not_listed(place: Fixture, key: str) -> None:
    """Choosing a model to load would be choosing code to run."""
    place.repo(f'{key} = "x"\n')

    assert place.refusal() == f".ggrep.toml: {key}: cannot be set by a repository"


def test_a_repo_file_adds_ignore_patterns(place: Fixture) -> None:
    place.repo('ignore = ["fixtures/", "*.gen.py"]\n')

    loaded = place.load()

    assert loaded.settings.extra_ignores == ("fixtures/", "*.gen.py")
    assert loaded.sources["extra_ignores"] == "repo"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense = 1", ".ggrep.toml: nonsense: unknown key"),
        ("max_candidates = true", ".ggrep.toml: max_candidates: must be a whole number, is 'True'"),
        ("max_candidates = 1.5", ".ggrep.toml: max_candidates: must be a whole number, is '1.5'"),
        ("max_candidates = 0", ".ggrep.toml: max_candidates: 0 is below the minimum of 1"),
        (
            "max_file_size_bytes = 99999999999",
            ".ggrep.toml: max_file_size_bytes: 99999999999 is above the maximum of 10485760",
        ),
        ("include_untracked = 0", ".ggrep.toml: include_untracked: must be true or false, is '0'"),
        ('ignore = "x"', ".ggrep.toml: ignore: must be a list of strings, is 'x'"),
        ("ignore = [1]", ".ggrep.toml: ignore: must be a string, is '1'"),
        ('ignore = ["!a"]', ".ggrep.toml: ignore: '!a' can only add patterns, not negate them"),
    ],
)
def test_a_wrong_value_names_file_and_field(place: Fixture, text: str, message: str) -> None:
    place.repo(text)

    assert place.refusal() == message


@pytest.mark.parametrize(
    "text",
    [
        f"max_candidates = {'9' * 4000}",
        f"max_candidates = 0x{'f' * 20_000}",
        f"max_candidates = [0x{'f' * 20_000}]",
        f"ignore = ['!{'x' * 4000}']",
        f"ignore = ['{'x' * 5000}']",
    ],
    ids=["digits", "hex digits", "list", "pattern", "long pattern"],
)
def test_a_refusal_repeats_no_more_than_a_glance_of_a_value(place: Fixture, text: str) -> None:
    """A stranger's file does not get to fill the terminal."""
    place.repo(text)

    assert len(place.refusal()) < 180


@pytest.mark.parametrize(
    "data",
    [b"= 1", b"a = 1\na = 2", b"\xff = 1", b"a = " + b"[" * 60_000],
    ids=["syntax", "duplicate", "encoding", "depth"],
)
def test_a_file_that_is_not_toml_is_refused(place: Fixture, data: bytes) -> None:
    """Hostile or broken, it ends in a sentence and not in a traceback."""
    (place.root / ".ggrep.toml").write_bytes(data)

    assert place.refusal().startswith(".ggrep.toml: not valid TOML: ")


def test_a_linked_user_file_is_followed(place: Fixture, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("max_candidates = 7\n")
    place.home.config_file.symlink_to(tmp_path / "mine.toml")

    assert place.load().settings.max_candidates == 7


def test_an_unknown_key_variable_or_flag_is_named(place: Fixture) -> None:
    environ = {"GGREP_MAX_CANDIDATE": "1", "GGREP_HOME": "/h", "GGREP_TEST_X": "1", "PATH": "/"}

    assert unknown_variables(environ) == ("GGREP_MAX_CANDIDATE",)
    assert place.refusal(max_fish=1) == "flag max_fish: unknown setting"

    place.user("max_canddates = 7\n")

    assert (
        place.refusal()
        == f"{place.home.config_file}: max_canddates: unknown key; did you mean: max_candidates"
    )


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("GGREP_MAX_CANDIDATES", "-1", "max_candidates: must be a whole number, is '-1'"),
        ("GGREP_MAX_CANDIDATES", "1_0", "max_candidates: must be a whole number, is '1_0'"),
        ("GGREP_MAX_CANDIDATES", "10001", "max_candidates: 10001 is above the maximum of 10000"),
        (
            "GGREP_INCLUDE_UNTRACKED",
            "maybe",
            "include_untracked: must be true or false, is 'maybe'",
        ),
        (
            "GGREP_MERGE_STRATEGY",
            "best",
            "merge_strategy: 'best' is not one of global, rrf",
        ),
    ],
)
def test_a_wrong_variable_is_named(place: Fixture, name: str, value: str, message: str) -> None:
    """An environment is inherited; its mistakes are the hardest to find."""
    assert place.refusal({name: value}) == f"{name}: {message}"


def test_every_number_has_bounds_and_a_default_within() -> None:
    """A setting without a cap is a promise nobody keeps."""
    numbers = [each for each in DECLARED.values() if each.kind is int]

    assert {each.name for each in numbers} == {
        field.name for field in fields(Settings) if type(getattr(Settings(), field.name)) is int
    }
    assert all(each.says.least <= each.default <= each.says.most for each in numbers)
    assert all(each.says.least < each.says.most for each in numbers)


def test_index_shaping_settings_are_normalised() -> None:
    """Writing the same patterns in another order makes no other index."""
    first = index_shaping(Settings(extra_ignores=("b", "a", "b")))
    other = index_shaping(Settings(extra_ignores=("a", "b"), max_candidates=1))

    assert first == other
    assert dict(first)["extra_ignores"] == ("a", "b")


def test_the_home_is_moved_by_a_variable_to_an_absolute_directory(tmp_path: Path) -> None:
    assert home_from({"GGREP_HOME": "/x", "HOME": "/u"}).base == Path("/x")
    assert home_from({"HOME": "/u"}).base == Path("/u/.ggrep")
    assert user_home({}).is_absolute()

    with pytest.raises(InvalidRequest, match="GGREP_HOME: 'x' is not an absolute path"):
        home_from({"GGREP_HOME": "x"})

    (tmp_path / "home").write_text("")

    with pytest.raises(InvalidRequest, match=r"the ggrep home .*home is not a directory"):
        read_user_file(tmp_path / "home" / "config.toml")


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir], ids=["fifo", "directory"])
@pytest.mark.parametrize("which", ["user", "repo"])
def test_what_is_no_file_in_place_of_settings_is_refused_at_once(
    place: Fixture, make: Callable[[Path], None], which: str
) -> None:
    file = place.home.config_file if which == "user" else place.root / ".ggrep.toml"
    make(file)

    assert f"{file.name} cannot be read: not a regular file" in place.refusal()


def test_a_user_without_a_home_is_told_how_to_give_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container may run under an id that no user has, with no HOME, or with an empty one."""
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)
    monkeypatch.setattr("os.getuid", lambda: 4242)

    for environ in ({}, {"HOME": ""}):
        with pytest.raises(InvalidRequest, match="no user 4242; set GGREP_HOME"):
            home_from(environ)
    assert home_from({"GGREP_HOME": "/x"}).base == Path("/x")
    monkeypatch.delenv("HOME")
    assert process_home() is None


def load(tmp_path: Path, text: str = "", **variables: str) -> LoadedSettings:
    """Return the settings of a root under a user's file and variables."""
    (tmp_path / "config.toml").write_text(text)
    environ = {f"GGREP_{name.upper()}": value for name, value in variables.items()}
    return load_settings(Home(tmp_path), tmp_path, environ=environ)


@pytest.mark.parametrize(
    ("text", "environ", "source"),
    [
        ("shared_store = true\n", {}, "user"),
        ("include_untracked = true\n", {"shared_store": "1"}, "env"),
    ],
)
def test_a_shared_store_leaves_untracked_files_out(
    tmp_path: Path, text: str, environ: dict[str, str], source: str
) -> None:
    loaded = load(tmp_path, text, **environ)

    assert not loaded.settings.include_untracked
    assert loaded.sources["shared_store"] == loaded.sources["include_untracked"] == source


def test_untracked_files_can_be_let_into_shared_stores_alone(tmp_path: Path) -> None:
    both = "shared_store = true\nshared_store_include_untracked = true\n"

    assert load(tmp_path, both).settings.include_untracked
    assert load(tmp_path, both).sources["include_untracked"] == "default"
    assert not load(tmp_path, both, include_untracked="0").settings.include_untracked

    loaded = load(tmp_path, "shared_store_clean = true\nshared_store_include_untracked = false\n")

    assert loaded.settings.include_untracked


def test_an_index_is_shaped_by_what_is_in_force(tmp_path: Path) -> None:
    private = index_shaping(load(tmp_path).settings)
    shared = index_shaping(load(tmp_path, "shared_store = true\n").settings)
    tracked = index_shaping(load(tmp_path, "include_untracked = false\n").settings)
    all_in = load(tmp_path, "shared_store = true\nshared_store_include_untracked = true\n")

    assert shared == tracked
    assert shared != private
    assert index_shaping(all_in.settings) == private


@pytest.mark.parametrize(
    "key", ["shared_store", "shared_store_clean", "shared_store_include_untracked"]
)
def test_a_repository_decides_nothing_about_it(tmp_path: Path, key: str) -> None:
    (tmp_path / ".ggrep.toml").write_text(f"{key} = true\n")

    with pytest.raises(InvalidRequest, match="cannot be set by a repository"):
        load(tmp_path)
