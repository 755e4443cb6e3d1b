"""Parses text again without the lines that its grammar cannot parse.

After a syntax error, a parser guesses which text to drop. Often the parser drops the heads of
definitions around the error, or reads the rest of the file as part of a definition. The indentation
shows the intended blocks: a line and the deeper lines below it. The syntax tree agrees with a block
if the block is a sequence of sibling nodes. If the tree does not agree with some blocks because of
errors, blocks are blanked one after the other, the innermost first. A block stays blank if the tree
then agrees with more of the other blocks.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Final, TypeAlias

from msgspec import Struct, field
from tree_sitter import Node

from ggrep.parse.languages.line_table import BLANK
from ggrep.parse.languages.trees import parse

TIMES: Final = 2
"""How often each byte of a text can be parsed again."""
TIMES_IN_C: Final = 0.5
"""Like TIMES, for C and related languages, in which most errors are harmless macros."""
BASE_BYTES: Final = 10_000
"""Bytes that can be parsed again in addition, for a text of any size."""

LEAST_BYTES: Final = 100
"""Minimum number of bytes that count as used when a block is parsed again."""
MAX_ERRORS: Final = 6
"""Maximum number of errors, without nested errors, in a text that is parsed again."""
MAX_FAILURES: Final = 6
"""Maximum number of parts of a text or block that are blanked in a row without success."""

Span: TypeAlias = tuple[int, int]

_LINE: Final = re.compile(rb"^([ \t]*+)(\S[^\n]*+)", re.MULTILINE)
_AT_MARGIN: Final = re.compile(rb"^()(\S[^\n]*+)", re.MULTILINE)
_CONTINUES: Final = re.compile(
    rb"[})\]{|=,.:?&*]|->|;;"
    rb"|(?:and|begin|catch|do|done|elif|else|elseif|elsif|end\w*|ensure|esac|except|fi|finally|in|is"
    rb"|of|rescue|then|until|when|where|with)\b",
    re.IGNORECASE,
)
"""First words of a line that continues the block before it."""
_LEADS: Final = re.compile(
    rb"@(?!end|interface|implementation|protocol)|#\[|\[<|\[\w+(?:\(.*\))?\]\s*$"
)
"""First words of a line that belongs to the block after it."""
_HEADER: Final = re.compile(rb"@(?:implementation|interface|protocol)\b[^\n]*|[\w\s.;:\"#]+\{?")
"""Lines that open a block with lines of the same depth: `namespace a;`, `module a where`."""
_C: Final = frozenset({"c", "cpp", "objc"})
_KEPT: Final = re.compile(rb"[^\s]")
_OPENING: Final = re.compile(rb"<\?(?:php\b|=)?")
_TAB: Final = 8


class Parsed(Struct, frozen=True):
    """A syntax tree and its text, of the same length as the file."""

    root: Node
    text: bytes


class Block(Struct):
    """A line, the deeper lines below it, and the lines that close it.

    Attributes:
        start: byte offset of the block's first non-blank character; `end` is after its last one.
        depth: the number of enclosing blocks.
        lines: start and end of each line of the block with the same indentation as its first line.
        text: the file's text.
    """

    start: int
    depth: int
    indent: int
    text: bytes
    end: int = 0
    lines: list[Span] = field(default_factory=list)
    _blocks: "list[Block] | None" = None

    @property
    def blocks(self) -> "list[Block]":
        """Return the inner blocks; computed at first use, because most are never needed."""
        if self._blocks is None:
            ends = [*(start for start, _ in self.lines[1:]), self.end]
            gaps = [(low, high) for (_, low), high in zip(self.lines, ends, strict=True)]
            self._blocks = [
                block
                for low, high in gaps
                for block in layout(self.text, low, high, self.depth + 1)
            ]
        return self._blocks

    @property
    def size(self) -> int:
        """Return the number of blocks, including this block."""
        return 1 + sum(block.size for block in self.blocks)

    @property
    def body(self) -> Span:
        """Return the range between the last two lines with the same indentation as the first."""
        if not self.blocks:
            opened = self.text.find(b"{", self.start, self.end) + 1 or self.end
            return opened, self.text.rfind(b"}", self.start, self.end)
        last = self.lines[-1]
        if self.blocks[-1].start > last[0]:
            return last[1], self.end
        return self.lines[-2][1], last[0]


def parse_recovered(
    grammar: str, data: bytes, simpler: Callable[[bytes], bytes] | None = None
) -> Parsed:
    """Return the tree of a text; parts whose errors affect the text around them are blank.

    Args:
        grammar: the grammar to parse with.
        data: the text.
        simpler: returns a text of the same length that is easier to parse.
    """
    root = parse(grammar, data)
    if not root.has_error or _is_foreign(root):
        return Parsed(root, data)
    return _Recovery(grammar, data).run(data, root, simpler)


def _is_foreign(root: Node) -> bool:
    """Return whether a text has so many errors that it is possibly in another language."""
    errors = 0
    pending = [] if root.is_error else [root]
    while pending and errors <= MAX_ERRORS:
        for child in pending.pop().children:
            if child.is_error or child.is_missing:
                errors += 1
            elif child.has_error:
                pending.append(child)
    return errors > MAX_ERRORS


class _Reading(Struct, frozen=True):
    """A text with some blank blocks, and how well its tree agrees with the indentation.

    Attributes:
        broken: blocks with which the tree does not agree, in source order.
        cost: the number of blocks that are blank or affected by blocks in `broken`.
    """

    text: bytes
    root: Node
    broken: tuple[Block, ...]
    cost: int


class _Recovery:
    """The recovery of one text: its blocks, and how many bytes can still be parsed."""

    def __init__(self, grammar: str, data: bytes) -> None:
        self._grammar = grammar
        self._blocks = layout(data)
        self._left = BASE_BYTES + int((TIMES_IN_C if grammar in _C else TIMES) * len(data))

    def run(self, text: bytes, root: Node, simpler: Callable[[bytes], bytes] | None) -> Parsed:
        """Improve a tree until no step improves it or the bytes are used up; return the tree."""
        reading = _judge(self._blocks, text, root)
        if reading.broken and simpler is not None:
            reading = self._simplified(reading, simpler(text))
        if reading.broken:
            reading = self._improve(self._blocks, self._alone(reading))
        return Parsed(reading.root, reading.text)

    def _simplified(self, reading: _Reading, text: bytes) -> _Reading:
        """Return a reading of the simpler text `text` if it is better than `reading`."""
        blocks = layout(text)
        other = self._read(blocks, text)
        if other is None or other.cost >= reading.cost:
            return reading
        self._blocks = blocks
        return other

    def _alone(self, reading: _Reading) -> _Reading:
        """Improve each outermost block with errors separately, parsing only that block."""
        text = reading.text
        starts = [inner.start for inner in reading.broken]
        for block in self._blocks:
            if bisect_left(starts, block.start) < bisect_left(starts, block.end):
                alone = self._read([block], text, block)
                if alone is not None and alone.broken:
                    text = self._improve([block], alone, block).text
        together = None if text == reading.text else self._read(self._blocks, text)
        return reading if together is None or together.cost >= reading.cost else together

    def _improve(
        self, blocks: Sequence[Block], reading: _Reading, part: Block | None = None
    ) -> _Reading:
        """Blank parts of blocks, one after the other, as long as this improves the tree.

        Each step blanks the first part that improves the tree; with `part`, the best one.
        """
        tried: set[Span] = set()
        better: _Reading | None = reading
        while better is not None:
            reading, better = better, None
            for other in islice(self._others(blocks, reading, part, tried), MAX_FAILURES):
                if other.cost < (better or reading).cost:
                    better = other
                    if part is None:
                        break
        return reading

    def _others(
        self, blocks: Sequence[Block], reading: _Reading, part: Block | None, tried: set[Span]
    ) -> Iterator[_Reading]:
        """Yield readings with one more blank span, which was not tried before."""
        for start, end in _candidates(blocks, reading.broken):
            if (start, end) in tried or not reading.text[start:end].strip():
                continue
            tried.add((start, end))
            blank = _KEPT.sub(b" ", reading.text[start:end])
            text = b"".join((reading.text[:start], blank, reading.text[end:]))
            other = self._read(blocks, text, part)
            if other is None:
                return
            yield other

    def _read(
        self, blocks: Sequence[Block], text: bytes, part: Block | None = None
    ) -> _Reading | None:
        """Parse a text, or a block of the text; return None if the bytes are used up."""
        size = max(LEAST_BYTES, len(text) if part is None else part.end - part.start)
        if size > self._left:
            return None
        self._left -= size
        if part is None:
            return _judge(blocks, text, parse(self._grammar, text))
        opening = _OPENING.match(text)
        before = b"" if opening is None or part.start < opening.end() else opening[0] + b" "
        root = parse(self._grammar, before + text[part.start : part.end])
        return _judge(blocks, text, root, part.start - len(before))


def _judge(blocks: Sequence[Block], text: bytes, root: Node, base: int = 0) -> _Reading:
    """Compare a tree with the indentation of its text.

    Args:
        blocks: consecutive blocks.
        text: the file's text.
        root: the root of the tree, whose first byte is at `base` in the text.
        base: see `root`.
    """
    broken: list[Block] = []
    cost = 0
    rows = [blocks]
    while rows:
        row = rows.pop()
        parents: list[int] = []
        for at, block in enumerate(row):
            if text[block.start] in BLANK:
                cost += block.size
                continue
            end = block.start + len(text[block.start : block.end].rstrip())
            node = root.descendant_for_byte_range(block.start - base, end - base)
            if node is None or _is_neutral(node, block, text):
                continue
            parent, reach = _place(node, block, end, text, base)
            reach = (
                _overhang(node, block, end, base) if parents and node.id == parent else 0
            ) or reach
            cost += end < block.end
            if reach:
                broken.append(block)
                cost += 1 + len(block.blocks)
                cost += bisect_left(row, reach, lo=at + 1, key=_start) - at - 1
            else:
                parents.append(parent)
            if reach or node.has_error:
                rows.append(block.blocks)
        cost += len(parents) - max(Counter(parents).values(), default=0)
    return _Reading(text, root, tuple(sorted(broken, key=_start)), cost)


def _start(block: Block) -> int:
    return block.start


def _is_neutral(node: Node, block: Block, text: bytes) -> bool:
    """Return whether a block is a comment, or a header before lines of the same indentation."""
    if _HEADER.fullmatch(text, block.start, block.end) is not None and not block.blocks:
        return True
    return node.is_extra and not node.has_error


def _place(node: Node, block: Block, end: int, text: bytes, base: int) -> tuple[int, int]:
    """Return the id of a block's parent node, and the end of the text that its errors affect.

    The end is 0 if the tree agrees with the block.

    Args:
        node: the smallest node around the block.
        block: a block of the layout.
        end: the end of the block's non-blank text.
        text: the file's text.
        base: the offset in the text of the tree's first byte.
    """
    start = block.start - base
    if node.start_byte == start and not text[end : node.end_byte + base].strip():
        outer = node.parent
        while outer is not None and outer.start_byte == start and outer.parent is not None:
            if text[end : outer.end_byte + base].strip():
                break
            node, outer = outer, outer.parent
        return 0 if outer is None else outer.id, end if node.is_error and block.blocks else 0
    first, last = _child_at(node, start), _child_at(node, end - base - 1)
    if first is None or last is None or not _is_run(node, first, last, start, block):
        inside = node.is_error and start <= node.start_byte and node.end_byte <= end - base
        return node.id, 0 if inside and not block.blocks else end
    reach = last.end_byte + base
    return node.id, reach if text[end:reach].strip() else 0


def _overhang(node: Node, block: Block, end: int, base: int) -> int:
    """Return the end of a node that begins at a block's start but ends after the block; else 0."""
    begins = node.start_byte == block.start - base and node.end_byte + base > end
    return node.end_byte + base if begins else 0


def _is_run(node: Node, first: Node, last: Node, start: int, block: Block) -> bool:
    """Return whether the sibling nodes from `first` to `last` form a block without errors."""
    if first.start_byte != start or first.is_error or (last.is_error and block.blocks):
        return False
    return not node.is_error or (first.is_named and last.is_named and not last.is_error)


def _child_at(node: Node, offset: int) -> Node | None:
    """Return the child at a byte; uses a cursor, because `first_child_for_byte` can crash."""
    cursor = node.walk()
    return None if cursor.goto_first_child_for_byte(offset) is None else cursor.node


def _candidates(blocks: Sequence[Block], broken: Sequence[Block]) -> Iterator[Span]:
    """Yield the parts that possibly cause each block's errors, the innermost first.

    For a block, the parts are: the rest of the block from its third or a later line with the first
    line's indentation; its body; the rest from the second such line; the whole block. The last
    parts are pairs of consecutive blocks in `broken` of equal depth.
    """
    starts = [block.start for block in broken]
    for outer in blocks:
        inside = broken[bisect_left(starts, outer.start) : bisect_left(starts, outer.end)]
        for block in sorted(inside, key=_depth, reverse=True):
            for start, _ in block.lines[2:]:
                yield start, block.end
            if block.body[0] < block.body[1]:
                yield block.body
            for start, _ in block.lines[1:2]:
                yield start, block.end
            yield block.start, block.end
    for above, below in pairwise(broken):
        if above.depth == below.depth:
            yield above.start, below.end


def _depth(block: Block) -> int:
    return block.depth


def layout(data: bytes, low: int = 0, high: int | None = None, depth: int = 0) -> list[Block]:
    """Return the outermost blocks of a part of a text, by the indentation of its lines."""
    high = len(data) if high is None else high
    blocks: list[Block] = []
    leads = False
    for line in _lines(data, low, high):
        start, stop = line.start(2), line.start(2) + len(line[2].rstrip())
        indent = len(line[1].expandtabs(_TAB))
        block = blocks[-1] if blocks else None
        if block is not None and indent > block.indent:
            continue
        same = block is not None and indent == block.indent
        led = leads and block is not None and data[block.lines[-1][1] : start].isspace()
        if block is not None and same and (led or _CONTINUES.match(line[2])):
            block.lines.append((start, stop))
        else:
            blocks.append(Block(start, depth, indent, data, lines=[(start, stop)]))
            led = True
        leads = led and _LEADS.match(line[2]) is not None
    ends = (*(block.start for block in blocks[1:]), high)
    for block, end in zip(blocks, ends, strict=False):
        block.end = block.start + len(data[block.start : end].rstrip())
    return blocks


def _lines(data: bytes, low: int, high: int) -> Iterator[re.Match[bytes]]:
    """Yield the lines; if the first line is unindented, yield only unindented lines."""
    first = _LINE.search(data, low, high)
    return (_LINE if first is not None and first[1] else _AT_MARGIN).finditer(data, low, high)
