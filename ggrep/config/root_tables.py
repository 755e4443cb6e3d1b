"""Settings of single roots in the user's own file: `[root."/absolute/path"]`."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ggrep.base.errors import InvalidRequest
from ggrep.config.declarations import DECLARED
from ggrep.config.values import check_value

ROOTS: Final = "root"
"""Key of the tables."""

_SETTABLE: Final = frozenset(key for key, declared in DECLARED.items() if declared.says.of_root)


def of_root(where: str, tables: object, root: Path) -> Mapping[str, object]:
    """Return the values that the tables hold for a root; all tables are checked.

    Args:
        where: the file, for messages.
        tables: by path, as parsed; links in a path are followed.
        root: canonical.

    Raises:
        InvalidRequest: a path is relative, a key cannot be set for a root, a value cannot stand,
            or two tables are of this root.
    """
    if not isinstance(tables, dict):
        raise InvalidRequest(f'{where}: {ROOTS}: write a table for each: [{ROOTS}."/path"]')
    found: list[Mapping[str, object]] = []
    for path, values in tables.items():
        label = f'{where}: {ROOTS}."{path}"'
        if not path.startswith("/"):
            raise InvalidRequest(f"{label}: not an absolute path")
        if not isinstance(values, dict):
            raise InvalidRequest(f"{label}: not a table")
        if unknown := sorted(values.keys() - _SETTABLE):
            known = " and ".join(", ".join(sorted(_SETTABLE)).rsplit(", ", 1))
            raise InvalidRequest(f"{label}: {unknown[0]}: only {known} can be set for a root")
        checked = {key: check_value(label, key, value) for key, value in values.items()}
        if _is(path, root):
            found.append(checked)
    if len(found) > 1:
        raise InvalidRequest(f"{where}: {ROOTS}: several tables are of {root}")
    return found[0] if found else {}


def _is(path: str, root: Path) -> bool:
    try:
        return os.path.realpath(path) == str(root)
    except (OSError, ValueError):  # the last: no path can be that
        return False
