"""What a call comes to."""

from collections.abc import Mapping
from dataclasses import dataclass

from ggrep.stable_json import Json


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call returns, and whether it failed."""

    document: Mapping[str, Json]
    failed: bool = False
