"""Profiles and views as settings."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.config.home import Home
from ggrep.config.profiles import (
    MAX_PROFILES,
    Profile,
    ProfileView,
    QueryDefaults,
    apply_to_request,
    apply_to_slate,
    exclusions,
    load_profiles,
    parse_profiles,
    unusual_fields,
    unusual_slate_fields,
)
from ggrep.config.roles import rules_of
from ggrep.config.settings import LoadedSettings, Settings, index_shaping, load_settings
from ggrep.model.corpus import CORPORA, Corpus, Mode
from ggrep.model.filters import Filter
from ggrep.model.request import SearchRequest, SnippetMode
from ggrep.model.slate import Budgets, Role, SlateRequest
from ggrep.parse.source.walk import walk
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import IndexOf

DATASETS = """
[profiles.datasets]
include = ["Datasets/**"]
exclude = ["archives/"]
max_bytes_indexed = 500
max_file_size_bytes = 1_000
max_store_bytes = 9_000
"""
DOCS = """
[profiles.docs]
exclude = ["archives/"]
query = { mode = "planning", snippet = "short", top = 5, per_file = 1, anchors = true }
view = { paths = ["docs"], corpora = ["prose"], filters = ["-ext:txt"] }
"""


def refusal(text: str, root: Path) -> str:
    (root / ".ggrep.toml").write_text(text)
    with pytest.raises(InvalidRequest) as caught:
        load_profiles(root)
    return str(caught.value)


class Place:
    """A home and a root with a settings file."""

    def __init__(self, root: Path, home: Path, text: str) -> None:
        self.root, self.home = root, Home(home)
        (root / ".ggrep.toml").write_text(text)

    def load(self, environ: Mapping[str, str] | None = None, **flags: object) -> LoadedSettings:
        return load_settings(self.home, self.root, environ=environ or {}, flags=flags)


@pytest.fixture
def place(root: Path, home: Path) -> Place:
    return Place(root, home, DATASETS + DOCS)


def test_without_a_file_there_are_no_profiles_and_only_so_many_with_one(root: Path) -> None:
    assert load_profiles(root).profiles == ()

    tables: dict[str, object] = {f"p{number}": {} for number in range(MAX_PROFILES + 1)}

    with pytest.raises(InvalidRequest, match="more than the maximum"):
        parse_profiles({"profiles": tables})


def test_a_profile_says_what_its_table_says(place: Place) -> None:
    """Every key arrives where the rest of the program looks for it."""
    datasets, docs = load_profiles(place.root).profiles

    assert datasets == Profile(
        "datasets",
        include=("Datasets/**",),
        exclude=("archives/",),
        max_bytes_indexed=500,
        max_file_size_bytes=1_000,
        max_store_bytes=9_000,
    )
    assert docs.query == QueryDefaults(
        mode=Mode.PLANNING, snippet=SnippetMode.SHORT, top=5, per_file=1, anchors=True
    )
    assert docs.view.corpora == (Corpus.PROSE,)
    assert docs.view.within[:2] == (Filter("path", "docs"), Filter("ext", "txt", negated=True))
    assert Filter("path", "archives", negated=True) in docs.view.within


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("profiles = 1", "profiles: must be a table"),
        ("[profiles.x]\nincluded = []", "profiles.x.included: unknown key"),
        ("[profiles.x.query]\nlimit = 1", "profiles.x.query.limit: unknown key"),
        ("[profiles.x.view]\nglobs = []", "profiles.x.view.globs: unknown key"),
        ("[roles]\nhandler = []", "roles.handler: unknown key"),
        ("[profiles.x]\ninclude = ['a']", "profiles.x.max_bytes_indexed: is required"),
        ("[profiles.x]\nmax_store_bytes = 1", "profiles.x.max_store_bytes: this key has no effect"),
        ("[profiles.x]\ninclude = []", "profiles.x.include: is empty"),
        ("[profiles.x]\ninclude = ['!a']", "include: '!a' is a negation"),
        ("[profiles.x]\nexclude = ['a*b/c']", "profiles.x.exclude: 'a*b/c' cannot hide hits"),
        ("[profiles.X]\n", "profile: 'X' is not a valid name"),
        ("profile = 'y'\n[profiles.x]\n", "unknown profile 'y'; .ggrep.toml has: x"),
        ("[profiles.x.query]\nlevel = 3", "profiles.x.query.level: 3 is above the maximum of 2"),
        (
            "[profiles.x.query]\nsnippet = 'full'",
            "profiles.x.query.snippet: 'full' is not one of none, short",
        ),
        ("[profiles.x.query]\ntop = 201", "profiles.x.query.top: 201 is above the maximum of 200"),
        ("[profiles.x.query]\ntop = true", "profiles.x.query.top: must be a whole number"),
        ("[profiles.x.query]\ngraph = 1", "profiles.x.query.graph: must be true or false"),
        (
            "[profiles.x.view]\ncorpora = ['books']",
            "profiles.x.view.corpora: 'books' is not one of code, prose",
        ),
        ("[profiles.x.view]\nfilters = ['docs']", "profiles.x.view.filters: 'docs' must"),
        ("[profiles.x.view]\nfilters = ['size:1']", "profiles.x.view.filters: 'size:1' must"),
        ("[roles]\npolicy = ['{a']", "roles: glob '{a' has"),
        ("[roles]\npolicy = 'a'", "roles.policy: must be a list"),
        ("[profiles.x.roles]\npolicy = ['a']", "profiles.x.roles: unknown key"),
    ],
)
def test_what_cannot_stand_is_refused_by_name(text: str, named: str, root: Path) -> None:
    """A key that is silently passed over is a profile that silently does something else."""
    output = refusal(text, root)

    assert output.startswith((".ggrep.toml: ", "unknown profile "))
    assert named in output


def test_the_strongest_who_names_a_profile_is_heard(root: Path, home: Path) -> None:
    tables = [DATASETS.replace("datasets", name).replace("Datasets", name) for name in "abc"]
    place = Place(root, home, "".join(["profile = 'a'\n", *tables]))
    variable = {"GGREP_PROFILE": "b"}
    loaded = (place.load(), place.load(variable), place.load(variable, profile="c"))

    assert [each.settings.profile for each in loaded] == ["a", "b", "c"]
    assert [each.settings.profile_include for each in loaded] == [("a/**",), ("b/**",), ("c/**",)]


def test_an_unknown_profile_is_refused_with_those_there_are_and_a_users_file_names_none(
    place: Place,
) -> None:
    with pytest.raises(InvalidRequest, match=r"'dox'; .* has: datasets, docs"):
        place.load(profile="dox")

    place.home.base.mkdir()
    place.home.config_file.write_text('profile = "docs"\n')

    with pytest.raises(InvalidRequest, match="a profile belongs to one repository"):
        place.load()


def test_only_what_a_profile_indexes_makes_another_index(place: Place) -> None:
    """A view costs nothing but a filter; a data set in the same store would be a wrong answer."""
    plain = index_shaping(place.load().settings)

    assert index_shaping(place.load(profile="docs").settings) == plain
    assert index_shaping(place.load(profile="datasets").settings) != plain


def test_a_profile_with_a_store_shapes_its_settings(place: Place) -> None:
    """Include, exclude and budgets are what its sync goes by."""
    settings = place.load(profile="datasets").settings

    assert settings.profile_include == ("Datasets/**",)
    assert settings.extra_ignores == ("archives/",)
    assert settings.max_bytes_indexed == 500
    assert settings.max_file_size_bytes == 1_000
    assert settings.max_store_bytes == 9_000


def test_two_names_of_one_content_share_an_index(root: Path, home: Path) -> None:
    place = Place(root, home, DATASETS + DATASETS.replace("datasets", "copy"))

    first, second = (
        index_shaping(place.load(profile=name).settings) for name in ("copy", "datasets")
    )

    assert first == second


@pytest.mark.parametrize("key", ["max_file_size_bytes", "max_store_bytes"])
def test_a_profile_may_not_widen_what_the_user_allows(place: Place, key: str) -> None:
    place.home.base.mkdir()
    place.home.config_file.write_text(f"{key} = 999\n")

    with pytest.raises(InvalidRequest, match=f"{key}: .* is less strict than 999"):
        place.load(profile="datasets")


def test_roles_of_the_file_are_added_to_the_built_in_ones(root: Path, home: Path) -> None:
    place = Place(root, home, "[roles]\npolicy = ['a.py']\n[profiles.x]\n")

    for name in (None, "x"):
        rules = rules_of(place.load(profile=name).settings.roles)
        assert rules.roles_of("a.py") == {Role.POLICY}
        assert rules.roles_of("b/permissions.py") == {Role.POLICY}


@pytest.mark.parametrize("whose", ["user", "repository"])
def test_the_knob_that_did_everything_names_its_successors(
    root: Path, home: Path, whose: str
) -> None:
    place = Place(root, home, "fast_mode = true\n" if whose == "repository" else "")
    if whose == "user":
        place.home.base.mkdir()
        place.home.config_file.write_text("fast_mode = true\n")

    with pytest.raises(InvalidRequest, match=r"structure = false.*--no-vectors"):
        place.load()


def test_a_repository_may_do_without_structure_but_not_insist_on_it(root: Path, home: Path) -> None:
    assert not Place(root, home, "structure = false\n").load().settings.structure

    home.mkdir()
    Home(home).config_file.write_text("structure = false\n")
    with pytest.raises(InvalidRequest, match="structure: true is less strict than false"):
        Place(root, home, "structure = true\n").load()


PLANNING = Profile(
    "p",
    query=QueryDefaults(
        mode=Mode.PLANNING, top=3, anchors=True, level=2, max_files=4, total_bytes=900, graph=False
    ),
    view=ProfileView((Filter("path", "docs"),), (Corpus.PROSE, Corpus.RECORDS)),
)


def test_a_profile_fills_in_what_was_not_given() -> None:
    request = SearchRequest("words", limit=7)

    applied = apply_to_request(request, frozenset({"limit"}), PLANNING)

    assert applied.limit == 7
    assert applied.mode is Mode.PLANNING
    assert applied.include_anchors
    assert applied.per_file == request.per_file


def test_a_view_narrows_whatever_was_given() -> None:
    request = SearchRequest(
        "words", corpora=(Corpus.CODE, Corpus.PROSE), filters=(Filter("path", "src"),)
    )

    applied = apply_to_request(request, frozenset({"corpora", "filters"}), PLANNING)

    assert applied.corpora == (Corpus.PROSE,)
    assert applied.filters == request.filters
    assert applied.within == (Filter("path", "docs"),)


def test_a_view_without_the_corpus_that_is_asked_for_is_an_error() -> None:
    with pytest.raises(InvalidRequest, match="profile p shows only these corpora: prose, records"):
        apply_to_request(SearchRequest("words", corpora=(Corpus.CODE,)), frozenset(), PLANNING)


def test_what_differs_from_the_defaults_was_said() -> None:
    """The HTTP and MCP surfaces hand on whole requests."""
    request = SearchRequest("words", per_file=1, snippet=SnippetMode.SHORT, mode=Mode.BALANCED)

    slate = SlateRequest(request, level=2, budgets=Budgets(files=3))

    assert unusual_fields(request) == {"per_file", "snippet"}
    assert unusual_slate_fields(slate) == {"per_file", "snippet", "level", "budgets", "files"}


def test_a_profile_that_says_nothing_changes_nothing() -> None:
    """The request without profiles stays the same question, with the same fingerprint."""
    request = SearchRequest("words", corpora=CORPORA)

    assert apply_to_request(request, frozenset(), Profile("")) == request


def test_a_slate_takes_level_and_budgets_from_its_profile() -> None:
    request = SlateRequest(SearchRequest("words"), budgets=Budgets(total_bytes=10))

    applied = apply_to_slate(request, frozenset({"total_bytes"}), PLANNING)

    assert (applied.level, applied.graph, applied.anchors) == (2, False, True)
    assert applied.budgets == Budgets(total_bytes=10, files=4)
    assert applied.search.within == PLANNING.view.within


def test_every_budget_of_a_query_table_reaches_the_slate(root: Path) -> None:
    """A key that is read and never used would be a promise broken."""
    output: dict[str, Any] = {
        "level": 0,
        "anchors": False,
        "graph": False,
        "max_files": 2,
        "evidence_per_file": 3,
        "total_bytes": 4,
        "file_bytes": 5,
    }
    profile = parse_profiles({"profiles": {"x": {"query": output}}}).named("x")

    applied = apply_to_slate(SlateRequest(SearchRequest("words")), frozenset(), profile)

    assert (applied.level, applied.anchors, applied.graph) == (0, False, False)
    assert applied.budgets == Budgets(total_bytes=4, file_bytes=5, files=2, evidence_per_file=3)


FILES = (
    "data.csv",
    "data/a.md",
    "data/b.csv",
    "docs/data/c.md",
    "docs/data.md",
    "docs/old/data/d.csv",
    "metadata/e.md",
    "old/f.md",
    "old.md",
    "oldest/g.md",
)


@pytest.fixture
def engine(index_of: IndexOf) -> Engine:
    return index_of({name: f"needle {name}\n" for name in FILES})


def test_a_view_hides_what_ignoring_would(engine: Engine) -> None:
    patterns = (
        "data/", "data", "/data/", "data/**", "**/data/", "old", "/old", "docs/old/", "docs/data",
        "*.csv", "old*", "*data", "*at*",
    )  # fmt: skip
    wanted, results = {}, {}
    for pattern in patterns:
        tree = walk(engine.identity.root, Settings(extra_ignores=(pattern,)))
        wanted[pattern] = {file.path_key for file in tree.files}
        request = SearchRequest(
            "needle", 200, 0, keep_weak=True, within=exclusions([pattern], "here")
        )
        results[pattern] = {hit.path for hit in engine.search(request).hits}

    assert results == wanted
    assert all(len(paths) < len(FILES) for paths in results.values())


@pytest.mark.parametrize("pattern", ["docs/*.md", "a*b", "[ab]", "a?", "*", "**", "a/**/b", "/"])
def test_a_pattern_that_filters_cannot_say_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidRequest, match=r"here: .* cannot hide hits"):
        exclusions([pattern], "here")
