"""Examples of each command, as help, manual pages and tests have them.

Every line can be typed: tests run all of them, in this order, over a small repository. `STORE`
stands for the id of a store, which `ggrep list` tells.
"""

from typing import Final

EXAMPLES: Final = {
    "": (
        ('ggrep "where is a card charged"', "search the repository around you"),
        ('ggrep slate "how are payments retried"', "gather all that a question needs"),
        ("ggrep refs charge_card", "show where a name is used"),
    ),
    "search": (
        ('ggrep "where is a card charged"', "`search` may be left out"),
        ("ggrep search status src docs", "a word that is a command, below two folders"),
        ("ggrep 'charge_\\w+' --find regex", "lines that match, each held against the text"),
        ('ggrep "retry" -t py --no-tests', "of one language, no tests"),
        ('ggrep "retry" --filter lang:python --filter -test:true', "the same, written out"),
        ('ggrep "charge a card" --format agent', "places with line ranges, the best opened"),
        ("ggrep charge_card --vimgrep", "places as an editor's quickfix list reads them"),
        ('ggrep "charge a card" --receipt card.receipt.json', "keep the answer for `ggrep replay`"),
        ('ggrep "card" --workspace team.jsonc -m 3 -n', "of all repositories of a workspace"),
    ),
    "slate": (
        ('ggrep slate "how is a card charged"', "files by section, the lines that answer best"),
        ('ggrep slate "how is a card charged" --level 2', "more of them"),
        ('ggrep slate "charge" --graph mermaid', "how the files hang together, to be drawn"),
        ('ggrep slate "charge" --session new', "begin a session; the answer ends with a token"),
    ),
    "symbol": (
        ("ggrep symbol charge_card", "by name"),
        ("ggrep symbol Checkout.charge_card --json", "of one container, for programs"),
    ),
    "refs": (
        ("ggrep refs charge_card", "not in strings, comments or definitions"),
        ("ggrep refs charge_card --strings --in src", "in strings, too, below one folder"),
    ),
    "replay": (
        ("ggrep replay card.receipt.json", "exit status 0: the same bytes, 1: others"),
        ("ggrep replay card.receipt.json --today", "what became of each hit since"),
    ),
    "expand": (
        ("ggrep expand src/checkout.py:8", "the definition around a line"),
        ("ggrep expand Checkout.charge_card", "a definition by its name"),
        ("ggrep expand src/checkout.py:1-4 --boundary lines", "these lines"),
    ),
    "outline": (
        ("ggrep outline src", "what the files of a folder define"),
        ("ggrep outline src/checkout.py --depth 1", "one file, its outermost definitions"),
    ),
    "tour": (("ggrep tour", "purpose, layout, entry points and main files"),),
    "index": (
        ("ggrep index", "build it, or take over what changed"),
        ("ggrep index --dry-run", "what would be indexed, and why the rest is not"),
        ("ggrep index --reset", "build it anew; the old one answers meanwhile"),
    ),
    "status": (
        ("ggrep status", "of the repository around you"),
        ("ggrep status --all", "every daemon of the home"),
    ),
    "list": (("ggrep list", "all stores, the one used last first"),),
    "profiles": (("ggrep profiles", "each with the store that it answers from"),),
    "clean": (
        ("ggrep clean STORE", "one by its id; `ggrep list` tells it"),
        ("ggrep clean", "that of the repository around you"),
        ("ggrep clean --all", "all of the home"),
    ),
    "workspace": (
        ("ggrep workspace init new.jsonc .", "make a file for some repositories"),
        ("ggrep workspace build new.jsonc", "index them"),
        ('ggrep "charge a card" --workspace new.jsonc', "search them"),
    ),
    "workspace init": (
        ("ggrep workspace init shops.jsonc .", "each called as its directory"),
        ("ggrep workspace init shops.jsonc shop=. --force", "called otherwise"),
    ),
    "workspace add": (
        ("ggrep workspace add shops.jsonc bank=../bank --tag pay", "with an alias and a tag"),
    ),
    "workspace remove": (("ggrep workspace remove shops.jsonc bank", "its index stays"),),
    "workspace validate": (("ggrep workspace validate shops.jsonc", "every mistake named"),),
    "workspace build": (
        ("ggrep workspace build shops.jsonc", "all that are enabled"),
        ("ggrep workspace build shops.jsonc --push", "pull what there is, push the rest"),
        (
            "ggrep workspace build shops.jsonc --engine ray --cluster head:6379",
            "on the nodes of a cluster",
        ),
    ),
    "workspace status": (("ggrep workspace status shops.jsonc", "indexes and their daemons"),),
    "workspace doctor": (("ggrep workspace doctor shops.jsonc", "what is wrong, what to type"),),
    "workspace watch": (("ggrep workspace watch shops.jsonc --once", "look once, for scripts"),),
    "workspace manifest": (("ggrep workspace manifest shops.jsonc", "beside the file"),),
    "workspace catalog": (("ggrep workspace catalog shops.jsonc", "paths, hashes and keys"),),
    "workspace gc": (("ggrep workspace gc", "say what could go; --force deletes it"),),
    "serve": (
        ("ggrep serve --background", "return once it is ready"),
        ("ggrep serve --low-impact", "in this terminal, with less of the machine"),
    ),
    "stop": (("ggrep stop", "those of the repository around you"),),
    "stop-all": (("ggrep stop-all", "all of the home"),),
    "metrics": (("ggrep metrics", "for Prometheus"), ("ggrep metrics --json", "for others")),
    "api": (
        ("ggrep api --port 0", "of the repository around you, on a free port"),
        ("ggrep api --workspace team.jsonc --port 0", "of a workspace, too"),
    ),
    "mcp": (
        ("ggrep mcp", "on standard input and output; an agent's client starts it"),
        ("ggrep mcp --workspace team.jsonc", "a workspace may be asked, too"),
    ),
    "install": (
        ("ggrep install --list", "which agents are there, and where ggrep is in their files"),
        ("ggrep install --dry-run", "the changes as a diff"),
        ("ggrep install claude --project", "for all who work on this repository"),
    ),
    "uninstall": (("ggrep uninstall", "each file gets its former bytes"),),
    "setup": (
        ("ggrep setup --dry-run", "what it would write, and index"),
        ("ggrep setup --yes", "all of it; without the flag each is asked for"),
    ),
    "self": (("ggrep self uninstall --dry-run", "what would go, and what it takes"),),
    "self uninstall": (
        ("ggrep self uninstall --dry-run", "what would go, and what it takes"),
        ("ggrep self uninstall --keep-package --yes", "all but the indexes and the program"),
    ),
    "doctor": (
        ("ggrep doctor", "a line a check, and what mends what is wrong"),
        ("ggrep doctor --json", "for programs; exit status 1 where there is a problem"),
    ),
    "health": (("ggrep health", "a line a check"), ("ggrep health --deep", "hash every file")),
    "audit": (("ggrep audit", "exit status 1 where anything is amiss"),),
    "repair": (("ggrep repair", "what is damaged, and nothing else"),),
    "compact": (("ggrep compact --force", "into one segment, though it is not due"),),
    "gc": (
        ("ggrep gc", "say which old snapshots can go"),
        ("ggrep gc --force", "delete them"),
        ("ggrep gc --stores", "whole stores that nobody used for long"),
    ),
    "pull": (
        ("ggrep pull", "after a clone: what others have indexed, then the rest"),
        ("ggrep pull --auto", "in a script: where there is nothing to pull, index"),
    ),
    "push": (
        ("ggrep push", "what ggrep index built, to the only remote"),
        ("ggrep push --again", "mend a remote that lost objects"),
    ),
    "remote": (("ggrep remote list", "where snapshots are pushed to and pulled from"),),
    "remote add": (
        (
            "ggrep remote add origin s3://team-indexes/ggrep",
            "credentials come from the environment",
        ),
        ("ggrep remote add shared /srv/ggrep", "a directory that the team shares"),
    ),
    "remote list": (("ggrep remote list --json", "for programs"),),
    "remote remove": (("ggrep remote remove shared", "what lies there stays"),),
    "remote gc": (
        ("ggrep remote gc", "say what nobody needs"),
        ("ggrep remote gc --force", "delete it"),
    ),
    "clone-store": (("ggrep clone-store STORE STORE-before", "keep it as it is now"),),
    "upgrade-store": (("ggrep upgrade-store", "what an older build wrote"),),
    "check": (
        ("ggrep check --init 'retry a payment'", "a first file, from a question"),
        ("ggrep check", "those of .ggrep-check.toml"),
        ("ggrep check .ggrep-check.toml --junit checks.xml", "for CI"),
    ),
    "eval": (("ggrep eval suite.toml --out figures.json", "questions and what must come"),),
    "completion": (
        ("ggrep completion bash", 'in ~/.bashrc: eval "$(ggrep completion bash)"'),
        ("ggrep completion zsh", 'in ~/.zshrc, behind compinit: eval "$(ggrep completion zsh)"'),
        ("ggrep completion fish", "to ~/.config/fish/completions/ggrep.fish"),
        ("ggrep completion powershell", "in $PROFILE: ... | Out-String | Invoke-Expression"),
    ),
    "help": (
        ("ggrep help index", "the page of a command"),
        ("ggrep help workspace add", "of one below another"),
        ("ggrep help agents", "what to tell an agent, for your AGENTS.md"),
        ("ggrep help --man search", "a manual page: ggrep help --man search | man -l -"),
    ),
}
"""By command: what is typed and what it does. The first is of `ggrep` itself."""

SAME: Final = {"references": "refs", "stores": "list"}
"""Commands under a second name."""
