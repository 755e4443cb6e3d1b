"""Outlines of files and folders, and the tour of a repository."""

from collections.abc import Sequence
from typing import TypedDict

from ggrep.model.constraints import Count
from ggrep.model.outline import PathOutline, TourSection
from ggrep.model.schemas.answer import AnswerJson, TimedJson


class OutlineLimitsJson(TypedDict):
    """What was asked for, after clamping."""

    depth: Count
    """Levels that are shown; 0 for as many as fit."""
    max_outline_bytes: Count
    """Most bytes of the text."""


class OutlineJson(AnswerJson, TimedJson):
    """What files and folders of one repository define, as they were indexed."""

    targets: Sequence[str]
    """What was asked for."""
    limits: OutlineLimitsJson
    outlines: Sequence[PathOutline]
    """One for each target, in their order."""


class TourLimitsJson(TypedDict):
    """What was asked for, after clamping."""

    max_tour_bytes: Count
    """Most bytes of the text."""


class TourJson(AnswerJson, TimedJson):
    """What a repository is, as its own files say it."""

    limits: TourLimitsJson
    sections: Sequence[TourSection]
    """What is unknown has none."""
