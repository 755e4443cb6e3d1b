"""The JSON of `ggrep profiles`; see `profiles.schema.json`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ggrep.config.profiles import Profile

if TYPE_CHECKING:
    from ggrep.index.maintenance.profile_stores import ProfileState
    from ggrep.model.schemas.profiles import ProfileBudgetsJson, ProfileJson, ProfilesJson

PROFILES_SCHEMA: Final = 1


def kind_of(profile: Profile) -> str:
    """Return the kind of a profile: `none`, `own_store` or `view`."""
    if not profile.name:
        return "none"
    return "own_store" if profile.has_own_store else "view"


def profiles_json(repo_id: str, states: "Sequence[ProfileState]") -> "ProfilesJson":
    """Return the document of `ggrep profiles`."""
    return {
        "schema_version": PROFILES_SCHEMA,
        "repo_id": repo_id,
        "profiles": [_profile(state) for state in states],
    }


def _profile(state: "ProfileState") -> "ProfileJson":
    profile = state.profile
    return {
        "name": profile.name or None,
        "in_force": state.in_force,
        "kind": kind_of(profile),
        "store_id": state.store_id,
        "state": state.state,
        "snapshot_id": state.snapshot_id,
        "files": state.files,
        "chunks": state.chunks,
        "degraded": state.degraded,
        "budgets": _budgets(profile),
    }


def _budgets(profile: Profile) -> "ProfileBudgetsJson | None":
    if not profile.has_own_store:
        return None
    return {
        "max_bytes_indexed": profile.max_bytes_indexed,
        "max_file_size_bytes": profile.max_file_size_bytes,
        "max_store_bytes": profile.max_store_bytes,
    }
