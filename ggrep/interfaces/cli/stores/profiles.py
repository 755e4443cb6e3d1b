"""`ggrep profiles`: lists a repository's profiles, and how to choose one."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from ggrep.config.fingerprints import repo_id
from ggrep.config.profiles import Profile
from ggrep.config.settings import home_from
from ggrep.interfaces.cli.parsing.flags import Argument, JsonFlag, PlainFlag, ProfileFlag
from ggrep.interfaces.cli.terminal import open_terminal
from ggrep.interfaces.cli.text_tables import bytes_text, count_text, pad
from ggrep.render.style import Style
from ggrep.service.places import place_of

if TYPE_CHECKING:
    from ggrep.index.maintenance.profile_stores import ProfileState
    from ggrep.model.schemas.profiles import ProfileBudgetsJson, ProfileJson, ProfilesJson


_TITLES = ("", "profile", "kind", "state", "files", "chunks", "budget", "store")


def profiles(
    path: Annotated[
        Path | None, Argument("A directory in the repository; default: the current one.")
    ] = None,
    profile: ProfileFlag = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """List the profiles of a repository and the store that each answers from."""
    from ggrep.index.maintenance.profile_stores import list_profiles

    terminal = open_terminal(plain=plain)
    root = place_of(path).root
    home = home_from(terminal.environ)
    states = list_profiles(root, home, terminal.environ, {"profile": profile})
    if json:
        terminal.write_json(profiles_json(repo_id(root), states), pretty=True)
    else:
        terminal.write(profile_table(states, terminal.style))
    return 0


def profile_table(states: "Sequence[ProfileState]", style: Style) -> str:
    """Return a header line and one line per profile; `*` marks the one in use."""
    rows = [_cells(state) for state in states]
    widths = [max(map(len, column)) for column in zip(_TITLES, *rows, strict=True)]
    lines = [style.paint("muted", _line(_TITLES, widths))]
    lines += [_line(row, widths) for row in rows]
    return "".join(f"{line}\n" for line in lines)


def _cells(state: "ProfileState") -> tuple[str, ...]:
    shown = state.state.replace("_", " ") + (", degraded" if state.degraded else "")
    return (
        "*" if state.in_force else "",
        state.profile.name or "(none)",
        kind_of(state.profile).replace("_", " "),
        shown,
        count_text(state.files),
        count_text(state.chunks),
        bytes_text(state.profile.max_bytes_indexed) if state.profile.has_own_store else "",
        state.store_id,
    )


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(map(pad, cells, widths)).rstrip()


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
