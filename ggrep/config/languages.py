"""The languages of files, and a check of filters for them."""

from collections.abc import Iterable
from typing import Final

from ggrep.base.commands import nearest
from ggrep.base.errors import UsageError
from ggrep.config.endings import CODE, ENDINGS, NAMES, PICTURES, PROSE, RECORDS
from ggrep.model.filters import Filter

# `commonlisp` can occur in a file's first line.
LANGUAGES: Final = frozenset({*CODE, *PROSE, *RECORDS, *PICTURES, *NAMES.values(), "commonlisp"})
"""All languages that `lang:` can match, in any index of this build."""

_OTHER_NAMES: Final = {
    "c#": "csharp",
    "c++": "cpp",
    "emacs-lisp": "elisp",
    "f#": "fsharp",
    "golang": "go",
    "objective-c": "objc",
    "shell": "bash",
    "terraform": "hcl",
}

_OF_SEVERAL: Final = frozenset(("cl", "cls", "fs", "h", "inc", "m", "pp", "pro", "t", "v"))
"""Endings that files of several languages have."""


def language_named(word: str) -> str:
    """Return the language that a word means: by name, by alias, or by an ending of its files.

    Return an empty name for an unknown word, and for an ending of several languages.
    """
    word = word.casefold()
    if word in LANGUAGES:
        return word
    ending = word.lstrip(".")
    language = "" if ending in _OF_SEVERAL else ENDINGS.get(ending, "")
    return _OTHER_NAMES.get(word, language)


def check_languages(filters: Iterable[Filter]) -> None:
    """Raise if a `lang:` filter does not name a language."""
    for item in filters:
        if item.key == "lang" and not language_named(item.value):
            word = item.value.casefold()
            meant = ENDINGS.get(word.lstrip(".")) or nearest(word, sorted(LANGUAGES))
            advice = f"did you mean: lang:{meant}" if meant else "use a name such as python or bash"
            raise UsageError(f"filter: lang: unknown language {item.value!r}; {advice}")
