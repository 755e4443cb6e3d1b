"""What a path says of a file beside its roles: a page that a program fills, or a list.

Both look like prose to whoever goes by a language alone. A page answers as code does; a list (a
translation, a word list, what a tool wrote down of a package) is no document, and no code either.
"""

import re
from typing import Final, Literal, TypeAlias

Filing: TypeAlias = Literal["page", "list", ""]

_TEMPLATE: Final = re.compile(
    r"\.(?:jsp|jspx|jspf|gsp|asp|aspx|ascx|cshtml|vbhtml|razor|erb|haml|slim|ejs|hbs|handlebars"
    r"|mustache|jinja|jinja2|j2|njk|liquid|twig|phtml|tpl|ftl|vm|heex|eex|leex|svelte|vue)$"
)
_HTML: Final = re.compile(r"\.x?html?$")
_PAGES: Final = frozenset(
    {"app", "components", "frontend", "gui", "layouts", "partials", "templates", "ui", "views"}
    | {"web-app", "webapp", "webui"}
)
"""Directories whose HTML is filled or run by a program."""

_CATALOGUE: Final = re.compile(r"\.(?:po|pot|xlf|xliff|arb|resx|strings|stringsdict)$")
_TRANSLATED: Final = frozenset(
    {"i18n", "intl", "l10n", "lang", "langs", "language", "languages", "locale", "locales"}
    | {"translation", "translations"}
)
_TONGUE: Final = re.compile(r"(?:[\w-]*?[._-])?[a-z]{2}(?:[-_](?:[a-z]{2}|[a-z]{4}|\d{3}))?")
_RARE_TONGUE: Final = re.compile(r"[a-z]{2,3}(?:[-_@][a-z0-9]{2,10})?")
"""As `ckb` or `ca-valencia`: of a directory alone, as words of three letters are many."""
_PROGRAM: Final = re.compile(
    r"\.(?:c|cc|cpp|cs|ex|exs|go|h|hpp|hs|java|js|jsx|kt|lua|m|ml|mm|php|pl|pm|py|rake|rb|rs|scala"
    r"|sh|swift|ts|tsx|zig)$"
)
_NO_TONGUES: Final = frozenset(
    {"cc", "cs", "ex", "go", "hs", "js", "kt", "ml", "mm", "pl", "pm", "py", "rb", "rs", "sh", "ts"}
)
"""Directories of sources below `lang` that are named after a programming language."""
_READ: Final = re.compile(r"\.(?:adoc|asciidoc|md|mdx|markdown|org|rst)$")
"""What people write for people, in whatever language."""

_LISTS: Final = frozenset(
    {"data", "dict", "dictionaries", "dicts", "lists", "stopwords", "wordlist", "wordlists"}
    | {"words"}
)
_LIST: Final = re.compile(r"\.(?:dic|list|lst|txt|words)$")
_LIST_NAME: Final = re.compile(
    r"(?:^|[._-])(?:dictionary|stop_?words|word_?list|words)\.(?:dic|list|lst|txt)$"
)
_NOTED: Final = re.compile(r"\.(?:egg|dist)-info$")
_TOLD: Final = re.compile(r"^(?:readme|changes|changelog|history|install|todo|notice)\b")


def filing_of(path_key: str) -> Filing:
    """Return what a path says of its file; empty where it says neither."""
    *directories, name = path_key.lower().split("/")
    if _READ.search(name):
        return ""
    if _is_translation(directories, name) or _is_list(directories, name):
        return "list"
    if _TEMPLATE.search(name) or (_HTML.search(name) and not _PAGES.isdisjoint(directories)):
        return "page"
    return ""


def _is_translation(directories: list[str], name: str) -> bool:
    """Return whether a file holds texts in one language, as one of several."""
    if _CATALOGUE.search(name) or any(part.endswith(".lproj") for part in directories):
        return True
    place = next((at for at, part in enumerate(directories) if part in _TRANSLATED), None)
    if place is None:
        return False
    below, stem = directories[place + 1 :], name.partition(".")[0]
    if _PROGRAM.search(name):
        return any(map(_TONGUE.fullmatch, (*below, stem))) and _NO_TONGUES.isdisjoint(below)
    return any(map(_RARE_TONGUE.fullmatch, below)) or bool(_TONGUE.fullmatch(stem))


def _is_list(directories: list[str], name: str) -> bool:
    if _TOLD.match(name):
        return False
    if _LIST_NAME.search(name) or any(map(_NOTED.search, directories)):
        return True
    return bool(directories) and directories[-1] in _LISTS and bool(_LIST.search(name))
