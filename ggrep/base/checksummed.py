"""JSON documents that carry a digest of their own values, so that damage is detected.

A bit that falls over in a figure or a path leaves JSON that reads as well as before. The digest is
over the canonical bytes of all other fields. Documents of builds before the digest have none.
"""

import hashlib
from collections.abc import Mapping
from typing import Final

from ggrep.base import stable_json
from ggrep.base.formats import Format

FIELD: Final = "sha256"


class Damaged(ValueError):
    """A document is not as it was written."""


def seal(
    values: Mapping[str, stable_json.Json], form: Format | None = None
) -> dict[str, stable_json.Json]:
    """Return the values with their digest, which leaves out what the format sets apart."""
    apart = form.apart(values.get(form.field)) if form else ()
    return {**values, FIELD: _digest(values, apart)}


def require_sound(values: object, form: Format, *, since: int) -> None:
    """Do nothing when a document is as it was written, in a version that this build reads."""
    if not isinstance(values, dict):
        raise Damaged("not an object")
    version = values.get(form.field)
    form.check(version)  # first: a newer build may seal in another way
    digest = values.get(FIELD)
    if digest is None and isinstance(version, int) and version < since:
        return
    if digest != _digest(values, form.apart(version)):
        raise Damaged("it is not as it was written")


def _digest(values: Mapping[str, stable_json.Json], apart: tuple[str, ...]) -> str:
    rest = {key: value for key, value in values.items() if key != FIELD and key not in apart}
    return hashlib.sha256(stable_json.dumps(rest)).hexdigest()
