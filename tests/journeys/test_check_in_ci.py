"""The action and the hook that come with ggrep, run by the letter in a made-up repository."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from ggrep.base import stable_json
from ggrep.interfaces.entry import main
from tests.fakes.repos import write_tree
from tests.journeys.household import Household, household

pytestmark = pytest.mark.slow

TOP = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((TOP / ".github/actions/check/action.yml").read_text())
HOOKS: list[dict[str, Any]] = yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text())
CHECKS = """\
version = 1

[[checks]]
id = "pay"
query = "settle an invoice"
expect_first = "pay.py"
"""
PAY = "def settle_invoice(amount):\n    return amount\n"


class Job:
    """A job of CI: a checkout, and what steps are given."""

    def __init__(self, house: Household) -> None:
        self.house = house
        self.root = house.repo("r", {"pay.py": PAY, ".ggrep-check.toml": CHECKS})
        self.temp = house.base / "temp"
        (self.temp / "ggrep/bin").mkdir(parents=True)
        program = self.temp / "ggrep/bin/ggrep"
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -m ggrep "$@"\n')
        program.chmod(0o755)
        self.output, self.summary = house.base / "output", house.base / "summary"

    def check(self, **inputs: str) -> int:
        """Run the step that checks; return its exit status."""
        (step,) = [each for each in ACTION["runs"]["steps"] if each.get("id") == "check"]
        given = {name: str(each["default"]) for name, each in ACTION["inputs"].items()} | inputs
        values = {f"inputs.{name}": value for name, value in given.items()}
        values["runner.temp"] = str(self.temp)
        variables = {
            name: re.sub(r"\$\{\{ (\S+) \}\}", lambda item: values[item[1]], str(value))
            for name, value in step["env"].items()
        }
        self.output.write_text("")
        self.summary.write_text("")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            check=False,
            cwd=self.root,
            env={
                **self.house.environ(),
                "RUNNER_TEMP": str(self.temp),
                "GITHUB_OUTPUT": str(self.output),
                "GITHUB_STEP_SUMMARY": str(self.summary),
                **variables,
            },
        )
        return done.returncode

    def outputs(self) -> dict[str, Path]:
        lines = (line.partition("=") for line in self.output.read_text().splitlines())
        return {name: Path(value) for name, _, value in lines}


def test_the_action_fails_a_job_whose_answers_got_worse() -> None:
    with household() as house:
        job = Job(house)
        assert job.check() == 0
        assert "1 check, 0 failed" in job.summary.read_text()
        write_tree(job.root, {"pay.py": "", "other.py": PAY})

        assert job.check() == 1
        assert "| pay | settle an invoice | " in job.summary.read_text()
        result = job.outputs()
        assert set(result) == set(ACTION["outputs"])
        assert not stable_json.loads(result["report"].read_bytes())["ok"]
        assert b"<failure" in result["junit"].read_bytes()
        assert b"expect_first" in result["sarif"].read_bytes()


@pytest.mark.deep
def test_the_action_compares_with_a_report_from_before() -> None:
    with household() as house:
        job = Job(house)
        assert job.check() == 0
        before = house.base / "before.json"
        before.write_bytes(job.outputs()["report"].read_bytes())
        write_tree(job.root, {"pay.py": "", "other.py": PAY})

        assert job.check(baseline=str(before)) == 1
        assert job.check(**{"baseline": str(before), "max-drop": "1"}) == 0
        before.write_bytes(job.outputs()["report"].read_bytes())
        assert job.check(baseline=str(before)) == 0


def test_the_hook_runs_the_checks_of_the_repository() -> None:
    (hook,) = HOOKS
    program, *arguments = hook["entry"].split()
    assert (program, hook["pass_filenames"]) == ("ggrep", False)
    with household() as house:
        job = Job(house)
        assert house.run_here(main, *arguments, cwd=job.root).status == 0
        write_tree(job.root, {"pay.py": ""})

        assert house.run_here(main, *arguments, cwd=job.root).status == 1
