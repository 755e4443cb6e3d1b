"""Client and daemon work out the same place from the same settings."""

from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.config.home import Home
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange


def meet(root: Path, home: Path, *, encoder: str | None = None, **environ: str) -> DaemonAddress:
    """Return where a root's daemon is met."""
    return arrange(root, Home(home), environ=environ, flags={"encoder": encoder})


def test_equal_settings_meet_at_one_place(root: Path, home: Path) -> None:
    """Whoever asks, and from wherever."""
    assert meet(root, home) == meet(root, home)
    assert meet(root, home).socket == meet(root, home, GGREP_CLIENT_ID="another").socket


def test_what_shapes_the_index_leads_elsewhere(root: Path, home: Path) -> None:
    """And what does not, does not."""
    usual = meet(root, home)

    assert meet(root, home, encoder="hashed").socket != usual.socket
    assert meet(root, home, GGREP_MAX_FILE_SIZE_BYTES="9").socket != usual.socket
    assert meet(root, home, GGREP_MAX_QUERY_RESULTS="9").socket == usual.socket


def test_a_flag_that_was_not_given_is_none(root: Path, home: Path) -> None:
    """A daemon is started with those that were."""
    assert dict(meet(root, home).flags) == {}
    assert dict(meet(root, home, encoder="hashed").flags) == {"encoder": "hashed"}


def test_budgets_are_those_of_this_client(root: Path, home: Path) -> None:
    """Daemon and client may have been started under different variables."""
    budgets = dict(meet(root, home, GGREP_MAX_QUERY_RESULTS="9").budgets)

    assert budgets["max_query_results"] == 9
    assert budgets["max_query_per_file"] == 50


def test_wrong_settings_meet_nobody(root: Path, home: Path) -> None:
    """They are told before anything is started."""
    with pytest.raises(InvalidRequest, match="max_query_results"):
        meet(root, home, GGREP_MAX_QUERY_RESULTS="many")


PROFILES = """
[profiles.data]
include = ["Datasets/**"]
max_bytes_indexed = 1
max_file_size_bytes = 1
max_store_bytes = 1
[profiles.docs.view]
paths = ["docs"]
"""


def test_a_profile_without_a_store_meets_the_daemon_of_none(root: Path, home: Path) -> None:
    """One daemon answers all views; were it told one, plain searches would not find it."""
    (root / ".ggrep.toml").write_text(PROFILES)
    plain, docs = meet(root, home), meet(root, home, GGREP_PROFILE="docs")

    assert docs.socket == plain.socket
    assert (docs.profile.name, docs.served_profile) == ("docs", "")


def test_a_profile_with_a_store_meets_a_daemon_that_is_told_so(root: Path, home: Path) -> None:
    """Its daemon has to come to the same settings."""
    (root / ".ggrep.toml").write_text(PROFILES)
    data = meet(root, home, GGREP_PROFILE="data")

    assert data.socket != meet(root, home).socket
    assert data.served_profile == "data"


def test_a_view_is_told_where_the_repositorys_own_choice_leads_elsewhere(
    root: Path, home: Path
) -> None:
    """Left to itself its daemon would serve the data."""
    (root / ".ggrep.toml").write_text(f"profile = 'data'\n{PROFILES}")

    assert meet(root, home).served_profile == ""
    assert meet(root, home, GGREP_PROFILE="docs").served_profile == "docs"
