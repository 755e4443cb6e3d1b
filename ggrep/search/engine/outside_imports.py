"""What files import from beyond their repository, and what a repository provides to those."""

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
"""Files that name packages which are read; those nearest to the root first."""
_MOST_TEXT_CHARACTERS: Final = 65_536
"""Of one file that are looked through for imports, which stand at its top."""
_MOST_NAME_CHARACTERS: Final = 120
_NEAR: Final = (".", "/", "~", "@/", "#/", "crate::", "self::", "super::")
"""How names begin that mean something of the file's own repository."""
"""Behind a chunk's own text stand the words that were added to it."""
_ELSEWHERE: Final = "..elsewhere"
"""A directory that no repository has: nothing lies beside a file of another one."""


class Modules:
    """What imports can mean in one repository: its files, and the packages it is called by."""

    def __init__(self, held: Searched, deadline: Deadline) -> None:
        """Look at paths and manifests.

        Raises:
            DeadlineExceeded: time ran out.
            SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
        """
        paths: list[str] = []
        manifests: list[tuple[int, str, int, int]] = []
        for place, segment in enumerate(held.segments):
            deadline.check("looking at paths")
            for file, path in enumerate(segment.image.paths()):
                if not segment.visible_files[file]:
                    continue
                paths.append(path)
                if names_package(path) and not segment.image.file_traits[file] & TEST:
                    manifests.append((path.count("/"), path, place, file))
        self._paths = SelectedPaths(paths)
        self._packages = frozenset(_packages(held, sorted(manifests)[:MOST_MANIFESTS], deadline))

    def hold(self, path: str, language: str, name: str) -> bool:
        """Return whether a name that a file imports is one of these."""
        facts = FileFacts(path, Section.CODE, language)
        if import_targets(facts, name, self._paths):
            return True
        return any(word in self._packages for word in packages_imported([name], language))


def outside_imports(
    held: Searched, files: Sequence[tuple[NameFile, str]], deadline: Deadline
) -> list[Importer]:
    """Return what files import that is none of their repository's own.

    Args:
        held: what the files lie in.
        files: each with its text; those that import nothing from elsewhere are left out.
        deadline: checked before each file.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    listed = _listed(held, [file for file, _ in files])
    named = []
    for file, text in files:
        deadline.check("looking at imports")
        language = held.segments[file.segment].image.language(file.file)
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
    modules, found = Modules(held, deadline), []
    for file, language, names_out in named:
        deadline.check("looking at imports")
        kept = [name for name in names_out if not modules.hold(file.path, language, name)]
        if kept:
            found.append(Importer(file.path, language, tuple(kept[:MOST_IMPORTED])))
    return found


def _listed(held: Searched, files: Iterable[NameFile]) -> dict[tuple[int, int], str]:
    """Return what the anchors of files list, by segment and file; those without one left out."""
    found: dict[tuple[int, int], str] = {}
    places = sorted({(file.segment, file.file) for file in files})
    for place, pairs in groupby(places, key=lambda pair: pair[0]):
        segment = held.segments[place]
        anchors = {
            rows[0]: file
            for _, file in pairs
            if (rows := segment.rows_of(file)) and segment.image.row_anchors[rows[0]]
        }
        wanted = sorted(anchors)
        for row, details in zip(wanted, row_details(held.view, segment, wanted), strict=True):
            found[place, anchors[row]] = details.extra
    return found


def imports_found(context: Context, request: ImportsRequest) -> ImportsResponse:
    """Return which files of other repositories import anything of this one.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    view, deadline = context.view, context.deadline
    held = searched(view, open_segments(view), "", (), deadline)
    modules = Modules(held, deadline)
    found = []
    for importer in request.importers:
        deadline.check("looking at imports")
        path = f"{_ELSEWHERE}/{importer.path.rpartition('/')[2]}"
        found.append(any(modules.hold(path, importer.language, name) for name in importer.imports))
    return ImportsResponse(tuple(found))


def _leads_out(name: str, language: str) -> bool:
    """Return whether a name may mean something of another repository that is indexed as well."""
    if not name or len(name) > _MOST_NAME_CHARACTERS or name.startswith(_NEAR):
        return False
    return language != "python" or name.partition(".")[0] not in sys.stdlib_module_names


def _packages(
    held: Searched, manifests: Iterable[tuple[int, str, int, int]], deadline: Deadline
) -> Iterable[str]:
    for _, path, place, file in manifests:
        (text,) = file_texts(held.view, held.segments[place], (file,), deadline)
        bare = bare_text(text, held.segments[place].image.language(file))
        yield from packages_provided(path, bare.uncommented)


IMPORTS: Final = Answerer(
    imports_found, snapshot=lambda _, request: parsed_snapshot(request.snapshot_id)
)
