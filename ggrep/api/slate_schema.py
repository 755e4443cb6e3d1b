"""JSON Schema of the key `slate`: how much of a slate is wanted, of one repository or of many."""

from ggrep.api.schema_parts import MAX_INTEGER, flag, integer, object_of
from ggrep.stable_json import Json
from ggrep.surfaces.slate_fields import MAX_LEVEL


def slate_settings() -> dict[str, Json]:
    """Return the schema of the key `slate`."""
    return object_of(
        {
            "level": integer(
                0,
                MAX_LEVEL,
                "0 paths; 1 anchors and short evidence; 2 long evidence; 3 whole chunks.",
            ),
            "maxBytes": integer(0, MAX_INTEGER, "Most bytes of the slate; 0 for its level's."),
            "maxFileBytes": integer(0, MAX_INTEGER, "Most bytes of a file; 0 for its level's."),
            "maxFiles": integer(0, MAX_INTEGER, "Most files; 0 for the level's."),
            "maxEvidencePerFile": integer(
                0, MAX_INTEGER, "Most pieces of evidence of a file; 0 for the level's."
            ),
            "anchors": flag("Show each file's opening lines; true by default."),
            "graph": flag("Tell how the files hang together; true by default."),
        }
    )
