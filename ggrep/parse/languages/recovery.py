"""Parses text again without the lines that its grammar cannot parse.

After an error a parser guesses what to drop, and often drops the heads of what is around or takes
all that follows for a part of it. The layout tells the blocks that were meant: a line and the
deeper ones below it. The syntax agrees with a block that is a run of sibling nodes. Where errors
make it disagree, blocks are blanked one after the other, the innermost first, and one stays blank
if more of the others agree with the tree then. Every byte that is kept stays where it is.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from typing import Final, TypeAlias

from tree_sitter import Node

from ggrep.parse.languages.line_table import LineTable
from ggrep.parse.languages import trees
from ggrep.parse.languages.trees import parse, parse_parts

TIMES: Final = 12
"""How often each byte of a text may be parsed again."""
BASE_BYTES: Final = 20_000
"""Bytes that may be parsed again of any text, beside these."""

Span: TypeAlias = tuple[int, int]

_LINE: Final = re.compile(rb"^([ \t]*+)(\S[^\n]*+)", re.MULTILINE)
_CONTINUES: Final = re.compile(
    rb"[})\]{|=,.:?&*]|->|//|#[^\[]|--|;;|!>"
    rb"|(?:and|begin|catch|do|done|elif|else|elseif|elsif|end\w*|ensure|esac|except|fi|finally|in|is"
    rb"|of|rescue|then|until|when|where|with)\b",
    re.IGNORECASE,
)
"""How a line begins that goes on with the block before it."""
_LEADS: Final = re.compile(rb"@(?!end|interface|implementation|protocol)|#\[|\[<|\[\w+(?:\(.*\))?\]\s*$")
"""How a line begins that belongs to the block behind it."""
_KEPT: Final = re.compile(rb"[^\s]")
_OPENING: Final = re.compile(rb"<\?(?:php\b|=)?")
_TAB: Final = 8


@dataclass(frozen=True, slots=True)
class Parsed:
    """A syntax tree and the text that it is of, byte for byte as long as the file's."""

    root: Node
    text: bytes


@dataclass(slots=True)
class Block:
    """A line, the deeper ones below it and those that close it.

    Attributes:
        start: byte offset of its first character that is no blank, as `end` is behind its last.
        depth: of blocks around it.
        body: the lines between the last two that stand as deep as its first.
        blocks: inside of it.
        size: of blocks, itself among them.
    """

    start: int
    depth: int
    indent: int
    end: int = 0
    body: tuple[int, int] = (0, 0)
    blocks: list["Block"] = field(default_factory=list)
    lines: list[tuple[int, int]] = field(default_factory=list)
    size: int = 1


def parse_recovered(
    grammar: str, data: bytes, simpler: Callable[[bytes], bytes] | None = None
) -> Parsed:
    """Return the tree of a text; if errors hide what is around them, of the text without them.

    Args:
        grammar: parses it.
        data: the text.
        simpler: returns a text of the same length that is easier to parse.
    """
    root = parse(grammar, data)
    if not root.has_error:
        return Parsed(root, data)
    return _Recovery(grammar, data, root).run(simpler)


class _Recovery:
    """One text, the parts of it that are blank, and the bytes that may be parsed still."""

    def __init__(self, grammar: str, data: bytes, root: Node) -> None:
        self._grammar = grammar
        self._text = data
        self._root = root
        self._table = LineTable(data)
        self._blocks = layout(data)
        self._blank: list[Span] = []
        self._left = BASE_BYTES + TIMES * len(data)

    def run(self, simpler: Callable[[bytes], bytes] | None) -> Parsed:
        """Return the best tree once nothing helps or may be parsed any more."""
        broken, cost = self._broken(self._root, self._blocks, self._blank)
        if broken and simpler is not None:
            text = simpler(self._text)
            root = parse(self._grammar, text)
            left, after = self._broken(root, self._blocks, self._blank)
            if after < cost:
                self._text, self._root, broken, cost = text, root, left, after
        if broken:
            self._alone(broken, cost)
            self._together()
        return Parsed(self._root, self._text)

    def _alone(self, broken: Sequence[Block], cost: int) -> None:
        """Blank what helps in each outermost block as long as nothing else is read."""
        text, blank = self._text, self._blank
        for block in self._blocks:
            if any(block.start <= inner.start < block.end for inner in broken):
                root = self._parse(self._text, block)
                if root is not None and root.has_error:
                    self._improve([block], root, block)
        if self._blank:
            root = self._parse(self._text)
            if root is not None and self._broken(root, self._blocks, self._blank)[1] < cost:
                self._root = root
                return
        self._text, self._blank = text, blank

    def _together(self) -> None:
        """Blank what helps once all is read together."""
        self._root = self._improve(self._blocks, self._root)

    def _improve(self, blocks: Sequence[Block], root: Node, part: Block | None = None) -> Node:
        """Blank what helps the blocks, and return the last tree."""
        broken, cost = self._broken(root, blocks, self._blank)
        tried: set[Span] = set()
        while True:
            for span in _candidates(blocks, broken):
                if span in tried or not self._text[span[0] : span[1]].strip():
                    continue
                tried.add(span)
                text = self._without(span)
                better = self._parse(text, part)
                if better is None:
                    return root
                blank = [*self._blank, span]
                left, after = self._broken(better, blocks, blank)
                if after < cost:
                    self._text, self._blank = text, blank
                    broken, cost, root = left, after, better
                    break
            else:
                return root

    def _parse(self, text: bytes, part: Block | None = None) -> Node | None:
        """Return the root of a text, or of a block of it; None once enough was parsed."""
        size = len(text) if part is None else part.end - part.start
        if size > self._left:
            return None
        self._left -= size
        if part is None:
            return parse(self._grammar, text)
        ranges = [trees.part(self._table, part.start, part.end)]
        opening = _OPENING.match(text)
        if opening is not None and opening.end() <= part.start:
            ranges.insert(0, trees.part(self._table, 0, opening.end()))
        return parse_parts(self._grammar, text, ranges)

    def _without(self, span: Span) -> bytes:
        start, end = span
        blanked = _KEPT.sub(b" ", self._text[start:end])
        return b"".join((self._text[:start], blanked, self._text[end:]))

    def _broken(
        self, root: Node, blocks: Sequence[Block], blank: Sequence[Span]
    ) -> tuple[list[Block], int]:
        """Return the blocks that the tree does not agree with, and how much that costs."""
        broken: list[Block] = []
        cost = 0
        pending = [(blocks, at) for at in range(len(blocks) - 1, -1, -1)]
        while pending:
            row, at = pending.pop()
            block = row[at]
            if any(low <= block.start and block.end <= high for low, high in blank):
                cost += block.size
                continue
            node = root.descendant_for_byte_range(block.start, block.end)
            if node is not None and not node.has_error and not node.is_error:
                continue
            if not block.blocks and self._text[block.end - 1] in b"{([":
                continue  # it goes on with lines as deep as itself
            reach = block.end if node is None else _reach(node, block, self._text)
            if reach:
                broken.append(block)
                cost += 1 + len(block.blocks)
                cost += bisect_left(row, reach, lo=at + 1, key=_start) - at - 1
            pending += ((block.blocks, inner) for inner in range(len(block.blocks) - 1, -1, -1))
        return broken, cost


def _start(block: Block) -> int:
    return block.start


def _reach(node: Node, block: Block, text: bytes) -> int:
    """Return where the syntax ends that a block is part of; 0 if the block is a run of siblings.

    Args:
        node: the smallest that holds the block.
    """
    if node.is_error and block.start <= node.start_byte and node.end_byte <= block.end:
        return 0  # it loses only itself
    if node.start_byte == block.start and not text[block.end : node.end_byte].strip():
        return block.end if node.is_error else 0
    first = _child_at(node, block.start)
    last = _child_at(node, block.end - 1)
    if first is None or last is None or first.start_byte != block.start:
        return block.end
    if node.is_error and not (_is_whole(first) and _is_whole(last)):
        return block.end
    if text[block.end : last.end_byte].strip():
        return last.end_byte
    return 0


def _child_at(node: Node, offset: int) -> Node | None:
    """Return the child that holds a byte; by a cursor, as `first_child_for_byte` may crash."""
    cursor = node.walk()
    return None if cursor.goto_first_child_for_byte(offset) is None else cursor.node


def _is_whole(node: Node) -> bool:
    return node.is_named and not node.is_error


def _candidates(blocks: Sequence[Block], broken: Sequence[Block]) -> Iterator[Span]:
    """Yield what may be to blame of each block, the innermost first: its body, then all of it."""
    for outer in blocks:
        inside = [block for block in broken if outer.start <= block.start < outer.end]
        for block in sorted(inside, key=_depth, reverse=True):
            if block.body[0] < block.body[1]:
                yield block.body
            yield block.start, block.end


def _depth(block: Block) -> int:
    return block.depth


def layout(data: bytes) -> list[Block]:
    """Return the outermost blocks of a text by the indentation of its lines alone."""
    outer: list[Block] = []
    stack: list[Block] = []
    leads = False
    end = 0
    for line in _LINE.finditer(data):
        indent = len(line[1].expandtabs(_TAB))
        start = line.start(2)
        while stack and stack[-1].indent > indent:
            _close(data, stack, end)
        same = bool(stack) and stack[-1].indent == indent
        goes_on = same and (leads or _CONTINUES.match(line[2]) is not None)
        if same and not goes_on:
            _close(data, stack, end)
        if not goes_on:
            block = Block(start, len(stack), indent)
            (stack[-1].blocks if stack else outer).append(block)
            stack.append(block)
        leads = (leads or not goes_on) and _LEADS.match(line[2]) is not None
        end = start + len(line[2].rstrip())
        stack[-1].lines.append((start, end))
    while stack:
        _close(data, stack, end)
    return outer


def _close(data: bytes, stack: list[Block], end: int) -> None:
    block = stack.pop()
    block.end = end
    block.size += sum(inner.size for inner in block.blocks)
    if not block.blocks:
        block.body = data.find(b"{", block.start, end) + 1 or end, data.rfind(b"}", block.start, end)
        return
    last = block.lines[-1]
    if block.blocks[-1].start > last[0]:
        block.body = last[1], end
    else:
        block.body = block.lines[-2][1], last[0]
