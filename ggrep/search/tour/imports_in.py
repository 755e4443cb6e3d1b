"""Counts how many files import each file of a snapshot, by the imports in header chunks.

Go imports packages instead of files, so for Go the package's directory is counted.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from ggrep.model.corpus import Corpus
from ggrep.model.slate import FileFacts, Section
from ggrep.parse.languages.registry import corpus_of_language
from ggrep.search.query.listing import ListedFile
from ggrep.search.query.row_reading import BATCH_ROWS, row_details
from ggrep.search.query.segments import open_segments
from ggrep.search.slate.import_targets import import_targets
from ggrep.search.slate.selected_files import SelectedPaths
from ggrep.search.slate.source_text import listed_imports
from ggrep.search.tour.repository_files import RepositoryFiles, is_aside

MOST_IMPORTERS: Final = 20_000
"""Maximum number of files whose imports are followed; the first files by path."""
_ROOT: Final = re.compile(r"(?:app/[^/]+(?:/concerns)?|lib)/(.+)\.rb$")
"""Folders from which Rails loads constants; the rest of a path spells the constant."""
_CONSTANT: Final = re.compile(r"(?<![\w:.@$'\"])(?:::)?([A-Z]\w*(?:::[A-Z]\w*)*)")
_OF_PACKAGES: Final = frozenset({"go"})
_SEEN_WHOLE: Final = frozenset({"rust"})
"""Languages in which the meaning of an import depends on the importing file's name."""


def imported_files(repository: RepositoryFiles) -> Counter[str]:
    """Return how many other files import each file; imports in tests and examples do not count.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    sources = [
        source
        for source in repository.files
        if corpus_of_language(source.language) is Corpus.CODE and not is_aside(source)
    ][:MOST_IMPORTERS]
    paths = SelectedPaths(source.path for source in sources)
    known: dict[tuple[str, str, str], tuple[str, ...]] = {}
    counts: Counter[str] = Counter()
    modules = _go_modules(repository)
    for number, (file, names) in enumerate(_imports(repository, sources)):
        if not number % 64:
            repository.deadline.check("following imports")
        facts = FileFacts(file.path, Section.CODE, file.language)
        folder, ending = posixpath.split(file.path)[0], posixpath.splitext(file.path)[1]
        imported: set[str] = set()
        for name in names:
            if file.language in _OF_PACKAGES and not name.startswith(modules):
                continue
            # In all files of a folder an import has the same meaning, and most imports are repeated
            # often.
            seen = file.path if file.language in _SEEN_WHOLE else folder
            key = (seen, ending, name)
            if key not in known:
                known[key] = import_targets(facts, name, paths)
            imported.update(known[key])
        if file.language in _OF_PACKAGES:
            packages = {posixpath.dirname(path) for path in imported} - {folder}
            counts.update(package or "." for package in packages)
        else:
            counts.update(imported - {file.path})
    for path, imported in _autoloaded(repository, sources):
        counts.update(imported - {path})
    return counts


def _autoloaded(
    repository: RepositoryFiles, sources: Sequence[ListedFile]
) -> Iterator[tuple[str, set[str]]]:
    """Yield each file of a Rails application with the files whose constants it uses.

    Files of a Rails application do not import each other: Rails loads a constant from the path that
    the constant spells.
    """
    if "config/application.rb" not in repository.by_path:
        return
    ruby = [file.path for file in sources if file.language == "ruby"]
    constants = {path: at[1].replace("_", "") for path in ruby if (at := _ROOT.match(path))}
    paths = {constant: path for path, constant in constants.items()}
    for start in range(0, len(ruby), BATCH_ROWS):
        for path, text in repository.texts(ruby[start : start + BATCH_ROWS]).items():
            itself = constants.get(path, "")
            around = itself.split("/")
            used: set[str] = set()
            for name in set(_CONSTANT.findall(text)):
                spelled = name.lower().replace("::", "/").replace("_", "")
                scopes = ("/".join((*around[:end], spelled)) for end in range(len(around), -1, -1))
                meant = next((scope for scope in scopes if scope in paths), "")
                # The modules that enclose a class do not count as used.
                if meant and not f"{itself}/".startswith(f"{meant}/"):
                    used.add(paths[meant])
            yield path, used


def _go_modules(repository: RepositoryFiles) -> tuple[str, ...]:
    """Return the prefixes of import paths that mean the repository's own Go packages."""
    texts = repository.texts(
        file.path for file in repository.files if file.path.split("/")[-1] == "go.mod"
    )
    modules = [re.search(r"^module[ \t]+(\S+)", text, re.MULTILINE) for text in texts.values()]
    return tuple(file[1].strip('"') for file in modules if file is not None) or ("",)


def _imports(
    repository: RepositoryFiles, sources: Sequence[ListedFile]
) -> Iterator[tuple[ListedFile, tuple[str, ...]]]:
    """Yield files with their imports, which the last line of a header chunk's text lists."""
    for place, segment in enumerate(open_segments(repository.view)):
        image = segment.image
        headers = {}
        for file in sources:
            rows = segment.rows_of(file.file) if file.segment == place else range(0)
            if rows and image.row_anchors[rows[0]]:
                headers[rows[0]] = file
        rows_in_order = sorted(headers)
        for start in range(0, len(rows_in_order), BATCH_ROWS):
            batch = rows_in_order[start : start + BATCH_ROWS]
            repository.deadline.check("following imports")
            for row, details in zip(
                batch, row_details(repository.view, segment, batch), strict=True
            ):
                yield headers[row], listed_imports(details.extra)
