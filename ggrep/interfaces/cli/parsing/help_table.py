"""Pages of help as a file of values, so that help loads no command.

    python -m ggrep.interfaces.cli.parsing.help_table

writes `help_pages.json` anew; a test says when it has to be.
"""

import sys

from ggrep.base import stable_json
from ggrep.base.stable_json import Json
from ggrep.interfaces.cli.parsing.command_page import every_page
from ggrep.interfaces.cli.parsing.help_pages import FILE
from ggrep.interfaces.cli.parsing.help_values import Page


def shipped() -> bytes:
    """Return the file, a line for each page."""
    lines = [
        stable_json.dumps(name) + b": " + stable_json.dumps(_json(page))
        for name, page in every_page().items()
    ]
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def _json(page: Page) -> Json:
    return {
        "path": page.path,
        "usage": page.usage,
        "brief": page.brief,
        "about": page.about,
        "sections": [
            [section.title, [[row.term, row.text] for row in section.rows]]
            for section in page.sections
        ],
        "examples": page.examples,
    }


def main() -> int:
    """Write the file."""
    FILE.write_bytes(shipped())
    return 0


if __name__ == "__main__":
    sys.exit(main())
