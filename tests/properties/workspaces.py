"""Repositories that share names and texts, questions about them, and answers as plain values."""

from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.config.home import Home
from ggrep.federation.merge import MergedHit
from ggrep.federation.workspace import load_workspace
from ggrep.model.corpus import Mode
from ggrep.model.request import Find, SearchRequest
from ggrep.model.response import Hit
from ggrep.search.engine.engine import Engine
from ggrep.search.engine.repo_index import ALONE, Hosted
from ggrep.service.searchers import EngineSearcher, ReadySearchers
from tests.properties.trees import PATHS, bodies, content, filters, texts, words


@st.composite
def trees(draw: st.DrawFn, most: int = 5) -> list[dict[str, str]]:
    """Draw two repositories or more that share names, sometimes whole files or copies of them."""
    shared = {name: content(name, draw(bodies)) for name in PATHS}
    repos = []
    for _ in range(draw(st.integers(2, most))):
        chosen = draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=8, unique=True))
        repo = {
            name: shared[name] if draw(st.booleans()) else content(name, draw(bodies))
            for name in chosen
        }
        if draw(st.booleans()):
            repo[f"vendor/copy/{chosen[0]}"] = repo[chosen[0]]
        repos.append(repo)
    return repos


queries = st.builds(
    SearchRequest,
    query=texts,
    limit=st.sampled_from([1, 2, 3, 10]),
    per_file=st.sampled_from([0, 1, 3]),
    mode=st.sampled_from(Mode),
    filters=filters,
    include_anchors=st.booleans(),
    deterministic=st.just(True),
    keep_weak=st.just(True),
)


@st.composite
def found(draw: st.DrawFn, searches: st.SearchStrategy[SearchRequest]) -> SearchRequest:
    """Draw questions of all kinds of finding."""
    search, word = draw(searches), draw(words)
    name = f"{word}_{draw(st.integers(0, 3))}"
    asked = {
        Find.AUTO: search.query,
        Find.CONCEPT: search.query,
        Find.DEFINITION: draw(st.sampled_from([name, word, word.casefold()])),
        Find.USAGE: draw(st.sampled_from([name, word])),
        Find.EXACT_TEXT: draw(st.sampled_from([word, word[1:4], f"{word} ", "return x", "#", "["])),
        Find.REGEX: draw(st.sampled_from([rf"{word}\W\w", rf"{word[:3]}\w+", r"^def \w+", "[{]"])),
        Find.SIMILAR_CODE: draw(st.sampled_from([content("a.py", [word]), f"{word} of it"])),
    }
    find = draw(st.sampled_from([*asked]))
    return replace(search, query=asked[find], find=find)


def write_trees(base: Path, repos: Sequence[dict[str, str]]) -> list[Path]:
    """Write each repository into a directory of its own; return those."""
    roots = []
    for number, files in enumerate(repos):
        root = base / f"repo{number}"
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        roots.append(root)
    return roots


class IndexedWorkspace:
    """A workspace over indexed roots, whose repositories are asked in this process."""

    def __init__(
        self, base: Path, roots: Sequence[Path], encoder: str, hosted: Hosted = ALONE
    ) -> None:
        home = Home(base / "home")
        self.engines = {
            root: Engine(root, home, flags={"encoder": encoder}, hosted=hosted) for root in roots
        }
        for engine in self.engines.values():
            engine.sync()
        entries = ",".join(f'{{"root": "{root}"}}' for root in roots)
        file = base / "w.jsonc"
        file.write_text(f'{{"schemaVersion": 1, "repos": [{entries}]}}')
        self.workspace = load_workspace(file, resolve_root=lambda path: path)

    def searchers(self) -> ReadySearchers:
        return ReadySearchers(
            lambda repo: EngineSearcher(lambda: self.engines[repo.root_canonical])
        )


def from_union(pairs: Sequence[tuple[str, Hit]]) -> list[tuple[object, ...]]:
    return [(repo, *shown(hit, hit.score)) for repo, hit in pairs]


def from_federation(hits: Sequence[MergedHit]) -> list[tuple[object, ...]]:
    return [(merged.repo_id, *shown(merged.hit, merged.score)) for merged in hits]


def shown(hit: Hit, score: float) -> tuple[object, ...]:
    place = (hit.path, hit.start_line, hit.end_line, hit.row_id, hit.content)
    return (*place, score, hit.lexical_score, hit.corpus)
