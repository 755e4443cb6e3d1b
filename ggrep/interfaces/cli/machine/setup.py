"""`ggrep setup`: completions, agents and the first index, each offered once."""

from collections.abc import Callable, Sequence
from typing import Annotated

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import GgrepError, Unasked
from ggrep.config.settings import home_from
from ggrep.index.repo_identity import require_modest
from ggrep.interfaces.agents.clients import Client
from ggrep.interfaces.agents.config_files import ConfigFiles, command_of, shell_of, those_there
from ggrep.interfaces.agents.installation import Agents
from ggrep.interfaces.agents.writing import Done
from ggrep.interfaces.cli.machine.doctor import here, machine_text
from ggrep.interfaces.cli.machine.install import files_of
from ggrep.interfaces.cli.parsing.flags import Flag, JsonFlag, PlainFlag, YesFlag
from ggrep.interfaces.cli.stores.index import Indexing, Job
from ggrep.interfaces.cli.terminal import Terminal, confirmed, open_terminal, require_interactive
from ggrep.model.machine import SetupReport, SetupStep, StepOutcome
from ggrep.model.sanitise import sanitise, sanitise_line
from ggrep.service.location import open_index
from ggrep.service.machine import examine_machine


class Step(Struct, frozen=True):
    """One step of the setup and its outcome; `act` is None if there is nothing to do."""

    name: str
    message: str
    act: "Callable[[Step], Step] | None" = None
    files: Sequence[Done] = ()
    outcome: StepOutcome = "nothing"


def setup(
    dry_run: Annotated[bool, Flag("--dry-run -d", "List the steps; do nothing.")] = False,
    yes: YesFlag = False,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Set up ggrep here: shell completions, entries for installed agents, and an index.

    Each step needs a confirmation, or `--yes`. `ggrep uninstall` and `ggrep clean` undo the steps.
    """
    terminal = open_terminal(plain=plain)
    if not dry_run:
        require_interactive("setup", yes=yes)
    steps = []
    for offered in (_shell(terminal), _agents(terminal), _index(terminal, lists_files=not json)):
        step = _taken(offered, dry_run=dry_run, asked=not yes)
        if not json:
            _tell(step, terminal)
        steps.append(step)
    is_well = all(step.outcome != "failed" for step in steps)
    if json:
        document = SetupReport(
            ok=is_well,
            dry_run=dry_run,
            steps=tuple(
                SetupStep(
                    step=step.name,
                    outcome=step.outcome,
                    message=sanitise_line(step.message),
                    files=files_of(step.files),
                )
                for step in steps
            ),
        )
        terminal.write_json(document.to_dict(), pretty=True)
    elif not dry_run:
        home, place = home_from(terminal.environ), here()
        checks = examine_machine(home, place.root if place else home.data, terminal.environ)
        if wrong := [check for check in checks if check.state != "ok"]:
            terminal.write(machine_text(wrong, terminal.style))
        terminal.tell('setup is complete; try: ggrep "a question in your own words"')
    return 0 if is_well else 1


def _taken(step: Step, *, dry_run: bool, asked: bool) -> Step:
    """Run a step if the user agrees; return the step with its outcome."""
    if step.act is None:
        return step
    if dry_run:
        return replace(step, outcome="planned")
    if asked and not confirmed(sanitise_line(f"{step.message}?"), default=True):
        return replace(step, outcome="declined")
    try:
        return step.act(step)
    except GgrepError as error:
        return replace(step, outcome="failed", message=str(error))


def _shell(terminal: Terminal) -> Step:
    shell = shell_of(terminal.environ)
    if shell is None:
        return Step("shell", "no completions are known for this shell; see: ggrep help completion")
    offer = f"install completions for {shell.title}"
    return _written("shell", [shell], offer, f"{shell.title} has completions", terminal)


def _agents(terminal: Terminal) -> Step:
    result = those_there(ConfigFiles.of(terminal.environ, None))
    if not result:
        return Step(
            "agents", "no agent was found; to configure one by its name: ggrep install CLIENT"
        )
    names = ", ".join(client.title for client in result)
    offer, is_so = f"configure {names} to use ggrep", f"already connected: {names}"
    return _written("agents", result, offer, is_so, terminal)


def _written(
    name: str, clients: Sequence[Client], offer: str, is_so: str, terminal: Terminal
) -> Step:
    """Return the step that writes ggrep's entries into configuration files."""
    home, places = home_from(terminal.environ), ConfigFiles.of(terminal.environ, None)
    dry = Agents(home, places, command_of(terminal.environ), dry=True)
    planned = [each for each in dry.install(clients) if each.outcome != "unchanged"]
    left = "; ".join(
        f"{each.path} {each.outcome}: {each.message}" for each in planned if each.message
    )
    if not any(each.outcome == "written" for each in planned):
        return Step(name, f"{offer}: not done; {left}" if left else is_so)

    def act(step: Step) -> Step:
        done = [
            each for each in replace(dry, dry=False).install(clients) if each.outcome != "unchanged"
        ]
        refused = any(each.outcome == "refused" for each in done)
        return replace(step, files=done, outcome="failed" if refused else "done")

    return Step(name, offer, act, planned)


def _index(terminal: Terminal, *, lists_files: bool) -> Step:
    place = here()
    try:
        if place is not None:
            require_modest(place.root, home_from(terminal.environ))
    except Unasked:
        place = None
    if place is None:
        return Step("index", "not a repository; inside a repository the first search indexes it")
    root = place.root
    index = open_index(root, terminal.environ)
    if index.identity.store.exists():
        return Step("index", f"{root} is indexed")

    def act(step: Step) -> Step:
        Job(terminal, Indexing(), listing=lists_files).run(root.name, root)
        return replace(step, outcome="done")

    return Step("index", f"index {root}", act)


def _tell(step: Step, terminal: Terminal) -> None:
    mark = {"done": "+", "failed": "!"}.get(step.outcome, "-")
    role = {"done": "good", "failed": "bad"}.get(step.outcome, "muted")
    message = f"{step.message}: declined" if step.outcome == "declined" else step.message
    name = terminal.style.paint("name", f"{step.name:<6}")
    terminal.write(f"{terminal.style.paint(role, mark)} {name} {sanitise_line(message)}\n")
    for each in step.files if step.outcome in {"done", "failed", "planned"} else ():
        text = f": {each.message}" if each.message else ""
        terminal.write(sanitise(f"    {each.path}{text}").rstrip("\n") + "\n")
