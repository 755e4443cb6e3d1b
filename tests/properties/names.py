"""Repositories whose files define and use the same few names, and questions about these."""

from hypothesis import strategies as st

from ggrep.model.filters import Filter
from ggrep.model.navigation import ReferencesRequest, SymbolRequest

PATHS = (
    *("app/store.py", "app/box/__init__.py", "app/box/lid.py", "tests/test_store.py"),
    *("lib/box.rb", "src/box.go", "web/box.ts", "docs/guide.md", "db/schema.sql"),
)
NAMES = ("open", "Open", "OPEN", "Box", "box", "close_all", "lid")

ASKED = (
    *NAMES,
    *("Box.open", "box.Box.open", "store.open", "app/store/open", "Lid.open", "lid.Open"),
    *("Box.lid", "Open.lid", "open.lid"),
    *("opens", "opne", "CLOSE_ALL", "boxes", "Nothing.open", "nowhere", "lid#close_all"),
)

names = st.sampled_from(NAMES)
_BLOCKS = {
    "py": (
        "class {a}:\n    def {b}(self):\n        return {a}.{b}\n",
        "def {a}():\n    # {b} it\n    return {b}()\n",
        "{a} = {b}\n",
        "from app.{a} import {b}\n",
        "print('{a}', {b})\n",
        "class {a}({b}):\n    def lid(self):\n        return self.lid(), {b}.lid\n",
        "def run({a}, thing):\n    {a}.{b} = thing.{b}\n    {b}.lid(thing.lid(), lid())\n",
    ),
    "rb": ("class {a}\n  def {b}\n    {a}.{b}\n  end\nend\n", "def {a}\n  {b}\nend\n"),
    "go": ("func {a}() int {{ return {b}() }}\n", "type {a} struct {{ {b} int }}\n"),
    "ts": (
        "export class {a} {{ {b}() {{ return {a}; }} }}\n",
        "export function {a}() {{ {b}(); }}\n",
    ),
    "md": ("# {a}\n\nHow {b} works.\n\n",),
    "sql": ("CREATE TABLE {a} ({b} int);\n",),
}


@st.composite
def _texts(draw: st.DrawFn, path: str) -> str:
    ending = path.rpartition(".")[2]
    blocks = draw(
        st.lists(
            st.builds(
                lambda form, a, b: form.format(a=a, b=b),
                st.sampled_from(_BLOCKS[ending]),
                names,
                names,
            ),
            min_size=1,
            max_size=3,
        )
    )
    return ("package box\n\n" if ending == "go" else "") + "\n".join(blocks)


@st.composite
def named_repos(draw: st.DrawFn, most: int = 3) -> list[dict[str, str]]:
    """Draw two repositories or more, most of whose paths are the same."""
    return [
        {
            path: draw(_texts(path))
            for path in draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=4, unique=True))
        }
        for _ in range(draw(st.integers(2, most)))
    ]


_filters = st.sampled_from(
    [(), (), (Filter("test", "false"),), (Filter("lang", "python"),), (Filter("path", "lib"),)]
)
_limits = st.sampled_from([0, 1, 2, 5])

symbols = st.builds(
    SymbolRequest,
    name=st.sampled_from(ASKED),
    filters=_filters,
    limit=_limits,
    deterministic=st.just(True),
)
references = st.builds(
    ReferencesRequest,
    name=st.sampled_from(ASKED),
    filters=_filters,
    strings=st.booleans(),
    comments=st.booleans(),
    limit=_limits,
    deterministic=st.just(True),
)
