"""The folders of a repository with descriptions from their files, and its languages by size."""

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
from ggrep.search.tour.sentences import Quotation, readme_says, source_says

MOST_LANGUAGES: Final = 6
_DESCRIPTION: Final = 100
_MOST_FOLDERS: Final = 40
_LEAST_SHARE: Final = 0.01
"""Minimum share of all lines of a listed language."""
_UNKNOWN: Final = frozenset({"code", "text"})
"""Names of the languages of files without a known ending."""
_MAIN_SHARE: Final = 0.6
"""Minimum share of the code lines in a folder whose subfolders are also listed."""
_SPEAKERS: Final = (
    *("README.md", "README.rst", "README.txt", "README", "readme.md", "__init__.py", "doc.go"),
    *("package-info.java", "lib.rs", "mod.rs", "src/lib.rs", "main.rs", "src/main.rs"),
    "main.go",
)
"""Files that describe their folder; the first existing one counts."""
_ASIDE: Final = TEST | EXAMPLE | VENDORED | GENERATED


def languages(repository: RepositoryFiles) -> list[TourFact]:
    """Return the languages by lines of hand-written files, programming languages first."""
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    folders = {listed.path.rpartition("/")[0] for listed in repository.files}
    for file, name in (pair for path in folders for pair in _languages(repository.in_folder(path))):
        lines[name] += file.lines
        files[name] += 1
    least = lines.total() * _LEAST_SHARE
    order = sorted(
        (name for name in lines if lines[name] >= least),
        key=lambda name: (corpus_of_language(name) is not Corpus.CODE, -lines[name], name),
    )
    shares = [
        f"{name} {lines[name]:,} lines in {indexed_files(files[name])}"
        for name in order[:MOST_LANGUAGES]
    ]
    return [TourFact("; ".join(shares), "")] if shares else []


def folders(repository: RepositoryFiles) -> list[TourFact]:
    """Return the top folders, each with its description if it has one.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    shown = sorted(_shown(repository.root, ""), key=lambda item: item[0].encode())
    if len(shown) > _MOST_FOLDERS:
        kept = sorted(shown, key=lambda item: (-item[1].lines, item[0]))[:_MOST_FOLDERS]
        shown = sorted(kept, key=lambda item: item[0].encode())
    speakers = {path: list(_speakers(repository, path)) for path, _ in shown}
    texts = repository.texts([path for names in speakers.values() for path in names])
    lines = []
    for path, folder in shown:
        sentence, by = _description(repository, speakers[path], texts)
        size = ", ".join(filter(None, (indexed_files(folder.count), _main_language(folder))))
        if sentence is None:
            lines.append(TourFact(f"{path}/  {size}", f"{path}/"))
        else:
            lines.append(TourFact(f"{path}/  {size}: {sentence.text}", by, sentence.line))
    return lines


def _shown(folder: Folder, path: str) -> Iterator[tuple[str, Folder]]:
    """Yield the folders of the layout, and the subfolders of a folder with most of the code."""
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
    """Yield hand-written files of a folder with their language; omit files of unknown languages.

    Header files count as C++ if there is more C++ than C, except a header with the name of a C
    source.
    """
    written = [listed for listed in files if not listed.traits & (MACHINE_WRITTEN | VENDORED)]
    counts = Counter(listed.language for listed in written if not listed.path.endswith(".h"))
    stems = {listed.path[:-2] for listed in written if listed.path.endswith(".c")}
    for file in written:
        header = file.path.endswith(".h") and file.path[:-2] not in stems
        if header and file.language == "c" and counts["cpp"] > counts["c"]:
            yield file, "cpp"
        elif file.language not in _UNKNOWN:
            yield file, file.language


def _main_language(folder: Folder) -> str:
    """Return the language with most lines below a folder; empty if no language is known."""
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


def _speakers(repository: RepositoryFiles, path: str) -> Iterator[str]:
    """Yield the files that can contain a description of a folder."""
    yield from repository.there(f"{path}/{name}" for name in _SPEAKERS)
    sources = [source.path for source in repository.in_folder(path) if source.language == "go"]
    name = path.rpartition("/")[2]
    named = [source for source in sources if source == f"{path}/{name}.go"]
    yield from (
        (*named, *(source for source in sources if not source.endswith("_test.go")))[:6]
        if sources
        else ()
    )


def _description(
    repository: RepositoryFiles, speakers: list[str], texts: dict[str, str]
) -> tuple[Quotation | None, str]:
    for path in speakers:
        text = texts.get(path, "")
        name = path.rpartition("/")[2].lower()
        if name.startswith("readme"):
            sentence = readme_says(text, _DESCRIPTION)
        else:
            sentence = source_says(text, repository.by_path[path].language, _DESCRIPTION)
        if sentence is not None:
            return sentence, path
    return None, ""
