"""The profiles of a repository, and the store that each answers from."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import convert
from msgspec.structs import replace

from ggrep.base.errors import GgrepError
from ggrep.base.ids import StoreId
from ggrep.config.home import Home
from ggrep.config.profiles import Profile, load_profiles
from ggrep.config.settings import load_settings, without_profile
from ggrep.index.repo_identity import identify
from ggrep.index.store.active import read_active
from ggrep.index.store.manifest import read_manifest
from ggrep.model.status import ProfileBudgets, ProfileReport


def list_profiles(
    root: Path, home: Home, environ: Mapping[str, str], flags: Mapping[str, object]
) -> tuple[ProfileReport, ...]:
    """Return the profiles of a canonical root by name; nothing is opened or written.

    The profile without a name comes first if the repository's file chooses no profile.

    Raises:
        InvalidRequest: a settings file or variable is wrong, or names an unknown profile.
    """
    profiles = load_profiles(root)
    in_force = load_settings(home, root, environ=environ, flags=flags).settings.profile
    base = () if profiles.default else (Profile(""),)
    others = without_profile(environ)
    states = []
    for profile in (*base, *profiles.profiles):
        named = {**flags, "profile": profile.name or None}
        settings = load_settings(home, root, environ=others, flags=named).settings
        identity = identify(root, home, settings)
        current = profile.name == in_force
        states.append(_report(profile, identity.store_id, identity.store, in_force=current))
    return tuple(states)


def _report(profile: Profile, store_id: StoreId, store: Path, *, in_force: bool) -> ProfileReport:
    report = ProfileReport(
        name=profile.name or None,
        in_force=in_force,
        kind=("own_store" if profile.has_own_store else "view") if profile.name else "none",
        store_id=store_id,
        state="no_index",
        budgets=convert(profile, ProfileBudgets, from_attributes=True)
        if profile.has_own_store
        else None,
    )
    try:
        active = read_active(store)
        manifest = None if active is None else read_manifest(store, active)
    except GgrepError:
        return replace(report, state="unreadable")
    if manifest is None:
        return report
    return replace(
        report,
        state="indexed",
        snapshot_id=active,
        files=manifest.counts.files_indexed,
        chunks=manifest.counts.chunks_visible,
        degraded=bool(manifest.errors),
    )
