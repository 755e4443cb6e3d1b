"""The files to read first: the most imported and the largest, with their exported names."""

import re
from collections import Counter
from typing import Final

from ggrep.model.corpus import Corpus
from ggrep.model.files import ENTRANCE
from ggrep.model.outline import TourFact, counted, indexed_files
from ggrep.parse.languages.registry import corpus_of_language
from ggrep.search.navigation.main_names import ranked_names
from ggrep.search.query.listing import ListedFile
from ggrep.search.tour.imports_in import imported_files
from ggrep.search.tour.repository_files import RepositoryFiles, is_aside

_LEAST_IMPORTS: Final = 2
_MOST_IMPORTED: Final = 5
_MOST_FILES: Final = 8
_MOST_NAMES: Final = 3
_SCRIPT: Final = (
    r"^\s*export\s+(?:default\s+)?(?:declare\s+|abstract\s+|async\s+)*"
    r"(?:function\*?|class|const|let|var|interface|type|enum)\s+NAME\b"
    r"|^\s*export\s*\{[^}]*\bNAME\b|\bexports\.NAME\s*="
    r"|\bmodule\.exports\s*=\s*(?:(?:async\s+)?(?:function|class)\s+)?NAME\b"
    r"|\bmodule\.exports\s*=\s*\{[^}]*\bNAME\b"
)
_EXPORTED: Final = {
    "python": r"^(?:(?:async )?def |class )NAME\b|^NAME(?:\s*:[^=\n]+)?\s*=(?!=)",
    "rust": (
        r"^\s*pub(?:\([^)]*\))?\s+(?:[\w\"]+\s+)*"
        r"(?:fn|struct|enum|trait|type|const|static|union)\s+NAME\b"
    ),
    "javascript": _SCRIPT,
    "jsx": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "java": r"^\s*public\s[^=;{]*\bNAME\b",
    "csharp": r"^\s*public\s[^=;{]*\bNAME\b",
    "go": r"^(?:func (?:\([^)]*\) )?|type )NAME\b",
    "ruby": r"^\s*(?:class|module)\s+(?:\w+::)*NAME\b",
    "c": r"^(?!.*\bstatic\b)(?:struct|enum|union|typedef|\w[\w\s*]*?)[\s*]+NAME\b",
    "cpp": r"^\s*(?:class|struct|enum(?: class)?|union|using)\s+NAME\b(?!\s*;)",
}
"""By language: patterns of lines that define and export a name; NAME is replaced by the name."""


def main_files(repository: RepositoryFiles) -> list[TourFact]:
    """Return the most imported files of code, then the largest, with their exported names.

    Left out are tests, benchmarks, examples, and files that only re-export names.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    code = {
        file.path: file
        for file in repository.files
        if file.definitions
        and not file.traits & ENTRANCE
        and corpus_of_language(file.language) is Corpus.CODE
        and not is_aside(file)
    }
    counts = imported_files(repository)
    imported = [
        path
        for path in sorted(counts, key=lambda path: (-counts[path], path))
        if counts[path] >= _LEAST_IMPORTS and (path in code or path not in repository.by_path)
    ][:_MOST_IMPORTED]
    largest = sorted(code, key=lambda path: (-code[path].lines, path))
    kept = list(dict.fromkeys([*imported, *largest]))[:_MOST_FILES]
    files = [code[path] for path in kept if path in code]
    names = dict(
        zip((file.path for file in files), _exported_names(repository, files), strict=True)
    )
    lines = []
    for path in kept:
        if path in code:
            lines.append(TourFact(_described(code[path], names[path]), path))
        else:
            lines.append(TourFact(indexed_files(len(repository.in_folder(path))), f"{path}/"))
    return lines


def _described(file: ListedFile, names: list[str]) -> str:
    return ": ".join(filter(None, (counted(file.lines, "indexed line"), ", ".join(names))))


def _exported_names(repository: RepositoryFiles, files: list[ListedFile]) -> list[list[str]]:
    texts = repository.texts(listed.path for listed in files)
    ranked = ranked_names(repository.view, files, repository.deadline)
    exported = [
        [
            (name, shown)
            for name, shown in names
            if _is_exported(name, file, texts.get(file.path, ""))
        ]
        for file, names in zip(files, ranked, strict=True)
    ]
    # A name that several of these files export is a namespace that each of them extends.
    seen = Counter(name for names in exported for name, _ in names)
    return [[shown for name, shown in names if seen[name] == 1][:_MOST_NAMES] for names in exported]


def _is_exported(name: str, file: ListedFile, text: str) -> bool:
    form = _EXPORTED.get(file.language)
    if form is None or not re.fullmatch(r"[A-Za-z]\w*", name):
        return False
    if file.language == "go" and not name[0].isupper():
        return False
    if file.language in {"c", "cpp"} and not re.search(r"\.h\w*$", file.path):
        return False
    return bool(re.search(form.replace("NAME", re.escape(name)), text, re.MULTILINE))
