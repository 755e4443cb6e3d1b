"""The files' imports from other repositories, and the packages that a repository provides."""

import sys
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from ggrep.base.clock import Deadline
from ggrep.model.files import TEST
from ggrep.model.name_pools import MOST_IMPORTED, Importer, ImportsRequest, ImportsResponse
from ggrep.model.slate import FileFacts, Section
from ggrep.search.navigation.name_candidates import NameFile, Searched, searched
from ggrep.search.query.answerer import Answerer, parsed_snapshot
from ggrep.search.query.context import Context
from ggrep.search.query.file_text import file_texts
from ggrep.search.query.row_reading import row_details
from ggrep.search.query.segments import open_segments
from ggrep.search.slate.import_targets import import_targets
from ggrep.search.slate.interface_names import (
    names_package,
    packages_imported,
    packages_provided,
)
from ggrep.search.slate.selected_files import SelectedPaths
from ggrep.search.slate.source_text import bare_text, listed_imports, text_imports

MOST_MANIFESTS: Final = 200
"""Maximum number of manifests read for package names; those nearest to the root come first."""
_MOST_TEXT_CHARACTERS: Final = 65_536
"""Number of characters at the beginning of a file that are read for imports."""
_MOST_NAME_CHARACTERS: Final = 120
_NEAR: Final = (".", "/", "~", "@/", "#/", "crate::", "self::", "super::")
"""Prefixes of import names that always refer to a file of the same repository."""
_ELSEWHERE: Final = "..elsewhere"
"""A directory that no repository has, so that a foreign file has no siblings here."""


class Modules:
    """The files and packages of a repository to which imports can refer."""

    def __init__(self, reading: Searched, deadline: Deadline) -> None:
        """Read paths and manifests.

        Raises:
            DeadlineExceeded: time ran out.
            SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
        """
        paths: list[str] = []
        manifests: list[tuple[int, str, int, int]] = []
        for place, segment in enumerate(reading.segments):
            deadline.check("looking at paths")
            for file, path in enumerate(segment.image.paths()):
                if not segment.visible_files[file]:
                    continue
                paths.append(path)
                if names_package(path) and not segment.image.file_traits[file] & TEST:
                    manifests.append((path.count("/"), path, place, file))
        self._paths = SelectedPaths(paths)
        self._packages = frozenset(_packages(reading, sorted(manifests)[:MOST_MANIFESTS], deadline))

    def hold(self, path: str, language: str, name: str) -> bool:
        """Return whether an import of a file refers to this repository."""
        facts = FileFacts(path, Section.CODE, language)
        if import_targets(facts, name, self._paths):
            return True
        return any(word in self._packages for word in packages_imported([name], language))


def outside_imports(
    reading: Searched, files: Sequence[tuple[NameFile, str]], deadline: Deadline
) -> list[Importer]:
    """Return the files' imports that do not refer to the files' own repository.

    Args:
        reading: the segments of the files.
        files: files with their texts; files without such an import are not in the result.
        deadline: checked before each file.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    listed = _listed(reading, [file for file, _ in files])
    named = []
    for file, text in files:
        deadline.check("looking at imports")
        language = reading.segments[file.segment].image.language(file.file)
        bare = bare_text(text[:_MOST_TEXT_CHARACTERS], language)
        names = {
            *listed_imports(listed.get((file.segment, file.file), "")),
            *text_imports(bare.uncommented, language),
        }
        leading_out = sorted(name for name in names if _leads_out(name, language))
        if leading_out:
            named.append((file, language, leading_out))
    if not named:
        return []
    modules, importers = Modules(reading, deadline), []
    for file, language, names_out in named:
        deadline.check("looking at imports")
        kept = [name for name in names_out if not modules.hold(file.path, language, name)]
        if kept:
            importers.append(Importer(file.path, language, tuple(kept[:MOST_IMPORTED])))
    return importers


def _listed(reading: Searched, files: Iterable[NameFile]) -> dict[tuple[int, int], str]:
    """Return the imports listed in the header chunks of files, by segment and file."""
    listed: dict[tuple[int, int], str] = {}
    places = sorted({(file.segment, file.file) for file in files})
    for place, pairs in groupby(places, key=lambda pair: pair[0]):
        segment = reading.segments[place]
        anchors = {
            rows[0]: file
            for _, file in pairs
            if (rows := segment.rows_of(file)) and segment.image.row_anchors[rows[0]]
        }
        wanted = sorted(anchors)
        for row, details in zip(wanted, row_details(reading.view, segment, wanted), strict=True):
            listed[place, anchors[row]] = details.extra
    return listed


def imports_found(context: Context, request: ImportsRequest) -> ImportsResponse:
    """Return which of the request's files, all from other repositories, import from this one.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    view, deadline = context.view, context.deadline
    reading = searched(view, open_segments(view), "", (), deadline)
    modules = Modules(reading, deadline)
    provided = []
    for importer in request.importers:
        deadline.check("looking at imports")
        path = f"{_ELSEWHERE}/{importer.path.rpartition('/')[2]}"
        provided.append(
            any(modules.hold(path, importer.language, name) for name in importer.imports)
        )
    return ImportsResponse(tuple(provided))


def _leads_out(name: str, language: str) -> bool:
    """Return whether an imported name can refer to another indexed repository."""
    if not name or len(name) > _MOST_NAME_CHARACTERS or name.startswith(_NEAR):
        return False
    return language != "python" or name.partition(".")[0] not in sys.stdlib_module_names


def _packages(
    reading: Searched, manifests: Iterable[tuple[int, str, int, int]], deadline: Deadline
) -> Iterable[str]:
    for _, path, place, file in manifests:
        (text,) = file_texts(reading.view, reading.segments[place], (file,), deadline)
        bare = bare_text(text, reading.segments[place].image.language(file))
        yield from packages_provided(path, bare.uncommented)


IMPORTS: Final = Answerer(
    imports_found, snapshot=lambda _, request: parsed_snapshot(request.snapshot_id)
)
