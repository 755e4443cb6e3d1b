"""The files of docs/deploy/server name commands, configurations and directories that exist."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ggrep.base.commands import read
from ggrep.server.access import Access, read_file
from ggrep.server.server_file import read_server_file

TOP = Path(__file__).parents[2]
DEPLOY = TOP / "docs" / "deploy" / "server"
UNIT = DEPLOY / "ggrep-server.service"
COMPOSE: Any = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
KUBERAY: list[Any] = [*yaml.safe_load_all((DEPLOY / "kuberay.yaml").read_text())]
CONFIGURATION = "/etc/ggrep/server.jsonc"


def _pods() -> Iterator[Any]:
    (cluster,) = (part for part in KUBERAY if part["kind"] == "RayCluster")
    for group in (cluster["spec"]["headGroupSpec"], *cluster["spec"]["workerGroupSpecs"]):
        yield group["template"]["spec"]


def _lines() -> dict[str, list[str]]:
    """Return the command lines of ggrep, the entry point included."""
    (start,) = re.findall(r"^ExecStart=(.*)$", UNIT.read_text(), re.MULTILINE)
    lines = {"unit": start.split(" ")}
    for name, service in COMPOSE["services"].items():
        if "build" in service:
            lines[f"compose {name}"] = ["ggrep", *service["command"]]
    for pod in _pods():
        for container in pod["containers"]:
            if "command" in container:
                lines[f"kuberay {container['name']}"] = container["command"]
    return lines


def test_each_command_line_starts_the_server_of_its_configuration() -> None:
    lines = _lines()

    assert sorted(lines) == ["compose server", "kuberay server", "unit"]
    for program, *words in lines.values():
        assert Path(program).name == "ggrep"
        line = read(words)
        assert (line.command, line.values) == ("server start", {"file": CONFIGURATION})


@pytest.mark.parametrize("where", ["files", "kuberay"])
def test_the_configurations_are_valid_and_write_to_directories_that_last(
    tmp_path: Path, where: str
) -> None:
    names = ("server.jsonc", "access.jsonc")
    config_map = next(part["data"] for part in KUBERAY if part["kind"] == "ConfigMap")
    for name in names:
        text = config_map[name] if where == "kuberay" else (DEPLOY / name).read_text()
        (tmp_path / name).write_text(text)
    server = read_server_file(tmp_path / "server.jsonc")

    assert read_file(Access, Path(server.access)).rules
    assert bool(server.ray) == (where == "kuberay")
    written = {str(Path(server.cache)), str(Path(server.audit).parent)}
    if where == "kuberay":
        head, worker = _pods()
        assert written | {"/etc/ggrep"} <= _mounts(head["containers"][1])
        assert server.cache in _mounts(worker["containers"][0])
        assert server.nodes == sum(
            group["replicas"] for group in KUBERAY[2]["spec"]["workerGroupSpecs"]
        )
    else:
        volumes = {volume.split(":")[1] for volume in COMPOSE["services"]["server"]["volumes"]}
        assert written | {"/etc/ggrep"} <= volumes
        kinds = re.findall(r"^(Cache|Logs)Directory=(.*)$", UNIT.read_text(), re.MULTILINE)
        parts = {"Cache": "/var/cache", "Logs": "/var/log"}
        assert written == {f"{parts[kind]}/{name}" for kind, name in kinds}


def _mounts(container: Any) -> set[str]:
    return {mount["mountPath"] for mount in container["volumeMounts"]}


def test_each_mounted_volume_is_declared() -> None:
    for pod in _pods():
        declared = {volume["name"] for volume in pod["volumes"]}
        for container in pod["containers"]:
            assert {mount["name"] for mount in container["volumeMounts"]} <= declared
    named = {
        volume.split(":")[0]
        for service in COMPOSE["services"].values()
        for volume in service["volumes"]
        if not volume.startswith(".")
    }
    assert named == set(COMPOSE["volumes"])


def test_nothing_is_reported_to_makers() -> None:
    """Ray and SeaweedFS send figures of their use unless they are told not to."""
    assert "-master.telemetry=false" in COMPOSE["services"]["objects"]["command"]
    for pod in _pods():
        for container in pod["containers"]:
            environ = {entry["name"]: entry["value"] for entry in container["env"]}
            assert environ["RAY_USAGE_STATS_ENABLED"] == "0"
            assert environ["RAY_AUTH_MODE"] == "token"


def test_only_the_machine_itself_reaches_the_ports_of_the_containers() -> None:
    """Tokens are readable without TLS, which a proxy ends."""
    ports = [port for service in COMPOSE["services"].values() for port in service["ports"]]

    assert all(port.startswith("127.0.0.1:") for port in ports)


@pytest.mark.deep
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is missing (apt-get install systemd)")
    program = tmp_path / "ggrep"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    file = tmp_path / UNIT.name
    file.write_text(UNIT.read_text().replace("/opt/ggrep/bin/ggrep", str(program)))
    line = ["systemd-analyze", "verify", "--man=no", str(file)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
