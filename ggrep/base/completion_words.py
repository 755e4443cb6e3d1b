"""Commands, flags and words of closed sets, as completions offer them. Generated; do not edit.

`python -m ggrep.interfaces.cli.parsing.completion_table` writes it from the command tree. A flag
leads to the words that it may be given, with blanks between them; None where it takes no value,
and `@` before what is looked up when it is asked for. Options of every command are not among them.
"""

# ruff: noqa: E501
# fmt: off
COMMANDS = 'search slate symbol refs replay expand outline tour index status list stores profiles clean pull push remote workspace serve stop stop-all metrics api mcp setup install uninstall doctor health audit repair compact gc upgrade-store check eval completion help'
CLIENTS = 'claude codex gemini opencode cursor vscode copilot zed windsurf cline kiro qwen goose aider bash zsh fish'
BELOW = {
    'remote': 'add list remove gc',
    'workspace': 'init add remove validate manifest status catalog build doctor watch gc',
}
FLAGS: dict[str, dict[str, str | None]] = {
    'search': {'--mode': 'balanced discovery implementation planning debug', '-d': None, '--discovery': None, '-i': None, '--implementation': None, '-p': None, '--planning': None, '-b': None, '--debug': None, '--corpus': 'all code prose extracted-prose records', '--filter': '@filter', '--find': 'auto definition usage concept exact-text regex similar-code', '--no-vectors': None, '--keep-weak': None, '-m': '', '--max': '', '--top': '', '--per-file': '', '--content': None, '--long-snippet': None, '-s': None, '--short-snippet': None, '-n': None, '--no-snippet': None, '--anchors': None, '--compact': None, '--scores': None, '--explain': None, '--backend': 'auto exact', '--json': None, '--plain': None, '--exit-status': None, '--receipt': '', '--force': None, '--repo': '@root', '--profile': '@profile', '--encoder': '', '--sync': None, '--strict': None, '--offline': None, '--yes': None, '-y': None, '--deterministic': None, '--timeout-ms': '', '--level': '', '--max-bytes': '', '--max-files': '', '--of-text': None, '--format': 'text slate agent', '--body': '', '--budget': '', '--workspace': '', '--select': '@repository', '--only': '@repository', '--tag': '@tag', '--repo-filter': '', '--include-disabled': None, '--concurrency': '', '--federated-strict': None, '--stats': None, '--all-repos': None, '--debug-include-paths': None, '--max-repos': '', '--merge': 'rrf global', '--rrf-k': '', '--top-per-repo': '', '--fold': None, '--no-fold': None, '--cohort': '', '--cohort-policy': 'default strict priority', '--allow-unsafe-mix': None, '--vimgrep': None, '--ignore-case': None, '--word-regexp': None, '--before-context': '', '--after-context': '', '--files-with-matches': None, '--count': None, '-t': '@language', '--type': '@language', '-T': '@language', '--type-not': '@language', '-g': '', '--glob': '', '--tests': None, '--no-tests': None, '-F': None, '--fixed-strings': None, '-E': None, '--regex': None, '-w': None, '-l': None, '-c': None, '-A': '', '-B': '', '-C': '', '--context': ''},
    'slate': {'--mode': 'balanced discovery implementation planning debug', '-d': None, '--discovery': None, '-i': None, '--implementation': None, '-p': None, '--planning': None, '-b': None, '--debug': None, '--corpus': 'all code prose extracted-prose records', '--filter': '@filter', '--find': 'auto definition usage concept exact-text regex similar-code', '--no-vectors': None, '--keep-weak': None, '--level': '', '--max-bytes': '', '--max-files': '', '--of-text': None, '--file-bytes': '', '--evidence': '', '--no-anchors': None, '--no-graph': None, '--graph': 'dot mermaid', '--session': '', '--op': 'start refine expand', '--target': '', '--delta-only': None, '--json': None, '--plain': None, '--exit-status': None, '--format': 'text agent', '--repo': '@root', '--profile': '@profile', '--encoder': '', '--sync': None, '--strict': None, '--offline': None, '--yes': None, '-y': None, '--deterministic': None, '--timeout-ms': '', '--workspace': '', '--select': '@repository', '--only': '@repository', '--tag': '@tag', '--repo-filter': '', '--include-disabled': None, '--concurrency': '', '--federated-strict': None, '--stats': None, '--all-repos': None, '--debug-include-paths': None, '--max-repos': '', '--merge': 'rrf global', '--rrf-k': '', '--top-per-repo': '', '--fold': None, '--no-fold': None, '--cohort': '', '--cohort-policy': 'default strict priority', '--allow-unsafe-mix': None, '-t': '@language', '--type': '@language', '-T': '@language', '--type-not': '@language', '-g': '', '--glob': '', '--tests': None, '--no-tests': None, '-F': None, '--fixed-strings': None, '-E': None, '--regex': None},
    'symbol': {'-m': '', '--max': '', '--in': '', '--filter': '@filter', '--cursor': '', '--json': None, '--plain': None, '--exit-status': None, '--format': 'text agent', '--budget': '', '--repo': '@root', '--profile': '@profile', '--encoder': '', '--sync': None, '--strict': None, '--offline': None, '--yes': None, '-y': None, '--deterministic': None, '--timeout-ms': '', '--workspace': '', '--select': '@repository', '--only': '@repository', '--tag': '@tag', '--repo-filter': '', '--include-disabled': None, '--concurrency': '', '--federated-strict': None, '--stats': None, '--all-repos': None, '--debug-include-paths': None, '-t': '@language', '--type': '@language', '-T': '@language', '--type-not': '@language', '-g': '', '--glob': '', '--tests': None, '--no-tests': None},
    'refs': {'-m': '', '--max': '', '--in': '', '--strings': None, '--comments': None, '--filter': '@filter', '--cursor': '', '--json': None, '--plain': None, '--exit-status': None, '--format': 'text agent', '--budget': '', '--repo': '@root', '--profile': '@profile', '--encoder': '', '--sync': None, '--strict': None, '--offline': None, '--yes': None, '-y': None, '--deterministic': None, '--timeout-ms': '', '--workspace': '', '--select': '@repository', '--only': '@repository', '--tag': '@tag', '--repo-filter': '', '--include-disabled': None, '--concurrency': '', '--federated-strict': None, '--stats': None, '--all-repos': None, '--debug-include-paths': None, '-t': '@language', '--type': '@language', '-T': '@language', '--type-not': '@language', '-g': '', '--glob': '', '--tests': None, '--no-tests': None},
    'references': {'-m': '', '--max': '', '--in': '', '--strings': None, '--comments': None, '--filter': '@filter', '--cursor': '', '--json': None, '--plain': None, '--exit-status': None, '--format': 'text agent', '--budget': '', '--repo': '@root', '--profile': '@profile', '--encoder': '', '--sync': None, '--strict': None, '--offline': None, '--yes': None, '-y': None, '--deterministic': None, '--timeout-ms': '', '--workspace': '', '--select': '@repository', '--only': '@repository', '--tag': '@tag', '--repo-filter': '', '--include-disabled': None, '--concurrency': '', '--federated-strict': None, '--stats': None, '--all-repos': None, '--debug-include-paths': None, '-t': '@language', '--type': '@language', '-T': '@language', '--type-not': '@language', '-g': '', '--glob': '', '--tests': None, '--no-tests': None},
    'replay': {'--repo': '@root', '--workspace': '', '--today': None, '--profile': '@profile', '--encoder': '', '--json': None, '--plain': None},
    'expand': {'--boundary': 'auto lines chunk definition container file', '--max-bytes': '', '--json': None, '--plain': None, '--format': 'text agent', '--budget': '', '--comments': None, '--repo': '@root', '--profile': '@profile', '--encoder': '', '--sync': None, '--strict': None, '--offline': None, '--yes': None, '-y': None, '--deterministic': None, '--timeout-ms': '', '--workspace': '', '--select': '@repository', '--only': '@repository', '--tag': '@tag', '--repo-filter': '', '--include-disabled': None, '--concurrency': '', '--federated-strict': None, '--stats': None, '--all-repos': None, '--debug-include-paths': None},
    'outline': {'--depth': '', '--max-bytes': '', '--json': None, '--plain': None, '--format': 'text agent', '--repo': '@root', '--profile': '@profile', '--encoder': '', '--sync': None, '--strict': None, '--offline': None, '--yes': None, '-y': None, '--deterministic': None, '--timeout-ms': ''},
    'tour': {'--max-bytes': '', '--json': None, '--plain': None, '--format': 'text agent', '--repo': '@root', '--profile': '@profile', '--encoder': '', '--sync': None, '--strict': None, '--offline': None, '--yes': None, '-y': None, '--deterministic': None, '--timeout-ms': ''},
    'index': {'--dry-run': None, '-d': None, '--reset': None, '-r': None, '--strict': None, '--allow-degraded': None, '--yes': None, '-y': None, '--encoder': '', '--profile': '@profile', '--json': None, '--plain': None, '--path': '', '-p': '', '--workspace': ''},
    'status': {'--path': '', '-p': '', '--all': None, '--watch': None, '--profile': '@profile', '--json': None, '--plain': None},
    'list': {'--json': None, '--plain': None},
    'stores': {'--json': None, '--plain': None},
    'profiles': {'--profile': '@profile', '--json': None, '--plain': None},
    'clean': {'--path': '', '-p': '', '--all': None, '--yes': None, '-y': None, '--json': None},
    'pull': {'--remote': '', '--auto': None, '--yes': None, '-y': None, '--encoder': '', '--profile': '@profile', '--json': None, '--plain': None},
    'push': {'--remote': '', '--again': None, '--encoder': '', '--profile': '@profile', '--json': None, '--plain': None},
    'serve': {'--path': '', '-p': '', '--workspace': '', '--background': None, '--encoder': '', '--profile': '@profile', '--yes': None, '-y': None, '--low-impact': None, '--full-speed': None, '--watch': None, '--no-watch': None},
    'stop': {'--path': '', '-p': '', '--json': None},
    'stop-all': {'--json': None},
    'metrics': {'--json': None},
    'api': {'--host': '', '--port': '', '--workspace': '', '--allowed-root': '', '--allowed-host': '', '--cors-allowed-origin': '', '--max-body-bytes': '', '--auth-token-file': '', '--new-token': None, '--no-token': None, '--allow-unauthenticated': None, '--json': None},
    'mcp': {'--path': '', '-p': '', '--workspace': '', '--allowed-root': '', '--allow-any-root': None, '--structured': None, '--legacy': None, '--http': None, '--host': '', '--port': '', '--allowed-host': '', '--auth-token-file': '', '--new-token': None, '--no-token': None, '--allow-unauthenticated': None, '--log': None},
    'setup': {'--dry-run': None, '-d': None, '--yes': None, '-y': None, '--json': None, '--plain': None},
    'install': {'--user': None, '--project': None, '--path': '', '-p': '', '--list': None, '--print-config': None, '--refresh': None, '--command': '', '--dry-run': None, '-d': None, '--json': None, '--plain': None},
    'uninstall': {'--user': None, '--project': None, '--path': '', '-p': '', '--dry-run': None, '-d': None, '--json': None, '--plain': None},
    'doctor': {'--path': '', '-p': '', '--cluster': None, '--json': None, '--plain': None},
    'health': {'--path': '', '-p': '', '--deep': None, '--profile': '@profile', '--json': None, '--plain': None},
    'audit': {'--path': '', '-p': '', '--json': None, '--plain': None},
    'repair': {'--path': '', '-p': '', '--json': None, '--plain': None},
    'compact': {'--path': '', '-p': '', '--force': None, '--json': None, '--plain': None},
    'gc': {'--path': '', '-p': '', '--stores': None, '--force': None, '--json': None, '--plain': None},
    'upgrade-store': {'--path': '', '-p': '', '--json': None},
    'check': {'--init': '', '--no-sync': None, '--encoder': '', '--junit': '', '--sarif': '', '--markdown': '', '--baseline': '', '--max-drop': '', '--deterministic': None, '--json': None, '--plain': None},
    'eval': {'--task': 'single federated', '--whole': None, '--only': '', '--repo': '', '--language': '', '--category': '', '--workspace': '', '--mode': 'balanced discovery implementation planning debug', '-k': '', '--max': '', '--per-file': '', '--max-bytes': '', '--merge': 'rrf global', '--encoder': '', '--weights': '', '--no-sync': None, '--jobs': '', '--timeout-s': '', '--baseline': '', '--max-drop-ndcg': '', '--max-drop-mrr': '', '--max-drop-pass-rate': '', '--fail-under-ndcg': '', '--fail-under-mrr': '', '--fail-under-pass-rate': '', '--out': '', '--deterministic': None, '--compare': '', '--json': None, '--plain': None},
    'completion': {},
    'help': {'--all': None, '--man': None},
    'remote add': {'--endpoint': '', '--region': '', '--plain-http': None, '--readable': None, '--json': None},
    'remote list': {'--json': None, '--plain': None},
    'remote remove': {'--json': None},
    'remote gc': {'--grace-hours': '', '--force': None, '--json': None, '--plain': None},
    'workspace init': {'--workspace': '', '--name': '', '--force': None, '--json': None},
    'workspace add': {'--workspace': '', '--alias': '', '--tag': '', '--priority': '', '--disabled': None, '--json': None},
    'workspace remove': {'--workspace': '', '--json': None},
    'workspace validate': {'--workspace': '', '--json': None},
    'workspace manifest': {'--workspace': '', '--encoder': '', '--json': None, '--plain': None},
    'workspace status': {'--workspace': '', '--encoder': '', '--json': None, '--plain': None},
    'workspace catalog': {'--workspace': '', '--encoder': '', '--json': None, '--plain': None},
    'workspace build': {'--engine': 'local ray', '--cluster': '', '--no-local': None, '--remote': '', '--no-pull': None, '--push': None, '--workspace': '', '--include-disabled': None, '--concurrency': '', '--strict': None, '--encoder': '', '--json': None, '--plain': None},
    'workspace doctor': {'--workspace': '', '--encoder': '', '--json': None, '--plain': None},
    'workspace watch': {'--workspace': '', '--once': None, '--encoder': '', '--json': None, '--plain': None},
    'workspace gc': {'--workspace': '', '--force': None, '--grace-days': '', '--json': None},
}
ARGUMENTS: dict[str, list[str]] = {
    'clean': ['@store'],
    'install': ['@client'],
    'uninstall': ['@client'],
    'completion': ['bash zsh fish powershell'],
    'help': ['@command'],
    'workspace remove': ['', '@repository'],
}
FILTERS = {
    'lang': 'ada apex asciidoc assembly astro avro awk bash batch bitbake c capnp clojure cmake cobol code coffeescript commonlisp coq cpp crystal csharp css csv cue d dart desktop diff dockerfile dot elisp elixir elm erb erlang fennel fish fortran fsharp gdscript gleam glsl go gomod graphql groovy haskell hcl html ignore ini java javascript jenkinsfile json jsonnet julia jupyter just kotlin latex less lisp lock lua make markdown mathematica matlab mercury mermaid mojo nim nix objc ocaml odin org pascal perl php plantuml plist powershell prisma prolog proto puppet purescript python qmake r racket requirements rst ruby rust scala scheme scss solidity sql starlark svelte swift tcl text thrift toml tsx typescript typst v vb verilog vhdl vim vue xml yaml zig',
    'path': '',
    'kind': 'function method class interface enum typealias module constant section diagram block anchor',
    'ext': '',
    'corpus': 'code prose extracted-prose records',
    'test': 'true false',
}
