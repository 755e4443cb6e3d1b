"""Examples of each command for help, manual pages and tests.

Tests run every example, in this order, on a small repository. `STORE` is the id of a store, from
`ggrep list`.
"""

from typing import Final

EXAMPLES: Final = {
    "": (
        ('ggrep "where is a card charged"', "search this repository"),
        ('ggrep slate "how are payments retried"', "collect the code for a question"),
        ("ggrep refs charge_card", "show where a name is used"),
    ),
    "search": (
        ('ggrep "where is a card charged"', "the word `search` is optional"),
        ("ggrep search status src docs", "search two folders; `status` alone is a command"),
        ("ggrep 'charge_\\w+' --find regex", "lines that match an expression"),
        ('ggrep "retry" -t py --no-tests', "one language, no tests"),
        ('ggrep "retry" --filter lang:python --filter -test:true', "the same, with filters"),
        ('ggrep "charge a card" --format agent', "compact text for agents"),
        ("ggrep charge_card --vimgrep", "output for an editor's quickfix list"),
        ('ggrep "charge a card" --receipt card.receipt.json', "save the answer for `ggrep replay`"),
        ('ggrep "card" --workspace team.jsonc -m 3 -n', "all repositories of a workspace"),
    ),
    "slate": (
        ('ggrep slate "how is a card charged"', "files by section, with the best lines"),
        ('ggrep slate "how is a card charged" --level 2', "more files and lines"),
        ('ggrep slate "charge" --graph mermaid', "a graph of the files"),
        ('ggrep slate "charge" --session new', "begin a session; the answer ends with a token"),
    ),
    "symbol": (
        ("ggrep symbol charge_card", "by name"),
        ("ggrep symbol Payment.charge", "a method, with its implementations"),
        ("ggrep symbol Checkout.charge_card --json", "only in the class Checkout, as JSON"),
    ),
    "refs": (
        ("ggrep refs charge_card", "without strings, comments and definitions"),
        ("ggrep refs charge_card --strings --in src", "also in strings, in one folder"),
        ("ggrep refs '\"/login\"'", "code that handles a route or an event"),
    ),
    "pick": (
        ("ggrep pick", "type words, choose with Up and Down, open with Enter"),
        ('ggrep pick "charge a card"', "start with these words"),
        ("ggrep pick --print", "print the path and line, for scripts"),
    ),
    "replay": (
        (
            "ggrep replay card.receipt.json",
            "exit with 0 if the answer has the same bytes, else with 1",
        ),
        ("ggrep replay card.receipt.json --today", "where each hit is today"),
    ),
    "expand": (
        ("ggrep expand src/checkout.py:8", "the definition around a line"),
        ("ggrep expand Checkout.charge_card", "a definition by its name"),
        ("ggrep expand src/checkout.py:1-4 --boundary lines", "these lines"),
    ),
    "outline": (
        ("ggrep outline src", "definitions in the files of a folder"),
        ("ggrep outline src/checkout.py --depth 1", "one file, its outermost definitions"),
    ),
    "tour": (("ggrep tour", "purpose, layout, entry points and main files"),),
    "index": (
        ("ggrep index", "build or update the index"),
        ("ggrep index --dry-run", "list files to index, and why others are skipped"),
        ("ggrep index --reset", "rebuild; searches use the old index until then"),
    ),
    "status": (
        ("ggrep status", "this repository"),
        ("ggrep status --all", "every daemon of the ggrep home"),
    ),
    "list": (("ggrep list", "all stores, most recently used first"),),
    "profiles": (("ggrep profiles", "each profile and its store"),),
    "clean": (
        ("ggrep clean STORE", "a store by its id from `ggrep list`"),
        ("ggrep clean", "the store of this repository"),
        ("ggrep clean --all", "all stores of the ggrep home"),
    ),
    "workspace": (
        ("ggrep workspace init new.jsonc .", "create a workspace file"),
        ("ggrep workspace build new.jsonc", "index its repositories"),
        ('ggrep "charge a card" --workspace new.jsonc', "search them"),
    ),
    "workspace init": (
        ("ggrep workspace init shops.jsonc .", "aliases are the directory names"),
        ("ggrep workspace init shops.jsonc shop=. --force", "replace the file; use the alias shop"),
    ),
    "workspace add": (
        ("ggrep workspace add shops.jsonc bank=../bank --tag pay", "with an alias and a tag"),
    ),
    "workspace remove": (("ggrep workspace remove shops.jsonc bank", "keep its index"),),
    "workspace validate": (("ggrep workspace validate shops.jsonc", "report every mistake"),),
    "workspace build": (
        ("ggrep workspace build shops.jsonc", "all enabled repositories"),
        ("ggrep workspace build shops.jsonc --push", "pull existing indexes, push new ones"),
        (
            "ggrep workspace build shops.jsonc --engine ray --cluster head:6379",
            "on the nodes of a cluster",
        ),
    ),
    "workspace status": (("ggrep workspace status shops.jsonc", "indexes and their daemons"),),
    "workspace doctor": (
        ("ggrep workspace doctor shops.jsonc", "problems and commands that fix them"),
    ),
    "workspace watch": (
        ("ggrep workspace watch shops.jsonc --once", "start missing daemons once, for scripts"),
    ),
    "workspace manifest": (("ggrep workspace manifest shops.jsonc", "write the manifest"),),
    "workspace catalog": (
        ("ggrep workspace catalog shops.jsonc", "paths, hashes and compatibility keys"),
    ),
    "workspace gc": (("ggrep workspace gc", "list cached data; --force deletes it"),),
    "serve": (
        ("ggrep serve --background", "return once the daemon is ready"),
        ("ggrep serve --low-impact", "in this terminal, with few resources"),
    ),
    "stop": (("ggrep stop", "daemons of this repository"),),
    "stop-all": (("ggrep stop-all", "all daemons of the ggrep home"),),
    "metrics": (("ggrep metrics", "for Prometheus"), ("ggrep metrics --json", "as JSON")),
    "api": (
        ("ggrep api --port 0", "this repository, on a free port"),
        ("ggrep api --workspace team.jsonc --port 0", "also a workspace"),
    ),
    "ui": (
        ("ggrep ui", "a page for this repository; prints its address"),
        ("ggrep ui --workspace team.jsonc --port 0", "for a workspace, on a free port"),
    ),
    "mcp": (
        ("ggrep mcp", "on standard input and output, started by an agent"),
        ("ggrep mcp --workspace team.jsonc", "also answers for a workspace"),
    ),
    "lsp": (("ggrep lsp", "on standard input and output, started by an editor"),),
    "server": (("ggrep server start server.jsonc", "in the foreground, for service managers"),),
    "server start": (("ggrep server start server.jsonc", "until SIGTERM or Ctrl-C"),),
    "server status": (("ggrep server status server.jsonc --json", "for programs"),),
    "server stop": (("ggrep server stop server.jsonc", "end the server and its nodes"),),
    "install": (
        ("ggrep install --list", "list clients and their files"),
        ("ggrep install --dry-run", "the changes as a diff"),
        ("ggrep install claude --project", "for everyone in this repository"),
    ),
    "uninstall": (("ggrep uninstall", "remove the entries that ggrep wrote"),),
    "setup": (
        ("ggrep setup --dry-run", "list what would be written and indexed"),
        ("ggrep setup --yes", "every step without asking"),
    ),
    "doctor": (
        ("ggrep doctor", "one line for each check, with its fix"),
        ("ggrep doctor --json", "as JSON; exit with 1 if there is a problem"),
    ),
    "health": (
        ("ggrep health", "one line for each check"),
        ("ggrep health --deep", "hash every file"),
    ),
    "audit": (("ggrep audit", "exit with 1 when anything is wrong"),),
    "repair": (("ggrep repair", "hash every file and rebuild the damaged ones"),),
    "compact": (("ggrep compact --force", "merge all segments now"),),
    "gc": (
        ("ggrep gc", "list snapshots that can be deleted"),
        ("ggrep gc --force", "delete them"),
        ("ggrep gc --stores", "list stores that were unused for a long time"),
    ),
    "pull": (
        ("ggrep pull", "after a clone: download an index, then update it"),
        ("ggrep pull --auto", "in a script: index if nothing can be pulled"),
    ),
    "push": (
        ("ggrep push", "upload the index to the only remote"),
        ("ggrep push --again", "repair a remote that lost objects"),
    ),
    "remote": (("ggrep remote list", "list remotes"),),
    "remote add": (
        (
            "ggrep remote add origin s3://team-indexes/ggrep",
            "credentials come from the environment",
        ),
        ("ggrep remote add shared /srv/ggrep", "a directory that the team shares"),
    ),
    "remote list": (("ggrep remote list --json", "for programs"),),
    "remote remove": (("ggrep remote remove shared", "keep its uploaded data"),),
    "remote gc": (
        ("ggrep remote gc", "list unneeded objects"),
        ("ggrep remote gc --force", "delete them"),
    ),
    "upgrade-store": (("ggrep upgrade-store", "a store of an older build"),),
    "check": (
        ("ggrep check --init 'retry a payment'", "create a file with a check for this question"),
        ("ggrep check", "run the checks of .ggrep-check.toml"),
        ("ggrep check .ggrep-check.toml --junit checks.xml", "for CI"),
    ),
    "eval": (
        ("ggrep eval suite.toml --out figures.json", "run a suite and write the report to a file"),
    ),
    "completion": (
        ("ggrep completion bash", 'in ~/.bashrc: eval "$(ggrep completion bash)"'),
        ("ggrep completion zsh", 'in ~/.zshrc, after compinit: eval "$(ggrep completion zsh)"'),
        ("ggrep completion fish", "save as ~/.config/fish/completions/ggrep.fish"),
        (
            "ggrep completion powershell",
            "in $PROFILE: ggrep completion powershell | Out-String | Invoke-Expression",
        ),
    ),
    "workspaces": (
        ("ggrep workspace init team.jsonc . ../bank", "create a workspace file"),
        ('ggrep "charge a card" --workspace team.jsonc', "search all its repositories"),
        ('ggrep "charge a card" --workspace team.jsonc --only bank', "search one of them"),
    ),
    "help": (
        ("ggrep help --all", "all commands"),
        ("ggrep help index", "help for a command"),
        ("ggrep help workspace add", "help for a subcommand"),
        ("ggrep help agents", "instructions for an agent, for AGENTS.md"),
        ("ggrep help --man search", "a manual page: ggrep help --man search | man -l -"),
    ),
}
"""Command lines and their descriptions, by command; first those of `ggrep` itself."""

SAME: Final = {"references": "refs", "stores": "list"}
"""Commands that are second names of other commands."""
