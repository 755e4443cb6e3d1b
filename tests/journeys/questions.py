"""Questions that every surface can be asked, each as a tool takes it and as it is typed."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ggrep.federation.workspace_draft import STRATEGIES

SESSION = "<session>"
"""Stands for the token of the session that the case `context-session` begins."""

ROW = "<row>"
"""Stands for the row id that the case `symbol` returns."""

QUESTION = "how is an invoice settled"
PAY = {
    "src/pay.py": (
        '"""Settling."""\n\nfrom ledger import Ledger\n\n\n'
        "class Desk:\n"
        '    """Takes invoices."""\n\n'
        "    def settle_invoice(self, invoice):\n"
        '        """Settle an invoice from the ledger."""\n'
        "        return Ledger().book(invoice.total)\n\n"
        "    def refuse(self, invoice):\n"
        "        # settle_invoice is for the others\n"
        '        return log("settle_invoice", invoice)\n'
    ),
    "src/ledger.py": (
        '"""The ledger."""\n\n\n'
        "class Ledger:\n"
        "    def book(self, total):\n"
        '        """Book what an invoice was settled with."""\n'
        "        return total\n"
    ),
    "docs/pay.md": "# Settling\n\nHow an invoice is settled: `settle_invoice` books it.\n",
    "config/pay.toml": '[invoice]\nsettled_within_days = 30\nledger = "main"\n',
    "tests/test_pay.py": (
        "from pay import Desk\n\n\n"
        "def test_an_invoice_is_settled():\n"
        "    assert Desk().settle_invoice(Invoice(3)) == 3\n"
    ),
}
MAIL = {
    "lib/mail.py": (
        "def send_invoice(invoice):\n"
        '    """Send an invoice that is to be settled."""\n'
        "    return post(invoice)\n"
    ),
    "docs/mail.md": "# Mail\n\nAn invoice is sent by mail before it is settled.\n",
}


@dataclass(frozen=True, slots=True)
class Case:
    """One question on every surface.

    Attributes:
        given: arguments of the tool.
        typed: words of the command.
        below: path below the root that the question is narrowed to.
        schema: of the answer; empty where none ships.
        of_workspace: the whole workspace is asked.
    """

    tool: str
    given: Mapping[str, object]
    typed: tuple[str, ...]
    below: str = ""
    schema: str = field(default="query_success", kw_only=True)
    of_workspace: bool = field(default=False, kw_only=True)


def searched(typed: str = "", *, below: str = "", **given: object) -> Case:
    words = ("search", QUESTION, *typed.split())
    words += () if "snippet" in given else ("--short-snippet",)
    return Case("search", {"query": QUESTION, **given}, words, below)


def slated(typed: str = "", *, below: str = "", **given: object) -> Case:
    words = ("slate", QUESTION, *typed.split())
    return Case("context", {"query": QUESTION, **given}, words, below, schema="slate_success")


def joined(words: str, typed: str = "", **given: object) -> Case:
    """Return a question to the whole workspace; the words begin the command."""
    command, *flags = words.split()
    flags += typed.split()
    return Case(
        "search_workspace",
        {"query": QUESTION, **given},
        (command, QUESTION, *flags),
        # Schemas that ship are of lists of hits.
        schema="federated_success" if given.get("format") != "slate" else "",
        of_workspace=True,
    )


def defined(name: str, typed: str = "", *, below: str = "", **given: object) -> Case:
    words = ("symbol", name, *typed.split())
    return Case("symbol", {"name": name, **given}, words, below, schema="symbol_success")


def used(typed: str = "", *, below: str = "", **given: object) -> Case:
    name = "settle_invoice"
    words = ("refs", name, *typed.split())
    return Case("references", {"name": name, **given}, words, below, schema="references_success")


def around(target: str, typed: str = "", **given: object) -> Case:
    words = ("expand", target, *typed.split())
    return Case("expand", {"target": target, **given}, words, schema="expand_success")


def outlined(*paths: str, typed: str = "", **given: object) -> Case:
    words = ("outline", *paths, *typed.split())
    return Case("outline", {"path": list(paths), **given}, words, schema="outline_success")


CASES = {
    "search": searched(),
    "search-few": searched("-m 2 --per-file 1", top=2, per_file=1),
    "search-no-text": searched("--no-snippet", snippet="none"),
    "search-long": searched("--long-snippet --anchors", snippet="long", anchors=True),
    "search-whole": searched("--content", snippet="full"),
    "search-usual": searched("", snippet="default"),
    "search-planning": searched("--planning --corpus prose", mode="planning", corpus="prose"),
    "search-filter": searched("--filter -test:true", filter=["-test:true"]),
    "search-text": searched("--find exact-text --keep-weak", find="exact-text", keep_weak=True),
    "search-words": searched("--no-vectors", options=["vectors=false"]),
    "search-below": searched(below="src"),
    "context": slated(),
    "context-paths": slated("--level 0", level=0),
    "context-long": slated("--level 2", level=2),
    "context-whole": slated("--level 3", level=3),
    "context-no-graph": slated("--no-graph", graph=False),
    "context-no-anchors": slated("--no-anchors --level 2", anchors=False, level=2),
    "context-budgets": slated(
        "--max-bytes 4000 --file-bytes 900 --max-files 3 --evidence 1",
        max_bytes=4_000,
        max_file_bytes=900,
        max_files=3,
        evidence=1,
    ),
    "context-narrowed": slated(
        "--mode debug --corpus code --filter lang:python --keep-weak",
        mode="debug",
        corpus=["code"],
        filter=["lang:python"],
        keep_weak=True,
    ),
    "context-below": slated(below="src"),
    "context-session": slated("--session new", session="new"),
    "context-refine": slated(f"--session {SESSION}", session=SESSION),
    "context-delta": slated(f"--session {SESSION} --delta-only", session=SESSION, delta_only=True),
    "context-expand": slated(
        f"--session {SESSION} --op expand --target src/pay.py:10 --target docs/pay.md",
        session=SESSION,
        op="expand",
        targets=["src/pay.py:10", "docs/pay.md"],
    ),
    "symbol": defined("settle_invoice"),
    "symbol-qualified": defined("Desk.settle_invoice", "-m 1", limit=1),
    "symbol-unknown": defined("settle_invoise"),
    "symbol-filter": defined("Ledger", "--filter path:docs/**", filter=["path:docs/**"]),
    "symbol-below": defined("settle_invoice", below="src"),
    "references": used(),
    "references-everywhere": used("--strings --comments", strings=True, comments=True),
    "references-few": used("-m 1 --filter -test:true", limit=1, filter=["-test:true"]),
    "references-below": used(below="tests"),
    "expand": around("src/pay.py:10"),
    "expand-lines": around("src/pay.py:9-14"),
    "expand-row": around(ROW),
    "expand-file": around("docs/pay.md"),
    "expand-little": around("src/pay.py", "--max-bytes 100", max_bytes=100),
    **{
        f"expand-{boundary}": around("src/pay.py:10", f"--boundary {boundary}", boundary=boundary)
        for boundary in ("chunk", "definition", "container", "file")
    },
    "outline": outlined("src/pay.py"),
    "outline-several": outlined("src", "docs/pay.md"),
    "outline-line": outlined("src/pay.py:10", typed="--max-bytes 300", options=["max_bytes=300"]),
    "outline-depth": outlined("src/pay.py", typed="--depth 1", options=["depth=1"]),
    "tour": Case("outline", {}, ("tour",), schema="tour_success"),
    "workspace": joined("search --short-snippet"),
    "workspace-narrowed": joined(
        "search --no-snippet",
        "--only pay -m 2 --per-file 1 --find concept --filter lang:python --merge global",
        snippet="none",
        only=["pay"],
        top=2,
        per_file=1,
        find="concept",
        filter=["lang:python"],
        merge="global",
    ),
    **{
        f"workspace-{merge}": joined("search --short-snippet", f"--merge {merge}", merge=merge)
        for merge in STRATEGIES
    },
    "workspace-unmatched": joined(
        "search --short-snippet", "--only mail --only nobody", only=["mail", "nobody"]
    ),
    "workspace-rarely": joined(
        "search --short-snippet",
        "--no-vectors --rrf-k 7 --no-fold --top-per-repo 9 --max-repos 1 --concurrency 1",
        options=[
            "vectors=false",
            "rrf_k=7",
            "fold=false",
            "per_repo_top=9",
            "max_repos=1",
            "concurrency=1",
        ],
    ),
    "workspace-slate": joined("slate", format="slate"),
    "workspace-slate-searched": joined("search --format slate", format="slate"),
    "workspace-slate-paths": joined("slate --level 0", format="slate", level=0),
    "workspace-slate-shaped": joined(
        "slate --level 2 --no-graph --no-anchors",
        "--max-bytes 9000 --file-bytes 900 --max-files 3 --evidence 1 --only mail",
        format="slate",
        level=2,
        graph=False,
        anchors=False,
        max_bytes=9_000,
        max_file_bytes=900,
        max_files=3,
        evidence=1,
        only="mail",
    ),
    **{
        f"workspace-{tool}": Case(
            tool,
            {argument: target, "options": ["only=mail", "only=pay"]},
            (command, target, "--only", "mail", "--only", "pay"),
            schema="",
            of_workspace=True,
        )
        for tool, command, argument, target in (
            ("symbol", "symbol", "name", "settle_invoice"),
            ("references", "refs", "name", "settle_invoice"),
            ("expand", "expand", "target", "pay:src/pay.py:1"),
        )
    },
}
