"""The completion scripts of shells, and their files."""

from types import MappingProxyType
from typing import Final

from ggrep.interfaces.agents.clients import CLIENTS, Client, ConfigFile, Make
from ggrep.interfaces.agents.text_edit import Section, WholeFile

_BASH_SCRIPT: Final = r"""# Completions of ggrep for bash.
_ggrep() {
    local line=${COMP_LINE:0:COMP_POINT} current word
    local -a words=()
    read -ra words <<< "$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    current=${words[${#words[@]}-1]}
    # To bash the text before = or : is a separate word; it stays.
    local kept=${current%"${current##*[=:]}"}
    COMPREPLY=()
    while IFS= read -r word; do
        word=${word#"$kept"}
        [[ $word == *[=:] ]] && compopt -o nospace 2> /dev/null
        COMPREPLY+=("$(printf '%q' "$word")")
    done < <("${words[0]}" __complete -- "${words[@]:1}" 2> /dev/null)
}
complete -o default -F _ggrep ggrep
"""

_ZSH_SCRIPT: Final = r"""#compdef ggrep
# Completions of ggrep for zsh.
_ggrep() {
    local -a found ends
    found=("${(@f)$("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2> /dev/null)}")
    found=("${(@)found:#}")
    if (( ! ${#found} )); then
        _files
        return
    fi
    ends=("${(@M)found:#*[=:]}")
    found=("${(@)found:#*[=:]}")
    (( ${#ends} )) && compadd -Q -S '' -- "${ends[@]}"
    (( ${#found} )) && compadd -- "${found[@]}"
}
if [[ ${funcstack[1]} == _ggrep ]]; then
    _ggrep "$@"
else
    compdef _ggrep ggrep
fi
"""

_FISH: Final = r"""# Completions of ggrep for fish.
function __ggrep_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (command $words[1] __complete -- $words[2..-1] 2> /dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c ggrep -f -a '(__ggrep_complete)'
"""

_POWERSHELL: Final = r"""# Completions of ggrep for PowerShell.
Register-ArgumentCompleter -Native -CommandName ggrep -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements |
        Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
        Select-Object -Skip 1 |
        ForEach-Object { $_.Extent.Text })
    if ($wordToComplete -eq '') { $words += '' }
    & ggrep __complete -- @words 2> $null | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }
}
"""

SCRIPTS: Final = MappingProxyType(
    {"bash": _BASH_SCRIPT, "zsh": _ZSH_SCRIPT, "fish": _FISH, "powershell": _POWERSHELL}
)

_DATA: Final = "${XDG_DATA_HOME:-$HOME/.local/share}"
_BASH: Final = "bash-completion/completions/ggrep"
"""bash-completion loads this file; without bash-completion, `.bashrc` reads it."""
_ZSH: Final = "zsh/site-functions/_ggrep"


def _script(shell: str) -> Make:
    return lambda _: WholeFile(SCRIPTS[shell])


def _lines(*lines: str) -> Make:
    return lambda _: Section(lines, ("# ", ""))


def _shell(name: str, *files: ConfigFile) -> Client:
    return Client(name, name, programs=(name,), folders=(), user=files, project=())


SHELLS: Final = {
    shell.name: shell
    for shell in (
        _shell(
            "bash",
            ConfigFile("data", (_BASH,), _script("bash")),
            ConfigFile(
                "home",
                (".bashrc",),
                _lines(f'if [ -r "{_DATA}/{_BASH}" ]; then', f'    . "{_DATA}/{_BASH}"', "fi"),
            ),
        ),
        _shell(
            "zsh",
            ConfigFile("data", (_ZSH,), _script("zsh")),
            ConfigFile(
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
        _shell("fish", ConfigFile("config", ("fish/completions/ggrep.fish",), _script("fish"))),
    )
}
"""Shells by name; they have no files in a project."""

EVERY: Final = CLIENTS | SHELLS
"""All clients and shells by name."""
