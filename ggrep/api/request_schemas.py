"""JSON Schema of what may be asked; `surfaces.body` is what judges it."""

from typing import Final

from ggrep.domain.corpus import CORPUS_WORDS, Mode
from ggrep.domain.request import Backend, SnippetMode
from ggrep.federation import limits
from ggrep.federation.cohort import POLICIES
from ggrep.federation.strategies import STRATEGIES
from ggrep.stable_json import Json
from ggrep.surfaces.search_fields import DEFAULT_TIMEOUT_MS

_MAX_INTEGER: Final = 2**53 - 1


def search_body() -> dict[str, Json]:
    """Return the schema of `POST /search`."""
    about = "A directory in the repository, absolute; the server's own where none is given."
    properties: dict[str, Json] = {
        "query": _query(),
        "root": {"type": ["string", "null"], "minLength": 1, "description": about},
        "search": _nullable(_search(least_top=1, scoped=True)),
    }
    return _object(properties, required=("query",))


def federated_body() -> dict[str, Json]:
    """Return the schema of `POST /search/federated`."""
    properties: dict[str, Json] = {
        "query": _query(),
        "workspacePath": {
            "type": "string",
            "minLength": 1,
            "description": "Absolute path of the workspace file.",
        },
        "workspaceId": {
            "type": ["string", "null"],
            "description": "The repoSetId that the workspace must have.",
        },
        "search": _nullable(_search(least_top=0, scoped=False)),
        "select": {
            "anyOf": [
                *_texts("Repositories to add, by alias, id or path."),
                _object(
                    {
                        "repos": _many("Repositories to add, by alias, id or path."),
                        "select": _many("The same as `repos`."),
                        **_selection(),
                    }
                ),
            ]
        },
        **_selection(),
        "merge": {
            "anyOf": [
                _strategy(),
                _object(
                    {
                        "strategy": _strategy(),
                        "rrfK": _integer(1, limits.MAX_RRF_K, "Damping of rank merges."),
                        "fold": _flag("Show a text that several repositories hold once."),
                    }
                ),
                {"type": "null"},
            ]
        },
        "limits": _nullable(_limits()),
        "cohorts": _nullable(
            _object(
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
        "strict": _flag("Fail when any repository fails."),
        "debug": _nullable(
            _object({"includePaths": _flag("Show absolute paths; needs the token.")})
        ),
    }
    return _object(properties, required=("query", "workspacePath"))


def _search(*, least_top: int, scoped: bool) -> dict[str, Json]:
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
        "top": _integer(least_top, limits.MAX_TOP, "Most hits of each list; 10 by default."),
        "perFile": _integer(0, limits.MAX_PER_REPO_TOP, "Most hits of one file; 0 for no bound."),
        "backend": {
            "enum": [*(backend.value for backend in Backend), None],
            "description": "How vectors are scored.",
        },
        "filter": _many("Filters as `key:value`, negated with a leading `-`."),
        "snippet": {
            "enum": [*(depth.value for depth in SnippetMode), None],
            "description": "How much of a hit's text is returned.",
        },
        "anchors": _flag("Return header chunks too."),
        "compact": _flag("Taken for the sake of the command line; changes no document."),
        "stats": _flag("Add the figures that differ from run to run."),
        "explain": _flag("Add how scores came about."),
        "deterministic": _flag("Equal bytes for equal state."),
        "keepWeak": _flag("Return all hits of a weak answer."),
        "timeoutMs": _integer(
            0, _MAX_INTEGER, f"Deadline, end to end; 0 for the default of {DEFAULT_TIMEOUT_MS}."
        ),
    }
    if scoped:
        properties["scope"] = {
            "type": ["string", "null"],
            "description": "Directory or file below the root that the answer is narrowed to.",
        }
    return _object(properties)


def _limits() -> dict[str, Json]:
    per_repo, at_once = limits.MAX_PER_REPO_TOP, limits.MAX_CONCURRENCY
    return _object(
        {
            "perRepoTop": _integer(0, per_repo, "Most hits taken of one repository."),
            "concurrency": _integer(1, at_once, "Most repositories asked at once."),
            "maxRepos": _integer(0, _MAX_INTEGER, "Most repositories searched; 0 for all."),
            "snippetBytes": _integer(0, _MAX_INTEGER, "Most snippet text of the answer."),
        }
    )


def _selection() -> dict[str, Json]:
    return {
        "tags": _many("Keep repositories with any of these tags."),
        "tag": _many("The same as `tags`."),
        "repoFilter": _many("Keep repositories that match any of these globs."),
        "repo-filter": _many("The same as `repoFilter`."),
        "only": _many("Keep these repositories alone, by alias, id or path."),
        "includeDisabled": _flag("Search disabled repositories too."),
    }


def _cohort() -> dict[str, Json]:
    return {
        "cohort": _many("`KEY` or `CORPUS:KEY` to search."),
        "allowUnsafeMix": _flag("Merge lists that do not compare."),
    }


def _query() -> dict[str, Json]:
    return {
        "type": "string",
        "pattern": r"\S",
        "description": "What to look for, in words or names.",
    }


def _strategy() -> dict[str, Json]:
    return {"enum": [*STRATEGIES, None], "description": "How lists are merged."}


def _object(properties: dict[str, Json], *, required: tuple[str, ...] = ()) -> dict[str, Json]:
    found: dict[str, Json] = {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }
    return {**found, "required": list(required)} if required else found


def _nullable(schema: dict[str, Json]) -> dict[str, Json]:
    return {"anyOf": [schema, {"type": "null"}]}


def _many(description: str) -> dict[str, Json]:
    return {"anyOf": _texts(description)}


def _texts(description: str) -> list[Json]:
    text: dict[str, Json] = {"type": "string", "description": description}
    return [text, {"type": "array", "items": {"type": "string"}}, {"type": "null"}]


def _flag(description: str) -> dict[str, Json]:
    return {"type": ["boolean", "null"], "description": description}


def _integer(least: int, most: int, description: str) -> dict[str, Json]:
    return {
        "type": ["integer", "null"],
        "minimum": least,
        "maximum": most,
        "description": description,
    }
