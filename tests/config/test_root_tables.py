"""The user's own word on single roots."""

from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.config.home import Home
from ggrep.config.settings import load_settings

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
    found = tmp_path.resolve()
    for name in ("h", "a", "b"):
        (found / name).mkdir()
    return found


def told(base: Path, text: str) -> None:
    """Write the user's file."""
    (base / "h" / "config.toml").write_text(text)


def encoder(base: Path, name: str, **more: str) -> str:
    """Return the encoder in force for a root."""
    environ = {f"GGREP_{key.upper()}": value for key, value in more.items()}
    return load_settings(Home(base / "h"), base / name, environ=environ).settings.encoder


def test_a_table_is_of_its_root_alone(base: Path) -> None:
    """And beats what the file says of all."""
    told(base, f'encoder = "none"\n[root."{base}/a"]\nencoder = "hashed"\n')

    assert (encoder(base, "a"), encoder(base, "b")) == ("hashed", "none")
    assert encoder(base, "a", encoder="static") == "static"
    flags = load_settings(Home(base / "h"), base / "a", environ={}, flags={"encoder": "none"})
    assert flags.settings.encoder == "none"
    assert flags.sources["encoder"] == "flag"


def test_a_root_is_known_under_each_of_its_names(base: Path) -> None:
    """Users write the path they type."""
    (base / "link").symlink_to(base / "a")
    told(base, f'[root."{base}/link/"]\nencoder = "hashed"\n')

    assert encoder(base, "a") == "hashed"
    assert encoder(base, "b") == "static"


def test_a_profile_for_a_root_beats_the_repository_s_choice(base: Path) -> None:
    """Whoever asks for one beats both."""
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
        ('[root."a"]\nencoder = "none"', r'root\."a": not an absolute path'),
        ('[root."/a"]\nwatch = false', r'root\."/a": watch: only encoder, profile and repo_key'),
        ('[root."/a"]\nencoder = 7', r'root\."/a": encoder'),
        ('[root."/a"]\nprofile = "No Name"', r'root\."/a": profile'),
        ('[root]\n"/a" = 1', r'root\."/a": not a table'),
        ("root = 1", r"root: write a table for each"),
        ('[root."/a"]\nencoder = "none"\n[root."/a/"]\nencoder = "none"', None),
        ('profile = "docs"', r'profiles are a repository.s own.*\[root\."/path"\]'),
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
    """Nobody could say which counts."""
    told(base, f'[root."{base}/a"]\nencoder = "none"\n[root."{base}/a/"]\nencoder = "hashed"\n')

    with pytest.raises(InvalidRequest, match="several tables are of"):
        encoder(base, "a")
