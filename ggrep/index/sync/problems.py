"""Lists the problems that make a snapshot degraded, or a strict sync fail."""

from collections.abc import Collection, Iterable

from ggrep.base.ids import PathKey
from ggrep.index.sync.indexing import Reading
from ggrep.model.files import GUESSED, SkippedFile
from ggrep.model.limits import DECLARE, FileReading, Notice
from ggrep.model.sync import DegradedFile
from ggrep.parse.source.walk import Walk

GIT_UNAVAILABLE = "git_unavailable"
PARSE_PENDING = "parse_pending"
_NOT_HAD = "unreadable"
"""Reason of a skip because the file's content could not be read."""
_PASSING = frozenset({PARSE_PENDING, "read_failed", "stable_read_failed"})
_OLD_PASSING = "parse_timeout"
"""Beginning of the message of earlier builds for a file that was cut by lines on a busy machine."""


def is_passing(problem: DegradedFile) -> bool:
    """Return whether a retry may index the file better although it is unchanged."""
    if problem.code == "chunk_failed":
        return problem.message.startswith(_OLD_PASSING)
    return problem.code in _PASSING


def of_tree(tree: Walk, deleted: Iterable[PathKey]) -> tuple[DegradedFile, ...]:
    """Return a problem for each file whose state a walk could not determine.

    Args:
        tree: the result of the walk.
        deleted: visible files that the walk did not find.
    """
    results = [DegradedFile(GIT_UNAVAILABLE, notice.message, ".git") for notice in tree.notices]
    results += [
        DegradedFile("read_failed", skip.detail, skip.path_key)
        for skip in tree.skipped
        if skip.reason == "read_failed"
    ]
    # The state of these files is unknown. If they counted as deleted, a missing permission could
    # empty the index. A failure of git is already in the list.
    closed = () if tree.notices else deleted
    results += [
        DegradedFile("read_failed", "its directory cannot be read", key)
        for key in closed
        if not tree.knows(key)
    ]
    return tuple(results)


def nothing_to_index(tree: Walk) -> tuple[Notice, ...]:
    """Return a notice if the root has no file to index."""
    if tree.files or not tree.excluded:
        return ()
    rules = ", ".join(f"{number} {rule}" for rule, number in tree.excluded)
    message = f"there is nothing to index: all files are left out ({rules})"
    return (Notice("nothing_to_index", message),)


def of_reading(reading: Reading, waiting: Iterable[PathKey]) -> tuple[DegradedFile, ...]:
    """Return a problem for each file that could not be read, or was not parsed yet.

    Args:
        reading: results of the files read so far.
        waiting: files that an earlier sync put off and that this sync did not try.
    """
    failed = [
        DegradedFile(
            "stable_read_failed" if skip.reason == "unstable" else "read_failed",
            skip.detail,
            skip.path_key,
        )
        for skip in reading.failed
    ]
    message = "the machine is too busy to parse this file; ggrep retries later"
    return (
        *failed,
        *(DegradedFile(PARSE_PENDING, message, key) for key in (*reading.put_off, *waiting)),
    )


def strict_reasons(
    problems: Iterable[DegradedFile], skipped: Iterable[SkippedFile], unsure: Iterable[FileReading]
) -> tuple[str, ...]:
    """Return a line for each file that could not be read, decoded or chunked as intended."""
    lines = {f"{p.path_key}: {p.message}" for p in problems}
    lines |= {f"{s.path_key}: {s.detail}" for s in skipped if s.reason == _NOT_HAD}
    lines |= {f"{each.path}: {_doubt(each)}" for each in unsure}
    return tuple(sorted(lines))


def _doubt(reading: FileReading) -> str:
    """Return the reason why the decoded text of a file may be wrong."""
    encoding = reading.encoding or "utf-8"
    if reading.traits & GUESSED:
        return f"its encoding was guessed to be {encoding}; {DECLARE}"
    return f"it contains bytes that are invalid in {encoding}; correct them, or {DECLARE}"


def of_snapshot(
    standing: Iterable[DegradedFile],
    reading: Reading,
    read: Iterable[DegradedFile],
    before: Iterable[DegradedFile],
    present: Collection[PathKey],
) -> tuple[DegradedFile, ...]:
    """Return all problems of a snapshot; unchanged files keep their earlier chunking problems.

    Args:
        standing: problems with files whose state the walk could not determine.
        reading: results of the files read so far.
        read: result of `of_reading` for `reading`.
        before: problems of the preceding snapshot.
        present: files of the walk.
    """
    fresh = {*reading.indexed, *(skip.path_key for skip in reading.skipped)}
    kept = [
        problem
        for problem in before
        if problem.code == "chunk_failed"
        and problem.path_key in present
        and problem.path_key not in fresh
    ]
    every = {*standing, *reading.problems, *read, *kept}
    return tuple(sorted(every, key=lambda p: (p.path_key.encode(), p.code, p.message)))
