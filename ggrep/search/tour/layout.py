"""The folders of a repository with what they say of themselves, and its languages by size."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from ggrep.model.corpus import Corpus
from ggrep.model.files import EXAMPLE, GENERATED, MACHINE_WRITTEN, TEST, VENDORED, traits_of
from ggrep.model.outline import TourFact, indexed_files
from ggrep.parse.languages.registry import corpus_of_language
from ggrep.search.query.folders import Folder, joined
from ggrep.search.query.listing import ListedFile
from ggrep.search.tour.repository_files import RepositoryFiles
from ggrep.search.tour.sentences import Said, readme_says, source_says

MOST_LANGUAGES: Final = 6
_DESCRIPTION: Final = 100
_MOST_FOLDERS: Final = 40
_LEAST_SHARE: Final = 0.01
"""Of all lines: languages with fewer are not told."""
_UNKNOWN: Final = frozenset({"code", "text"})
"""Languages of files without a known ending."""
_MAIN_SHARE: Final = 0.6
"""A folder with so much of the lines of code is opened: what is in it is the layout."""
_SPEAKERS: Final = (
    *("README.md", "README.rst", "README.txt", "README", "readme.md", "__init__.py", "doc.go"),
    *("package-info.java", "lib.rs", "mod.rs", "src/lib.rs", "main.rs", "src/main.rs"),
    "main.go",
)
"""Files that say what the folder they lie in is for, the first there is."""
_ASIDE: Final = TEST | EXAMPLE | VENDORED | GENERATED


def languages(held: RepositoryFiles) -> list[TourFact]:
    """Return the languages by lines, those of programs first; what nobody wrote is left out."""
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    folders = {one.path.rpartition("/")[0] for one in held.files}
    for file, name in (pair for path in folders for pair in _languages(held.in_folder(path))):
        lines[name] += file.lines
        files[name] += 1
    least = lines.total() * _LEAST_SHARE
    order = sorted(
        (name for name in lines if lines[name] >= least),
        key=lambda name: (corpus_of_language(name) is not Corpus.CODE, -lines[name], name),
    )
    told = [
        f"{name} {lines[name]:,} lines in {indexed_files(files[name])}"
        for name in order[:MOST_LANGUAGES]
    ]
    return [TourFact("; ".join(told), "")] if told else []


def folders(held: RepositoryFiles) -> list[TourFact]:
    """Return the top folders, each with what it says of itself where it says something.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    shown = sorted(_shown(held.root, ""), key=lambda one: one[0].encode())
    if len(shown) > _MOST_FOLDERS:
        kept = sorted(shown, key=lambda one: (-one[1].lines, one[0]))[:_MOST_FOLDERS]
        shown = sorted(kept, key=lambda one: one[0].encode())
    speakers = {path: list(_speakers(held, path)) for path, _ in shown}
    texts = held.texts([path for found in speakers.values() for path in found])
    lines = []
    for path, folder in shown:
        said, by = _said(held, speakers[path], texts)
        size = ", ".join(filter(None, (indexed_files(folder.count), _main_language(folder))))
        if said is None:
            lines.append(TourFact(f"{path}/  {size}", f"{path}/"))
        else:
            lines.append(TourFact(f"{path}/  {size}: {said.text}", by, said.line))
    return lines


def _shown(folder: Folder, path: str) -> Iterator[tuple[str, Folder]]:
    """Yield the folders of the layout: of one that holds most of the code its subfolders too."""
    kept = [
        joined(f"{path}{name}", below)
        for name, below in folder.folders.items()
        if not name.startswith(".") and not name.endswith(".egg-info")
    ]
    code = [0 if traits_of(f"{here}/x") & _ASIDE else _code(below) for here, below in kept]
    for (here, below), lines in zip(kept, code, strict=True):
        yield here, below
        if below.folders and lines and lines >= sum(code) * _MAIN_SHARE:
            yield from _shown(below, f"{here}/")


def _languages(files: Iterable[ListedFile]) -> Iterator[tuple[ListedFile, str]]:
    """Yield files of a folder that people wrote, with their language; unknown ones are left out.

    Headers beside more C++ than C sources are C++, but for those of a C source.
    """
    written = [one for one in files if not one.traits & (MACHINE_WRITTEN | VENDORED)]
    counts = Counter(one.language for one in written if not one.path.endswith(".h"))
    stems = {one.path[:-2] for one in written if one.path.endswith(".c")}
    for file in written:
        header = file.path.endswith(".h") and file.path[:-2] not in stems
        if header and file.language == "c" and counts["cpp"] > counts["c"]:
            yield file, "cpp"
        elif file.language not in _UNKNOWN:
            yield file, file.language


def _main_language(folder: Folder) -> str:
    """Return the language of most lines below a folder; empty where none is known."""
    lines: Counter[str] = Counter()
    left = [folder]
    while left:
        here = left.pop()
        left += here.folders.values()
        for file, language in _languages(here.files):
            lines[language] += file.lines
    return min(lines, key=lambda name: (-lines[name], name), default="")


def _code(folder: Folder) -> int:
    return sum(
        lines
        for language, lines in folder.languages.items()
        if corpus_of_language(language) is Corpus.CODE
    )


def _speakers(held: RepositoryFiles, path: str) -> Iterator[str]:
    """Yield the files that may say what a folder is for."""
    yield from held.there(f"{path}/{name}" for name in _SPEAKERS)
    own = [one.path for one in held.in_folder(path) if one.language == "go"]
    name = path.rpartition("/")[2]
    named = [one for one in own if one == f"{path}/{name}.go"]
    yield from (*named, *(one for one in own if not one.endswith("_test.go")))[:6] if own else ()


def _said(
    held: RepositoryFiles, speakers: list[str], texts: dict[str, str]
) -> tuple[Said | None, str]:
    for path in speakers:
        text = texts.get(path, "")
        name = path.rpartition("/")[2].lower()
        if name.startswith("readme"):
            said = readme_says(text, _DESCRIPTION)
        else:
            said = source_says(text, held.by_path[path].language, _DESCRIPTION)
        if said is not None:
            return said, path
    return None, ""
