"""The outcome of a call."""

from dataclasses import dataclass

from ggrep.base.stable_json import Document


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call returns, and whether it failed."""

    document: Document
    failed: bool = False
