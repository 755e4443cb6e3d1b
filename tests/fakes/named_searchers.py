"""Repositories in memory that define, use and expand what a test says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import InvalidRequest, SnapshotGone
from ggrep.model.containers import DefinedName, Fit
from ggrep.model.name_pools import (
    Importer,
    ImportsRequest,
    ImportsResponse,
    NameStep,
    NearName,
    PooledDefinition,
    PooledReference,
    ReferencesPool,
    ReferencesPoolRequest,
    SymbolPool,
    SymbolPoolRequest,
)
from ggrep.model.navigation import DefinedAt, Definition, ExpandRequest, ExpandResponse, Reference
from ggrep.model.written_names import name_parts
from tests.fakes.navigations import expand_response
from tests.fakes.searchers import FakeRow, FakeSearcher

ROW = "c" * 64
_A_ROW = (FakeRow("r", "a.py", 1, ("token",)),)


def defined(path: str, line: int = 1, name: str = "retry", kind: str = "function") -> Definition:
    return Definition(
        ROW, path, line, line, line + 2, name, name, "", kind, "python", f"def {name}()", ""
    )


def used(path: str, line: int = 1) -> Reference:
    return Reference(ROW, path, line, 5, "usage", "", "python", "retry()")


def _defined_name(one: Definition, asked: str) -> DefinedName:
    owners = ".".join(name_parts(asked)[:-1])
    at = DefinedAt(
        one.path, one.start_line, one.end_line, one.kind, one.qualified_name, one.signature
    )
    return DefinedName(
        at,
        one.container,
        fit="enclosing" if owners in {"", one.container} else "beside",
        language=one.language,
        bases=(),
        declared_only=False,
        test="test" in one.path,
    )


@dataclass(slots=True)
class NamedSearcher(FakeSearcher):
    """A repository that answers about names by what it was given.

    Attributes:
        fits: how the definitions of each rule fit; `enclosing` where nothing is said.
        provides: what imports of other repositories' files mean something of this one.
        places: targets of `expand` that it has.
        selects: what filters and the path match, where nothing is found.
    """

    rows: Sequence[FakeRow] = _A_ROW
    defines: Mapping[NameStep, Sequence[Definition]] = field(default_factory=dict)
    fits: Mapping[NameStep, Fit] = field(default_factory=dict)
    near: Mapping[NameStep, Sequence[NearName]] = field(default_factory=dict)
    uses: Mapping[NameStep, Sequence[Reference]] = field(default_factory=dict)
    importers: Sequence[Importer] = ()
    provides: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    selects: tuple[bool, ...] = ()

    async def symbol(self, request: SymbolPoolRequest, deadline: Deadline) -> SymbolPool:
        """Return the definitions of one rule."""
        await self._enter(f"symbol {request.step}", request)
        self._require(request.snapshot_id)
        result = self.defines.get(request.step, ())
        fit: Fit = self.fits.get(request.step, "enclosing" if result else "none")
        return SymbolPool(
            provenance=self._provenance(),
            fit=fit,
            definitions=tuple(
                PooledDefinition(each, "test" in each.path, declared_only=False, column=5)
                for each in result[request.skip :][: request.asked.limit]
            ),
            total=len(result),
            spellings=tuple(sorted({each.name for each in result})),
            near=tuple(self.near.get(request.step, ())),
            limits_hit=self.limits,
            warnings=self.warnings,
            selects=() if result else self.selects,
        )

    async def references(
        self, request: ReferencesPoolRequest, deadline: Deadline
    ) -> ReferencesPool:
        """Return the usages of one rule."""
        await self._enter(f"references {request.step}", request)
        self._require(request.snapshot_id)
        result = self.uses.get(request.step, ())
        defines = self.defines.get(request.step, ())
        count = len(defines)
        return ReferencesPool(
            provenance=self._provenance(),
            references=tuple(
                PooledReference(each, "test" in each.path)
                for each in result[request.skip :][: request.asked.limit]
            ),
            totals=(("usage", len(result)), ("string", 0), ("comment", 0), ("definition", count)),
            other_spelling=None,
            importers=tuple(self.importers),
            limits_hit=self.limits,
            warnings=self.warnings,
            defined=tuple(_defined_name(each, request.asked.name) for each in defines),
            selects=() if result or defines else self.selects,
        )

    async def imports(self, request: ImportsRequest, deadline: Deadline) -> ImportsResponse:
        await self._enter("imports", request)
        self._require(request.snapshot_id)
        return ImportsResponse(
            tuple(bool(self.provides & set(each.imports)) for each in request.importers)
        )

    async def expand(self, request: ExpandRequest, deadline: Deadline) -> ExpandResponse:
        """Return the code around a place."""
        await self._enter("expand", request)
        if request.target not in self.places:
            raise InvalidRequest(f"target: no file {request.target} in this index")
        result = expand_response(replace(request, deterministic=True))
        return replace(result, provenance=self._provenance())

    def _require(self, snapshot_id: str | None) -> None:
        if snapshot_id not in {None, self.snapshot_id}:
            raise SnapshotGone(f"snapshot {snapshot_id} is gone")
