"""Which usages of a name are tied to the repository that defines it, by real indexes."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ggrep.config.home import Home
from ggrep.model.name_pools import Importer, ImportsRequest, ReferencesPoolRequest
from ggrep.model.navigation import ReferencesRequest
from ggrep.search.engine.engine import Engine
from ggrep.search.engine.repo_index import Hosted
from tests.fakes.mentions import InProcessMentions
from tests.fakes.repos import write_tree

HOSTED = Hosted(occurrences=InProcessMentions())  # type: ignore[arg-type]  # answers alike
USE = "    return round_cents(1)\n"


def opened(base: Path, name: str, files: Mapping[str, str]) -> Engine:
    """Return an indexed repository."""
    root = base / name
    write_tree(root, dict(files))
    engine = Engine(root, Home(base / "home"), flags={"encoder": "none"}, hosted=HOSTED)
    engine.sync()
    return engine


def imports_of(engine: Engine) -> dict[str, tuple[str, ...]]:
    pool = engine.ask(ReferencesPoolRequest(ReferencesRequest("round_cents")))
    return {each.path: each.imports for each in pool.importers}


@pytest.mark.slow
def test_files_tell_what_they_import_from_elsewhere_alone(tmp_path: Path) -> None:
    """Neither their own modules, nor the standard library, nor what is relative."""
    files = {
        "pyproject.toml": '[project]\nname = "own-shop"\n',
        "own/util.py": "def helper():\n    pass\n",
        "own/app.py": (
            "import json\nfrom own.util import helper\nfrom .util import helper as again\n"
            f"from money.rounding import round_cents\n\n\ndef total():\n{USE}"
        ),
        "own/bare.py": f"import os\n\n\ndef total():\n{USE}",
    }

    assert imports_of(opened(tmp_path, "app", files)) == {
        "own/app.py": ("money.rounding.round_cents",)
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "language", "path", "imported", "provided"),
    [
        ({"src/money/rounding.py": ""}, "python", "a.py", "money.rounding.round_cents", True),
        ({"money/__init__.py": ""}, "python", "a.py", "money.round_cents", True),
        (
            {"lib.py": "", "setup.cfg": "[metadata]\nname = money\n"},
            "python",
            "a.py",
            "money",
            True,
        ),
        ({"other/rounding.py": ""}, "python", "a.py", "money.rounding.round_cents", False),
        ({"package.json": '{"name": "@shop/money"}'}, "typescript", "a.ts", "@shop/money/x", True),
        ({"package.json": '{"name": "@shop/other"}'}, "typescript", "a.ts", "@shop/money/x", False),
        (
            {"go.mod": "module github.com/shop/money\n"},
            "go",
            "a.go",
            "github.com/shop/money/r",
            True,
        ),
        ({"tests/data/package.json": '{"name": "left"}'}, "typescript", "a.ts", "left", False),
    ],
)
def test_a_repository_tells_which_imports_are_of_it(
    files: dict[str, str], language: str, path: str, imported: str, provided: bool, tmp_path: Path
) -> None:
    """By its packages' names, and by its modules."""
    engine = opened(tmp_path, "lib", {**files, "README.md": "# It\n"})
    asked = ImportsRequest((Importer(path, language, (imported,)),))

    assert engine.ask(asked).provided == (provided,)
