"""JSON documents that contain a digest of their values, to detect damage.

A document with a flipped bit in a number or a path is often still valid JSON. The digest covers the
canonical bytes of all other fields. Documents of old builds have no digest.
"""

import hashlib
from collections.abc import Mapping
from typing import Final

from ggrep.base import stable_json
from ggrep.base.formats import Format

FIELD: Final = "sha256"


class Damaged(ValueError):
    """A document is damaged."""


def seal(
    values: Mapping[str, stable_json.Json], form: Format | None = None
) -> dict[str, stable_json.Json]:
    """Return the values with a digest, which does not cover the fields that the format excludes."""
    apart = form.apart(values.get(form.field)) if form else ()
    return {**values, FIELD: _digest(values, apart)}


def require_sound(values: object, form: Format, *, since: int) -> None:
    """Raise unless a document is undamaged and this build can read its version."""
    if not isinstance(values, dict):
        raise Damaged("the document is not a JSON object")
    version = values.get(form.field)
    form.check(version)  # the version first: a newer build may compute the digest differently
    digest = values.get(FIELD)
    if digest is None and isinstance(version, int) and version < since:
        return
    if digest != _digest(values, form.apart(version)):
        raise Damaged("the digest does not match the content")


def _digest(values: Mapping[str, stable_json.Json], apart: tuple[str, ...]) -> str:
    rest = {key: value for key, value in values.items() if key != FIELD and key not in apart}
    return hashlib.sha256(stable_json.dumps(rest)).hexdigest()
