"""Findings of health checks and audits of a store."""

from collections.abc import Sequence
from typing import Annotated, Final, TypedDict

from ggrep.model.schemas.constraints import Code, DocumentJson, Held, SnapshotId, StoreId, held_to


class AuditErrorJson(TypedDict):
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
class AuditJson(DocumentJson):
    """What a reading of the whole active snapshot found.

    `ok` is true exactly when `errors` is empty.
    """

    store_id: StoreId
    """The store that was audited."""
    snapshot_id: SnapshotId | None
    """The snapshot that the pointer names; null when its manifest cannot be read."""
    ok: bool
    """Nothing is wrong."""
    errors: Sequence[AuditErrorJson]
    """What is wrong, in the order it was found."""
    orphans: Sequence[str]
    """Files and tables that no snapshot names, below the store's directory; they are no error."""


FAILED: Final = {"properties": {"severity": {"const": "fail"}}, "required": ["severity"]}


class HealthCheckJson(TypedDict):
    """One finding."""

    code: Code
    """Stable name of the check."""
    severity: Annotated[str, ("ok", "warn", "fail")]
    """What it came to."""
    message: str
    """One line for people; holds no file content."""
    paths: Sequence[str]
    """All files it concerns, below the repository's root."""


@held_to(
    if_={"properties": {"ok": {"const": True}}},
    then={"properties": {"checks": {"not": {"contains": FAILED}}}},
    else_={"properties": {"checks": {"contains": FAILED}}},
)
class HealthJson(DocumentJson):
    """Findings on one store. `ok` is false exactly when a check failed."""

    store_id: StoreId
    """The store that was checked."""
    active_snapshot_id: SnapshotId | None
    """Its snapshot; null when none can be read."""
    ok: bool
    """No check failed; warnings do not count."""
    checks: Annotated[Sequence[HealthCheckJson], Held(least=1)]
    """Findings, in the order they were made."""
