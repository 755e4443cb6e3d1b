"""How many files import each file of a snapshot, by what their header chunks list.

In Go a package is imported and not a file, so that its directory is counted.
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
"""Files whose imports are followed, the first by path."""
_ROOT: Final = re.compile(r"(?:app/[^/]+(?:/concerns)?|lib)/(.+)\.rb$")
"""Folders that Rails loads constants from; the rest of a path spells the constant."""
_CONSTANT: Final = re.compile(r"(?<![\w:.@$'\"])(?:::)?([A-Z]\w*(?:::[A-Z]\w*)*)")
_OF_PACKAGES: Final = frozenset({"go"})
_SEEN_WHOLE: Final = frozenset({"rust"})
"""Languages in which a file's own name decides what its imports mean."""


def imported_files(held: RepositoryFiles) -> Counter[str]:
    """Return by how many other files each is imported, tests and examples not counted.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    sources = [
        one
        for one in held.files
        if corpus_of_language(one.language) is Corpus.CODE and not is_aside(one)
    ][:MOST_IMPORTERS]
    paths = SelectedPaths(one.path for one in sources)
    known: dict[tuple[str, str, str], tuple[str, ...]] = {}
    counts: Counter[str] = Counter()
    modules = _go_modules(held)
    for number, (file, names) in enumerate(_imports(held, sources)):
        if not number % 64:
            held.deadline.check("following imports")
        facts = FileFacts(file.path, Section.CODE, file.language)
        folder, ending = posixpath.split(file.path)[0], posixpath.splitext(file.path)[1]
        found: set[str] = set()
        for name in names:
            if file.language in _OF_PACKAGES and not name.startswith(modules):
                continue
            # Of files side by side an import means the same, and most are written many times.
            seen = file.path if file.language in _SEEN_WHOLE else folder
            key = (seen, ending, name)
            if key not in known:
                known[key] = import_targets(facts, name, paths)
            found.update(known[key])
        if file.language in _OF_PACKAGES:
            packages = {posixpath.dirname(path) for path in found} - {folder}
            counts.update(package or "." for package in packages)
        else:
            counts.update(found - {file.path})
    for path, found in _autoloaded(held, sources):
        counts.update(found - {path})
    return counts


def _autoloaded(
    held: RepositoryFiles, sources: Sequence[ListedFile]
) -> Iterator[tuple[str, set[str]]]:
    """Yield files of a Rails application with those whose constants they use.

    Its files import none of their own: a constant is loaded from the path that it is spelled like.
    """
    if "config/application.rb" not in held.by_path:
        return
    ruby = [one.path for one in sources if one.language == "ruby"]
    constants = {path: at[1].replace("_", "") for path in ruby if (at := _ROOT.match(path))}
    paths = {constant: path for path, constant in constants.items()}
    for start in range(0, len(ruby), BATCH_ROWS):
        for path, text in held.texts(ruby[start : start + BATCH_ROWS]).items():
            own = constants.get(path, "")
            around = own.split("/")
            found: set[str] = set()
            for name in set(_CONSTANT.findall(text)):
                spelled = name.lower().replace("::", "/").replace("_", "")
                scopes = ("/".join((*around[:end], spelled)) for end in range(len(around), -1, -1))
                meant = next((scope for scope in scopes if scope in paths), "")
                # The modules around a class are no use of them.
                if meant and not f"{own}/".startswith(f"{meant}/"):
                    found.add(paths[meant])
            yield path, found


def _go_modules(held: RepositoryFiles) -> tuple[str, ...]:
    """Return what the imports of the repository's own Go packages begin with."""
    texts = held.texts(one.path for one in held.files if one.path.split("/")[-1] == "go.mod")
    found = [re.search(r"^module[ \t]+(\S+)", text, re.MULTILINE) for text in texts.values()]
    return tuple(one[1].strip('"') for one in found if one is not None) or ("",)


def _imports(
    held: RepositoryFiles, sources: Sequence[ListedFile]
) -> Iterator[tuple[ListedFile, tuple[str, ...]]]:
    """Yield files with what they import; the last line of a header chunk's text lists it."""
    for place, segment in enumerate(open_segments(held.view)):
        image = segment.image
        own = {}
        for one in sources:
            rows = segment.rows_of(one.file) if one.segment == place else range(0)
            if rows and image.row_anchors[rows[0]]:
                own[rows[0]] = one
        rows_in_order = sorted(own)
        for start in range(0, len(rows_in_order), BATCH_ROWS):
            batch = rows_in_order[start : start + BATCH_ROWS]
            held.deadline.check("following imports")
            for row, details in zip(batch, row_details(held.view, segment, batch), strict=True):
                yield own[row], listed_imports(details.extra)
