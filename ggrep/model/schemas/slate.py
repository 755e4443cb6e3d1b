"""The JSON of a slate and of an answer with a slate."""

from collections.abc import Sequence
from typing import Annotated, Literal, NotRequired, TypedDict

from ggrep.model.confidence import Confidence
from ggrep.model.constraints import ChunkType, Count, Held, Named, Positive, RepoPath, extends
from ggrep.model.corpus import Mode
from ggrep.model.schemas.answers import AnswerJson, TimedJson
from ggrep.model.slate import (
    GraphEdge,
    GraphNode,
    NextAction,
    Overview,
    Reason,
    Role,
    Section,
    SessionState,
)


class EvidenceJson(TypedDict):
    """A chunk of a file, with the lines to show."""

    start_line: Positive
    """First line of the chunk, 1-based."""
    end_line: Positive
    """Last line of the chunk, 1-based, inclusive; path and lines are a target of `expand`."""
    chunk_type: ChunkType
    snippet: Annotated[str, Held(least=1)]
    """Snippet, as long as level and budgets allow; for a diagram, its relations."""
    snippet_start_line: NotRequired[Positive]
    """Line of the snippet's first line; absent where that is `start_line`."""
    hidden_lines: NotRequired[Positive]
    """Lines of the chunk that the snippet leaves out; absent for none."""
    name: NotRequired[str]
    """Unqualified name of the definition or heading; absent for blocks."""
    breadcrumb: NotRequired[Sequence[str]]
    """Enclosing definitions or headings, outermost first; absent at the top."""
    reason: NotRequired[Annotated[str, ("neighbour_context",)]]
    """Present for a chunk around the best evidence; absent for a chunk that itself matches the
    query."""
    also: NotRequired[Sequence[str]]
    """`path:line` of places with nearly the same text, which were left out."""


class PackJson(TypedDict):
    """One file and its evidence."""

    path: RepoPath
    line: Positive
    """Line at which to start reading."""
    score: float
    """Score of the file's best evidence; comparable within one slate."""
    reason: Reason
    """Reason why the file is in the slate."""
    tags: NotRequired[Sequence[str]]
    """Further uses of the file besides that of its section, such as Test; absent for none."""
    name: NotRequired[Annotated[str, Held(least=1, most=80)]]
    """Name of the definition at `line`, at level 0; absent for none."""
    repo: NotRequired[Named]
    """Alias of the repository; absent in a slate of a single repository."""
    roles: NotRequired[Sequence[Annotated[str, Role]]]
    """Roles by path rules; absent for none. At level 0, this and all later keys are absent."""
    anchor: NotRequired[EvidenceJson]
    """The opening lines of the file; absent if there are none or none were requested."""
    evidence: NotRequired[Sequence[EvidenceJson]]
    """Chunks of the file that match the query and whose lines are shown, by line."""
    outline: NotRequired[Sequence[Annotated[str, Held(pattern=r"^[1-9][0-9]*-[1-9][0-9]* [a-z]")]]]
    """Chunks that fit but whose lines exceed the budget, by line: `40-62 method Queue.retry`."""
    more_evidence: NotRequired[Positive]
    """Number of further chunks that fit the question; absent for none."""


class SectionJson(TypedDict):
    """A section of a slate, with its files."""

    kind: Annotated[str, Section]
    """Name of the section."""
    files: Annotated[Sequence[PackJson], Held(least=1)]
    """Files of the section, best first, then by path."""


@extends(GraphEdge, lambda name: {"source": "from", "target": "to"}.get(name, name))
class GraphEdgeJson(TypedDict):
    """A relation of two files."""


class ContextGraphJson(TypedDict):
    """Relations between the selected files: names and locations without text."""

    nodes: Sequence[GraphNode]
    """Files, by id."""
    edges: Sequence[GraphEdgeJson]
    """Relations by kind, source, target and name."""


class SlateLimitsJson(TypedDict):
    """Budgets of the slate."""

    max_slate_bytes: Count
    """Maximum bytes of the slate."""
    max_slate_file_bytes: Count
    """Maximum bytes of a file in the slate."""
    max_slate_files: Count
    """Maximum number of files."""
    max_evidence_per_file: Count
    """Maximum number of chunks of one file, without its anchor."""
    of_text: NotRequired[Literal[True]]
    """Whether bytes are counted on the text for agents instead of on canonical JSON."""
    max_graph_nodes: NotRequired[Count]
    """Maximum number of files of the graph, if there is one."""
    max_graph_edges: NotRequired[Count]
    """Maximum number of relations of the graph."""
    max_graph_bytes: NotRequired[Count]
    """Maximum bytes of the graph as canonical JSON."""


class SlateJson(TypedDict):
    """A slate: the files that answer a question, in sections."""

    level: Annotated[int, Held(least=0, most=3)]
    """Level of detail: 0 paths; 1 anchors and short evidence; 2 long evidence and neighbours; 3
    whole chunks.
    """
    overview: Overview
    sections: Sequence[SectionJson]
    """Sections with files, in a fixed order."""
    graph: NotRequired[ContextGraphJson]
    next_actions: Sequence[NextAction]
    """Suggested next requests."""
    limits: SlateLimitsJson
    total_bytes: Count
    """Bytes of this object as canonical JSON, or as the text that agents read (`limits`)."""
    estimated_tokens: Count
    """A quarter of `total_bytes`."""


class ContinuedJson(TypedDict):
    """The continuation of a session, when one was requested."""

    session: NotRequired[SessionState]


class SlateAnswerJson(AnswerJson, TimedJson, ContinuedJson):
    """Evidence for a question from one repository: by file, in sections, within budgets."""

    mode: Annotated[str, Mode]
    """Intent of the query, which divides the hits among buckets."""
    confidence: Annotated[str, Confidence]
    """Fit of the best evidence to the query; a weak slate is shorter."""
    slate: SlateJson
