"""The worker process of one job: reads a job, writes a JSON document. Started by `python -m`.

Killing the worker loses only the answers of one repository. The worker ends when its parent ends.
"""

import os
import signal
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError
from ggrep.base.linux import end_with_parent
from ggrep.base.stable_json import Json, decode
from ggrep.config.settings import environment
from ggrep.index.store.lean_import import leave_out_remote_client
from ggrep.interfaces.evaluation.questions import CaseQuery, QueriedPath
from ggrep.interfaces.evaluation.suite_questions import open_asker


def main() -> int:
    """Read a job from standard input, write the answers to standard output; return the status."""
    # Ctrl-C interrupts the whole process group, but only the parent handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    leave_out_remote_client()
    answers, sys.stdout = sys.stdout, sys.stderr  # libraries must not print into the document
    job = stable_json.loads(sys.stdin.buffer.read())
    if os.getppid() != job["parent"]:
        return 1  # the parent ended before `end_with_parent`
    document = run(job)
    answers.buffer.write(stable_json.dumps(document))
    answers.flush()
    return 0


def run(job: Mapping[str, Any]) -> dict[str, Json]:
    """Return the answers of a job, or its error."""
    try:
        use_weights(job["weights"])
        target = QueriedPath(Path(job["path"]), job["is_workspace"], job["alone"])
        asker = open_asker(
            target, environment(), flags={"encoder": job["encoder"]}, merge=job["merge"]
        )
        if job["sync"]:
            asker.sync(lambda _: lambda _: None)
        asker.require_index()
        questions = decode(tuple[CaseQuery, ...], job["questions"])
        # The first query of a process includes imports and cold pages; times exclude them.
        for question in questions[:1]:
            asker.ask(question)
        answers = [asker.ask(question) for question in questions]
    except GgrepError as error:
        return {"error": str(error), "answers": []}
    return {"error": "", "answers": to_builtins(answers)}


def use_weights(values: Mapping[str, Json]) -> None:
    """Use other ranking weights in this whole process from now on; only for measurements."""
    from ggrep.interfaces.evaluation.ranking_weights import weights_from
    from ggrep.search.query import context as ranking
    from ggrep.search.query.pipeline import rank

    ranking.__dict__["rank"] = partial(rank, weights=weights_from(values)) if values else rank


if __name__ == "__main__":
    sys.exit(main())
