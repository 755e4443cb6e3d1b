"""Reports of earlier runs: whatever is wrong with one is named by its field."""

from pathlib import Path
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.compare import read_report
from tests.fakes.evaluations import report_document, some_run


@pytest.mark.parametrize(
    ("where", "value", "fault"),
    [
        (("figures", "overall", "ndcg10"), "high", "figures.overall.ndcg10 must be a number"),
        (("figures", "overall", "mrr10"), True, "figures.overall.mrr10 must be a number"),
        (("figures", "overall", "pass_rate"), {}, "figures.overall.pass_rate must be a number"),
        (("figures", "overall", "pass_rate"), 1.5, "figures.overall.pass_rate must be a number"),
        (("figures", "overall"), [], "figures.overall must be an object"),
        (("queries",), {}, "queries must be a list"),
        (("queries", 0), "x", "queries[0] must be an object"),
        (("queries", 0, "id"), ["x"], "queries[0].id must be a string"),
        (("queries", 1, "workspace"), {}, "queries[1].workspace must be a string or null"),
        (("queries", 1, "repo"), None, "queries[1].repo must be a string"),
        (("queries", 1, "passed"), 1, "queries[1].passed must be true or false"),
        (("queries", 2, "ndcg10"), "0.5", "queries[2].ndcg10 must be a number"),
        (("queries", 2, "recall10"), False, "queries[2].recall10 must be a number"),
        (("queries", 2, "id"), "x", "queries[2].id is the same as that of queries[0]"),
        (("schema_version",), True, "schema_version is not 1"),
    ],
)
def test_a_field_of_another_kind_is_named(
    tmp_path: Path, where: tuple[Any, ...], value: object, fault: str
) -> None:
    """A figure that is none would pass for a bound or end in a traceback."""
    document: Any = report_document(some_run())
    holder = document
    for step in where[:-1]:
        holder = holder[step]
    holder[where[-1]] = value
    path = tmp_path / "earlier.json"
    path.write_bytes(stable_json.dumps(document))

    with pytest.raises(UsageError) as caught:
        read_report(path)
    assert str(caught.value).startswith(f"{path}: {fault}")
