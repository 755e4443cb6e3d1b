"""One finding about a store; failures of a check become findings too."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base.errors import GgrepError, LoadError

OK: Final = "ok"
WARN: Final = "warn"
FAIL: Final = "fail"
UNKNOWN: Final = "not checked: the snapshot cannot be opened"
"""What a check says that there was nothing to make it on; it warns."""


class Check(Struct, frozen=True):
    """One finding.

    Attributes:
        severity: `ok`, `warn` or `fail`.
        paths: the files it concerns, all of them.
    """

    code: str
    severity: str
    message: str
    paths: tuple[str, ...] = ()


def guarded(code: str, look: Callable[[], Check]) -> Check:
    """Return what `look` finds; a failure of its own is a finding, too."""
    try:
        return look()
    except LoadError:
        raise  # nothing of the store's: nobody waits for the finding any more
    except GgrepError as error:
        return Check(code, FAIL, str(error))
    except OSError as error:
        return Check(code, FAIL, f"cannot be checked: {failed_call(error)}")


def failed_call(error: OSError) -> str:
    """Return what a failed system call says, the file named without its directories."""
    said = error.strerror or str(error)
    named = isinstance(error.filename, str | bytes | os.PathLike)
    return f"{Path(os.fsdecode(error.filename)).name}: {said}" if named else said
