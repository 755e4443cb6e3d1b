"""What the strict schema of JUnit reports wants, as a table: names, order, numbers and forms.

The schema is that of Ant's JUnit and JUnitReport tasks (`JUnit.xsd` of Windy Road, which most
validators use). What it refuses in such a report is refused here: an element or attribute that it
does not know, one that is missing, another order, a value of another form.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct, field

_NAMED: Final = r"\s*\S[\s\S]*"
_ANY: Final = r"[\s\S]*"
_INT: Final = r"[+-]?[0-9]{1,9}"
_DECIMAL: Final = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)"
_MOMENT: Final = (
    r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
)


class Element(Struct, frozen=True):
    """What one element may hold.

    Attributes:
        attributes: each with the form of its value; all are needed but those of `optional`.
        children: names in order, each with how often at least and at most; 0 for any number.
        alone: at most one child in all.
        text: it may hold text.
    """

    attributes: Mapping[str, str] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()
    children: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    alone: bool = False
    text: bool = False


_WRONG: Final = Element({"type": _ANY, "message": _ANY}, optional=frozenset({"message"}), text=True)
ELEMENTS: Final[Mapping[str, Element]] = {
    "testsuites": Element(children={"testsuite": (0, 0)}),
    "testsuite": Element(
        {
            "name": _NAMED,
            "package": _ANY,
            "id": _INT,
            "timestamp": _MOMENT,
            "hostname": _NAMED,
            "tests": _INT,
            "failures": _INT,
            "errors": _INT,
            "skipped": _INT,
            "time": _DECIMAL,
        },
        optional=frozenset({"skipped"}),
        children={
            "properties": (1, 1),
            "testcase": (0, 0),
            "system-out": (1, 1),
            "system-err": (1, 1),
        },
    ),
    "properties": Element(children={"property": (0, 0)}),
    "property": Element({"name": _NAMED, "value": _ANY}),
    "testcase": Element(
        {"name": _ANY, "classname": _ANY, "time": _DECIMAL},
        children={"skipped": (0, 1), "error": (0, 1), "failure": (0, 1)},
        alone=True,
    ),
    "failure": _WRONG,
    "error": _WRONG,
    "skipped": Element(text=True),
    "system-out": Element(text=True),
    "system-err": Element(text=True),
}


def faults(report: bytes) -> list[str]:
    """Return what of a report the schema refuses."""
    root = ET.fromstring(report)  # noqa: S314 - our own
    if root.tag != "testsuites":
        return [f"the root is {root.tag}"]
    return list(_faults(root))


def _faults(element: ET.Element) -> Iterator[str]:
    rules = ELEMENTS[element.tag]
    yield from _of_attributes(element, rules)
    if not rules.text and any((text or "").strip() for text in _texts(element)):
        yield f"{element.tag} may hold no text"
    names = [child.tag for child in element]
    strangers = [name for name in names if name not in rules.children]
    if strangers:
        yield f"{element.tag} may hold no {strangers[0]}"
        return
    yield from _of_children(element.tag, names, rules)
    for child in element:
        yield from _faults(child)


def _of_attributes(element: ET.Element, rules: Element) -> Iterator[str]:
    for name in rules.attributes.keys() - rules.optional - element.attrib.keys():
        yield f"{element.tag} has no {name}"
    for name, value in element.items():
        form = rules.attributes.get(name)
        if form is None:
            yield f"{element.tag} may have no {name}"
        elif re.fullmatch(form, value) is None:
            yield f"{name} of {element.tag} may not be {value!r}"


def _of_children(tag: str, names: list[str], rules: Element) -> Iterator[str]:
    if names != sorted(names, key=list(rules.children).index):
        yield f"{tag} holds {names} in another order"
    for name, (least, most) in rules.children.items():
        if names.count(name) < least or (most and names.count(name) > most):
            yield f"{tag} holds {names.count(name)} {name}"
    if rules.alone and len(names) > 1:
        yield f"{tag} holds {names}, of which one may be"


def _texts(element: ET.Element) -> Iterator[str | None]:
    yield element.text
    yield from (child.tail for child in element)
