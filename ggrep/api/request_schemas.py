"""JSON Schema of what may be asked; `surfaces.body` is what judges it."""

from ggrep.api.schema_parts import (
    MAX_INTEGER,
    flag,
    integer,
    many,
    nullable,
    object_of,
    query,
    root,
    texts,
)
from ggrep.api.slate_schema import slate_settings
from ggrep.domain.corpus import CORPUS_WORDS, Mode
from ggrep.domain.request import Backend, Find, SnippetMode
from ggrep.federation import limits
from ggrep.federation.cohort import POLICIES
from ggrep.federation.strategies import STRATEGIES
from ggrep.stable_json import Json
from ggrep.surfaces.search_fields import DEFAULT_TIMEOUT_MS
from ggrep.surfaces.slate_fields import FORMATS


def search_body() -> dict[str, Json]:
    """Return the schema of `POST /search`."""
    properties: dict[str, Json] = {
        "query": query(),
        "root": root(),
        "search": nullable(search_settings(least_top=1, scoped=True)),
    }
    return object_of(properties, required=("query",))


def federated_body() -> dict[str, Json]:
    """Return the schema of `POST /search/federated`."""
    properties: dict[str, Json] = {
        "query": query(),
        "workspacePath": {
            "type": "string",
            "minLength": 1,
            "description": "Absolute path of the workspace file.",
        },
        "workspaceId": {
            "type": ["string", "null"],
            "description": "The repoSetId that the workspace must have.",
        },
        "search": nullable(search_settings(least_top=0, scoped=False)),
        "select": {
            "anyOf": [
                *texts("Repositories to add, by alias, id or path."),
                object_of(
                    {
                        "repos": many("Repositories to add, by alias, id or path."),
                        "select": many("The same as `repos`."),
                        **_selection(),
                    }
                ),
            ]
        },
        **_selection(),
        "merge": {
            "anyOf": [
                _strategy(),
                object_of(
                    {
                        "strategy": _strategy(),
                        "rrfK": integer(1, limits.MAX_RRF_K, "Damping of rank merges."),
                        "fold": flag("Show a text that several repositories hold once."),
                    }
                ),
                {"type": "null"},
            ]
        },
        "limits": nullable(_limits()),
        "cohorts": nullable(
            object_of(
                {
                    "policy": {
                        "enum": [*POLICIES, None],
                        "description": "Which cohort is asked where there are several.",
                    },
                    **_cohort(),
                }
            )
        ),
        **_cohort(),
        "strict": flag("Fail when any repository fails."),
        "format": {
            "enum": [*FORMATS, None],
            "description": "Lists of hits, which is usual, or what the question needs, by file.",
        },
        "slate": nullable(slate_settings()),
        "debug": nullable(
            object_of({"includePaths": flag("Show absolute paths; needs the token.")})
        ),
    }
    return object_of(properties, required=("query", "workspacePath"))


def search_settings(*, least_top: int, scoped: bool) -> dict[str, Json]:
    """Return the schema of the key `search`."""
    corpora: list[Json] = ["all", *CORPUS_WORDS]
    properties: dict[str, Json] = {
        "mode": {
            "description": "Corpora that are searched; all of them by default.",
            "anyOf": [
                {"enum": corpora},
                {"type": "array", "items": {"enum": corpora}, "minItems": 1},
                {"type": "null"},
            ],
        },
        "intent": {
            "enum": [*(mode.value for mode in Mode), None],
            "description": "What the hits are wanted for.",
        },
        "top": integer(least_top, limits.MAX_TOP, "Most hits of each list; 10 by default."),
        "perFile": integer(0, limits.MAX_PER_REPO_TOP, "Most hits of one file; 0 for no bound."),
        "backend": {
            "enum": [*(backend.value for backend in Backend), None],
            "description": "How vectors are scored.",
        },
        "filter": many("Filters as `key:value`, negated with a leading `-`."),
        "snippet": {
            "enum": [*(depth.value for depth in SnippetMode), None],
            "description": "How much of a hit's text is returned.",
        },
        "anchors": flag("Return header chunks too."),
        "compact": flag("The best hit of each file, without its text."),
        "stats": flag("Add the figures that differ from run to run."),
        "explain": flag("Add how scores came about."),
        "deterministic": flag("Equal bytes for equal state."),
        "keepWeak": flag("Return all hits of a weak answer."),
        "find": {
            "enum": [*(find.value for find in Find), None],
            "description": "What the query is looked for as.",
        },
        "vectors": flag("Score by likeness of meaning too; true by default."),
        "timeoutMs": integer(
            0, MAX_INTEGER, f"Deadline, end to end; 0 for the default of {DEFAULT_TIMEOUT_MS}."
        ),
    }
    if scoped:
        properties["scope"] = {
            "type": ["string", "null"],
            "description": "Directory or file below the root that the answer is narrowed to.",
        }
    return object_of(properties)


def _limits() -> dict[str, Json]:
    per_repo, at_once = limits.MAX_PER_REPO_TOP, limits.MAX_CONCURRENCY
    return object_of(
        {
            "perRepoTop": integer(0, per_repo, "Most hits taken of one repository."),
            "concurrency": integer(1, at_once, "Most repositories asked at once."),
            "maxRepos": integer(0, MAX_INTEGER, "Most repositories searched; 0 for all."),
            "snippetBytes": integer(0, MAX_INTEGER, "Most snippet text of the answer."),
        }
    )


def _selection() -> dict[str, Json]:
    return {
        "tags": many("Keep repositories with any of these tags."),
        "tag": many("The same as `tags`."),
        "repoFilter": many("Keep repositories that match any of these globs."),
        "repo-filter": many("The same as `repoFilter`."),
        "only": many("Keep these repositories alone, by alias, id or path."),
        "includeDisabled": flag("Search disabled repositories too."),
    }


def _cohort() -> dict[str, Json]:
    return {
        "cohort": many("`KEY` or `CORPUS:KEY` to search."),
        "allowUnsafeMix": flag("Merge lists that do not compare."),
    }


def _strategy() -> dict[str, Json]:
    return {"enum": [*STRATEGIES, None], "description": "How lists are merged."}
