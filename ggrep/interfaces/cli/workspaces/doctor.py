"""`ggrep workspace doctor` and `ggrep workspace gc`."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from functools import partial
from typing import Annotated, Final

from ggrep.base.clock import SystemClock
from ggrep.base.ids import RepoId
from ggrep.config.settings import home_from
from ggrep.federation.doctor import NO_INDEX, examine
from ggrep.federation.orphans import GRACE_DAYS, collect_orphans
from ggrep.federation.roots import workspace_warnings
from ggrep.federation.workspace_state import WorkspaceState, cache_root_of
from ggrep.interfaces.cli.parsing.flags import Flag, JsonFlag
from ggrep.interfaces.cli.terminal import open_terminal
from ggrep.interfaces.cli.text_tables import bytes_text, plural
from ggrep.interfaces.cli.workspaces.workspace_file import (
    FileArgument,
    FileOption,
    Survey,
    chosen_file,
    load,
)
from ggrep.model.sanitise import sanitise_line
from ggrep.model.suggested_commands import build_index, with_file
from ggrep.model.workspace_reports import Doctor, DoctorCohort
from ggrep.render.style import Style
from ggrep.service.workspace_calls import says_merge

_SETTINGS: Final = {
    "embedding": "encoder",
    "lexical": "layout of term statistics",
    "schema": "build of ggrep",
}


def doctor(*, file: FileArgument = None, named: FileOption = None, how: Survey) -> int:
    """Find problems of a workspace and show how to fix them.

    Marks: `-` advice, `!` problem. The exit status is 1 if any finding has the mark `!`, else 0.
    """
    opened = how.open(file, named)
    state = opened.state(asks=True)
    merge_is_set = says_merge(opened.terminal.environ, opened.workspace)
    problems = [problem for server in opened.servers() for problem in server.problems]
    warnings = workspace_warnings(opened.workspace)
    result = examine(state, warnings, problems, merge_is_set=merge_is_set)
    text = examination_text(state, result, opened.terminal.style)
    opened.terminal.show(result.to_dict(), text, json=how.json)
    return int(not result.ok)


def examination_text(state: WorkspaceState, report: Doctor, style: Style) -> str:
    """Return the findings by repository, then lines about indexes that are not comparable.

    Several repositories without an index are one finding, because one command builds all indexes.
    """
    labels = {
        each.repo_id: sanitise_line(each.repo.alias or each.repo_id) for each in state.members
    }
    lines = []
    findings = report.findings
    unindexed = [each.repo_id for each in findings if each.repo_id and each.message == NO_INDEX]
    if len(unindexed) > 1:
        findings = tuple(each for each in findings if each.message != NO_INDEX)
        names = ", ".join(style.paint("repo", labels[each]) for each in unindexed)
        lines.append(f"{style.paint('bad', '!')} {names}: {NO_INDEX}")
        command = with_file(build_index(enabled=True), state.workspace.workspace_path)
        lines.append(f"    {style.paint('name', sanitise_line(command))}")
    for finding in findings:
        mark = style.paint("bad", "!") if finding.needed else style.paint("muted", "-")
        name = f"{style.paint('repo', labels[finding.repo_id])}: " if finding.repo_id else ""
        lines.append(f"{mark} {name}{sanitise_line(finding.message)}")
        if finding.hint:
            lines.append(f"    {style.paint('name', sanitise_line(finding.hint))}")
    lines += list(_cohorts(report, labels, style))
    needed = sum(finding.needed for finding in report.findings)
    verdict = style.paint("warning", f"{plural(needed, 'thing')} to do")
    lines.append(verdict if needed else style.paint("good", "no problems"))
    return "".join(f"{line}\n" for line in lines)


def _cohorts(report: Doctor, labels: Mapping[RepoId, str], style: Style) -> Iterator[str]:
    """Yield lines about indexes with incomparable scores, once for corpora with equal lines."""
    alike: dict[tuple[object, ...], tuple[list[str], list[DoctorCohort]]] = {}
    for corpus, each in report.cohorts.by_corpus():
        shape = tuple((cohort.repo_ids, cohort.asked) for cohort in each)
        corpora, last = alike.setdefault(shape, ([], []))
        corpora.append(corpus.value)
        last[:] = each
    for corpora, cohorts in alike.values():
        if len(cohorts) < 2:
            continue
        yield f"{', '.join(corpora)}: {len(cohorts)} cohorts, whose scores are not comparable"
        for cohort in cohorts:
            names = ", ".join(labels[repo] for repo in cohort.repo_ids)
            differs = ", ".join(_SETTINGS[component] for component in cohort.differs)
            message = "is queried" if cohort.asked else f"is left out (other {differs or 'keys'})"
            key = style.paint("muted", cohort.compatibility_key or "no key")
            yield f"    {key}  {message}: {names}"


def gc(
    file: FileArgument = None,
    named: FileOption = None,
    force: Annotated[bool, Flag("--force", "Delete; without this option, only list.")] = False,
    grace_days: Annotated[
        int, Flag("--grace-days", "Keep directories younger than this many days.", least=0)
    ] = GRACE_DAYS,
    json: JsonFlag = False,
) -> int:
    """List or delete cached data of removed workspaces; with FILE, also in the file's cacheRoot."""
    chosen = chosen_file(file, named) if file is not None or named else None
    terminal = open_terminal()
    home = home_from(terminal.environ)
    roots = [home.cache, *([cache_root_of(load(chosen), home)] if chosen else [])]
    report = collect_orphans(
        roots,
        # While a repository is missing, its workspace may claim another directory.
        partial(load, whole=True),
        SystemClock().now(),
        grace=timedelta(days=grace_days),
        force=force,
    )
    if json:
        terminal.write_json(report.to_dict(), pretty=True)
        return 0
    verb = "would delete" if report.dry_run else "deleted"
    shown = report.candidates if report.dry_run else report.deleted
    for orphan in shown:
        whose = f", of {orphan.workspace_path}" if orphan.workspace_path else ""
        size = bytes_text(orphan.size_bytes)
        line = f"{verb} {orphan.path}, {size}: {orphan.reason}{whose}"
        terminal.write(sanitise_line(line) + "\n")
    if not shown:
        terminal.note("nothing to delete\n")
    elif report.dry_run:
        message = "nothing was deleted; to delete: ggrep workspace gc FILE --force\n"
        terminal.note(with_file(message, chosen) if chosen else message.replace(" FILE", ""))
    if report.limit_reached:
        left = plural(len(report.candidates) - len(report.deleted), "directory", "directories")
        terminal.note(f"{left} left; run the command again\n")
    return 0
