"""One finding about a store; a check that fails becomes a finding as well."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ggrep.base.errors import GgrepError, LoadError
from ggrep.model.maintenance import FAIL, HealthCheck

UNKNOWN: Final = "not checked: the snapshot cannot be opened"
"""Message of a check that had nothing to check; it warns."""


def guarded(code: str, look: Callable[[], HealthCheck]) -> HealthCheck:
    """Return the finding of `look`; an exception in it becomes a finding as well."""
    try:
        return look()
    except LoadError:
        raise  # not a fault of the store: the caller gave up
    except GgrepError as error:
        return HealthCheck(code, FAIL, str(error))
    except OSError as error:
        return HealthCheck(code, FAIL, f"cannot be checked: {failed_call(error)}")


def failed_call(error: OSError) -> str:
    """Return the message of a failed system call, with the file's name but not its directory."""
    reason = error.strerror or str(error)
    named = isinstance(error.filename, str | bytes | os.PathLike)
    return f"{Path(os.fsdecode(error.filename)).name}: {reason}" if named else reason
