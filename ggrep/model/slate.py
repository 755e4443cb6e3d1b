"""A slate: the evidence for a question, grouped by file and section, within byte budgets."""

from enum import Enum
from typing import Annotated, Final, Literal, Self, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ggrep.model.confidence import Confidence
from ggrep.model.constraints import PAIRS, Count, Held, Named, Positive, RepoPath, named
from ggrep.model.field_meta import MOST_BYTES, MOST_ITEMS, MOST_PATH_BYTES, Field, WireBounds
from ggrep.model.files import DEFINING
from ggrep.model.request import CollectionStatistics, EncodedQuery, Request, SearchRequest
from ggrep.model.response import QUERY_KINDS, Answer

Reason: TypeAlias = Literal[
    "semantic_match",
    "entrypoint_rule",
    "policy_rule",
    "config_rule",
    "test_rule",
    "docs_quota",
    "diagram_quota",
    "anchor_for_context",
    "neighbour_context",
    "expand_target",
]
"""Reasons for an item of a slate."""

SessionOp: TypeAlias = Literal["start", "refine", "expand"]


class Section(Enum):
    """A section of a slate; slates contain sections in the order of these values."""

    __hash__ = object.__hash__  # takes a third of the time of Enum's method

    CODE = "code"
    DOCS = "docs"
    DIAGRAMS = "diagrams"
    CONFIG = "config"
    TESTS = "tests"


SECTIONS = tuple(Section)


class Role(Enum):
    """A role that a path rule assigns to a file; a file may have several roles."""

    __hash__ = object.__hash__

    ENTRYPOINT = "entrypoint"
    POLICY = "policy"
    CONFIGURATION = "configuration"
    OPERATIONS = "operations"
    TEST = "test"
    DOCUMENT = "document"
    DIAGRAM = "diagram"


ROLES = tuple(Role)

DEFINITIONS: Final = frozenset(DEFINING)
"""Kinds of chunks that are definitions of their names."""

MAX_LEVEL: Final = 3
"""The most detailed level of a slate."""
MAX_TARGETS: Final = 32
"""Maximum number of targets in an `expand` request."""
MAX_COUNTED: Final = 1_024
"""Maximum number of files that a caller can report as shown."""
SESSION_SECS: Final = 3_600
"""Seconds for which a session retains its snapshot after each use."""
NEW_SESSION: Final = "new"
"""The value that callers send instead of a token to start a session."""

Level: TypeAlias = Annotated[
    int,
    Field(
        "slate.level",
        "Level of detail: 0 paths; 1 opening lines and short snippets; 2 long snippets; "
        "3 whole chunks.",
        most=MAX_LEVEL,
    ),
]
Anchors: TypeAlias = Annotated[
    bool, Field("slate.anchors", "Show each file's opening lines; true by default.")
]
Graph: TypeAlias = Annotated[
    bool, Field("slate.graph", "Add the graph of how files are related; true by default.")
]


class Budgets(Struct, frozen=True):
    """Upper bounds of a slate; bytes include the graph, and anchors do not count as evidence."""

    total_bytes: Annotated[
        int,
        Field(
            "slate.maxBytes",
            "Maximum bytes of the slate; 0 for the default of the slate's level.",
            most=MOST_BYTES,
        ),
    ] = 0
    file_bytes: Annotated[
        int,
        Field(
            "slate.maxFileBytes",
            "Maximum bytes per file; 0 for the default of the slate's level.",
            most=MOST_BYTES,
        ),
    ] = 0
    files: Annotated[
        int,
        Field(
            "slate.maxFiles",
            "Maximum number of files; 0 for the default of the slate's level.",
            most=MOST_ITEMS,
        ),
    ] = 0
    evidence_per_file: Annotated[
        int,
        Field(
            "slate.maxEvidencePerFile",
            "Maximum number of excerpts per file; 0 for the default of the slate's level.",
            most=MOST_ITEMS,
        ),
    ] = 0
    of_text: Annotated[
        bool,
        Field("slate.ofText", "Byte budgets limit the text for agents instead of the JSON."),
    ] = False

    def for_agents(self) -> Self:
        """Return the same budgets, applied to the text for agents instead of the JSON."""
        return replace(self, of_text=True)


BUDGET_CODES: Final = {
    "total_bytes": "max_slate_bytes",
    "file_bytes": "max_slate_file_bytes",
    "files": "max_slate_files",
    "evidence_per_file": "max_evidence_per_file",
}
"""Names of budgets in documents and in `limits_hit`."""


class SessionRequest(Struct, frozen=True):
    """The session that a slate continues; without a token, the slate starts a session."""

    token: Annotated[
        str,
        Field(
            "session.token",
            f"Token of the previous answer; to start, omit it or use `{NEW_SESSION}`.",
        ),
        WireBounds(8_192, form="secret"),
    ] = ""
    op: Annotated[
        SessionOp,
        Field("session.op", "Default: `start` without a token, `refine` with one."),
    ] = "start"
    targets: Annotated[
        tuple[str, ...],
        Field(
            "session.targets",
            "Files or `path:line` places to show more of, for `expand`.",
            most=MAX_TARGETS,
        ),
        WireBounds(MAX_TARGETS, each=(0, MOST_PATH_BYTES)),
    ] = ()
    delta_only: Annotated[
        bool,
        Field("session.deltaOnly", "Omit files that the session has already returned."),
    ] = False


class SlateRequest(Request["SlateResponse"], frozen=True):
    """A request that is answered with a slate.

    Attributes:
        search: the question; its limits and snippet depth have no effect.
        facts: also return the facts of the files, for a caller that merges several slates.
        session: the session to continue or start; None for no session.
        seen: hashes of files that the session has shown, if the caller tracks them; None to track
            them in the token.
        statistics: statistics for scoring; None for the repository's own.
        snapshot_id: the snapshot of `statistics`; None without statistics.
        vector: vector of the query by the same encoder; None to encode the query here.
    """

    search: SearchRequest
    level: Level = 1
    budgets: Budgets = Budgets()
    anchors: Anchors = True
    graph: Graph = True
    facts: bool = False
    session: SessionRequest | None = None
    seen: Annotated[tuple[str, ...] | None, WireBounds(MAX_COUNTED, each=(16, 16))] = None
    statistics: CollectionStatistics | None = None
    snapshot_id: Annotated[str | None, WireBounds(26)] = None
    vector: EncodedQuery | None = None


class Evidence(Struct, frozen=True):
    """One chunk of a pack.

    Attributes:
        row_id: row id as in a hit; a target of `expand`.
        score: score as in a hit; 0.0 for a chunk that is not a search result.
        snippet: text, limited by the slate's level and budgets; for a diagram, its relations.
        snippet_start_line: line of the snippet's first line.
        hidden_lines: number of lines of the chunk that the snippet omits.
        also: `path:line` of omitted chunks with nearly the same text.
        priority: order in which lines are shown; larger comes first.
    """

    row_id: str
    chunk_id: str
    start_line: int
    end_line: int
    score: float
    chunk_type: str
    name: str
    breadcrumb: tuple[str, ...]
    signature: str
    reason: Reason
    snippet: str = ""
    snippet_start_line: int = 0
    hidden_lines: int = 0
    also: tuple[str, ...] = ()
    priority: float = 0.0


class Pack(Struct, frozen=True):
    """One file of a slate: its anchor and its evidence.

    Attributes:
        line: first line of the best evidence, where reading should begin.
        score: score of the best evidence.
        roles: roles that path rules assign.
        evidence: chunks in the order of lines.
        more_evidence: number of matching chunks that were omitted.
        repo: alias of the repository; empty in a slate of a single repository.
        name: qualified name of the definition at `line`; empty without a definition.
    """

    path: str
    line: int
    score: float
    language: str
    section: Section
    reason: Reason
    tags: tuple[str, ...]
    roles: tuple[Role, ...]
    anchor: Evidence | None
    evidence: tuple[Evidence, ...]
    more_evidence: int = 0
    repo: str = ""
    name: str = ""


class FileFacts(Struct, frozen=True):
    """Names that relate a file to other files; contains no lines of text.

    Attributes:
        imports: modules, packages and headers that the file imports, as written.
        defines: names that the file defines.
        links: targets of a document's links, as written.
        relations: pairs of labels that a diagram connects.
        keys: configuration keys and environment variables that the file sets.
        mentions: words in the selected text that could be another file's name, key or definition.
        provides: packages and types that other repositories may use.
        needs: names that other repositories may provide.
    """

    path: str
    section: Section
    language: str
    imports: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    relations: tuple[tuple[str, str], ...] = ()
    keys: tuple[str, ...] = ()
    mentions: frozenset[str] = frozenset()
    provides: tuple[tuple[str, str], ...] = ()
    needs: tuple[tuple[str, str], ...] = ()


class GraphNode(Struct, frozen=True, omit_defaults=True):
    """A file of the slate."""

    id: str
    """Path of the file; with several repositories, `repo:` precedes it."""
    path: RepoPath
    line: Positive
    """Line where reading should begin."""
    section: Section
    """Section of the file."""
    repo: Named = ""
    """Alias of the repository; absent in a slate of a single repository."""


class GraphEdge(Struct, frozen=True):
    """A relation between two files."""

    kind: Annotated[str, ("imports", "links", "relates", "configures", "tests", "package", "type")]
    """Kind of the relation: imports, links, relates (a diagram), configures or tests; the others
    join repositories.
    """
    source: str
    """Id of the node where the edge starts."""
    target: str
    """Id of the node where the edge ends."""
    via: str
    """The name that relates the two files."""


class GraphBounds(Struct, frozen=True):
    """Bounds of a graph; bytes are counted in its canonical JSON."""

    nodes: int = 64
    edges: int = 128
    bytes: int = 16_384


class ContextGraph(Struct, frozen=True):
    """A graph of a slate's files: nodes sorted by id, edges by kind, source, target and name."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    bounds: GraphBounds = GraphBounds()


class Overview(Struct, frozen=True):
    """The interpretation of the question, and the files of its answer."""

    terms: tuple[str, ...]
    """Words of the query, as they were searched."""
    kind: Annotated[str, QUERY_KINDS]
    """Kind of the query."""
    files: Annotated[tuple[tuple[Section, Positive], ...], PAIRS]
    """Number of files of each section that has any."""
    top_paths: tuple[str, ...]
    """Files with the best evidence."""
    names: tuple[str, ...]
    """Definitions among the best evidence."""
    missing: tuple[Section, ...]
    """Sections without files."""


class NextAction(Struct, frozen=True):
    """A suggested next request."""

    action: Annotated[str, ("expand", "symbol", "refs", "refine", "level")]
    """Kind of the action."""
    target: str
    """Argument of the action."""
    why: str
    """Reason, as one of a few fixed texts."""


class Slate(Struct, frozen=True):
    """The files that answer a question (packs), grouped by section.

    Attributes:
        sections: non-empty sections, in the order of `SECTIONS`; packs by score, then path.
        limits: the effective budgets.
        total_bytes: bytes of this slate, counted as `limits` define.
        estimated_tokens: a quarter of `total_bytes`.
    """

    level: int
    overview: Overview
    sections: tuple[tuple[Section, tuple[Pack, ...]], ...]
    graph: ContextGraph | None
    next_actions: tuple[NextAction, ...]
    limits: Budgets
    total_bytes: int = 0
    estimated_tokens: int = 0


@named("session")
class SessionState(Struct, frozen=True):
    """State of a session; absent when none was requested."""

    token: Annotated[str, Held(least=1, most=8192)]
    """Token for the next request; opaque."""
    op: SessionOp
    """Operation that was carried out."""
    seen_set_digest: Annotated[str, Held(pattern=r"^[0-9a-f]+$")]
    """Digest of the files returned so far, in hexadecimal."""
    seen_files: Count
    """Number of the files returned so far."""
    expires_in_secs: Count
    """Seconds after which the snapshot may be gone."""


class SlateResponse(Answer, frozen=True):
    """The answer to a SlateRequest.

    Attributes:
        facts: facts of the selected files, to merge several slates; by path.
        copies: files whose evidence other files contain; empty without `seen` in the request.
    """

    request: SlateRequest
    confidence: Confidence
    slate: Slate
    session: SessionState | None = None
    facts: tuple[FileFacts, ...] = ()
    copies: tuple[str, ...] = ()
