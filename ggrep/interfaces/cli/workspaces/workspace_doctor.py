"""`ggrep workspace doctor`: finds problems of a workspace and shows how to fix them."""

from collections.abc import Iterator, Mapping
from typing import Final

from ggrep.base.clock import SystemClock
from ggrep.base.ids import RepoId
from ggrep.federation.doctor import Cohort, Examination, Finding, examine
from ggrep.federation.doctor_json import doctor_json
from ggrep.federation.live import ask_daemons
from ggrep.federation.overlaps import workspace_warnings
from ggrep.federation.survey import other_stores
from ggrep.federation.workspace_manifest import WorkspaceManifest
from ggrep.interfaces.cli.text_tables import plural
from ggrep.interfaces.cli.workspaces.workspace_file import FileArgument, FileOption, Survey
from ggrep.model.sanitise import sanitise_line
from ggrep.render.style import Style
from ggrep.service.workspace_calls import says_merge

_SETTINGS: Final = {
    "embedding": "encoder",
    "lexical": "layout of term statistics",
    "schema": "build of ggrep",
}


def doctor(*, file: FileArgument = None, named: FileOption = None, how: Survey) -> int:
    """Find problems of a workspace and show how to fix them."""
    opened = how.open(file, named)
    manifest = opened.survey()
    found = examine(
        manifest,
        ask_daemons(manifest.repos, opened.home, SystemClock()),
        workspace_warnings(opened.workspace),
        other_stores=other_stores(manifest, opened.home),
        merge_said=says_merge(opened.terminal.environ, opened.workspace),
    )
    if how.json:
        opened.terminal.write_json(doctor_json(opened.workspace, found), pretty=True)
    else:
        opened.terminal.write(examination_text(manifest, found, opened.terminal.style))
    return int(not found.healthy)


def examination_text(manifest: WorkspaceManifest, found: Examination, style: Style) -> str:
    """Return the findings by repository, then how the indexes compare."""
    labels = {
        state.repo_id: sanitise_line(state.repo.alias or state.repo_id) for state in manifest.repos
    }
    lines = [line for finding in found.findings for line in _finding(finding, labels, style)]
    lines += list(_cohorts(found, labels, style))
    lines.append(_verdict(found, style))
    return "".join(f"{line}\n" for line in lines)


def _finding(finding: Finding, labels: Mapping[RepoId, str], style: Style) -> Iterator[str]:
    mark = style.paint("bad", "!") if finding.needed else style.paint("muted", "-")
    name = f"{style.paint('repo', labels[finding.repo_id])}: " if finding.repo_id else ""
    yield f"{mark} {name}{sanitise_line(finding.message)}"
    if finding.hint:
        yield f"    {style.paint('name', sanitise_line(finding.hint))}"


def _cohorts(found: Examination, labels: Mapping[RepoId, str], style: Style) -> Iterator[str]:
    """Yield lines on how the indexes compare, shared by corpora with equal cohorts."""
    alike: dict[tuple[tuple[tuple[RepoId, ...], bool], ...], list[str]] = {}
    shown: dict[tuple[tuple[tuple[RepoId, ...], bool], ...], tuple[Cohort, ...]] = {}
    for corpus, cohorts in found.cohorts:
        shape = tuple((cohort.repo_ids, cohort.asked) for cohort in cohorts)
        alike.setdefault(shape, []).append(corpus.value)
        shown[shape] = cohorts
    for shape, corpora in alike.items():
        cohorts = shown[shape]
        if len(cohorts) < 2:
            continue
        yield f"{', '.join(corpora)}: {len(cohorts)} cohorts, whose scores are not comparable"
        for cohort in cohorts:
            names = ", ".join(labels[repo] for repo in cohort.repo_ids)
            differs = ", ".join(_SETTINGS[component] for component in cohort.differs)
            told = "is asked" if cohort.asked else f"is left out; other {differs or 'keys'}"
            key = style.paint("muted", cohort.compatibility_key or "no key")
            yield f"    {key}  {told}: {names}"


def _verdict(found: Examination, style: Style) -> str:
    needed = sum(finding.needed for finding in found.findings)
    if not needed:
        return style.paint("good", "no problems")
    return style.paint("warning", f"{plural(needed, 'thing')} to do")
