"""The lines of a slate that agents read: each says something that no other line does."""

from ggrep.search.slate.slate_lines import slate_lines

PIECE = {"start_line": 9, "end_line": 11, "chunk_type": "method", "breadcrumb": ["shop", "Till"]}
SLATE = {
    "sections": [
        {
            "kind": "code",
            "files": [
                {
                    "path": "till.py",
                    "more_evidence": 7,
                    "evidence": [
                        {**PIECE, "name": "pay", "snippet": "def pay():\n\n    return 1"},
                        {
                            **PIECE,
                            "start_line": 19,
                            "end_line": 20,
                            "snippet": "    x = 2\n    y = 3",
                        },
                        {
                            "start_line": 30,
                            "end_line": 30,
                            "chunk_type": "function",
                            "name": "stop",
                            "snippet": "@final\ndef stop(): ...",
                        },
                    ],
                    "outline": ["14-17 method Till.weigh"],
                }
            ],
        },
        {"kind": "docs", "files": [{"path": "a.md", "line": 4, "more_evidence": 1}]},
    ],
    "graph": {"edges": [{"from": "till.py", "kind": "imports", "to": "shelf.py"}]},
    "next_actions": [{"action": "expand", "target": "till.py:9", "why": "to read it"}],
}


def test_what_the_first_line_of_a_piece_says_does_not_stand_above_it() -> None:
    """A tenth of a small slate was names said twice, counts, and what to do next."""
    assert list(slate_lines(SLATE)) == [
        "## code",
        "till.py",
        " 9-11 in Till",
        "9\tdef pay():",
        "11\t    return 1",
        " 14-17 method Till.weigh",
        " 19-20 part of shop.Till",
        "19\t    x = 2",
        "20\t    y = 3",
        " 30 function stop",
        "30\t@final",
        "\tdef stop(): ...",
        "## docs",
        "a.md:4",
        "## graph",
        "till.py",
        "  imports shelf.py",
    ]
