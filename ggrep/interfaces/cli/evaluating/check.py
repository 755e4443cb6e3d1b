"""`ggrep check`: runs committed queries and compares the answers with expected results."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import SystemClock
from ggrep.base.commands import spelled
from ggrep.base.errors import GgrepError, NoIndex, UsageError
from ggrep.config.settings import home_from
from ggrep.index.repo_identity import require_asked
from ggrep.index.store.lean_import import leave_out_remote_client
from ggrep.interfaces.cli.boundary import could_not_run
from ggrep.interfaces.cli.parsing.flags import Argument, EncoderFlag, Flag, JsonFlag, PlainFlag
from ggrep.interfaces.cli.queries.search_options import DeterministicFlag
from ggrep.interfaces.cli.report_file import require_writable, write_report
from ggrep.interfaces.cli.terminal import (
    Terminal,
    ask_before_indexing,
    open_terminal,
    show_progress,
)
from ggrep.interfaces.cli.text_tables import plural
from ggrep.model.suggested_commands import with_path

if TYPE_CHECKING:
    from datetime import datetime

    from ggrep.interfaces.evaluation.check_rules import Baseline, CheckResult
    from ggrep.interfaces.evaluation.questions import QueriedPath
    from ggrep.interfaces.evaluation.suite_questions import Asker


def check(
    file: Annotated[
        Path | None,
        Argument(
            "A TOML file; by default, its checks search the file's directory. "
            "[default: .ggrep-check.toml in the repository's root]"
        ),
    ] = None,
    init: Annotated[
        list[str] | None,
        Flag("--init", "Create FILE with a check for this question; repeatable."),
    ] = None,
    no_sync: Annotated[bool, Flag("--no-sync", "Do not update the index before queries.")] = False,
    encoder: EncoderFlag = None,
    junit: Annotated[Path | None, Flag("--junit", "Write JUnit XML to this file.")] = None,
    sarif: Annotated[Path | None, Flag("--sarif", "Write SARIF 2.1.0 to this file.")] = None,
    markdown: Annotated[
        Path | None, Flag("--markdown", "Write a summary in Markdown to this file.")
    ] = None,
    baseline: Annotated[
        Path | None,
        Flag("--baseline", "Ignore checks that also failed in this earlier --json report."),
    ] = None,
    max_drop: Annotated[
        int | None, Flag("--max-drop", "With --baseline: allow this many new failures.", least=0)
    ] = None,
    deterministic: DeterministicFlag = False,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Run search checks; exit with 1 when a check fails, with 2 when the checks cannot run.

    FILE contains `version = 1`, and a table [[checks]] for each query.

    Each table has an id, a query and an expected result, such as expect_any = ["src/retry.py"].
    """
    terminal = open_terminal(plain=plain)
    with could_not_run("the checks"):
        if init:
            return _write_first(terminal, init, file, encoder, sync=not no_sync)
        leave_out_remote_client()
        from ggrep.interfaces.evaluation.check_file import read_checks
        from ggrep.interfaces.evaluation.check_rules import run_checks

        checks = read_checks(file or _existing_file())
        excuses = _excuses(baseline, max_drop)
        read = [each.target.path for each in checks.checks if each.target.is_workspace]
        read += [checks.path, *([baseline] if baseline else [])]
        require_writable({"--junit": junit, "--sarif": sarif, "--markdown": markdown}, read)
        began = None if deterministic else SystemClock().now()
        try:
            outcome = run_checks(
                checks, lambda target: _opened(terminal, target, encoder, sync=not no_sync)
            )
        except GgrepError as error:
            if junit is not None:
                from ggrep.interfaces.evaluation.check_reports import failed_junit_xml

                write_report("--junit", junit, failed_junit_xml(checks, error, began))
            raise
        outcome = replace(outcome, baseline=excuses)
        _write_reports(outcome, junit, sarif, markdown, began)
    from ggrep import __version__
    from ggrep.interfaces.evaluation.check_reports import check_report, render_checks

    document = check_report(outcome, version=__version__).to_dict()
    terminal.show(document, render_checks(outcome, terminal.style, Path.cwd()), json=json)
    return 0 if outcome.ok else 1


def _write_first(
    terminal: Terminal, questions: list[str], given: Path | None, encoder: str | None, *, sync: bool
) -> int:
    from ggrep.interfaces.evaluation.check_rules import first_checks
    from ggrep.interfaces.evaluation.questions import QueriedPath

    file = given or _default_file()
    if file.exists():
        raise UsageError(f"--init: the file {file} already exists; choose another file")
    asker = _opened(terminal, QueriedPath(file.parent), encoder, sync=sync)
    write_report("--init", file, first_checks(questions, asker).encode())
    line = spelled("check", *([str(given)] if given else []))
    terminal.tell(f"{file}: {plural(len(questions), 'check')}; to run: {line}")
    return 0


def _opened(
    terminal: Terminal, target: "QueriedPath", encoder: str | None, *, sync: bool
) -> "Asker":
    """Open a repository or workspace for queries; update its index, or raise without an index."""
    from ggrep.interfaces.evaluation.suite_questions import open_asker

    asker = open_asker(target, terminal.environ, flags={"encoder": encoder})
    is_named = target.alone or target.is_workspace
    for root in asker.roots if sync and not is_named else ():
        ask_before_indexing(require_asked, root, home_from(terminal.environ), yes=False)
    if sync:
        with ExitStack() as shown:
            asker.sync(lambda name: shown.enter_context(show_progress(terminal, name)))
    else:
        try:
            asker.require_index()
        except NoIndex as error:
            path = None if target.is_workspace else target.path
            raise NoIndex(with_path(str(error), path)) from error
    return asker


def _excuses(baseline: Path | None, max_drop: int | None) -> "Baseline | None":
    from ggrep.interfaces.evaluation.check_rules import read_baseline

    if baseline is not None:
        return read_baseline(baseline, max_drop or 0)
    if max_drop is not None:
        raise UsageError("--max-drop requires --baseline")
    return None


def _default_file() -> Path:
    from ggrep.config.root import canonical_root
    from ggrep.model.evaluation import CHECK_FILE

    here = Path(CHECK_FILE)
    return here if here.is_file() else canonical_root(Path()) / CHECK_FILE


def _existing_file() -> Path:
    file = _default_file()
    if not file.exists():
        raise UsageError(
            f"the file {file} does not exist; to create it: ggrep check --init 'QUESTION'"
        )
    return file


def _write_reports(
    outcome: "CheckResult",
    junit: Path | None,
    sarif: Path | None,
    markdown: Path | None,
    began: "datetime | None",
) -> None:
    from ggrep import __version__
    from ggrep.interfaces.evaluation.check_reports import check_markdown, junit_xml, sarif_json

    if markdown is not None:
        write_report("--markdown", markdown, check_markdown(outcome))
    if junit is not None:
        write_report("--junit", junit, junit_xml(outcome, Path.cwd(), began))
    if sarif is not None:
        document = sarif_json(outcome, version=__version__, base=Path.cwd())
        write_report("--sarif", sarif, stable_json.dumps_pretty(document))
