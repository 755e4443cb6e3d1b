"""The drawings of the program and the page about platforms agree with the modules."""

import re
import tomllib
from collections.abc import Iterator

from ggrep.base import linux
from ggrep.search.query.weights import DEFAULT_WEIGHTS, KIND_WEIGHTS, RANKING_REVISION
from tests.docs.pages import ROOT, SOURCES, mentions, page


def test_the_floors_are_those_of_the_contract() -> None:
    """The drawing is what newcomers trust, the contract what the machine checks."""
    settings = tomllib.loads(page("pyproject.toml"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(item["layers"] for item in contracts if item["id"] == "floors")
    drawn = re.search(r"```floors\n(.*?)```", page("docs/architecture.md"), re.DOTALL)

    assert drawn is not None
    assert drawn[1].splitlines() == layers


def test_modules_of_the_journeys_exist() -> None:
    """An arrow that leads to no module leads astray."""
    drawing = page("docs/architecture.md").partition("## Three journeys")[2].partition("\n## ")[0]
    named = re.findall(r"\b([a-z]+)\.([a-z_]+)\b", drawing + page("docs/impl/journeys.md"))
    files = [path.relative_to(ROOT / "ggrep") for path in (ROOT / "ggrep").rglob("*.py")]
    known = {(file.parent.name, file.stem) for file in files}
    rooms = {room for room, _ in known}
    modules = [(room, module) for room, module in named if room in rooms]

    assert modules
    assert [f"{a}.{b}" for a, b in modules if (a, b) not in known] == []


def test_modules_that_pages_name_exist() -> None:
    """A module that was renamed leads a newcomer nowhere."""
    places = ("ggrep", "training", "bench", "tests")
    known = {path.name for place in places for path in (ROOT / place).rglob("*.py")}
    paths = [*(ROOT / "docs/impl").glob("*.md"), ROOT / "docs/contributing.md"]
    pages = {path: path.read_text(encoding="utf-8") for path in paths}
    named = {
        (path.name, name)
        for path, text in pages.items()
        for name in re.findall(r"`(?:[a-z_]+/)*([a-z_]+\.py)`", text)
    }
    of_others = {("source.md", "secrets.py")}

    assert named
    assert {each for each in named - of_others if each[1] not in known} == set()


def test_modules_of_tables_exist() -> None:
    """A table of modules is where a newcomer looks first; there they are named without `.py`."""
    places = (ROOT / "ggrep", ROOT / "training")
    known = {path.stem for place in places for path in place.rglob("*.py")}
    known |= {path.parent.name for place in places for path in place.rglob("__init__.py")}
    named = [
        (path.name, name)
        for path in (ROOT / "docs/impl").glob("*.md")
        for name in _modules_of_tables(path.read_text(encoding="utf-8"))
    ]

    assert len(named) > 100
    assert [each for each in named if each[1] not in known] == []


def _modules_of_tables(page: str) -> Iterator[str]:
    """Yield the names in the columns of tables that are headed `module` or `modules`."""
    for table in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE):
        head, _, *rows = ([cell.strip() for cell in row.split("|")] for row in table.splitlines())
        for column in (at for at, cell in enumerate(head) if re.match(r"modules?\b", cell)):
            for row in rows:
                for name in re.findall(r"`([\w/]+)(?:\.py)?/?`", row[column]):
                    yield name.rstrip("/").rpartition("/")[2]


def test_weights_are_those_of_the_program() -> None:
    """The formula is worth reading only with the figures in force."""
    text = page("docs/impl/query.md")
    shown = {
        name: float(answer[1])
        for name in ("text", "file", "path", "stem", "symbol", "location")
        if (answer := re.search(rf"([\d.]+) +x {name}\b", text))
    }

    assert shown == {name: getattr(DEFAULT_WEIGHTS, name) for name in shown}
    assert set(shown) == {"text", "file", "path", "stem", "symbol", "location"}
    for kind, weights in KIND_WEIGHTS.items():
        figures = ", ".join(f"{name} {value:g}" for name, value in weights.items()) or "-"
        assert f"| `{kind.value}` | {figures} |" in text
    assert f"k1 {DEFAULT_WEIGHTS.k1:g}" in text
    assert f"`{RANKING_REVISION}`" in page("docs/performance.md")


ONLY_LINUX = re.compile(
    r"/proc/|memfd_create|O_PATH|SO_PEERCRED|\bSCHED_|sched_set|madvise|RLIMIT_AS|\bF_OFD_|O_TMPFILE"
    r"|\bimport ctypes|\bprctl|\.statfs\(|pidfd|CLOCK_BOOTTIME"
)
OWN = [
    name
    for name, each in vars(linux).items()
    if getattr(each, "__module__", "") == linux.__name__ and not name.startswith("_")
]


def test_no_other_module_asks_linux() -> None:
    """Who ports it has one place to look at; what all of POSIX has is another matter."""
    asking = {}
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        code = re.sub(r'""".*?"""|#[^\n]*', "", text, flags=re.DOTALL)
        if words := ONLY_LINUX.findall(code):
            asking[str(path.relative_to(ROOT))] = words

    assert asking.keys() == {"ggrep/base/linux.py"}, asking


def test_each_question_stands_on_the_page() -> None:
    reported = page("docs/platforms.md")

    assert [name for name in OWN if not mentions(reported, name)] == []
