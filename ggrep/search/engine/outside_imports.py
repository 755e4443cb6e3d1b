"""Finds imports from other repositories, and the packages that a repository provides."""

import re
import sys
from collections.abc import Iterable, Sequence
from itertools import groupby, islice, takewhile
from typing import Final, TypeVar

from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.model.files import TEST
from ggrep.model.name_pools import (
    MAX_ORIGINS,
    MOST_IMPORTED,
    Importer,
    ImportsRequest,
    ImportsResponse,
)
from ggrep.model.navigation import (
    OutsideName,
    ReferencesRequest,
    ReferencesResponse,
    SymbolRequest,
    SymbolResponse,
)
from ggrep.model.sanitise import sanitise_line
from ggrep.model.slate import FileFacts, Section
from ggrep.search.navigation.name_answers import check_name, reading_of, references, symbol
from ggrep.search.navigation.name_candidates import (
    AskedName,
    NameFile,
    Searched,
    mentioning_files,
    searched,
    split_name,
)
from ggrep.search.navigation.name_pages import page_snapshot
from ggrep.search.navigation.name_reading import NamedFile, Reading
from ggrep.search.navigation.named_places import by_handle
from ggrep.search.query.answerer import Answerer, parsed_snapshot
from ggrep.search.query.context import Context
from ggrep.search.query.file_text import file_texts
from ggrep.search.query.row_reading import row_details
from ggrep.search.query.segments import open_segments
from ggrep.search.reading.bare_text import bare_text
from ggrep.search.slate.import_targets import import_targets
from ggrep.search.slate.interface_names import (
    names_package,
    packages_imported,
    packages_provided,
)
from ggrep.search.slate.selected_files import SelectedPaths
from ggrep.search.slate.source_text import listed_imports, text_imports

MOST_MANIFESTS: Final = 200
"""Maximum number of manifests read for package names; those nearest to the root come first."""
_MOST_TEXT_CHARACTERS: Final = 65_536
"""Number of characters at the beginning of a file that are read for imports."""
_MOST_NAME_CHARACTERS: Final = 120
_NEAR: Final = (".", "/", "~", "@/", "#/", "crate::", "self::", "super::")
"""Prefixes of import names that always refer to a file of the same repository."""
_ELSEWHERE: Final = "..elsewhere"
"""A directory that no repository has, so that a foreign file has no siblings here."""
_MOST_READ: Final = 8
"""Maximum number of files that are read to find the origin of a name."""
_MOST_USES: Final = 5
_ROOT: Final = re.compile(r"([^\W\d]\w*)(?:(?:\.|::)\w+)*(?:\.|::)$")
"""The first name in a qualified name, such as `np` in `np.linalg.norm`."""
_BIND_LAST: Final = frozenset({"csharp", "groovy", "java", "kotlin", "scala"})
"""Languages in which an import binds only the last part of a qualified name."""
_LAST_PART: Final = re.compile(r"\W+")
_OPEN_IMPORT: Final = re.compile(
    r"\s*(?:#\s*include\s*<([^>]+)>|(?:global\s+)?using\s+(?:static\s+)?([\w.]+)\s*;"
    r"|(?:import|use)\s+([\w.:]+?)(?:\.|::)[*_]|from\s+([\w.]+)\s+import\s+\*)"
)


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
    """Return those imports of some files that refer to other repositories.

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
    """Return, for each file in the request, whether it imports something from this repository.

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


def outside_names(context: Context, reading: Reading, asked: AskedName) -> tuple[OutsideName, ...]:
    """Return imports that show the origin of a name that this repository does not define.

    The first files with the name are read. An import counts if it contains the name or its receiver
    (`np` of `np.array`). Without such an import, an import of all names of a package counts as a
    guess.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    files = mentioning_files(reading.content, asked, context.deadline)
    named = list(islice(reading.read(files, asked.typed, any_case=False), _MOST_READ))
    certain = [(file, *each) for file in named for each in _imports_of(reading, file, asked)]
    imports = certain or [(file, *each) for file in named for each in _open_imports(file)]
    imports = [each for each in imports if not each[1].startswith(_NEAR)]
    if not imports:
        return ()
    modules = Modules(reading.content, context.deadline)
    origins: dict[str, OutsideName] = {}
    for file, source, line in imports:
        language, lines = reading.language(file.file), file.text.split("\n")
        package = _package(source, language)
        if not package or modules.hold(file.file.path, language, source):
            continue
        place = _named_at(source, line, lines)
        path, content = sanitise_line(file.file.path), sanitise_line(lines[place - 1])
        origin = OutsideName(package, path, place, content.strip()[:240], guess=not certain)
        origins.setdefault(package, origin)
    return tuple(origins.values())[:MAX_ORIGINS]


def _imports_of(reading: Reading, file: NamedFile, asked: AskedName) -> list[tuple[str, int]]:
    """Return the modules from which a file imports a name or its receiver, with line numbers."""
    lines = file.text.split("\n")
    uses = [place.mention for place in file.places]
    imports = [use for use in uses if use.source]
    if asked.owners:
        imports = [use for use in imports if asked.owners[-1] in re.split(r"\W+", use.source)]
    if imports:
        return [(use.source, use.line) for use in imports]
    is_bound_last = reading.language(file.file) in _BIND_LAST
    roots = [_ROOT.search(lines[use.line - 1][: use.column - 1]) for use in uses[:_MOST_USES]]
    bindings = []
    for root in dict.fromkeys(root[1] for root in roots if root):
        for other in reading.read([file.file], root, any_case=False):
            bindings += [
                (use.source, use.line)
                for use in (place.mention for place in other.places)
                if use.source and (use.kind == "usage" or _calls_itself(use.source, root))
                if not is_bound_last or _LAST_PART.split(use.source)[-1] == root
            ]
    return bindings


def _named_at(module: str, line: int, lines: Sequence[str]) -> int:
    """Return the nearest line to `line` that contains the module's name."""
    named = re.compile(rf"(?<!\w){re.escape(module)}(?!\w)")
    around = sorted(range(1, len(lines) + 1), key=lambda number: abs(number - line))
    return next((number for number in around if named.search(lines[number - 1])), line)


def _calls_itself(module: str, name: str) -> bool:
    """Return whether `name` is the short name of a path: `mux` of `github.com/gorilla/mux/v5`."""
    *parents, last = module.split("/")
    return name in {last, *(parents[-1:] if re.fullmatch(r"v\d+", last) else [])}


def _open_imports(file: NamedFile) -> list[tuple[str, int]]:
    """Return the packages from which a file imports all names, with the lines of the imports."""
    lines = enumerate(file.text.split("\n"), start=1)
    matches = ((_OPEN_IMPORT.match(line), number) for number, line in lines)
    return [(str(match[match.lastindex or 0]), number) for match, number in matches if match]


def _package(source: str, language: str) -> str:
    """Return the package of an imported module or name, in the notation of the language."""
    parts = re.split(r"\.|::", source)
    match language:
        case "python" | "rust":
            package = parts[0]
        case "javascript" | "typescript" | "tsx" | "vue" | "svelte":
            package = "/".join(source.split("/")[: 2 if source.startswith("@") else 1])
        case "java" | "kotlin" | "scala" | "groovy":
            package = ".".join(takewhile(lambda part: not part[:1].isupper(), parts))
        case _:
            package = source
    return sanitise_line(package)


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


def _symbol(context: Context, request: SymbolRequest) -> SymbolResponse:
    answer = symbol(context, by_handle(context, request))
    return answer if answer.total else _with_origin(context, answer)


def _references(context: Context, request: ReferencesRequest) -> ReferencesResponse:
    answer = references(context, by_handle(context, request))
    is_defined = bool(answer.defined) or not answer.references
    return answer if is_defined else _with_origin(context, answer)


_NameAnswer = TypeVar("_NameAnswer", SymbolResponse, ReferencesResponse)


def _with_origin(context: Context, answer: _NameAnswer) -> _NameAnswer:
    """Return an answer about an undefined name, with imports that show the name's origin added."""
    reading = reading_of(context, answer.request, words_do=False)
    asked = split_name(answer.request.name)
    return replace(answer, outside=outside_names(context, reading, asked))


SYMBOL: Final = Answerer(_symbol, check_name, page_snapshot)
REFERENCES: Final = Answerer(_references, check_name, page_snapshot)
IMPORTS: Final = Answerer(
    imports_found, snapshot=lambda _, request: parsed_snapshot(request.snapshot_id)
)
