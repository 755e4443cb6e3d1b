"""Takes absolute paths out of documents about one repository."""

from collections.abc import Mapping, Sequence

from ggrep.federation.diagnostics import redact
from ggrep.stable_json import Json


def without_paths(document: Json) -> Json:
    """Return a document whose texts name no absolute path; the rest of each text stays."""
    if isinstance(document, str):
        return redact(document)
    if isinstance(document, Mapping):
        return {key: without_paths(value) for key, value in document.items()}
    if isinstance(document, Sequence):
        return [without_paths(value) for value in document]
    return document
