"""Makes the shipped JSON Schemas of the types in `ggrep/model/schemas`: `python3 dev.py schemas`.

The types say which keys and values there are, the text under a field or a name what they are for;
that text is read from the source.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Final, is_typeddict

from msgspec import Struct

import ggrep.model.daemons
import ggrep.model.evaluation
import ggrep.model.machine
import ggrep.model.maintenance
import ggrep.model.page
import ggrep.model.schemas
import ggrep.model.status
import ggrep.model.workspace_state
from ggrep.federation import workspace_receipts
from ggrep.model.schemas import (
    answers,
    failure,
    federated,
    federated_names,
    handshake,
    receipts,
    slate,
    stores,
    workspace,
)
from ggrep.model.schemas import receipts as replay
from ggrep.model.schemas import stores as index_report
from ggrep.model.schemas import stores as remotes
from ggrep.model.schemas import workspace as resolved
from tests.contract.schema_making import Maker, Schema, Texts
from tests.contract.tool_schemas import RETURNED, TOOLS_FILE, returned

FOLDER: Final = Path(ggrep.model.schemas.__file__).parent
DOCUMENTS: Final[Mapping[str, tuple[str, ModuleType, str]]] = {
    "agents": ("Agents that ask ggrep", ggrep.model.machine, "AgentsDocument"),
    "answers": ("Several answers", answers, "AnswersJson"),
    "audit": ("Audit of a store", ggrep.model.maintenance, "Audit"),
    "check_report": ("Checks", ggrep.model.evaluation, "CheckReport"),
    "daemons": ("Daemons of this host", ggrep.model.daemons, "DaemonsDocument"),
    "eval_comparison": ("Comparison", ggrep.model.evaluation, "Comparison"),
    "eval_report": ("Evaluation", ggrep.model.evaluation, "EvalReport"),
    "expand_success": ("Surroundings of a place", answers, "ExpandJson"),
    "federated_answers": (
        "Several answers of a workspace",
        federated_names,
        "FederatedAnswersJson",
    ),
    "federated_error": ("Workspace failure", federated, "FederatedErrorJson"),
    "federated_expand": (
        "Surroundings of a place in a workspace",
        federated_names,
        "FederatedExpandJson",
    ),
    "federated_references": (
        "Usages of a name in a workspace",
        federated_names,
        "FederatedReferencesJson",
    ),
    "federated_slate": ("Workspace slate", federated, "FederatedSlateJson"),
    "federated_success": ("Workspace answer", federated, "FederatedJson"),
    "federated_symbol": (
        "Definitions of a name in a workspace",
        federated_names,
        "FederatedSymbolJson",
    ),
    "handshake_request": ("First message of a client", handshake, "HelloJson"),
    "handshake_response": ("First answer of a daemon", handshake, "WelcomeJson"),
    "health": ("Health of a store", ggrep.model.maintenance, "Health"),
    "index_report": ("Report of ggrep index", index_report, "IndexReportJson"),
    "inventory": ("Stores of a home", stores, "InventoryJson"),
    "remotes": ("Remotes, and what travels", remotes, "RemoteDocumentJson"),
    "machine": ("What ggrep stands on", ggrep.model.machine, "MachineDocument"),
    "maintenance": ("Maintenance of a store", ggrep.model.maintenance, "Maintenance"),
    "outline_success": ("Outlines of files and folders", answers, "OutlineJson"),
    "page_places": ("Places that the page can search", ggrep.model.page, "PagePlaces"),
    "page_session": ("Credential of the page", ggrep.model.page, "PageSession"),
    "profiles": ("Profiles of a repository", ggrep.model.status, "ProfilesReport"),
    "query_error": ("Failure", failure, "FailureJson"),
    "query_success": ("Search answer", answers, "SearchJson"),
    "receipt": ("Receipt", receipts, "ReceiptJson"),
    "references_success": ("Usages of a name", answers, "ReferencesJson"),
    "replay_report": ("Replay", replay, "ReplayJson"),
    "slate_success": ("Slate", slate, "SlateAnswerJson"),
    "status": ("Status of a repository", ggrep.model.status, "Status"),
    "symbol_success": ("Definitions of a name", answers, "SymbolJson"),
    "tour_success": ("Tour of a repository", answers, "TourJson"),
    "workspace": ("Looking after a workspace", workspace, "WorkspaceJson"),
    "workspace_manifest": ("Workspace manifest", ggrep.model.workspace_state, "Manifest"),
    "workspace_receipt": ("Receipt of a workspace", workspace_receipts, "WorkspaceReceiptJson"),
    "workspace_replay": ("Replay of a workspace", workspace_receipts, "WorkspaceReplay"),
    "workspace_resolved": ("A resolved workspace", resolved, "ResolvedWorkspaceJson"),
}
"""By the names of their files: titles, and where their types are."""


def schema(name: str, texts: Texts) -> Schema:
    """Return the schema of the document whose file has this name."""
    title, module, type_name = DOCUMENTS[name]
    kind, maker = getattr(module, type_name), Maker(texts)
    if is_typeddict(kind) or (isinstance(kind, type) and issubclass(kind, Struct)):
        body = maker.fields_of(kind)
    else:
        body = {"description": texts.named[type_name], **maker.of(kind)}
    defs = {"$defs": dict(sorted(maker.defs.items()))} if maker.defs else {}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"ggrep://schemas/{name}.schema.json",
        "title": title,
        **body,
        **defs,
    }


def schema_files() -> dict[Path, bytes]:
    """Return the shipped files and what they are to hold."""
    texts = Texts(FOLDER, FOLDER.parent, FOLDER.parents[1] / "federation")
    made = {
        FOLDER / f"{name}.schema.json": _bytes(schema(name, texts)) for name in sorted(DOCUMENTS)
    }
    made[FOLDER / TOOLS_FILE] = _lines({name: returned(name, texts) for name in RETURNED})
    return made


def _bytes(value: Schema) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def _lines(held: Mapping[str, Schema]) -> bytes:
    """Return one line for each tool: clients pay for every byte of them."""
    lines = [f'"{name}":{json.dumps(each, separators=(",", ":"))}' for name, each in held.items()]
    return ("{" + ",\n".join(lines) + "}\n").encode()


def main() -> int:
    """Write the files that are not as they are to be; remove those of documents that are gone."""
    wanted = schema_files()
    for path in sorted({*FOLDER.glob("*.json"), *wanted}):
        if path not in wanted:
            path.unlink()
        elif not path.exists() or path.read_bytes() != wanted[path]:
            path.write_bytes(wanted[path])
        else:
            continue
        sys.stderr.write(f"{path.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
