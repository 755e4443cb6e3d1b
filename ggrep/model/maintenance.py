"""What the checks of a store find: the `health` and `audit` documents."""

from typing import Annotated, Final

from msgspec import Struct

from ggrep.model.constraints import (
    Code,
    Held,
    SnapshotId,
    StoreId,
    Versioned,
    held_to,
)

OK: Final = "ok"
WARN: Final = "warn"
FAIL: Final = "fail"
_FAILED: Final = {"properties": {"severity": {"const": FAIL}}, "required": ["severity"]}


class HealthCheck(Struct, frozen=True):
    """One finding."""

    code: Code
    """Stable name of the check."""
    severity: Annotated[str, (OK, WARN, FAIL)]
    """What it came to."""
    message: str
    """One line for people; holds no file content."""
    paths: tuple[str, ...] = ()
    """All files it concerns, below the repository's root."""


@held_to(
    if_={"properties": {"ok": {"const": True}}},
    then={"properties": {"checks": {"not": {"contains": _FAILED}}}},
    else_={"properties": {"checks": {"contains": _FAILED}}},
)
class Health(Versioned, frozen=True, kw_only=True):
    """Findings on one store. `ok` is false exactly when a check failed."""

    store_id: StoreId
    """The store that was checked."""
    active_snapshot_id: SnapshotId | None
    """Its snapshot; null when none can be read."""
    ok: bool
    """No check failed; warnings do not count."""
    checks: Annotated[tuple[HealthCheck, ...], Held(least=1)]
    """Findings, in the order they were made."""


class AuditError(Struct, frozen=True):
    """One thing that is wrong."""

    code: Code
    """Stable name of the error."""
    message: str
    """One line for people; holds no file content."""


@held_to(
    if_={"properties": {"ok": {"const": True}}},
    then={"properties": {"errors": {"maxItems": 0}}},
    else_={"properties": {"errors": {"minItems": 1}}},
)
class Audit(Versioned, frozen=True, kw_only=True):
    """What a reading of the whole active snapshot found.

    `ok` is true exactly when `errors` is empty.
    """

    store_id: StoreId
    """The store that was audited."""
    snapshot_id: SnapshotId | None
    """The snapshot that the pointer names; null when its manifest cannot be read."""
    ok: bool
    """Nothing is wrong."""
    errors: tuple[AuditError, ...]
    """What is wrong, in the order it was found."""
    orphans: tuple[str, ...]
    """Files and tables that no snapshot names, below the store's directory; they are no error."""
