"""A linter of prose: sentences of pages, help, messages and docstrings.

proselint runs its own checks and those of `words.toml`; codespell finds misspelt words of pages.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from codespell_lib import main as codespell
from proselint.checks import __register__
from proselint.registry.checks import Check
from proselint.registry.checks.types import ExistenceSimple, PreferredForms

from ggrep.interfaces.cli.parsing.help_table import every_page
from tests.docs.pages import PAGES, ROOT, SOURCES, page

WORDS: Final = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
FIELDS: Final = ("malapropisms", "nonwords", "oxymorons", "redundancy")
"""Checks of proselint that are fast and seldom wrong."""
CHECKS: Final = [
    Check(ExistenceSimple(rf"(?m)^(?:{'|'.join(WORDS['openings'])})\b"), message="begins: {}"),
    Check(PreferredForms(WORDS["pictures"] | WORDS["terms"]), message="{1}: write {0}"),
    *(check for check in __register__ if check.path.startswith(FIELDS)),
]
RECORDS: Final = "docs/adr/"
USER_PAGES: Final = [
    name
    for name in (path.relative_to(ROOT).as_posix() for path in PAGES)
    if not name.startswith(RECORDS)
]
HELP: Final = every_page()


def help_text(name: str) -> str:
    """Return the sentences of a page of help, a paragraph each."""
    shown = HELP[name]
    rows = [row.text for section in shown.sections for row in section.rows]
    comments = [comment for _, comment in shown.examples]
    return "\n\n".join([shown.brief, *shown.about, *rows, *comments])


def texts_of(source: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module that contain several words, with their lines.

    A field of an f-string is `{}`. A text that begins with `of` is a part of a longer message.
    """
    parts_of_texts: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.JoinedStr | ast.Constant):
            continue
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        texts = [part.value if isinstance(part, ast.Constant) else "{}" for part in parts]
        text = "".join(each for each in texts if isinstance(each, str))
        if (
            " " in text.strip()
            and id(node) not in parts_of_texts
            and not text.strip().startswith("of ")
        ):
            yield node.lineno, re.sub(r"^ +\w+: ", "\n", text, flags=re.MULTILINE)
        parts_of_texts.update(map(id, parts))


def plain_text(text: str) -> str:
    """Return text with each paragraph on its first line, so that phrases are whole.

    Headings, comments, code and the words between double quotes are left out.
    """
    text = re.sub(r"^```.*?^```", _as_empty_lines, text, flags=re.DOTALL | re.MULTILINE)
    lines: list[str] = []
    first = 0
    for line in text.splitlines():
        goes_on = lines and lines[first].strip() and not re.match(r"\s*(?:$|[|#]|- |\d+\. )", line)
        if goes_on:
            lines[first] += f" {line.strip()}"
        else:
            first = len(lines)
        lines.append("" if goes_on else line)
    text = re.sub(r"^#.*|<!--.*?-->", "", "\n".join(lines), flags=re.MULTILINE)
    text = re.sub(r"`[^`\n]*`", "`code`", text)
    text = re.sub(r"\[([^\]\n]*)\]\([^)\n]*\)", r"\1", text)
    return re.sub(r'"[^"\n]*"', '"quoted"', text)


def _as_empty_lines(block: re.Match[str]) -> str:
    return "\n" * block[0].count("\n")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of paragraphs, list items and table cells."""
    for line in plain_text(text).splitlines():
        for cell in line.split("|") if line.startswith("|") else [line]:
            for each in re.split(r"(?<=[.!?])\s+|(?<=:)\s+(?=[A-Z])", cell.strip()):
                yield each.lstrip("*-( ")


def faults(texts: dict[str, str]) -> list[tuple[str, str, str]]:
    """Return for each fault the name of its text, the sentence and the message."""
    lines = [(name, each) for name, text in texts.items() for each in sentences(text) if each]
    content = "\n".join(each for _, each in lines)
    return [
        (*lines[content.count("\n", 0, result.span[0])], result.message)
        for check in CHECKS
        for result in check.check_with_flags(content)
    ]


def all_texts() -> dict[str, str]:
    """Return pages for users, pages of help and the texts of modules by their place."""
    texts = {name: page(name) for name in USER_PAGES}
    texts |= {f"help of {name or 'ggrep'}": help_text(name) for name in HELP}
    for path in SOURCES:
        name = path.relative_to(ROOT)
        source = path.read_text(encoding="utf-8")
        texts |= {f"{name}:{line}": text for line, text in texts_of(source)}
    return texts


def misspelt(*pages: Path) -> bool:
    """Return whether codespell corrects words of pages; print them."""
    return codespell("--ignore-regex", "`[^`]*`", *map(str, pages)) != 0


def main() -> int:
    """Check all prose; return an exit status."""
    wrong = faults(all_texts())
    print(*(": ".join(each) for each in wrong), sep="\n")
    return int(misspelt(*PAGES) or bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
