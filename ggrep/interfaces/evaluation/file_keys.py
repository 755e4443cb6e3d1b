"""The keys of suites and committed checks, each with its bounds, words and meaning."""

from collections.abc import Mapping
from typing import Final

from msgspec import NODEFAULT

from ggrep.config.caps import MAX_QUERY_PER_FILE, MAX_QUERY_RESULTS
from ggrep.interfaces.evaluation.questions import SECTIONS
from ggrep.interfaces.evaluation.visible_places import PLACE_PATTERN
from ggrep.model.corpus import CORPUS_WORDS, Mode
from ggrep.model.keys import Declared, Key
from ggrep.model.slate import SECTIONS as SLATE_SECTIONS
from ggrep.search.slate.levels import MAX_SLATE_BYTES, MIN_SLATE_BYTES

Keys = Mapping[str, Declared]

VERSION: Final = 1
"""Of both files."""

_TEXTS: Final = tuple[str, ...]
_CHOICES: Final = tuple[str | tuple[str, ...], ...]
"""Texts, or lists of texts of which any one will do."""
_MODES: Final = tuple(mode.value for mode in Mode)
_CONFIDENCES: Final = ("strong", "weak", "none")
_FLOOR: Final = Key("Confidence that the answer must state.", words=_CONFIDENCES)


def _keys(kind: object, **texts: str | Key) -> dict[str, Declared]:
    said = {name: text if isinstance(text, Key) else Key(text, 1) for name, text in texts.items()}
    return {name: Declared(name, kind, key, None) for name, key in said.items()}


def _needed(kind: object, **texts: str) -> dict[str, Declared]:
    return {name: Declared(name, kind, Key(text, 1), NODEFAULT) for name, text in texts.items()}


_NAMING: Final = _needed(
    str, id="Its name, unlike all others of the file.", query="What is asked."
) | _keys(str, notes="Anything.")
_PUTTING: Final = {
    **_keys(bool, alone=Key("A directory is a root of its own.")),
    **_keys(str, mode=Key("What the hits are wanted for.", words=_MODES)),
    **_keys(int, per_file=Key("Most hits of one file.", 0, MAX_QUERY_PER_FILE)),
    **_keys(
        _TEXTS,
        corpora=Key("Corpora that are searched.", 1, words=tuple(CORPUS_WORDS)),
        filters="Filters as `key:value`, negated with a leading `-`.",
    ),
    **_keys(str, workspace="Workspace file that is asked, relative to this file."),
}

SUITE_DEFAULTS: Final[Keys] = {
    **_PUTTING,
    **_keys(int, k=Key("Hits asked for; 30 unless said.", 1, MAX_QUERY_RESULTS)),
    **_keys(
        str,
        repo="Directory that is asked, relative to this file.",
        category="What figures are also drawn by.",
        language="What figures are also drawn by.",
    ),
}
CASE: Final[Keys] = {
    **_NAMING,
    **SUITE_DEFAULTS,
    **_keys(
        _TEXTS,
        relevant="Files that answer.",
        secondary="Files that answer, too; all count alike.",
        expect_any_path_contains="One of these must be found in some path.",
        expect_all_path_contains="Each of these must be found in some path.",
        expect_any_path_regex="One of these must be found in some path.",
        expect_all_path_regex="Each of these must be found in some path.",
    ),
    **_keys(str, expect_confidence=_FLOOR),
    **_keys(
        _CHOICES,
        places=Key(
            "Lines that slates should show, as `src/lock.c:120-127`; a list inside of the list is"
            " a choice.",
            1,
            pattern=PLACE_PATTERN,
        ),
    ),
}
CHECK_DEFAULTS: Final[Keys] = {
    **_PUTTING,
    **_keys(
        int,
        limit=Key("Hits asked for; 10 unless said.", 1, MAX_QUERY_RESULTS),
        rank_tolerance=Key("Places by which a rank may be missed."),
    ),
    **_keys(str, root="Directory that is asked, relative to this file."),
}
EXPECTING: Final[Keys] = {
    **_keys(
        _TEXTS,
        expect_any="Paths of which one must come.",
        expect_all="Paths of which each must come.",
        expect_none="Paths of which none may come.",
        expect_order=Key("Paths, each before the next.", 2),
    ),
    **_keys(
        str,
        expect_first="Path that comes before all others.",
        expect_section=Key("Section of the best hit.", words=SECTIONS),
        expect_symbol="A name that some hit defines.",
        expect_confidence=_FLOOR,
    ),
    **_keys(dict, expect_within='`{ "path" = 3 }`: among the first three files.'),
    **_keys(
        int,
        expect_min_hits=Key("Least number of hits.", 1),
        expect_max_hits=Key("Most hits; 0 where nothing may come."),
    ),
    **_keys(
        _CHOICES,
        place=Key(
            "Lines that the slate must show, half of them at least, as `src/lock.c:120-127`; a"
            " list inside of the list is a choice.",
            1,
            pattern=PLACE_PATTERN,
        ),
    ),
    **_keys(
        dict,
        section=Key(
            '`{ "docs/retries.md" = "docs" }`: section of the slate in which a file must stand.',
            1,
            words=tuple(section.value for section in SLATE_SECTIONS),
        ),
    ),
}
CHECK: Final[Keys] = {
    **_NAMING,
    **CHECK_DEFAULTS,
    **EXPECTING,
    **_keys(
        int,
        max_bytes=Key(
            "Bytes that the slate may take, as JSON; 16384 unless said.",
            MIN_SLATE_BYTES,
            MAX_SLATE_BYTES,
        ),
    ),
}
CHECK_TOP: Final[Keys] = _keys(
    int, allow_failures=Key("So many checks may fail; they are told all the same.")
)
