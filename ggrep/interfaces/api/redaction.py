"""Removes absolute paths from documents about one repository."""

from collections.abc import Mapping, Sequence

from ggrep.base.stable_json import Document
from ggrep.federation.diagnostics import redact


def without_paths(document: Document) -> Document:
    """Return a document whose texts name no absolute path; the rest of each text stays."""
    return {key: _redacted(value) for key, value in document.items()}


def _redacted(document: object) -> object:
    if isinstance(document, str):
        return redact(document)
    if isinstance(document, Mapping):
        return {key: _redacted(value) for key, value in document.items()}
    if isinstance(document, Sequence):
        return [_redacted(value) for value in document]
    return document
