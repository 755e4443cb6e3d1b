"""The tour of a repository: what its own files say of it, and where."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.model.outline import TourRequest, TourResponse, size_of, tour_lines
from tests.fakes.repos import IndexOf, write_tree

PYTHON = {
    "README.md": "# Till\n\n[![CI](https://x/y.svg)](https://x)\n\n"
    "Till counts money. It is fast.\n",
    "pyproject.toml": (
        '[project]\nname = "till"\ndescription = "Counts money quickly."\n'
        '[project.scripts]\ntill = "till.cli:main"\n'
        '[build-system]\nbuild-backend = "hatchling.build"\n[tool.pytest.ini_options]\nx = 1\n'
    ),
    "Makefile": "build: src\n\tpip install .\n\ntest:\n\tpytest\n\n%.o: x\n",
    "src/till/__init__.py": '"""Money in drawers."""\n',
    "src/till/__main__.py": "from till.cli import main\n\nmain()\n",
    "src/till/cli.py": "import argparse\n\nfrom till import money\n\n\ndef main():\n"
    "    argparse.ArgumentParser().add_argument('a')\n",
    "src/till/money.py": "def add(a, b):\n    return a + b\n",
    "src/till/store.py": "import os\n\nfrom till.money import add\n\nHOME = os.environ['HOME']\n",
    "tests/test_money.py": "from till.money import add\n\n\n"
    "def test_add():\n    assert add(1, 2)\n",
    "docs/use.md": "# Use\n\nCount.\n",
    "CONTRIBUTING.md": "# How\n\nAsk.\n",
    ".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: pip install tox\n"
    "      - run: |\n          set -e\n          tox -e py311\n          ruff check .\n",
}
GO = {
    "go.mod": "module example.com/till\n\ngo 1.21\n",
    "cmd/till/main.go": 'package main\n\nimport (\n\t"example.com/till/money"\n'
    '\t"github.com/a/b"\n)\n\n'
    "// main counts.\nfunc main() {\n\tmoney.Add()\n}\n",
    "cmd/other/main.go": 'package main\n\nimport "example.com/till/money"\n\n'
    "func main() {\n\tmoney.Add()\n}\n",
    "money/doc.go": "// Package money adds amounts. It is exact.\npackage money\n",
    "money/add.go": "package money\n\nfunc Add() {}\n",
    "money/add_test.go": "package money\n",
    "root.go": "package till\n",
}


RAILS = {
    "README.md": "# Shop\n\n[See full documentation](https://x)\n",
    "config/application.rb": "module Shop\nend\n",
    "config/puma.rb": "port ENV.fetch('PORT')\n",
    "app/models/order.rb": "class Order < ApplicationRecord\n  belongs_to :user\nend\n",
    "app/models/order/line.rb": "class Order::Line\n  def total = Tax.of(self)\nend\n",
    "app/models/tax.rb": "class Tax\n  def self.of(line) = 1\nend\n",
    "app/controllers/orders_controller.rb": "class OrdersController\n  def show = Order.find(1)\n"
    "  def tax = Tax.of(Order::Line.new)\nend\n",
    "app/jobs/mail_job.rb": "class MailJob\n  def perform = Order.find(1)\nend\n",
    "app/views/orders/show.html.erb": "<% environment %><a data-action='click->a#b'>Pay</a>\n",
    "public/menu.js": "const env = process.env.MENU;\n",
    "deps/README.md": "# Deps\n\nParts of other projects that we keep.\n",
    "deps/a.c": "int a;\n",
    "spec/order_spec.rb": "Order.new\n",
}


def toured(index_of: IndexOf, files: Mapping[str, str | bytes], most: int = 4_096) -> TourResponse:
    return index_of(files, encoder="none").ask(TourRequest(most, deterministic=True))


def told(found: TourResponse) -> dict[str, list[tuple[str, str, int]]]:
    return {
        section.kind: [(line.text, line.path, line.line) for line in section.facts]
        for section in found.sections
    }


def test_a_python_project_says_what_it_is_and_where(index_of: IndexOf) -> None:
    """Each line is a quotation, a name or a count, and names its file."""
    result = told(toured(index_of, PYTHON))

    assert result["about"] == [
        ("Till counts money. It is fast.", "README.md", 5),
        ("Counts money quickly.", "pyproject.toml", 3),
    ]
    assert result["languages"][0][0].startswith("python ")
    assert ("src/till/  5 indexed files, python: Money in drawers.", "src/till/__init__.py", 1) in (
        result["folders"]
    )
    assert result["entry_points"] == [
        ("till = till.cli:main", "pyproject.toml", 5),
        ("python -m till", "src/till/__main__.py", 0),
    ]
    assert result["main_files"] == [
        ("2 indexed lines: add()", "src/till/money.py", 0),
        ("7 indexed lines: main()", "src/till/cli.py", 0),
    ]
    assert result["build_and_test"] == [
        ("make build, test", "Makefile", 0),
        ("pip install . (built by hatchling.build)", "pyproject.toml", 7),
        ("pytest", "pyproject.toml", 8),
        ("tox -e py311", ".github/workflows/ci.yml", 7),
        ("ruff check .", ".github/workflows/ci.yml", 8),
    ]
    assert result["configuration"] == [
        ("HOME", "src/till/store.py", 5),
    ]
    assert result["docs"] == [
        ("1 indexed file", "docs/", 0),
        ("3 lines", "CONTRIBUTING.md", 0),
        ("5 lines", "README.md", 0),
    ]
    assert result["tests"] == [("1 indexed file", "tests/", 0)]


def test_in_go_packages_are_imported_and_commands_begin_programs(index_of: IndexOf) -> None:
    """A module of others never means our own root."""
    result = told(toured(index_of, GO))

    assert result["main_files"][0] == ("3 indexed files", "money/", 0)
    assert result["entry_points"] == [
        ("main()", "cmd/till/main.go", 9),
        ("main()", "cmd/other/main.go", 5),
    ]
    assert result["build_and_test"] == [("go build ./...; go test ./...", "go.mod", 0)]
    assert ("money/  3 indexed files, go: Package money adds amounts.", "money/doc.go", 1) in (
        result["folders"]
    )
    assert result["tests"] == [("one of 1 indexed go file beside the code", "money/add_test.go", 0)]


def test_what_is_unknown_has_no_section(index_of: IndexOf) -> None:
    """Nothing is guessed."""
    result = told(toured(index_of, {"a.txt": "x = 1\n", "b.py": "x = 1\n"}))

    assert set(result) - {"main_files"} == {"languages"}


@pytest.mark.parametrize("most", [120, 300, 600, 4_096])
def test_a_tour_keeps_to_its_bytes_and_counts_what_it_leaves_out(
    index_of: IndexOf, most: int
) -> None:
    """The longest sections lose lines first."""
    result = toured(index_of, PYTHON, most)

    assert size_of(tour_lines(result.sections)) <= most
    assert bool(result.limits_hit) == (most < 4_096)
    if most == 600:
        assert result.sections[0].kind == "about"
        assert any(section.left_out for section in result.sections)


def test_the_same_snapshot_has_the_same_tour(index_of: IndexOf, root: Path) -> None:
    """It is gathered once, and the next sync has it gathered anew."""
    engine = index_of(PYTHON, encoder="none")
    request = TourRequest(deterministic=True)
    first = engine.ask(request)

    assert engine.ask(request) == first
    write_tree(root, {"docs/more.md": "# More\n"})
    engine.sync()
    assert ("2 indexed files", "docs/", 0) in told(engine.ask(request))["docs"]


def test_a_tour_without_room_is_refused(index_of: IndexOf) -> None:
    """As any answer."""
    engine = index_of({"a.py": "x = 1\n"}, encoder="none")
    for wrong in (TourRequest(0), TourRequest(timeout_ms=-1)):
        with pytest.raises(InvalidRequest):
            engine.ask(wrong)


def test_a_rails_application_names_the_constants_that_most_files_use(index_of: IndexOf) -> None:
    """It imports nothing; what a namespace holds is no use of it, and tests do not count."""
    result = told(toured(index_of, RAILS))

    assert result["main_files"][:2] == [
        ("3 indexed lines: Order", "app/models/order.rb", 0),
        ("3 indexed lines: Tax", "app/models/tax.rb", 0),
    ]


def test_settings_are_read_by_code_and_not_by_pages(index_of: IndexOf) -> None:
    """A script of a page, and a word of the same family, configure nothing."""
    result = told(toured(index_of, RAILS))

    assert result["configuration"] == [("PORT", "config/puma.rb", 1)]


def test_a_folder_is_cited_by_the_whole_path_of_its_readme(index_of: IndexOf) -> None:
    """`README.md` alone is the root's."""
    result = toured(index_of, RAILS)
    lines = tour_lines(result.sections)

    assert "about" not in told(result)
    deps = next(line for line in lines if line.startswith("  deps/"))
    assert deps.endswith(": Parts of other projects that we keep.  [deps/README.md:3]")
    assert "  app/  6 indexed files, ruby" in lines


ENVIRONMENT = {
    "a.py": "# os.environ['NO1']\nimport os\nA = os.environ.get('YES1')\nos.environ['NO2'] = A\n",
    "b.c": '#define getopt x\n/* getenv("NO3") */\nchar *b(void) { return getenv("YES2"); }\n',
    "c.js": "const c = process.env.YES3;\nprocess.env.NO4 = c;\nconst dotenv = 1;\n",
    "d.rb": "d = ENV.fetch('YES4', nil)\nENV['NO5'] = d\n",
    "e.rs": 'fn e() { std::env::var("YES5"); }\n',
    "f.go": 'package f\n\nfunc F() { os.Getenv("YES6") }\n',
    "G.java": 'class G { String g = System.getenv("YES7"); }\n',
    "bench/h.py": "import os\nH = os.environ['NO6']\n",
}


def test_a_variable_is_listed_where_code_reads_it(index_of: IndexOf) -> None:
    """Comments, assignments, benchmarks and argument parsers read none."""
    result = told(toured(index_of, ENVIRONMENT))

    assert sorted(result["configuration"]) == [
        ("YES1", "a.py", 3),
        ("YES2", "b.c", 3),
        ("YES3", "c.js", 1),
        ("YES4", "d.rb", 1),
        ("YES5", "e.rs", 1),
        ("YES6", "f.go", 3),
        ("YES7", "G.java", 1),
    ]


MAINS = {
    "package.json": '{"bin": {"a": "./bin/a.js"}, "main": "dist/index.js"}',
    "bin/a.js": "module.exports = a;\n\nfunction a() {}\n",
    "pyproject.toml": '[project.scripts]\nb = "gone.manage:main"\n',
    "c.gemspec": "Gem.new do |s|\n  s.executables = %w(c)\nend\n",
    "bin/c": "#!/usr/bin/env ruby\n",
    "d_perftest.cc": "int main() { return 0; }\n",
    "build.rs": "fn main() {}\n",
    "src/e.rs": "impl From<E> for i32 {}\n\npub struct Shown;\n\nstruct Hidden;\n",
    "src/f.h": "#ifndef F_H_\n#define F_H_\nclass Widget {\n  int a;\n};\n#endif\n",
    "src/f.cc": "int f() { return 1; }\n",
    "src/g.js": "const a = require('../bin/a');\nclass G {}\nexports.G = G;\n",
    "src/internal.ts": "export * from './f';\n",
}


def test_programs_are_those_whose_files_there_are(index_of: IndexOf) -> None:
    """Neither benchmarks nor build scripts are programs of the repository."""
    result = told(toured(index_of, MAINS))

    assert result["entry_points"] == [
        ("a = ./bin/a.js", "package.json", 1),
        ("c = bin/c", "c.gemspec", 2),
    ]


def test_main_files_show_what_they_export(index_of: IndexOf) -> None:
    """Guards, targets of an `impl` and private names are no exports, and barrels define nothing."""
    result = told(toured(index_of, MAINS))
    lines = {path: text for text, path, _ in result["main_files"]}

    assert lines["src/e.rs"] == "5 indexed lines: Shown"
    assert lines["bin/a.js"] == "3 indexed lines: a()"
    assert lines["src/g.js"] == "3 indexed lines: G"
    assert lines["src/f.h"] == "6 indexed lines: Widget"
    assert not {"src/internal.ts", "build.rs", "d_perftest.cc"} & set(lines)
    assert any("cpp" in text and " c " not in text for text, _, _ in result["languages"])
