"""Findings of checks over a store, and the runner of a table of checks."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from ggrep.base.errors import GgrepError, LoadError
from ggrep.model.maintenance import FAIL, OK, WARN, HealthCheck
from ggrep.model.sanitise import sanitise_line

Findings: TypeAlias = HealthCheck | Iterable[HealthCheck]
"""Result of a check. A finding without a code gets the code of the check's row in the table."""

_Subject = TypeVar("_Subject")
_Value = TypeVar("_Value")

Checks: TypeAlias = Sequence[tuple[str, Callable[[_Subject], Findings]]]
"""Codes and functions of checks, in the order in which the checks run."""


def ok(message: str, paths: Iterable[str] = (), *, code: str = "") -> HealthCheck:
    """Return a finding without a problem."""
    return HealthCheck(code, OK, message, tuple(paths))


def warn(message: str, paths: Iterable[str] = (), *, code: str = "") -> HealthCheck:
    """Return a warning."""
    return HealthCheck(code, WARN, message, tuple(paths))


def fail(message: str, paths: Iterable[str] = (), *, code: str = "") -> HealthCheck:
    """Return a failure."""
    return HealthCheck(code, FAIL, message, tuple(paths))


def warn_if(condition: object, message: str, paths: Iterable[str] = ()) -> HealthCheck:
    """Return a warning if the condition is true, else a finding without a problem."""
    return (warn if condition else ok)(message, paths)


UNKNOWN: Final = warn("not checked: the snapshot cannot be opened")
"""Finding of a check whose part of the snapshot cannot be read."""


def given(
    part: Callable[[_Subject], _Value | None],
    check: Callable[[_Subject, _Value], Findings],
    missing: Findings = UNKNOWN,
) -> Callable[[_Subject], Findings]:
    """Return a check of the value that `part` returns; for None the findings are `missing`."""

    def look(subject: _Subject) -> Findings:
        value = part(subject)
        return missing if value is None else check(subject, value)

    return look


def run(checks: Checks[_Subject], subject: _Subject, *, failed: str = "") -> Iterator[HealthCheck]:
    """Yield the findings of all checks, with codes and printable texts.

    Args:
        checks: the table.
        subject: passed to each check.
        failed: code of the finding for a check that raised; empty for the check's own code.

    Raises:
        LoadError: the caller gave up or time ran out, so the store is not at fault.
    """
    for code, check in checks:
        try:
            result = check(subject)
            for finding in (result,) if isinstance(result, HealthCheck) else result:
                yield _printable(finding, finding.code or code)
        except LoadError:
            raise
        except GgrepError as error:
            yield _printable(fail(str(error)), failed or code)
        except OSError as error:
            yield _printable(fail(f"cannot be checked: {failed_call(error)}"), failed or code)


def _printable(finding: HealthCheck, code: str) -> HealthCheck:
    paths = tuple(map(sanitise_line, finding.paths))
    return HealthCheck(code, finding.severity, sanitise_line(finding.message), paths)


def failed_call(error: OSError) -> str:
    """Return the message of a failed system call, with the file's name but not its directory."""
    reason = error.strerror or str(error)
    named = isinstance(error.filename, str | bytes | os.PathLike)
    return f"{Path(os.fsdecode(error.filename)).name}: {reason}" if named else reason
