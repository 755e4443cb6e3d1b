"""Where configuration is read, where documents and tests are."""

from collections import Counter, defaultdict
from typing import Final

from ggrep.config.role_rules import RoleRules
from ggrep.model.corpus import Corpus
from ggrep.model.outline import TourLine
from ggrep.model.outline_lines import counted
from ggrep.model.slate import Role
from ggrep.model.traits import EXAMPLE, MADE, TEST, VENDORED, traits_of
from ggrep.parse.languages.registry import corpus_of_language
from ggrep.search.query.segments import open_segments
from ggrep.search.slate.file_candidates import OPTION_WORDS
from ggrep.search.tour.repository_files import RepositoryFiles

_ASIDE: Final = TEST | EXAMPLE | VENDORED | MADE
_MOST_WORDS: Final = 3
_MOST_READERS: Final = 6
_PAGES: Final = ("CONTRIBUTING", "CHANGELOG", "CHANGES", "HACKING", "ARCHITECTURE", "SECURITY")


def configuration(held: RepositoryFiles, rules: RoleRules) -> list[TourLine]:
    """Return the files of code that read options and variables, and those kept for settings.

    Those with most places come first. The words that common libraries are called by tell them.
    """
    words: defaultdict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for place, segment in enumerate(open_segments(held.view)):
        anchors, files = segment.image.row_anchors, segment.image.row_files
        for word in OPTION_WORDS:
            for row in segment.rows_with(word).tolist():
                if segment.visible_rows[row] and not anchors[row]:
                    words[place, int(files[row])][word] += 1
    found = []
    for one in held.files:
        if one.traits & _ASIDE or corpus_of_language(one.language) is not Corpus.CODE:
            continue
        told = words.get((one.segment, one.file), Counter())
        settled = Role.CONFIGURATION in rules.roles_of(one.path) if told else False
        if told:
            found.append((not settled, -sum(told.values()), one.path, told))
    lines = []
    for _, _, path, told in sorted(found, key=lambda each: each[:3])[:_MOST_READERS]:
        most = sorted(told, key=lambda word: (-told[word], word))[:_MOST_WORDS]
        lines.append(TourLine(f"{', '.join(most)}", path))
    return lines


def documents(held: RepositoryFiles) -> list[TourLine]:
    """Return the folders of documents, the README and pages that many repositories have."""
    lines = []
    for name, folder in held.root.folders.items():
        if name.lower() in {"doc", "docs", "documentation", "man", "site", "website"}:
            prose = sum(
                corpus_of_language(one.language) is not Corpus.CODE
                for one in held.files
                if one.path.startswith(f"{name}/")
            )
            lines.append(TourLine(f"{counted(folder.count, 'file')}, {prose} of prose", f"{name}/"))
    for one in held.root.files:
        stem = one.path.partition(".")[0].upper()
        if stem in _PAGES or stem == "README":
            lines.append(TourLine(counted(one.lines, "line"), one.path))
    return lines


def tests(held: RepositoryFiles) -> list[TourLine]:
    """Return the topmost folders of tests, and tests that stand beside what they test."""
    inside: Counter[str] = Counter()
    beside: Counter[str] = Counter()
    example: dict[str, str] = {}
    for one in held.files:
        if not one.traits & TEST or one.traits & VENDORED:
            continue
        folder = _test_folder(one.path)
        if folder:
            inside[folder] += 1
        elif corpus_of_language(one.language) is Corpus.CODE:
            beside[one.language] += 1
            example.setdefault(one.language, one.path)
    lines = [
        TourLine(counted(count, "file"), f"{path}/")
        for path, count in sorted(inside.items(), key=lambda each: (-each[1], each[0]))
    ]
    return lines + [
        TourLine(f"{counted(count, language + ' file')} beside the code, as", example[language])
        for language, count in sorted(beside.items(), key=lambda each: (-each[1], each[0]))
    ]


def _test_folder(path: str) -> str:
    """Return the topmost folder above a file that is one of tests; empty where none is."""
    parts = path.split("/")[:-1]
    for count in range(1, len(parts) + 1):
        folder = "/".join(parts[:count])
        if traits_of(f"{folder}/x") & TEST:
            return folder
    return ""
