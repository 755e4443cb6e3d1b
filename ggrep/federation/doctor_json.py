"""The JSON of an examination; see `workspace.schema.json`."""

from ggrep.domain.sanitise import sanitise_line
from ggrep.federation.doctor import Cohort, Examination, Finding
from ggrep.federation.workspace import Workspace
from ggrep.stable_json import Json

DOCTOR_SCHEMA = 1


def doctor_json(workspace: Workspace, found: Examination) -> dict[str, Json]:
    """Return the document of `ggrep workspace doctor`."""
    return {
        "schema_version": DOCTOR_SCHEMA,
        "ok": found.healthy,
        "workspacePath": str(workspace.workspace_path),
        "repoSetId": workspace.repo_set_id,
        "findings": [_finding(finding) for finding in found.findings],
        "cohorts": {
            corpus.value: [_cohort(cohort) for cohort in cohorts]
            for corpus, cohorts in found.cohorts
        },
    }


def _finding(finding: Finding) -> Json:
    return {
        "code": finding.code,
        "needed": finding.needed,
        "repoId": finding.repo_id,
        "modes": [corpus.value for corpus in finding.modes],
        "message": sanitise_line(finding.message),
        "hint": sanitise_line(finding.hint) or None,
    }


def _cohort(cohort: Cohort) -> Json:
    return {
        "cohortKey": cohort.key,
        "compatibilityKey": cohort.compatibility_key,
        "repoIds": list(cohort.repo_ids),
        "asked": cohort.asked,
        "differs": list(cohort.differs),
    }
