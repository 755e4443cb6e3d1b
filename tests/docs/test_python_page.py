"""The page on the Python interface: every example runs, and it names what there is."""

import re
from collections.abc import Iterator

import pytest

import ggrep
from ggrep.service import calls as options
from tests.docs.pages import mentions, page, table_rows
from tests.journeys.household import Household, household

PAGE = "docs/python.md"


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Household]:
    """Yield a home for this process, in a repository as the page says."""
    with household() as result:
        for name, value in result.environ().items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("GGREP_OFFLINE")
        root = result.repo()
        (root / "team.jsonc").write_text(
            '{"schemaVersion": 1, "repos": [{"root": ".", "alias": "pay"}]}'
        )
        monkeypatch.chdir(root)
        yield result


def examples() -> list[str]:
    """Return the page's blocks of Python, in order."""
    return re.findall(r"```python\n(.*?)```", page(PAGE), re.DOTALL)


@pytest.mark.slow
def test_every_example_runs(place: Household, capsys: pytest.CaptureFixture[str]) -> None:
    """What is copied from the page works."""
    names: dict[str, object] = {}
    shown = []
    for number, block in enumerate(examples(), start=1):
        exec(compile(block, f"{PAGE}, example {number}", "exec"), names)  # noqa: S102 - our own page
        shown.append(capsys.readouterr().out)

    assert all(shown[:1] + shown[2:3])
    assert "src/pay.py:1 settle_invoice" in shown[0]
    assert "again in" not in "".join(shown)
    assert "ask otherwise" not in "".join(shown)


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("search", options.SearchOptions),
        ("slate", options.SlateOptions),
        ("symbol", options.SymbolOptions),
        ("references", options.ReferencesOptions),
        ("expand", options.ExpandOptions),
        ("outline", options.OutlineOptions),
        ("tour", options.TourOptions),
    ],
)
def test_every_option_is_on_the_page(method: str, kind: type) -> None:
    """A list of options that is short of one hides it."""
    rows = {row[0].split("(")[0]: row[2] for row in table_rows(page(PAGE)) if len(row) == 3}
    text = " ".join([f"`{rows[method]}`", f"`{rows['search']}`", f"`{rows['symbol']}`"])

    assert [name for name in kind.__annotations__ if not mentions(text, name)] == []


def test_every_exported_name_is_on_the_page() -> None:
    """What is promised is told."""
    reported = {name for name in ggrep.__all__ if re.search(rf"\b{re.escape(name)}\b", page(PAGE))}

    assert sorted(set(ggrep.__all__) - reported) == []
