"""Files that hold keys or passwords are known by their names, and few others are taken for them."""

from ggrep.parse.source.secret_files import is_private_directory, is_secret
from tests.source.secret_file_names import HARMLESS, NAMES_OF_SECRETS


def _is_left_out(path: str) -> bool:
    folders = path.split("/")[:-1]
    inside = ("/".join(folders[:end]) for end in range(1, len(folders) + 1))
    return is_secret(path) or any(map(is_private_directory, inside))


def test_the_names_of_secrets_are_known() -> None:
    """At least 95 of 100; those that are missed are listed by the failure."""
    names = NAMES_OF_SECRETS.split()
    missed = [name for name in names if not _is_left_out(name)]

    assert len(names) >= 120
    assert len(missed) * 20 <= len(names), missed


def test_names_that_look_alike_stay_eligible() -> None:
    """At most 5 of 100 are left out for nothing."""
    names = HARMLESS.split()
    taken = [name for name in names if _is_left_out(name)]

    assert len(names) >= 60
    assert len(taken) * 20 <= len(names), taken


def test_a_folder_of_a_tool_is_private_and_what_lies_beside_it_is_not() -> None:
    """`.config/nextest.toml` is a team's; `.config/gh/hosts.yml` is a person's."""
    assert is_private_directory(".config/gh")
    assert is_private_directory("home/.AWS")
    assert not is_private_directory(".config")
    assert not is_private_directory("config/gh")
    assert not is_secret(".config/nextest.toml")
