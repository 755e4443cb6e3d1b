"""The shells, and where each keeps completions: files of a user, as those of clients are."""

from typing import Final

from ggrep.interfaces.agents.clients import CLIENTS, Client, Target
from ggrep.interfaces.agents.completion_scripts import SCRIPTS
from ggrep.interfaces.agents.entries import Make
from ggrep.interfaces.agents.pieces import Section, WholeFile

_DATA: Final = "${XDG_DATA_HOME:-$HOME/.local/share}"
_BASH: Final = "bash-completion/completions/ggrep"
"""Where bash-completion finds it by itself; without that, it is read when the shell begins."""
_ZSH: Final = "zsh/site-functions/_ggrep"


def _script(shell: str) -> Make:
    return lambda _: WholeFile(SCRIPTS[shell])


def _lines(*lines: str) -> Make:
    return lambda _: Section(lines, ("# ", ""))


SHELLS: Final = {
    shell.name: shell
    for shell in (
        Client(
            "bash",
            "bash",
            ("bash",),
            (),
            (
                Target("data", (_BASH,), _script("bash")),
                Target(
                    "home",
                    (".bashrc",),
                    _lines(f'if [ -r "{_DATA}/{_BASH}" ]; then', f'    . "{_DATA}/{_BASH}"', "fi"),
                ),
            ),
            (),
        ),
        Client(
            "zsh",
            "zsh",
            ("zsh",),
            (),
            (
                Target("data", (_ZSH,), _script("zsh")),
                Target(
                    "zsh",
                    (".zshrc",),
                    _lines(
                        f'if [[ -r "{_DATA}/{_ZSH}" ]]; then',
                        "    (( ${+functions[compdef]} )) || { autoload -Uz compinit; compinit; }",
                        f'    source "{_DATA}/{_ZSH}"',
                        "fi",
                    ),
                ),
            ),
            (),
        ),
        Client(
            "fish",
            "fish",
            ("fish",),
            (),
            (Target("config", ("fish/completions/ggrep.fish",), _script("fish")),),
            (),
        ),
    )
}
"""By name. They have no files in a project."""

EVERY: Final = CLIENTS | SHELLS
"""All that ggrep is installed in."""
