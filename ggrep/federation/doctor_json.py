"""The JSON of `ggrep workspace doctor`; see `workspace.schema.json`."""

from typing import TYPE_CHECKING, Final, cast

from ggrep.federation.doctor import Cohort, Examination, Finding
from ggrep.federation.workspace import Workspace
from ggrep.model.sanitise import sanitise_line

if TYPE_CHECKING:
    from ggrep.model.schemas.workspace import (
        DoctorCohortJson,
        DoctorCohortsJson,
        DoctorJson,
        FindingJson,
    )

DOCTOR_SCHEMA: Final = 1


def doctor_json(workspace: Workspace, found: Examination) -> "DoctorJson":
    """Return the document of `ggrep workspace doctor`."""
    cohorts = {corpus.value: [_cohort(one) for one in parts] for corpus, parts in found.cohorts}
    return {
        "schema_version": DOCTOR_SCHEMA,
        "ok": found.healthy,
        "workspacePath": str(workspace.workspace_path),
        "repoSetId": workspace.repo_set_id,
        "findings": [_finding(finding) for finding in found.findings],
        # Every corpus is examined.
        "cohorts": cast("DoctorCohortsJson", cohorts),
    }


def _finding(finding: Finding) -> "FindingJson":
    return {
        "code": finding.code,
        "needed": finding.needed,
        "repoId": finding.repo_id,
        "modes": [corpus.value for corpus in finding.modes],
        "message": sanitise_line(finding.message),
        "hint": sanitise_line(finding.hint) or None,
    }


def _cohort(cohort: Cohort) -> "DoctorCohortJson":
    return {
        "cohortKey": cohort.key,
        "compatibilityKey": cohort.compatibility_key,
        "repoIds": list(cohort.repo_ids),
        "asked": cohort.asked,
        "differs": list(cohort.differs),
    }
