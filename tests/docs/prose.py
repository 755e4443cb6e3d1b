"""Prose for the linter of words: sentences of pages, help and messages.

`python3 dev.py docs` runs `codespell` over them, with its own dictionary for misspelt words and
with `plain_words.txt` for words that readers stumble over.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from codespell_lib import main as codespell

from ggrep.interfaces.cli.parsing.help_table import every_page
from tests.docs.pages import PAGES, ROOT, SOURCES, page

WORDS: Final = Path(__file__).with_name("plain_words.txt")
"""Words and pictures to avoid, each with the field's word."""
OTHER_READERS: Final = (*("docs/impl/", "docs/adr/", "docs/changelog.md", "docs/requirements.md"),)
USER_PAGES: Final = [
    name
    for name in (path.relative_to(ROOT).as_posix() for path in PAGES)
    if not name.startswith(OTHER_READERS)
]
HELP: Final = every_page()


def help_text(name: str) -> str:
    """Return the sentences of a page of help, a paragraph each."""
    shown = HELP[name]
    rows = [row.text for section in shown.sections for row in section.rows]
    comments = [comment for _, comment in shown.examples]
    return "\n\n".join([shown.brief, *shown.about, *rows, *comments])


def messages(source: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module that hold several words, docstrings aside, with their lines.

    A hole of an f-string is `{}`.
    """
    tree = ast.parse(source)
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        texts = [part.value if isinstance(part, ast.Constant) else "{}" for part in parts]
        text = "".join(each for each in texts if isinstance(each, str))
        if " " in text.strip() and id(node) not in skipped:
            yield node.lineno, text
        skipped.update(map(id, parts))


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


def misspelt(folder: Path) -> bool:
    """Return whether codespell's own dictionary corrects words below a folder; print them."""
    return codespell("--ignore-regex", "`[^`]*`", str(folder)) != 0


def unplain(folder: Path) -> bool:
    """Return whether `plain_words.txt` replaces words or phrases below a folder; print them."""
    entries = WORDS.read_text(encoding="utf-8").splitlines()
    phrases = [line.partition("->")[0] for line in entries if " " in line.partition("->")[0]]
    words = "|".join([*phrases, r"[\w-]+"])
    return codespell("-D", str(WORDS), "--regex", rf"(?i)\b(?:{words})\b", str(folder)) != 0


def main() -> int:
    """Check all prose; return an exit status."""
    with TemporaryDirectory() as place:
        pages, texts = Path(place) / "pages", Path(place) / "texts"
        for path in PAGES:
            _write(pages / path.relative_to(ROOT), path.read_text(encoding="utf-8"))
        for name in USER_PAGES:
            _write(texts / name, plain_text(page(name)))
        for name in HELP:
            _write(texts / "help" / f"{name or 'ggrep'}.txt", plain_text(help_text(name)))
        for path in SOURCES:
            source = path.read_text(encoding="utf-8")
            lines = [""] * source.count("\n")
            for line, text in messages(source):
                lines[line - 1] += f" {plain_text(text)}".replace("\n", " ")
            _write(texts / path.relative_to(ROOT), "\n".join(lines))
        return int(misspelt(pages) | unplain(texts))


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
