"""What an earlier report of the same checks excuses: checks that failed there already."""

from pathlib import Path

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.decode import DecodeError, decode
from ggrep.base.errors import InvalidRequest
from ggrep.model.sanitise import sanitise_line


class Baseline(Struct, frozen=True):
    """An earlier report.

    Attributes:
        failed: ids of the checks that did not hold; a check that is new is not among them.
        max_drop: so many others may fail.
    """

    failed: frozenset[str]
    max_drop: int = 0


class _Check(Struct, frozen=True):
    id: str
    holds: bool


class _Report(Struct, frozen=True):
    schema_version: int
    checks: tuple[_Check, ...]


def read_baseline(path: Path, max_drop: int, schema_version: int) -> Baseline:
    """Return what a report of `ggrep check --json` excuses.

    Raises:
        InvalidRequest: it cannot be read, or is no such report.
    """
    shown = sanitise_line(str(path))
    try:
        report = decode(_Report, stable_json.loads(path.read_bytes()), "report")
    except OSError as error:
        raise InvalidRequest(f"--baseline: {shown}: {error.strerror}") from error
    except (DecodeError, ValueError) as error:
        raise InvalidRequest(
            f"--baseline: {shown} is no report of ggrep check --json: {error}"
        ) from error
    if report.schema_version != schema_version:
        raise InvalidRequest(f"--baseline: {shown} is of schema {report.schema_version}")
    return Baseline(frozenset(one.id for one in report.checks if not one.holds), max_drop)
