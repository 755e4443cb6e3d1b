"""The lines of a slate that agents read: each says something that no other line does."""

from ggrep.search.slate.slate_lines import slate_lines, told_lines

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
        "11\t return 1",
        " 14-17 method Till.weigh",
        " 19-20 part of shop.Till",
        "19\tx = 2",
        "20\ty = 3",
        " 30 function stop",
        "30\t@final",
        "\tdef stop(): ...",
        "## docs",
        "a.md:4",
        "## graph",
        "till.py",
        "  imports shelf.py",
    ]


def test_steps_of_indentation_stay_apart_and_take_one_blank_each() -> None:
    """Indentation was a sixth of the bytes of all lines; its steps say what belongs where."""
    lines = {
        "    if a:\n        b()\n    else:\n        c(1,\n          2)": (0, 1, 0, 1, 2),
        "\tif a {\n\t\tb()\n\t}": (0, 1, 0),
        "a:\n  b:\n    c: 1\n  d: 2": (0, 1, 2, 1),
    }

    for text, steps in lines.items():
        shown = told_lines({"start_line": 4, "snippet": text})
        bare = [line.strip() for line in text.split("\n")]
        assert [line for _, line in shown] == [
            " " * step + line for step, line in zip(steps, bare, strict=True)
        ]
        assert [number for number, _ in shown] == list(range(4, 4 + len(steps)))
