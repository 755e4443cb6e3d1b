"""Outlines of files and folders, and the tour of a repository."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from ggrep.model.constraints import Code, Count, Positive
from ggrep.model.outline import Reading
from ggrep.model.schemas.answer import AnswerJson, TimedJson


class OutlineLimitsJson(TypedDict):
    """What was asked for, after clamping."""

    depth: Count
    """Levels that are shown; 0 for as many as fit."""
    max_outline_bytes: Count
    """Most bytes of the text."""


class OutlineEntryJson(TypedDict):
    """One definition, heading or key."""

    depth: Count
    """How deep it is nested; 0 at the top of the file."""
    kind: Code
    """What it is: function, method, class, struct, constant, field, section and so on."""
    name: str
    """Its name; several, with commas between them, where they are shown together."""
    signature: str
    """Its head from the name on; empty for what has none."""
    start_line: Positive
    """Its first line, with what belongs in front of it."""
    end_line: Positive
    """Its last line, inclusive."""


class ListedPathJson(TypedDict):
    """One file or subfolder of a folder."""

    depth: Count
    """Levels below the folder; 0 for what lies in it."""
    name: str
    """Its path below what it is listed under."""
    folder: bool
    """It is a subfolder."""
    files: Count
    """Files below a subfolder; 1 for a file."""
    lines: Count
    """Lines of all of them."""
    language: str
    """That of most of them."""
    holds: Sequence[str]
    """What a file mainly defines, in source order."""
    more: Count
    """Names of the file that are not shown."""


class PathOutlineJson(TypedDict):
    """The outline of one file or folder."""

    path: str
    """Path below the repository's root; empty for the root."""
    folder: bool
    """It is a folder."""
    language: str
    """Of the file, or of most lines of the folder."""
    files: Count
    """Files below the folder; 1 for a file."""
    lines: Count
    """Lines of the file, or of all of them."""
    reading: Reading
    """By what the file was read: syntax, structure (headings, keys), or none."""
    entries: Sequence[OutlineEntryJson]
    """Of a file, in source order."""
    listed: Sequence[ListedPathJson]
    """Of a folder, in the order of paths."""
    left_out: Mapping[Code, Count]
    """By kind, how many had no place."""


class OutlineJson(AnswerJson, TimedJson):
    """What files and folders of one repository define, as they were indexed."""

    targets: Sequence[str]
    """What was asked for."""
    limits: OutlineLimitsJson
    outlines: Sequence[PathOutlineJson]
    """One for each target, in their order."""


class TourLimitsJson(TypedDict):
    """What was asked for, after clamping."""

    max_tour_bytes: Count
    """Most bytes of the text."""


class TourFactJson(TypedDict):
    """One fact and where it stands."""

    text: str
    """What is so: a quotation, a name or a count."""
    path: str
    """The file or folder that says so; empty for what all files say together."""
    line: Count
    """In that file; 0 for the whole of it."""


class TourSectionJson(TypedDict):
    """Facts of one kind."""

    kind: Code
    """About, languages, folders, entry_points, main_files, build_and_test, configuration, docs or
    tests.
    """
    facts: Sequence[TourFactJson]
    left_out: Count
    """Facts that had no place."""


class TourJson(AnswerJson, TimedJson):
    """What a repository is, as its own files say it."""

    limits: TourLimitsJson
    sections: Sequence[TourSectionJson]
    """What is unknown has none."""
