"""`ggrep profiles`: lists a repository's profiles, and how to choose one."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from ggrep.config.fingerprints import repo_id
from ggrep.config.settings import home_from
from ggrep.interfaces.cli.parsing.flags import Argument, JsonFlag, PlainFlag, ProfileFlag
from ggrep.interfaces.cli.terminal import open_terminal
from ggrep.interfaces.cli.text_tables import bytes_text, count_text, pad
from ggrep.model.profiles import ProfileReport, ProfilesReport
from ggrep.render.style import Style
from ggrep.service.places import place_of

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
        report = ProfilesReport(repo_id=repo_id(root), profiles=states)
        terminal.write_json(report.to_dict(), pretty=True)
    else:
        terminal.write(profile_table(states, terminal.style))
    return 0


def profile_table(states: Sequence[ProfileReport], style: Style) -> str:
    """Return a header line and one line per profile; `*` marks the one in use."""
    rows = [_cells(state) for state in states]
    widths = [max(map(len, column)) for column in zip(_TITLES, *rows, strict=True)]
    lines = [style.paint("muted", _line(_TITLES, widths))]
    lines += [_line(row, widths) for row in rows]
    return "".join(f"{line}\n" for line in lines)


def _cells(state: ProfileReport) -> tuple[str, ...]:
    shown = state.state.replace("_", " ") + (", degraded" if state.degraded else "")
    return (
        "*" if state.in_force else "",
        state.name or "(none)",
        state.kind.replace("_", " "),
        shown,
        count_text(state.files),
        count_text(state.chunks),
        bytes_text(state.budgets.max_bytes_indexed) if state.budgets else "",
        state.store_id,
    )


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(map(pad, cells, widths)).rstrip()
