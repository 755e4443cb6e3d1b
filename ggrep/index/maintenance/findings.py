"""One finding about a store; failures of a check become findings too."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ggrep.base.errors import GgrepError, LoadError
from ggrep.model.maintenance import FAIL, HealthCheck

UNKNOWN: Final = "not checked: the snapshot cannot be opened"
"""What a check says that there was nothing to make it on; it warns."""


def guarded(code: str, look: Callable[[], HealthCheck]) -> HealthCheck:
    """Return what `look` finds; a failure of its own is a finding, too."""
    try:
        return look()
    except LoadError:
        raise  # nothing of the store's: nobody waits for the finding any more
    except GgrepError as error:
        return HealthCheck(code, FAIL, str(error))
    except OSError as error:
        return HealthCheck(code, FAIL, f"cannot be checked: {failed_call(error)}")


def failed_call(error: OSError) -> str:
    """Return what a failed system call says, the file named without its directories."""
    said = error.strerror or str(error)
    named = isinstance(error.filename, str | bytes | os.PathLike)
    return f"{Path(os.fsdecode(error.filename)).name}: {said}" if named else said
